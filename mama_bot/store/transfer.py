"""What one database holds, copied to another of another kind, and compared row by row before it counts."""

import hashlib
import json
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mama_bot.errors import StoreUnavailable
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database_copies import copy_database
from mama_bot.store.postgresql import open_postgresql
from mama_bot.store.postgresql_faults import shown
from mama_bot.store.sqlite import open_sqlite
from mama_bot.store.table_shapes import StoredTable
from mama_bot.store.tables import metadata

_ROWS_AT_A_TIME = 200
_VERSION = "schema_version"


async def transfer(source: Path, url: str) -> Mapping[str, int]:
    """Copy a SQLite file, which may be in use, to an empty PostgreSQL database; return the rows of each table.

    All of it is there and the same, or nothing is. Raises StoreUnavailable, also where the database holds something.
    """
    async with _as_it_is_now(source) as copy, open_postgresql(url) as target:

        def work(connection: Connection) -> Mapping[str, int]:
            tables = [table for table in metadata.tables.values() if table.name != _VERSION]
            _refuse_filled(connection, tables, url)
            with closing(sqlite3.connect(copy)) as original:
                return {table.name: _copied(original, connection, table, url) for table in tables}

        return await target.write_at_length(work)


@asynccontextmanager
async def _as_it_is_now(source: Path) -> AsyncIterator[Path]:
    """Yield a copy of a database that no other process changes, in the shape of today."""
    with TemporaryDirectory(prefix="mama-bot-") as directory:
        copy = Path(directory) / "copy.sqlite"
        copy_database(source, copy)
        async with open_sqlite(copy):
            pass
        yield copy


def _refuse_filled(connection: Connection, tables: list[StoredTable], url: str) -> None:
    for table in tables:
        filled = Statement(f"SELECT 1 FROM {table.name} LIMIT 1")  # noqa: S608 - a name of ours
        if connection.execute(filled).first() is not None:
            raise StoreUnavailable(
                url=shown(url),
                reason=f"it holds something already ({table.name})",
                remedy="Name an empty database: nothing is written over.",
            )


def _copied(original: sqlite3.Connection, connection: Connection, table: StoredTable, url: str) -> int:
    """Copy a table and return how many rows it has; raises StoreUnavailable where it is not the same afterwards."""
    names = ", ".join(table.columns)
    insert = Statement(
        f"INSERT INTO {table.name} ({names}) SELECT {names} FROM json_populate_recordset(NULL::{table.name}, :rows)"  # noqa: S608 - names of ours
    )
    waiting: list[Mapping[str, Any]] = []
    for row in rows_of(original, table):
        waiting.append(row)
        if len(waiting) == _ROWS_AT_A_TIME:
            connection.execute(insert, {"rows": json.dumps(waiting)}).close()
            waiting = []
    if waiting:
        connection.execute(insert, {"rows": json.dumps(waiting)}).close()
    _number_on(original, connection, table)
    before, after = digest(rows_of(original, table)), digest(arrived(connection, table))
    if before != after:
        reason = f"{table.name} is not the same there ({before[0]} rows, {after[0]} of them arrived)"
        raise StoreUnavailable(url=shown(url), reason=reason, remedy="Nothing was kept of it. Report this, please.")
    return after[0]


def _in_order(table: StoredTable, where: str = "") -> str:
    order = ", ".join(_key_of(table))
    return f"SELECT {', '.join(table.columns)} FROM {table.name} {where} ORDER BY {order}"  # noqa: S608 - names of ours


def _key_of(table: StoredTable) -> Sequence[str]:
    return [name for name, column in table.columns.items() if column.primary_key]


def arrived(connection: Connection, table: StoredTable) -> Iterator[Mapping[str, Any]]:
    """Yield the rows that are there now, in pages of the key: the driver holds all that a statement returns."""
    key = _key_of(table)
    further = f"WHERE ({', '.join(key)}) > ({', '.join(f':{name}' for name in key)})"
    page, last = Statement(f"{_in_order(table)} LIMIT {_ROWS_AT_A_TIME}"), dict[str, Any]()
    while rows := connection.execute(page, last).all():
        for row in rows:
            last = dict(zip(table.columns, row, strict=True))
            yield last
        page = Statement(f"{_in_order(table, further)} LIMIT {_ROWS_AT_A_TIME}")


def rows_of(original: sqlite3.Connection, table: StoredTable) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a table as PostgreSQL can hold them: it knows no U+0000."""
    for row in original.execute(_in_order(table)):
        values = (value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in row)
        yield dict(zip(table.columns, values, strict=True))


def _number_on(original: sqlite3.Connection, connection: Connection, table: StoredTable) -> None:
    """Let the next row have the number that it would have had: that of a deleted row is not given again."""
    numbered = table.numbered_by(connection.dialect)
    if numbered is None:
        return
    last = original.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = ?", (table.name,)).fetchone()[0] or 0
    highest = original.execute(f"SELECT max({numbered}) FROM {table.name}").fetchone()[0] or 0  # noqa: S608 - names of ours
    if number := max(last, highest):
        sequence = Statement("SELECT setval(pg_get_serial_sequence(:table, :column), :number)")
        connection.execute(sequence, {"table": table.name, "column": numbered, "number": number}).close()


def digest(rows: Iterator[Mapping[str, Any]]) -> tuple[int, str]:
    """Return how many rows there are, and a hash of all their values."""
    digest, count = hashlib.sha256(), 0
    for count, row in enumerate(rows, start=1):  # noqa: B007 - the last one is their number
        digest.update(json.dumps(list(row.values())).encode())
    return count, digest.hexdigest()
