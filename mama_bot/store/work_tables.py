"""The tables of the work: where conversations work, what changed there, and what people did with it."""

from mama_bot.store.table_shapes import Column, Index, Integer, StoredTable, Text
from mama_bot.store.tables import metadata, number_column, sequence_column, text_column

# The repository that a conversation works in ("": a scratch one of its own), since its first message.
assignments = StoredTable(
    "assignments",
    metadata,
    Column("conversation", Text, primary_key=True),
    text_column("repository"),
)

# What people chose for a channel by a command; it stands above the configuration.
repository_choices = StoredTable(
    "repository_choices",
    metadata,
    Column("place", Text, primary_key=True),
    text_column("repository"),
    text_column("chosen_by"),
    text_column("at"),
)

# The workflow that people chose for a conversation by a command ("": none); it stands above the configuration.
workflow_choices = StoredTable(
    "workflow_choices",
    metadata,
    Column("conversation", Text, primary_key=True),
    text_column("workflow"),
    text_column("chosen_by"),
    text_column("at"),
)

# The work trees of conversations; `path` is relative to the data directory of this service.
checkouts = StoredTable(
    "checkouts",
    metadata,
    Column("conversation", Text, primary_key=True),
    Column("repository", Text, primary_key=True),
    text_column("branch"),
    text_column("base"),
    text_column("path"),
    text_column("made_at"),
    text_column("used_at"),
    Column("put_away_at", Text),
    Index("checkouts_used", "put_away_at", "used_at"),
)

# What turns and undos changed in work trees; `ended` is 0 while a turn goes on, `undone_by` the deed that took it back.
work_changes = StoredTable(
    "work_changes",
    metadata,
    sequence_column(),
    Column("id", Text, nullable=False, unique=True),
    text_column("conversation"),
    text_column("body"),
    number_column("ended", "0"),
    Column("undone_by", Text),
    Index("work_changes_conversation", "conversation", "sequence"),
)

# Work trees that delegations had of their own: what was planned for their work, and what became of it.
delegate_trees = StoredTable(
    "delegate_trees",
    metadata,
    sequence_column(),
    Column("id", Text, nullable=False, unique=True),
    text_column("conversation"),
    text_column("body"),
    Column("plan", Text),
    Column("outcome", Text),
    Index("delegate_trees_open", "conversation", "sequence", where="outcome IS NULL"),
)

# What people did with the work of a conversation: what was asked, what it is about to do, and what came of it.
deeds = StoredTable(
    "deeds",
    metadata,
    sequence_column(),
    Column("id", Text, nullable=False, unique=True),
    text_column("conversation"),
    text_column("kind"),
    text_column("body"),
    Column("plan", Text),
    Column("outcome", Text),
    Column("settled_at", Text),
    Index("deeds_conversation", "conversation", "sequence"),
    Index("deeds_open", "conversation", unique=True, where="outcome IS NULL"),
)

# Pull requests that conversations opened; `ended_at` says that they are watched no more.
pull_requests = StoredTable(
    "pull_requests",
    metadata,
    sequence_column(),
    text_column("repository"),
    Column("number", Integer, nullable=False),
    text_column("conversation"),
    text_column("body"),
    Column("ended_at", Text),
    Index("pull_requests_number", "repository", "number", unique=True),
    Index("pull_requests_conversation", "conversation", "sequence"),
)
