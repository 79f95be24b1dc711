"""What tables look like, and the statements that make them: of SQL's definitions, what this store needs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from mama_bot.store.dialects import SQLITE, SqlDialect


class ColumnType(StrEnum):
    """What a column holds."""

    TEXT = "text"
    INTEGER = "integer"
    FLOAT = "float"


Text, Integer, Float = ColumnType


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `references` names the column (`messages.id`) whose values alone it may hold."""

    name: str
    type: ColumnType
    references: str = field(default="", kw_only=True)
    primary_key: bool = field(default=False, kw_only=True)
    nullable: bool = field(default=True, kw_only=True)
    unique: bool = field(default=False, kw_only=True)
    index: bool = field(default=False, kw_only=True)
    server_default: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, init=False)
class Index:
    """An index over columns, of all rows or of those where `where` holds: `Index("turns_ended", "ended_at")`."""

    name: str
    columns: tuple[str, ...]
    unique: bool
    where: str

    def __init__(self, name: str, *columns: str, unique: bool = False, where: str = "") -> None:
        for attribute, value in (("name", name), ("columns", columns), ("unique", unique), ("where", where)):
            object.__setattr__(self, attribute, value)


class StoredTable:
    """A table, known to `metadata` by its name; `autoincrement` never gives the number of a deleted row again."""

    def __init__(self, name: str, metadata: "Metadata", *parts: Column | Index, autoincrement: bool = False) -> None:
        self.name = name
        self.columns = {part.name: part for part in parts if isinstance(part, Column)}
        self.indexes = [part for part in parts if isinstance(part, Index)]
        self.indexes += [Index(f"ix_{name}_{column}", column) for column, each in self.columns.items() if each.index]
        self._autoincrement = autoincrement
        metadata.tables[name] = self

    def ddl(self, dialect: SqlDialect) -> Iterator[str]:
        """Yield the statements that make the table and its indexes."""
        lines = [self.column_line(name, dialect) for name in self.columns]
        lines += self._constraints(dialect)
        yield f"CREATE TABLE {self.name} (\n\t" + ",\n\t".join(lines) + "\n)"
        for index in sorted(self.indexes, key=lambda index: index.name):
            unique, where = "UNIQUE " if index.unique else "", f" WHERE {index.where}" if index.where else ""
            yield f"CREATE {unique}INDEX {index.name} ON {self.name} ({', '.join(index.columns)}){where}"

    def _key(self) -> Sequence[str]:
        return [column.name for column in self.columns.values() if column.primary_key]

    def column_line(self, name: str, dialect: SqlDialect) -> str:
        """Return how a column is described where its table is made, or where it is added to it."""
        column = self.columns[name]
        default = "" if column.server_default is None else f" DEFAULT '{column.server_default}'"
        required = " NOT NULL" if column.primary_key or not column.nullable else ""
        numbered = f" {dialect.numbered}" if column.primary_key and self._is_numbered(dialect) else ""
        return f"{name} {_type_in(dialect, column.type)}{default}{required}{numbered}"

    def numbered_by(self, dialect: SqlDialect) -> str | None:
        """Return the column by which a database numbers the rows itself; None where it does not."""
        return self._key()[0] if self._is_numbered(dialect) else None

    def _is_numbered(self, dialect: SqlDialect) -> bool:
        """Whether a database has to be told that it numbers the rows: SQLite does where a whole number is the key."""
        if self._autoincrement or dialect is SQLITE:
            return self._autoincrement
        key = self._key()
        return len(key) == 1 and self.columns[key[0]].type is ColumnType.INTEGER

    def _constraints(self, dialect: SqlDialect) -> Iterator[str]:
        if (key := self._key()) and not self._is_numbered(dialect):
            yield f"PRIMARY KEY ({', '.join(key)})"
        for column in self.columns.values():
            if column.unique:
                yield f"UNIQUE ({column.name})"
            if column.references:
                table, _, name = column.references.partition(".")
                yield f"FOREIGN KEY({column.name}) REFERENCES {table} ({name})"


def _type_in(dialect: SqlDialect, kind: ColumnType) -> str:
    match kind:
        case ColumnType.TEXT:
            return dialect.text
        case ColumnType.INTEGER:
            return dialect.integer
        case ColumnType.FLOAT:
            return dialect.float


class Metadata:
    """The tables by name, in the order in which they are described: what a table refers to stands before it."""

    def __init__(self) -> None:
        self.tables: dict[str, StoredTable] = {}
