"""SQLite in one file: one thread writes and commits in groups, another one reads beside it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from mama_bot.errors import StoreUnavailable
from mama_bot.store.connection import Connection
from mama_bot.store.database_file import DatabaseFile
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
    file = DatabaseFile(path, busy_seconds=busy_seconds, statements=_STATEMENTS)
    writer = _lane("store-writer", "BEGIN IMMEDIATE", file, path, file.to_write)
    reader = _lane("store-reader", "BEGIN", file, path, file.to_read)
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


def _lane(name: str, begin: str, file: DatabaseFile, path: Path, usable: Callable[[Connection], Connection]) -> Lane:
    return Lane(
        name=name,
        begin=begin,
        connect=file.connect,
        usable=usable,
        translate=lambda error: store_unavailable(error, path),
    )
