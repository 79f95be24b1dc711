"""A connection as units of work see it: statements with named values, and rows whose columns have names."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NewType

# What a statement asks for is told by name (`:name`); a mapping may hold more than it asks for.
Statement = NewType("Statement", str)

_NOTHING: Mapping[str, Any] = {}


class Row(tuple[Any, ...]):
    """One row: a tuple whose columns are attributes as well."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError: the columns of a row are properties of its own class."""
        raise AttributeError(f"The row has no column {name!r}.")


class Rows:
    """The rows that a statement gives, each read when it is asked for."""

    __slots__ = ("_cursor", "_row")

    def __init__(self, cursor: sqlite3.Cursor, row: Callable[[sqlite3.Cursor], type[Row]]) -> None:
        self._cursor = cursor
        self._row = row

    def __iter__(self) -> Iterator[Row]:
        return map(self._row(self._cursor), self._cursor)

    @property
    def rowcount(self) -> int:
        """How many rows were written."""
        return self._cursor.rowcount

    def all(self) -> Sequence[Row]:
        """Return every row."""
        return list(self)

    def first(self) -> Row | None:
        """Return the first row; None where there is none."""
        values = self._cursor.fetchone()
        row = None if values is None else self._row(self._cursor)(values)
        self._cursor.close()
        return row

    def scalar(self) -> Any:
        """Return the first column of the first row; None where there is no row."""
        values = self._cursor.fetchone()
        self._cursor.close()
        return None if values is None else values[0]

    def close(self) -> None:
        """Read no further."""
        self._cursor.close()

    def scalars(self) -> Iterator[Any]:
        """Return the first column of every row."""
        return map(itemgetter(0), self._cursor)


class Connection:
    """One connection of the driver, without a layer between: a message takes some thirty statements.

    Whoever runs the units begins and commits, on `driver`; a unit only executes.
    """

    __slots__ = ("_rows", "driver")

    def __init__(self, driver: sqlite3.Connection) -> None:
        self.driver = driver
        self._rows: dict[str, type[Row]] = {}

    def execute(self, statement: Statement, values: Mapping[str, Any] = _NOTHING) -> Rows:
        """Run a statement; raises sqlite3.Error, whose text never holds a value."""
        return Rows(self.driver.execute(statement, values), lambda cursor: self._row_of(statement, cursor))

    def _row_of(self, statement: str, cursor: sqlite3.Cursor) -> type[Row]:
        """Return the class of a statement's rows, made when its first row is read."""
        row = self._rows.get(statement)
        if row is None:
            row = self._rows[statement] = _row_class([column[0] for column in cursor.description])
        return row


def _row_class(columns: Sequence[str]) -> type[Row]:
    named = {name: property(itemgetter(index)) for index, name in enumerate(columns) if name.isidentifier()}
    return type("Row", (Row,), {"__slots__": (), **named})
