"""The tables of budgets: what each run of a turn took, and the caps that owners set anew."""

from mama_bot.store.table_shapes import Column, Float, Index, StoredTable, Text
from mama_bot.store.tables import metadata, number_column, sequence_column, text_column

# `tokens` are those that were written, and read without the model's cache; `person` is `platform:id`.
spendings = StoredTable(
    "spendings",
    metadata,
    Column("turn_id", Text, primary_key=True),
    Column("run", Text, primary_key=True),
    text_column("message_id"),
    text_column("conversation"),
    text_column("agent"),
    text_column("person"),
    text_column("at"),
    number_column("tokens"),
    Column("usd", Float, nullable=False),
    Column("seconds", Float, nullable=False),
    Index("spendings_at", "at"),
    Index("spendings_message", "message_id"),
)

raised_caps = StoredTable(
    "raised_caps",
    metadata,
    sequence_column(),
    text_column("scope"),
    text_column("subject"),
    text_column("unit"),
    Column("most", Float, nullable=False),
    text_column("raised_by"),
    text_column("at"),
    Index("raised_caps_at", "at"),
)
