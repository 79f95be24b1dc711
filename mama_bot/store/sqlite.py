"""SQLite in one file: one thread writes and commits in groups, another one reads beside it."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from mama_bot.errors import StoreUnavailable
from mama_bot.store.connection import Connection
from mama_bot.store.dialects import SQLITE
from mama_bot.store.faults import cannot_open, cannot_read, store_unavailable
from mama_bot.store.lane import Lane
from mama_bot.store.migrations import migrate, unsuitable_database

T = TypeVar("T")

_STATEMENTS = 512  # kept prepared by each connection: all that there are


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
    writer = _lane("store-writer", "BEGIN IMMEDIATE", path, busy_seconds)
    reader = _lane("store-reader", "BEGIN", path, busy_seconds)
    await writer.open()
    try:
        unsuitable = await writer.run(migrate if migrates else unsuitable_database)
        if unsuitable is not None:
            raise StoreUnavailable(url=str(path), reason=unsuitable.reason, remedy=unsuitable.remedy)
        await reader.open()
        try:
            yield SqliteDatabase(writer=writer, reader=reader)
        finally:
            await reader.close()
    finally:
        await writer.close()


class SqliteSession:
    """A connection to a SQLite file; `begin` is the statement that begins its transactions."""

    def __init__(self, driver: sqlite3.Connection, *, begin: str = "BEGIN IMMEDIATE") -> None:
        self._driver = driver
        self._begin = begin
        self.connection = Connection(driver.execute, SQLITE)

    def begin(self) -> None:
        self._driver.execute(self._begin)

    def commit(self) -> None:
        self._driver.execute("COMMIT")

    def recover(self) -> bool:
        if self._driver.in_transaction:
            try:
                self._driver.execute("ROLLBACK")
            except sqlite3.Error:
                return False
        return True

    def close(self) -> None:
        self._driver.close()


def _lane(name: str, begin: str, path: Path, busy_seconds: float) -> Lane:
    return Lane(
        name=name,
        connect=lambda: SqliteSession(_driver(path, busy_seconds), begin=begin),
        translate=lambda error: store_unavailable(error, path),
    )


def _driver(path: Path, busy_seconds: float) -> sqlite3.Connection:
    # The driver shall not begin or commit anything by itself: the lane does.
    driver = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None, cached_statements=_STATEMENTS)
    try:
        if sqlite3.sqlite_version_info < (3, 43):
            driver.create_function("octet_length", 1, lambda text: len(text.encode()), deterministic=True)
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "temp_store = MEMORY"):
            driver.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        driver.close()
        raise
    return driver
