"""Who works on a database: one process that does all, or nodes that share the work."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from mama_bot.boot_clock import since_boot
from mama_bot.model import ConversationKey, Platform
from mama_bot.store.jobs import ALONE, Workplace


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLease:
    """For how long a node counts as alive without a word; its other times follow, so that all nodes agree."""

    silence_seconds: float = 20.0

    @property
    def sign_seconds(self) -> float:
        """How often it says that it lives."""
        return self.silence_seconds / 5

    @property
    def renewed_seconds(self) -> float:
        """For how long a renewal lasts at least before the next one is written."""
        return self.silence_seconds * 3 / 20

    @property
    def cut_off_seconds(self) -> float:
        """After how long it is taken over whose connection is gone."""
        return self.silence_seconds / 2

    @property
    def posting_seconds(self) -> float:
        """For how long after its last transaction it may post: certainly nobody has taken it over by then."""
        return (self.cut_off_seconds - self.renewed_seconds) * 6 / 7

    @property
    def return_seconds(self) -> float:
        """How long conversations wait for a node that has left by itself, as for a new release."""
        return self.silence_seconds * 3 / 2

    @property
    def ask_seconds(self) -> float:
        """How often it is looked who is dead, and which duty is free."""
        return self.silence_seconds / 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A process that works on a database beside others: `id` is that of its data directory, and outlives it.

    It can have the connections of its `platforms`.
    `wrote` is told, in a thread of the store, when the last transaction that was committed began (see `since_boot`).
    """

    id: str
    role: str
    shared_files: bool = False
    platforms: tuple[str, ...] = ()
    lease: NodeLease = field(default_factory=NodeLease)
    wrote: Callable[[float], object] = lambda _: None

    @property
    def place(self) -> Workplace:
        """Where it runs jobs."""
        return Workplace(node=self.id, shared_files=self.shared_files)


class Nodes(Protocol):
    """The nodes of a database, as one of them sees them."""

    @property
    def id(self) -> str:
        """Who this one is."""
        ...

    @property
    def place(self) -> Workplace:
        """Where this one runs jobs."""
        ...

    def may_post(self) -> bool:
        """Return whether nobody can have taken over what this one has begun."""
        ...

    async def home(self, key: ConversationKey) -> str | None:
        """Return the worker that has the files of a conversation, also one that is waited for; None for none."""
        ...

    async def lives(self, node: str) -> bool:
        """Return whether a node lives, or is waited for."""
        ...

    async def worker(self) -> str | None:
        """Return a worker that lives, the same to whoever asks; None where there is none."""
        ...

    async def duty(self, name: str) -> None:
        """Return once this node has what one alone does; it keeps it until it releases it."""
        ...

    async def release(self, name: str) -> None:
        """Leave to others what this one alone does; raises StoreUnavailable."""
        ...

    async def has_others(self, platform: Platform) -> bool:
        """Return whether another node lives that can have the connection of a platform; raises StoreUnavailable."""
        ...

    async def watch(self) -> None:
        """Take over, until cancelled, what nodes left that were not heard of for long."""
        ...


class Alone:
    """The `Nodes` of whoever does all: every duty is its own.

    `last_written` tells (see `since_boot`) when the database last took something of it, where another service may
    stand by to take it over.
    """

    def __init__(self, last_written: Callable[[], float] | None = None) -> None:
        self._last_written = last_written

    id = ""
    place = ALONE

    def may_post(self) -> bool:
        """Return True, but where it stood still for so long that another service may have begun."""
        if self._last_written is None:
            return True
        return since_boot() - self._last_written() < NodeLease().posting_seconds

    async def home(self, key: ConversationKey) -> str | None:
        """Return None: all files are here."""
        del key
        return None

    async def lives(self, node: str) -> bool:
        """Return False: there are no nodes."""
        del node
        return False

    async def worker(self) -> str | None:
        """Return None: whoever is alone needs none."""
        return None

    async def duty(self, name: str) -> None:
        """Return at once."""

    async def release(self, name: str) -> None:
        """Do nothing: there is nobody else."""

    async def has_others(self, platform: Platform) -> bool:
        """Return False: there are no nodes."""
        del platform
        return False

    async def watch(self) -> None:
        """Wait for good: there is nobody to take over from."""
        await asyncio.Event().wait()
