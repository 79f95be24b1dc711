"""One connection to PostgreSQL: how it is set up, and how statements and values are handed to the driver."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.adapt import Buffer, Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import IntDumper
from psycopg.types.string import StrDumperUnknown

from mama_bot.store.connection import Connection, Cursor, Statement
from mama_bot.store.dialects import POSTGRESQL
from mama_bot.text.patterns import Match, compiled

T = TypeVar("T")

# Units are written for a database that one of them changes at a time, as SQLite is. The lock is taken before the first
# look at any row, so each statement after it sees all that was committed; many units share one taking of it.
WRITING = b"BEGIN; SELECT pg_advisory_xact_lock(7165067)"
READING = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

# Later than this there are triggers that may be made anew, and the end of silent sessions.
OLDEST = 14

_STATEMENTS = 512  # kept prepared by each connection: all that there are
_CONNECT_SECONDS = 5
# The server itself ends a statement after a while; one that says nothing for still longer is away, whatever its network
# acknowledges.
_STATEMENT_SECONDS = 30
_ANSWER_SECONDS = 40.0
_UNREADABLE = "the address cannot be read: write characters such as @ / ? % of its user and password as %40 %2F %3F %25"
# Whoever holds the one place of a writer and stands still (a process that was stopped) is put out by the server.
_SETTINGS = f"""
    SET idle_in_transaction_session_timeout = '10s';
    SET lock_timeout = '20s';
    SET statement_timeout = '{_STATEMENT_SECONDS}s';
    SET synchronous_commit = on;
""".encode()
_AT_LENGTH = b"SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"
# What stays, a text in quotes or a cast; a percent sign, which the driver wants doubled; a value: `'post:%'`, `::json`,
# `%`, `:name`.
_TOKENS = compiled(r"'[^']*'|::|%|:[a-z_]+")


class Driver(psycopg.Connection[Any]):
    """A connection whose every statement is answered within a time, or fails and ends the connection."""

    answer_seconds: float | None = None
    """For how long an answer is waited for; None: as long as the network holds."""

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        """Wait for what a generator asks of the server; raises psycopg.OperationalError where the answer is late."""
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.answer_seconds)
        except psycopg.OperationalError:
            # What the server refuses ends the statement; this one still runs.
            if self.pgconn.transaction_status is not TransactionStatus.ACTIVE:
                raise
            self.pgconn.finish()
        raise psycopg.OperationalError(f"no answer for {self.answer_seconds:.0f} s")


class PostgresqlSession:
    """A connection to PostgreSQL; `begin` gives the statement that begins a transaction."""

    def __init__(self, driver: Driver, *, begin: Callable[[], bytes]) -> None:
        self._driver = driver
        self._begin = begin
        self.connection = Connection(self._run, POSTGRESQL)

    def _run(self, statement: Statement, values: Mapping[str, Any]) -> Cursor:
        return self._driver.execute(in_its_words(statement), values)

    def begin(self) -> None:
        self._driver.execute(self._begin())

    def at_length(self) -> None:
        self._driver.execute(_AT_LENGTH)
        self._driver.answer_seconds = None

    def commit(self) -> None:
        self._driver.execute(b"COMMIT")
        self._driver.answer_seconds = _ANSWER_SECONDS

    def recover(self) -> bool:
        self._driver.answer_seconds = _ANSWER_SECONDS
        try:
            if self._driver.info.transaction_status is not TransactionStatus.IDLE:
                self._driver.execute(b"ROLLBACK")
        except psycopg.Error:
            return False
        return not self._driver.closed

    def close(self) -> None:
        self._driver.close()


def connected(url: str) -> Driver:
    """Return a connection that begins no transaction by itself; raises psycopg.Error."""
    if address_parts(url) is None:
        raise psycopg.OperationalError(_UNREADABLE)
    driver = Driver.connect(
        _known_scheme(url),
        autocommit=True,  # the lane begins and commits
        connect_timeout=_CONNECT_SECONDS,
        application_name="mama-bot",
        client_encoding="utf8",
        keepalives_idle=10,
        keepalives_interval=5,
        keepalives_count=3,
        tcp_user_timeout=20_000,
    )
    driver.answer_seconds = _ANSWER_SECONDS
    driver.prepared_max = _STATEMENTS
    driver.adapters.register_dumper(bool, IntDumper)  # tables hold numbers, as SQLite's do
    driver.adapters.register_dumper(str, _TextDumper)
    driver.adapters.register_loader("numeric", _NumberLoader)
    try:
        driver.execute(_SETTINGS)
    except psycopg.Error:
        driver.close()
        raise
    return driver


def address_parts(url: str) -> Mapping[str, Any] | None:
    """Return host, port, user and the like of an address; None where it is not as libpq wants it.

    What stands unquoted in a password ends it for libpq, which takes the rest for a host or a name, and says it aloud.
    """
    try:
        parts = conninfo_to_dict(_known_scheme(url))
    except psycopg.ProgrammingError:
        return None
    misread = "@" in f"{parts.get('host', '')}{parts.get('dbname', '')}" or ("@" in url and "user" not in parts)
    return None if misread else parts


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
