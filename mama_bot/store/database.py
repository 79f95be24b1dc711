"""The port to a database: a unit of work is a synchronous function of one connection, run in one transaction."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from mama_bot.store.connection import Connection

T = TypeVar("T")


class Database(Protocol):
    """Runs units of work; each sees what every earlier unit that returned has written.

    A unit must not commit, roll back or keep the connection, and it may be run more than once before it counts. Both
    methods raise StoreUnavailable when the database is locked, full, not writable or broken (nothing of the unit is
    stored), or whatever the unit itself raises. A caller that is cancelled while it waits does not know whether its
    unit ran, so units are to be safe to repeat.
    """

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run a unit that may write; when this returns, what it wrote survives a crash."""
        ...

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a unit that only reads, in one snapshot."""
        ...
