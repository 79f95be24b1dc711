"""The tables of boards: what was posted to topics, and work items."""

from mama_bot.store.table_shapes import Column, Index, StoredTable, Text
from mama_bot.store.tables import metadata, sequence_column, text_column

# `sequence` is the order in which posts came here, be it from an agent, a person or a file: whoever reads what came
# after a post misses none. `once` is what a turn posts once.
topic_posts = StoredTable(
    "topic_posts",
    metadata,
    sequence_column(),
    text_column("id"),
    text_column("board"),
    text_column("topic"),
    text_column("body"),
    Column("once", Text, unique=True),
    Index("topic_posts_id", "board", "id", unique=True),
    Index("topic_posts_topic", "board", "topic", "sequence"),
    autoincrement=True,
)

work_items = StoredTable(
    "work_items",
    metadata,
    sequence_column(),
    text_column("id"),
    text_column("board"),
    text_column("body"),
    Column("once", Text, unique=True),
    Index("work_items_id", "board", "id", unique=True),
)
