"""PostgreSQL: one thread writes and commits in groups, others read beside it; one process writes at a time."""

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from itertools import cycle
from typing import Any, TypeVar

import psycopg
from psycopg.adapt import Buffer, Loader
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import IntDumper
from psycopg.types.string import StrDumperUnknown

from mama_bot.errors import StoreUnavailable
from mama_bot.store.connection import Connection, Cursor, Statement
from mama_bot.store.dialects import POSTGRESQL
from mama_bot.store.lane import Lane
from mama_bot.store.migrations import Unsuitable, migrate, unsuitable_database
from mama_bot.store.postgresql_faults import in_use, postgresql_unavailable, shown
from mama_bot.store.postgresql_schema import make_functions, make_rings
from mama_bot.text.patterns import Match, compiled

T = TypeVar("T")

_STATEMENTS = 512  # kept prepared by each connection: all that there are
_READERS = 2
_CONNECT_SECONDS = 5
# How long a connection that was there is sought again before units are told that there is none: a server's restart.
_PATIENCE_SECONDS = 8.0
_PAUSE_SECONDS = 0.1
# Whoever holds the one place of a writer and stands still (a process that was stopped) is put out by the server.
_SETTINGS = """
    SET idle_in_transaction_session_timeout = '10s';
    SET lock_timeout = '20s';
    SET statement_timeout = '60s';
    SET synchronous_commit = on;
"""
# Units are written for a database that one of them changes at a time, as SQLite is. The lock is taken before the first
# look at any row, so each statement after it sees all that was committed; many units share one taking of it.
_BEGIN_WRITING = "BEGIN; SELECT pg_advisory_xact_lock(7165067)"
# One service works on a database; commands may look into it beside it. Who is killed loses this with its connection.
_OWN = b"SELECT pg_try_advisory_lock(7165068)"
_BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# What stays, a text in quotes or a cast; a percent sign, which the driver wants doubled; a value: `'post:%'`, `::json`,
# `%`, `:name`.
_TOKENS = compiled(r"'[^']*'|::|%|:[a-z_]+")


class PostgresqlDatabase:
    """A `Database` in PostgreSQL, for any number of processes; made by `open_postgresql`."""

    def __init__(self, *, writer: Lane, readers: Sequence[Lane]) -> None:
        self._writer = writer
        self._readers = cycle(readers)

    async def write(self, work: Callable[[Connection], T]) -> T:
        return await self._writer.run(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await next(self._readers).run(work)


@asynccontextmanager
async def open_postgresql(url: str, *, migrates: bool = True) -> AsyncIterator[PostgresqlDatabase]:
    """Open the database and bring its tables up to date.

    Raises StoreUnavailable when it cannot be reached or used, or a newer release wrote it; without `migrates`, which
    never makes or changes a table, also when there are none or an older release wrote them.
    """
    async with AsyncExitStack() as opened:
        writer = await _opened(opened, "store-writer", _BEGIN_WRITING, url, alone=migrates)
        unsuitable = await writer.run(_brought_up_to_date if migrates else unsuitable_database)
        if unsuitable is not None:
            raise StoreUnavailable(url=shown(url), reason=unsuitable.reason, remedy=unsuitable.remedy)
        readers = [await _opened(opened, f"store-reader-{n}", _BEGIN_READING, url) for n in range(_READERS)]
        yield PostgresqlDatabase(writer=writer, readers=readers)


def _brought_up_to_date(connection: Connection) -> Unsuitable | None:
    connection.execute(Statement("SET LOCAL statement_timeout = 0"))
    make_functions(connection)
    unsuitable = migrate(connection)
    if unsuitable is None:
        make_rings(connection)
    return unsuitable


async def _opened(opened: AsyncExitStack, name: str, begin: str, url: str, *, alone: bool = False) -> Lane:
    lane = Lane(
        name=name,
        connect=_Connector(url, begin=begin, alone=alone),
        translate=lambda error: error if isinstance(error, StoreUnavailable) else postgresql_unavailable(error, url),
    )
    await lane.open()
    opened.push_async_callback(lane.close)
    return lane


class PostgresqlSession:
    """A connection to PostgreSQL; `begin` is the statement that begins its transactions."""

    def __init__(self, driver: "psycopg.Connection[Any]", *, begin: str = _BEGIN_WRITING) -> None:
        self._driver = driver
        self._begin = begin.encode()
        self.connection = Connection(self._run, POSTGRESQL)

    def _run(self, statement: Statement, values: Mapping[str, Any]) -> Cursor:
        return self._driver.execute(in_its_words(statement), values)

    def begin(self) -> None:
        self._driver.execute(self._begin)

    def commit(self) -> None:
        self._driver.execute(b"COMMIT")

    def recover(self) -> bool:
        try:
            if self._driver.info.transaction_status is not TransactionStatus.IDLE:
                self._driver.execute(b"ROLLBACK")
        except psycopg.Error:
            return False
        return not self._driver.closed

    def close(self) -> None:
        self._driver.close()


class _Connector:
    """Connects a lane, and waits a little for a server that was there and is away.

    With `alone` it waits as well for a service that was there and ends, and raises StoreUnavailable where it does not.
    """

    def __init__(self, url: str, *, begin: str, alone: bool) -> None:
        self._url = url
        self._begin = begin
        self._alone = alone
        self._was_there = False

    def __call__(self) -> PostgresqlSession:
        until = time.monotonic() + (_PATIENCE_SECONDS if self._was_there else 0.0)
        while True:
            try:
                driver = connected(self._url)
            except psycopg.OperationalError:
                if time.monotonic() >= until:
                    self._was_there = False  # whoever asks next is told at once
                    raise
                time.sleep(_PAUSE_SECONDS)
            else:
                self._was_there = True
                if self._alone:
                    self._own(driver)
                return PostgresqlSession(driver, begin=self._begin)

    def _own(self, driver: "psycopg.Connection[Any]") -> None:
        until = time.monotonic() + _PATIENCE_SECONDS
        while not driver.execute(_OWN).fetchall()[0][0]:
            if time.monotonic() >= until:
                driver.close()
                raise in_use(self._url)
            time.sleep(_PAUSE_SECONDS)


def connected(url: str) -> "psycopg.Connection[Any]":
    """Return a connection that begins no transaction by itself; raises psycopg.Error."""
    driver = psycopg.connect(
        _known_scheme(url),
        autocommit=True,  # the lane begins and commits
        connect_timeout=_CONNECT_SECONDS,
        application_name="mama-bot",
        client_encoding="utf8",
        keepalives_idle=30,
        keepalives_interval=10,
        keepalives_count=3,
    )
    driver.prepared_max = _STATEMENTS
    driver.adapters.register_dumper(bool, IntDumper)  # tables hold numbers, as SQLite's do
    driver.adapters.register_dumper(str, _TextDumper)
    driver.adapters.register_loader("numeric", _NumberLoader)
    try:
        driver.execute(_SETTINGS.encode())
    except psycopg.Error:
        driver.close()
        raise
    return driver


def _known_scheme(url: str) -> str:
    return "postgresql://" + url.partition("://")[2]


@cache
def in_its_words(statement: str) -> bytes:
    """Return a statement as the driver takes it: `:name` is `%(name)s`."""

    def written(match: Match) -> str:
        words = match.group()
        return f"%({words[1:]})s" if words[0] == ":" and words != "::" else words.replace("%", "%%")

    return _TOKENS.sub(written, statement).encode()


class _TextDumper(StrDumperUnknown):
    """Writes a text whose type the server tells by where it stands; U+0000, which it takes nowhere, as U+FFFD."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", "\ufffd") if "\0" in obj else obj)


class _NumberLoader(Loader):
    """Reads a sum of whole numbers as a whole number, as SQLite gives it."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data)
        return float(text) if b"." in text else int(text)
