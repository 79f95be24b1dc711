"""Who works on a PostgreSQL database: one service or several nodes, and none that was taken for dead meanwhile.

The server itself holds that: the right is a lock of the connection that writes, and that connection ends with its
process, or when nothing was heard on it for a while (the machine died, the process stands still). A process that comes
back finds that another one has begun since, and writes nothing any more.
"""

import time
from collections.abc import Callable
from typing import Protocol

from mama_bot.store.nodes import NodeLease
from mama_bot.store.postgresql_driver import WRITING, Driver
from mama_bot.store.postgresql_faults import in_use, taken_over
from mama_bot.store.postgresql_nodes import LOCKS

# The server ends a connection that was silent for so long; whoever works says something far more often.
_SILENCE_SECONDS = 20
SIGN_OF_LIFE_SECONDS = 4.0
# Who waits gives whoever works so long to take its right again, where only its connection was cut (a server's restart).
_GRACE_SECONDS = 5.0
_PAUSE_SECONDS = 0.2

_LISTEN = f"SET idle_session_timeout = '{_SILENCE_SECONDS}s'".encode()
_TAKE = b"SELECT pg_try_advisory_lock(7165068)"
_TAKEN = b"""
    SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7165068 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
# Counts the services that have begun; set and not asked for its next value, of which a crash of the server skips some.
_COUNTER = b"CREATE SEQUENCE IF NOT EXISTS mama_tenures"
_BEGIN = b"SELECT setval('mama_tenures', last_value + 1) FROM mama_tenures"
_LATEST = b"SELECT last_value FROM mama_tenures"
_TAKE_SHARED = b"SELECT pg_try_advisory_lock_shared(7165068)"
_IS_NODE = b"SELECT count(*) FROM nodes WHERE number = %s"


class Right(Protocol):
    """The right to write, for whoever has the connection that writes."""

    def take(self, driver: Driver) -> None:
        """Take the right for a connection, or take it again; raises StoreInUse where another service has it."""
        ...

    def begin(self) -> bytes:
        """Return the statement that begins a transaction, and refuses it where the right is lost."""
        ...

    def lose(self) -> None:
        """Tell whoever opened the database that the right is lost, for good."""
        ...

    @property
    def sign_seconds(self) -> float:
        """How often it says at least that it is there."""
        ...


class Tenure:
    """The right of one service to work on a database, over connections that break."""

    sign_seconds = SIGN_OF_LIFE_SECONDS

    def __init__(self, url: str, lost: Callable[[], object]) -> None:
        self._url = url
        self._lost = lost
        self._number: int | None = None
        self._waits = False

    def begin(self) -> bytes:
        return WRITING

    def lose(self) -> None:
        self._lost()

    def take(self, driver: Driver) -> None:
        if self._number is None:
            if self._waits and not _scalar(driver, _TAKEN):
                time.sleep(_GRACE_SECONDS)
            if not _scalar(driver, _TAKE):
                self._waits = True
                raise in_use(self._url)
            driver.execute(_COUNTER)
            self._number = int(_scalar(driver, _BEGIN))
        else:
            self._take_again(driver, self._number)
        driver.execute(_LISTEN)

    def _take_again(self, driver: Driver, number: int) -> None:
        # The connection that was cut off may be there for a while yet, as the server sees it.
        until = time.monotonic() + _SILENCE_SECONDS + SIGN_OF_LIFE_SECONDS
        while not self._superseded(driver, number):
            if _scalar(driver, _TAKE):
                if self._superseded(driver, number):
                    break
                return
            if time.monotonic() >= until:
                raise in_use(self._url)
            time.sleep(_PAUSE_SECONDS)
        self.lose()
        raise taken_over(self._url)

    def _superseded(self, driver: Driver, number: int) -> bool:
        return int(_scalar(driver, _LATEST)) != number


class SharedTenure:
    """The right of one of several nodes: shared with others, and never held beside a service that does all itself.

    Once its node has joined, each transaction names its number, which is refused when the node was taken over.
    """

    def __init__(self, url: str, lease: NodeLease, lost: Callable[[], object]) -> None:
        self._url = url
        self._lease = lease
        self._lost = lost
        self._joined = False
        self.number = 0
        self.sign_seconds = lease.sign_seconds

    def begin(self) -> bytes:
        if not self._joined:
            return WRITING
        times = f"{self._lease.silence_seconds}, {self._lease.renewed_seconds}"
        return WRITING + f"; SELECT mama_node({self.number}, {times})".encode()

    def joined(self) -> None:
        """Name the number from now on: the node is among those that live."""
        self._joined = True

    def lose(self) -> None:
        self._lost()

    def take(self, driver: Driver) -> None:
        silence = self._lease.silence_seconds
        until = time.monotonic() + (silence + self.sign_seconds if self.number else 0.0)
        while not _scalar(driver, _TAKE_SHARED):
            if self._joined and not _scalar(driver, _IS_NODE, self.number):
                self.lose()
                raise taken_over(self._url)
            if time.monotonic() >= until:
                raise in_use(self._url)
            time.sleep(_PAUSE_SECONDS)
        if not self.number:
            with driver.transaction():
                driver.execute(b"SELECT pg_advisory_xact_lock(7165067)")
                driver.execute(_COUNTER)
                self.number = int(_scalar(driver, _BEGIN))
        driver.execute(b"SELECT pg_advisory_lock_shared(%s, %s)", (LOCKS, self.number))
        held = f"SET idle_in_transaction_session_timeout = '{int(self._lease.cut_off_seconds * 1000)}ms'"
        driver.execute(f"SET idle_session_timeout = '{int(silence * 1000)}ms'; {held}".encode())


def _scalar(driver: Driver, statement: bytes, *values: int) -> int:
    row = driver.execute(statement, values or None).fetchone()
    assert row is not None
    return int(row[0])
