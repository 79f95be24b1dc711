"""The tables of nodes: who lives, what each alone does, and where the files of a conversation lie."""

from mama_bot.store.table_shapes import Column, Float, StoredTable, Text
from mama_bot.store.tables import metadata, number_column, text_column

# `number` only grows: whoever writes with one that is not here any more was taken for dead. 0: it has left by itself.
# `until` is by the clock of the database: later than that nobody waits for it any more.
nodes = StoredTable(
    "nodes",
    metadata,
    Column("id", Text, primary_key=True),
    text_column("role"),
    number_column("number"),
    Column("until", Float, nullable=False),
)

duties = StoredTable(
    "duties",
    metadata,
    Column("name", Text, primary_key=True),
    number_column("number"),
)

homes = StoredTable(
    "homes",
    metadata,
    Column("conversation", Text, primary_key=True),
    text_column("node"),
)
