"""What tables look like, and the statements that make them: of SQL's definitions, what this store needs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class ColumnType(StrEnum):
    """What a column holds."""

    TEXT = "TEXT"
    INTEGER = "INTEGER"
    FLOAT = "FLOAT"


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

    def ddl(self) -> Iterator[str]:
        """Yield the statements that make the table and its indexes."""
        lines = [*map(self._column_line, self.columns.values()), *self._constraints()]
        yield f"CREATE TABLE {self.name} (\n\t" + ",\n\t".join(lines) + "\n)"
        for index in sorted(self.indexes, key=lambda index: index.name):
            unique, where = "UNIQUE " if index.unique else "", f" WHERE {index.where}" if index.where else ""
            yield f"CREATE {unique}INDEX {index.name} ON {self.name} ({', '.join(index.columns)}){where}"

    def _key(self) -> Sequence[str]:
        return [column.name for column in self.columns.values() if column.primary_key]

    def _column_line(self, column: Column) -> str:
        default = "" if column.server_default is None else f" DEFAULT '{column.server_default}'"
        required = " NOT NULL" if column.primary_key or not column.nullable else ""
        numbered = " PRIMARY KEY AUTOINCREMENT" if column.primary_key and self._autoincrement else ""
        return f"{column.name} {column.type}{default}{required}{numbered}"

    def _constraints(self) -> Iterator[str]:
        if (key := self._key()) and not self._autoincrement:
            yield f"PRIMARY KEY ({', '.join(key)})"
        for column in self.columns.values():
            if column.unique:
                yield f"UNIQUE ({column.name})"
            if column.references:
                table, _, name = column.references.partition(".")
                yield f"FOREIGN KEY({column.name}) REFERENCES {table} ({name})"


class Metadata:
    """The tables by name, in the order in which they are described: what a table refers to stands before it."""

    def __init__(self) -> None:
        self.tables: dict[str, StoredTable] = {}
