"""Who works on a database: one process that does all, or nodes that share the work."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from mama_bot.store.jobs import ALONE, Workplace


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A process that works on a database beside others: `id` is that of its data directory, and outlives it."""

    id: str
    role: str
    shared_files: bool = False

    @property
    def place(self) -> Workplace:
        """Where it runs jobs."""
        return Workplace(node=self.id, shared_files=self.shared_files)


class Nodes(Protocol):
    """The nodes of a database, as one of them sees them."""

    @property
    def place(self) -> Workplace:
        """Where this one runs jobs."""
        ...

    async def duty(self, name: str) -> None:
        """Return once this node has what one alone does; it keeps it to its end."""
        ...

    async def watch(self) -> None:
        """Take over, until cancelled, what nodes left that were not heard of for long."""
        ...


class Alone:
    """The `Nodes` of whoever does all: every duty is its own."""

    place = ALONE

    async def duty(self, name: str) -> None:
        """Return at once."""

    async def watch(self) -> None:
        """Wait for good: there is nobody to take over from."""
        await asyncio.Event().wait()
