"""What a PostgreSQL database holds, copied to a new SQLite file, and compared row by row before it counts."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from mama_bot.errors import StoreUnavailable
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.dialects import SQLITE
from mama_bot.store.faults import store_unavailable
from mama_bot.store.postgresql import open_postgresql
from mama_bot.store.sqlite import open_sqlite
from mama_bot.store.table_shapes import StoredTable
from mama_bot.store.tables import metadata
from mama_bot.store.transfer import arrived, digest, rows_of

# Who worked where, and what others take up of it, is of nodes: whoever works on a file is alone.
OF_NODES = frozenset({"nodes", "duties", "homes", "transcripts"})
_VERSION = "schema_version"
_WORKS = Statement(
    """
    SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7165068 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    """
)
_LAST = Statement("SELECT pg_sequence_last_value(pg_get_serial_sequence(:table, :column)::regclass)")


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedBack:
    """The rows of each table that are in the file; `in_use`: somebody works on the database, and goes on."""

    counts: Mapping[str, int]
    in_use: bool


async def transfer_back(url: str, target: Path) -> CopiedBack:
    """Copy a PostgreSQL database, which may be in use, as it stands at one moment to a file that is not there yet.

    All of it is there and the same, or no file is. Raises StoreUnavailable.
    """
    _refuse_existing(target)
    draft = target.with_name(f"{target.name}.part")
    try:
        _remove(draft)
        async with open_postgresql(url, migrates=False) as source:
            async with open_sqlite(draft):
                pass
            copied = await source.read_at_length(lambda connection: _copied(connection, draft))
        draft.replace(target)
    except (OSError, sqlite3.Error) as error:
        raise store_unavailable(error, target) or error from error
    finally:
        with suppress(OSError):
            _remove(draft)
    return copied


def _remove(draft: Path) -> None:
    """Remove a file with what SQLite has beside it, also where it was cut off."""
    for suffix in ("-wal", "-shm", ""):
        draft.with_name(f"{draft.name}{suffix}").unlink(missing_ok=True)


def _refuse_existing(target: Path) -> None:
    if target.exists():
        remedy = "Name a file that is not there: nothing is written over."
        raise StoreUnavailable(url=str(target), reason="it is there already", remedy=remedy)


def _copied(connection: Connection, draft: Path) -> CopiedBack:
    tables = [table for name, table in metadata.tables.items() if name != _VERSION and name not in OF_NODES]
    with closing(sqlite3.connect(draft)) as file:
        counts = {table.name: _copied_table(connection, file, table) for table in tables}
        file.execute("PRAGMA journal_mode = DELETE")  # no files beside it
    return CopiedBack(counts=counts, in_use=bool(connection.execute(_WORKS).scalar()))


def _copied_table(connection: Connection, file: sqlite3.Connection, table: StoredTable) -> int:
    """Copy a table and return how many rows it has; raises StoreUnavailable where it is not the same afterwards."""
    names, places = ", ".join(table.columns), ", ".join(f":{name}" for name in table.columns)
    with file:
        file.executemany(
            f"INSERT INTO {table.name} ({names}) VALUES ({places})",  # noqa: S608 - names of ours
            arrived(connection, table),
        )
        _number_on(connection, file, table)
    before, after = digest(arrived(connection, table)), digest(rows_of(file, table))
    if before != after:
        reason = f"{table.name} is not the same there ({before[0]} rows, {after[0]} of them arrived)"
        raise StoreUnavailable(url="the new file", reason=reason, remedy="Nothing was kept of it. Report this, please.")
    return after[0]


def _number_on(connection: Connection, file: sqlite3.Connection, table: StoredTable) -> None:
    """Let the next row have the number that it would have had: that of a deleted row is not given again."""
    numbered = table.numbered_by(SQLITE)
    if numbered is None:
        return
    number = connection.execute(_LAST, {"table": table.name, "column": numbered}).scalar() or 0
    file.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table.name,))
    file.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table.name, number))
