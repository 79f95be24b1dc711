"""The places of the pool and the queue before them: who may have one next. No waiting, no processes, no time."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.model import AgentPersona, ConversationKey
from mama_bot.protocols import AgentSession


@dataclass(frozen=True, slots=True)
class Owner:
    """To whom a session belongs; `apart` names the work tree of a delegation ("": that of the conversation)."""

    key: ConversationKey
    persona: str
    apart: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Purpose:
    """What a process was started for: another one needs another process."""

    persona: AgentPersona
    workspace: Path
    read_only: bool = False


@dataclass(eq=False, slots=True, kw_only=True)
class Slot:
    """A place for one session; `leased` while somebody uses it, `closing` while its session is being ended.

    One that is `dead` takes no room: its process is gone or has lost its use. One that is `lent` takes none
    for as long: its agent waits for another. One that is `forgotten` is not used again; once `gone`, it is nobody's.
    """

    owner: Owner
    session: AgentSession | None = None
    made_for: Purpose | None = None
    last_used: float = 0.0
    opened_at: float = 0.0
    turns: int = 0
    leased: bool = True
    closing: bool = False
    dead: bool = False
    lent: int = 0
    forgotten: bool = False
    gone: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class _Waiter:
    owner: Owner
    granted: "asyncio.Future[Slot]" = field(repr=False)
    later: bool = False


class Slots:
    """At most `size` living slots, at most one for each owner, and a queue: for people first, as they came."""

    def __init__(self, *, size: int) -> None:
        self._size = size
        self._slots: list[Slot] = []
        self._waiters: deque[_Waiter] = deque()

    @property
    def busy(self) -> int:
        """How many are leased to agents that do not wait for another."""
        return sum(slot.leased and not slot.lent for slot in self._slots)

    @property
    def waiting(self) -> int:
        """How many wait for a slot."""
        return sum(not waiter.granted.done() for waiter in self._waiters)

    def all(self) -> tuple[Slot, ...]:
        """Return every slot, also the closing ones."""
        return tuple(self._slots)

    def idle(self) -> tuple[Slot, ...]:
        """Return those that nobody uses, the one used longest ago first."""
        return tuple(
            sorted(
                (slot for slot in self._slots if not slot.leased and not slot.closing), key=lambda slot: slot.last_used
            )
        )

    def in_conversation(self, key: ConversationKey) -> tuple[Slot, ...]:
        """Return the slots of a conversation that are not being closed."""
        return tuple(slot for slot in self._slots if slot.owner.key == key and not slot.closing)

    def of(self, owner: Owner) -> Slot | None:
        """Return the slot of an owner."""
        return next((slot for slot in self._slots if slot.owner == owner), None)

    def wait(self, owner: Owner, *, later: bool = False) -> "asyncio.Future[Slot]":
        """Join the queue and return the slot to come; who is served `later` stands behind everybody who is not."""
        granted: asyncio.Future[Slot] = asyncio.get_running_loop().create_future()
        self._waiters.append(_Waiter(owner, granted, later))
        self._waiters = deque(sorted(self._waiters, key=lambda waiter: waiter.later))  # stable: else as they came
        return granted

    def withdraw(self, granted: "asyncio.Future[Slot]") -> None:
        """Leave the queue; a slot that was granted in the same moment is given back."""
        if granted.done() and not granted.cancelled() and granted.exception() is None:
            slot = granted.result()
            if slot.session is None:
                self.remove(slot)
            else:
                self.release(slot)
        granted.cancel()
        self._waiters = deque(waiter for waiter in self._waiters if waiter.granted is not granted)

    def forget_waiters(self) -> tuple["asyncio.Future[Slot]", ...]:
        """Empty the queue and return those who still waited."""
        waiting = tuple(waiter.granted for waiter in self._waiters if not waiter.granted.done())
        self._waiters.clear()
        return waiting

    def grant(self) -> tuple[Slot, ...]:
        """Give slots to those who can have one now; returns idle slots to be closed so that more can."""
        to_close: list[Slot] = []
        short = 0
        for waiter in tuple(self._waiters):
            if waiter.granted.done():
                self._waiters.remove(waiter)
                continue
            own = self.of(waiter.owner)
            if own is not None and (own.leased or own.closing):
                continue
            if own is not None:
                own.leased = True
                self._hand(waiter, own)
            elif short == 0 and self._living() < self._size:
                slot = Slot(owner=waiter.owner)
                self._slots.append(slot)
                self._hand(waiter, slot)
            else:
                short += 1
        room_coming = sum(slot.closing and not slot.dead for slot in self._slots)
        beyond = max(0, self._living() - self._size)  # who lent a place took it back
        to_close.extend(self.idle()[: max(0, short + beyond - room_coming)])
        return tuple(to_close)

    def release(self, slot: Slot) -> None:
        """Note that the user of a slot has finished; it stays warm."""
        slot.leased = False

    def abandon(self, slot: Slot) -> None:
        """Note that the session of a slot is of no use any more: the room is free at once."""
        slot.dead = True

    def close(self, slot: Slot) -> None:
        """Note that the session of a slot is being ended."""
        slot.leased = False
        slot.closing = True

    def remove(self, slot: Slot) -> None:
        """Note that the session of a slot is gone."""
        if slot in self._slots:
            self._slots.remove(slot)
        slot.gone.set()

    def _living(self) -> int:
        return sum(not slot.dead and not slot.lent for slot in self._slots)

    def _hand(self, waiter: _Waiter, slot: Slot) -> None:
        self._waiters.remove(waiter)
        waiter.granted.set_result(slot)
