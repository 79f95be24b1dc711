"""A connection as units of work see it: statements with named values, and rows whose columns have names."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NewType, Protocol

from mama_bot.store.dialects import SqlDialect

# What a statement asks for is told by name (`:name`); a mapping may hold more than it asks for. Its words mean the same
# to SQLite and to PostgreSQL, for which `postgresql_schema` makes the functions that SQLite brings (`json_extract`).
Statement = NewType("Statement", str)

# The `LIMIT` of a query that has an `OFFSET` and no limit.
EVERYTHING = 1_000_000_000

_NOTHING: Mapping[str, Any] = {}


class Cursor(Protocol):
    """What a driver gives for a statement."""

    @property
    def description(self) -> Any:
        """The columns, the name of each at its beginning."""
        ...

    @property
    def rowcount(self) -> int:
        """How many rows were written."""
        ...

    def fetchone(self) -> Any:
        """Return the next row; None after the last one."""
        ...

    def __iter__(self) -> Iterator[Any]: ...

    def close(self) -> None:
        """Read no further."""
        ...


class Row(tuple[Any, ...]):
    """One row: a tuple whose columns are attributes as well."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError: the columns of a row are properties of its own class."""
        raise AttributeError(f"The row has no column {name!r}.")


class Rows:
    """The rows that a statement gives, each read when it is asked for."""

    __slots__ = ("_cursor", "_row")

    def __init__(self, cursor: Cursor, row: Callable[[Cursor], type[Row]]) -> None:
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
    """One connection of a driver, with as little between as can be: a message takes some fifty statements.

    Whoever runs the units begins and commits (see `Session`); a unit only executes.
    """

    __slots__ = ("_rows", "_run", "dialect")

    def __init__(self, run: Callable[[Statement, Mapping[str, Any]], Cursor], dialect: SqlDialect) -> None:
        self._run = run
        self._rows: dict[str, type[Row]] = {}
        self.dialect = dialect

    def execute(self, statement: Statement, values: Mapping[str, Any] = _NOTHING) -> Rows:
        """Run a statement; raises the driver's error, whose text never holds a value."""
        return Rows(self._run(statement, values), lambda cursor: self._row_of(statement, cursor))

    def _row_of(self, statement: str, cursor: Cursor) -> type[Row]:
        """Return the class of a statement's rows, made when its first row is read."""
        row = self._rows.get(statement)
        if row is None:
            row = self._rows[statement] = _row_class([column[0] for column in cursor.description])
        return row


class Session(Protocol):
    """A connection as a lane holds it: it begins, commits and ends."""

    @property
    def connection(self) -> Connection:
        """What units execute on."""
        ...

    def begin(self) -> None:
        """Begin a transaction; raises the driver's error."""
        ...

    def at_length(self) -> None:
        """Let the transaction that was begun take as long as it needs; raises the driver's error."""
        ...

    def commit(self) -> None:
        """Make what was written durable; raises the driver's error."""
        ...

    def recover(self) -> bool:
        """Leave whatever transaction there is; return whether the connection may be used further."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...


def _row_class(columns: Sequence[str]) -> type[Row]:
    named = {name: property(itemgetter(index)) for index, name in enumerate(columns) if name.isidentifier()}
    return type("Row", (Row,), {"__slots__": (), **named})
