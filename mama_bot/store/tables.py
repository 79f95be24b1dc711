"""The tables: what is true about messages, turns, posts and the jobs that run them."""

from mama_bot.model import words
from mama_bot.store.table_shapes import Column, Float, Index, Integer, Metadata, StoredTable, Text

metadata = Metadata()

# The figures of stages that the metrics read, each a column.
FIGURES = words(
    "prose_characters empty_characters approval evidence unexpected_files scope_violated items open_items "
    "completion_claimed completion_supported claims claims_confirmed claims_unsupported claims_contradicted"
)
# Those that stay in the judgement: whether there was a record, whether an approval rests on runs of which only its own
# author tells, and the checks, which their receipts show.
UNMEASURED = ("record", "own_run", "checks", "checks_failed")


def sequence_column() -> Column:
    """Return the column that numbers the rows of a table."""
    return Column("sequence", Integer, primary_key=True)


def text_column(name: str, default: str | None = None) -> Column:
    """Return a column of texts, never NULL."""
    return Column(name, Text, nullable=False, server_default=default)


def number_column(name: str, default: str | None = None) -> Column:
    """Return a column of whole numbers, never NULL."""
    return Column(name, Integer, nullable=False, server_default=default)


schema_version = StoredTable("schema_version", metadata, number_column("version"))

conversations = StoredTable(
    "conversations",
    metadata,
    Column("conversation", Text, primary_key=True),
    text_column("platform"),
    text_column("title"),
    text_column("last_at"),
    Index("conversations_latest", "platform", "last_at"),
)

# `conversation` is the key as JSON; `body` is the whole value as JSON; the other columns are what queries need.
# `added_to` is the message whose exchange this one became part of, `taken_by` the turn whose agent was told of it.
# `stop_asked_by` is who asked for a stop while the exchange ran; `stopped` says that it is over for
# that reason (2: its author took it back before it began).
messages = StoredTable(
    "messages",
    metadata,
    sequence_column(),
    Column("id", Text, nullable=False, unique=True),
    text_column("platform"),
    text_column("conversation"),
    text_column("body"),
    text_column("stored_at"),
    number_column("stopped", "0"),
    Column("stop_asked_by", Text),
    Column("added_to", Text),
    Column("taken_by", Text),
    Index("messages_conversation", "conversation", "sequence"),
    Index("messages_added_to", "added_to", where="added_to IS NOT NULL"),
    autoincrement=True,
)

turns = StoredTable(
    "turns",
    metadata,
    sequence_column(),
    Column("id", Text, nullable=False, unique=True),
    Column("message_id", Text, references="messages.id", nullable=False, index=True),
    text_column("body"),
    text_column("state"),
    number_column("asked", "-1"),
    number_column("reminded", "0"),
    text_column("created_at"),
    Column("started_at", Text),
    Column("ended_at", Text),
    text_column("persona", ""),
    text_column("kind", ""),
    text_column("audience", ""),
    Index("turns_ended", "ended_at"),
    autoincrement=True,
)

attempts = StoredTable(
    "attempts",
    metadata,
    Column("turn_id", Text, references="turns.id", primary_key=True),
    Column("attempt", Integer, primary_key=True),
    text_column("body"),
)

# What the metrics read of each attempt, written with it: the bodies themselves are far too large to add up. The columns
# from `prose_characters` on are the figures of the stages, NULL where a stage measured nothing.
measured_attempts = StoredTable(
    "measured_attempts",
    metadata,
    Column("turn_id", Text, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    text_column("at"),
    text_column("persona"),
    text_column("kind"),
    text_column("audience"),
    text_column("outcome"),
    text_column("verdict", ""),
    Column("chain_milliseconds", Float, nullable=False),
    number_column("tokens"),
    Column("cost_usd", Float, nullable=False),
    *(Column(name, Float) for name in FIGURES),
    Index("measured_attempts_at", "at"),
)

# What stages held against an attempt.
objections = StoredTable(
    "objections",
    metadata,
    Column("turn_id", Text, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("stage", Text, primary_key=True),
    text_column("at"),
    text_column("persona"),
    text_column("rule"),
    text_column("effect"),
    number_column("observed"),
    Index("objections_at", "at"),
)

# `sequence` is the number of a report; `body` is the report as it was made.
reports = StoredTable(
    "reports",
    metadata,
    sequence_column(),
    text_column("turn_id"),
    number_column("attempt"),
    text_column("conversation"),
    text_column("state"),
    text_column("body"),
    Column("settled_at", Text),
    text_column("whitelisted", "[]"),
    Index("reports_attempt", "turn_id", "attempt", unique=True),
    Index("reports_state", "state"),
    Index("reports_conversation", "conversation"),
    autoincrement=True,
)

# `source` is what put the entry there: a message or a post; `message` is the sequence of a person's message.
context = StoredTable(
    "context",
    metadata,
    sequence_column(),
    Column("source", Text, nullable=False, unique=True),
    text_column("conversation"),
    Column("message", Integer),
    text_column("author"),
    text_column("body"),
    text_column("at"),
    Column("verdict", Text),
    Index("context_order", "conversation", "message", "sequence"),
    autoincrement=True,
)

outbox = StoredTable(
    "outbox",
    metadata,
    sequence_column(),
    Column("id", Text, nullable=False, unique=True),
    text_column("conversation"),
    Column("turn_id", Text, index=True),
    text_column("body"),
    text_column("created_at"),
    Column("posted_at", Text),
    text_column("platform_ids", "[]"),
    text_column("failure", ""),
    Index(
        "outbox_pending",
        "conversation",
        "sequence",
        where="posted_at IS NULL AND failure = ''",
    ),
    Index("outbox_conversation", "conversation", "created_at"),
    autoincrement=True,
)

# The messages of a post that were ever about to be sent: `platform_id` is "" until the platform is known to have it.
outbox_parts = StoredTable(
    "outbox_parts",
    metadata,
    Column("post_id", Text, primary_key=True),
    Column("part", Integer, primary_key=True),
    text_column("conversation"),
    text_column("platform_id", ""),
    Index("outbox_parts_platform_id", "platform_id"),
)

# What gateways keep over restarts.
gateway_state = StoredTable(
    "gateway_state",
    metadata,
    Column("platform", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    text_column("value"),
)

# People who asked to be served, and what became of it.
pairings = StoredTable(
    "pairings",
    metadata,
    Column("platform", Text, primary_key=True),
    Column("person", Text, primary_key=True),
    text_column("name"),
    text_column("code"),
    text_column("state"),
    text_column("asked_at"),
    Column("settled_at", Text),
    text_column("settled_by", ""),
    number_column("asked", "1"),
    text_column("language", "en"),
    Index("pairings_code", "code"),
)

sessions = StoredTable(
    "sessions",
    metadata,
    Column("conversation", Text, primary_key=True),
    Column("persona", Text, primary_key=True),
    text_column("session_id"),
    text_column("backend", ""),
)

# What the turns of a persona showed in a conversation, since it began or began anew; `turn` and `message` are the
# sequences of the latest turn that is counted in and of its message.
earlier_facts = StoredTable(
    "earlier_facts",
    metadata,
    Column("conversation", Text, primary_key=True),
    Column("persona", Text, primary_key=True),
    text_column("body"),
    number_column("message"),
    number_column("turn"),
)

# What rules remember of a session, until so many others were seen after it.
rule_states = StoredTable(
    "rule_states",
    metadata,
    Column("session_id", Text, primary_key=True),
    text_column("body"),
    text_column("seen_at"),
    Index("rule_states_seen", "seen_at"),
)

# What is kept of a rule in one wording, over all sessions: its figures, and whether it is left out for its failures.
rule_records = StoredTable(
    "rule_records",
    metadata,
    Column("rule", Text, primary_key=True),
    Column("digest", Text, primary_key=True),
    text_column("body"),
    text_column("seen_at"),
)

# What rules asked people before a tool call ran; `sequence` is the number of the question, `told` is 1 once its agent
# knows the answer, `rule` the first of those that ask.
tool_questions = StoredTable(
    "tool_questions",
    metadata,
    sequence_column(),
    text_column("conversation"),
    text_column("message_id"),
    text_column("digest"),
    text_column("rule"),
    text_column("body"),
    text_column("state", "open"),
    text_column("decided_by", ""),
    text_column("why", ""),
    number_column("told", "0"),
    text_column("expires_at"),
    Column("settled_at", Text),
    Index("tool_questions_message", "message_id", "digest"),
    Index("tool_questions_conversation", "conversation", "state", "rule"),
    autoincrement=True,
)

# `origin` is the turn that left the reminder, `taken_by` the turn whose prompt carries it; `said_before` is the latest
# message of the conversation at that moment, `dropped` says that a person spoke, or the exchange was stopped, before
# any prompt carried it.
reminders = StoredTable(
    "reminders",
    metadata,
    Column("origin", Text, primary_key=True),
    Column("position", Integer, primary_key=True),
    text_column("conversation"),
    text_column("persona"),
    text_column("body"),
    Column("taken_by", Text),
    number_column("said_before", "0"),
    number_column("dropped", "0"),
    Index("reminders_persona", "conversation", "persona", "taken_by"),
)

# How far a persona is with a task of one exchange; the one with the highest `sequence` was worked on last.
checklists = StoredTable(
    "checklists",
    metadata,
    Column("message_id", Text, primary_key=True),
    Column("persona", Text, primary_key=True),
    Column("task", Text, primary_key=True),
    number_column("open_items"),
    text_column("body"),
    number_column("sequence"),
)

# What stands behind a posted reply; `sequence` is the number of the receipt.
receipts = StoredTable(
    "receipts",
    metadata,
    sequence_column(),
    Column("turn_id", Text, nullable=False, unique=True),
    text_column("conversation"),
    text_column("body"),
    text_column("at"),
    Index("receipts_conversation", "conversation"),
    autoincrement=True,
)

# One review for each session of a worker's CLI, or for each task of an exchange.
reviews = StoredTable(
    "reviews",
    metadata,
    Column("session_id", Text, primary_key=True),
    text_column("status"),
    text_column("worker_agent"),
    text_column("reviewer_agent", ""),
    text_column("issues_found", "[]"),
    number_column("attempts", "0"),
    text_column("created_at"),
    text_column("updated_at"),
)

# Conversations in which no exchange may begin, until then at the latest (seconds since the epoch).
holds = StoredTable(
    "holds",
    metadata,
    Column("conversation", Text, primary_key=True),
    Column("until", Float, nullable=False),
)

# Only jobs that are not finished: a row here is a message that waits ("todo") or runs ("doing").
jobs = StoredTable(
    "jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    text_column("task_name"),
    text_column("lock"),
    text_column("args"),
    text_column("status", "todo"),
    number_column("attempts", "0"),
    Column("scheduled_at", Float, nullable=False, server_default="0"),
    text_column("node", ""),  # who runs it; "" where one process does all
    Index("jobs_lock", "lock", "id"),
    autoincrement=True,
)
