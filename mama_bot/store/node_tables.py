"""The tables of nodes: who lives, what each alone does, where files lie, and what agents remember."""

from mama_bot.store.table_shapes import Column, Float, Index, StoredTable, Text
from mama_bot.store.tables import metadata, number_column, sequence_column, text_column

# `number` only grows: whoever writes with one that is not here any more was taken for dead. 0: it has left by itself.
# `platforms` are those that it can have the connection of, each between two spaces.
# `until` is by the clock of the database: later than that nobody waits for it any more.
nodes = StoredTable(
    "nodes",
    metadata,
    Column("id", Text, primary_key=True),
    text_column("role"),
    number_column("number"),
    Column("until", Float, nullable=False),
    text_column("platforms", ""),
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

# What the CLI wrote down of a session, line by line, without secrets; `place` is the machine that it was written on.
# An empty `body` alone: the session grew too long to be kept.
transcripts = StoredTable(
    "transcripts",
    metadata,
    sequence_column(),
    text_column("session_id"),
    text_column("conversation"),
    text_column("place"),
    text_column("body"),
    text_column("at"),
    Index("transcripts_session", "session_id", "sequence"),
    Index("transcripts_conversation", "conversation"),
    autoincrement=True,
)
