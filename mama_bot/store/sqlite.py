"""SQLite in one file: one thread writes and commits in groups, another one reads beside it."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from mama_bot.errors import StoreUnsuitable
from mama_bot.store.connection import Connection
from mama_bot.store.database_file import DatabaseFile
from mama_bot.store.dialects import SQLITE
from mama_bot.store.faults import cannot_open, cannot_read, store_unavailable
from mama_bot.store.lane import Lane
from mama_bot.store.migrations import migrate, unsuitable_database

T = TypeVar("T")
Usable = Callable[[sqlite3.Connection], sqlite3.Connection]

# A file that was removed is put back so soon at the latest: with the end of the process it would be gone.
_REST_SECONDS = 1.0
_STATEMENTS = 512  # kept prepared by each connection: all that there are


def _as_it_is(driver: sqlite3.Connection) -> sqlite3.Connection:
    return driver


class SqliteDatabase:
    """A `Database` in one SQLite file, for one process; made by `open_sqlite`."""

    def __init__(self, *, writer: Lane, reader: Lane) -> None:
        self._writer = writer
        self._reader = reader

    async def write(self, work: Callable[[Connection], T]) -> T:
        return await self._writer.run(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._reader.run(work)


@asynccontextmanager
async def open_sqlite(path: Path, *, busy_seconds: float = 5.0, migrates: bool = True) -> AsyncIterator[SqliteDatabase]:
    """Open (or create) the file and bring its tables up to date; `busy_seconds` bounds the wait for a foreign lock.

    Raises StoreUnavailable when the file or its directory cannot be used, or a newer release wrote it; without
    `migrates`, which never makes or changes a table, also when it is missing or an older release wrote it.
    """
    problem = cannot_open(path) if migrates else cannot_read(path) or cannot_open(path)
    if problem is not None:
        raise problem
    file = DatabaseFile(path, busy_seconds=busy_seconds, statements=_STATEMENTS)
    writer = _lane("store-writer", "BEGIN IMMEDIATE", file, path, file.to_write, rest_seconds=_REST_SECONDS)
    reader = _lane("store-reader", "BEGIN", file, path, file.to_read)
    await writer.open()
    try:
        unsuitable = await writer.run(migrate if migrates else unsuitable_database)
        if unsuitable is not None:
            raise StoreUnsuitable(url=str(path), reason=unsuitable.reason, remedy=unsuitable.remedy)
        await reader.open()
        try:
            yield SqliteDatabase(writer=writer, reader=reader)
        finally:
            await reader.close()
    finally:
        await writer.close()


class SqliteSession:
    """A connection to a SQLite file: `begin` begins its transactions, on the driver that `usable` returns each time."""

    def __init__(
        self, driver: sqlite3.Connection, *, begin: str = "BEGIN IMMEDIATE", usable: Usable = _as_it_is
    ) -> None:
        self._begin = begin
        self._usable = usable
        self._adopt(driver)

    def _adopt(self, driver: sqlite3.Connection) -> None:
        self._driver = driver
        self.connection = Connection(driver.execute, SQLITE)

    def begin(self) -> None:
        driver = self._usable(self._driver)
        if driver is not self._driver:
            self._adopt(driver)
        driver.execute(self._begin)

    def at_length(self) -> None:
        pass  # nobody ends it

    def commit(self) -> None:
        self._driver.execute("COMMIT")

    def recover(self) -> bool:
        try:
            if self._driver.in_transaction:
                self._driver.execute("ROLLBACK")
        except sqlite3.Error:
            return False
        return True

    def close(self) -> None:
        self._driver.close()


def _lane(
    name: str, begin: str, file: DatabaseFile, path: Path, usable: Usable, *, rest_seconds: float | None = None
) -> Lane:
    return Lane(
        rest_seconds=rest_seconds,
        name=name,
        connect=lambda: SqliteSession(file.connect(), begin=begin, usable=usable),
        translate=lambda error: store_unavailable(error, path),
    )
