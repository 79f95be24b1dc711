"""The tables: what is true about messages, turns, posts and the jobs that run them."""

from collections.abc import Sequence

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, MetaData, Table, Text, text
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

from mama_bot.model import words

metadata = MetaData()

# The figures of stages that the metrics read, each a column.
FIGURES = words(
    "prose_characters empty_characters approval evidence unexpected_files scope_violated items open_items "
    "completion_claimed completion_supported claims claims_confirmed claims_unsupported claims_contradicted"
)
# Those that stay in the judgement: whether there was a record, and the checks, which their receipts show.
UNMEASURED = ("record", "checks", "checks_failed")


def ddl_of(table: Table) -> Sequence[str]:
    """Return the statements that make a table with its indexes."""
    indexes = sorted(table.indexes, key=lambda index: str(index.name))
    made: list[ExecutableDDLElement] = [CreateTable(table), *map(CreateIndex, indexes)]
    return [str(statement.compile(dialect=dialect())) for statement in made]


def _sequence() -> Column[int]:
    return Column("sequence", Integer, primary_key=True, autoincrement=True)


def _text(name: str, default: str | None = None) -> Column[str]:
    return Column(name, Text, nullable=False, server_default=default)


def _number(name: str, default: str | None = None) -> Column[int]:
    return Column(name, Integer, nullable=False, server_default=default)


schema_version = Table("schema_version", metadata, _number("version"))

conversations = Table(
    "conversations",
    metadata,
    Column("conversation", Text, primary_key=True),
    _text("platform"),
    _text("title"),
    _text("last_at"),
    Index("conversations_latest", "platform", "last_at"),
)

# `conversation` is the key as JSON; `body` is the whole value as JSON; the other columns are what queries need.
# `added_to` is the message whose exchange this one became part of, `taken_by` the turn whose agent was told of it.
# `stop_asked_by` is who asked for a stop while the exchange ran; `stopped` says that it is over for
# that reason (2: its author took it back before it began).
messages = Table(
    "messages",
    metadata,
    _sequence(),
    Column("id", Text, nullable=False, unique=True),
    _text("platform"),
    _text("conversation"),
    _text("body"),
    _text("stored_at"),
    _number("stopped", "0"),
    Column("stop_asked_by", Text),
    Column("added_to", Text),
    Column("taken_by", Text),
    Index("messages_conversation", "conversation", "sequence"),
    Index("messages_added_to", "added_to", sqlite_where=text("added_to IS NOT NULL")),
    sqlite_autoincrement=True,
)

turns = Table(
    "turns",
    metadata,
    _sequence(),
    Column("id", Text, nullable=False, unique=True),
    Column("message_id", Text, ForeignKey("messages.id"), nullable=False, index=True),
    _text("body"),
    _text("state"),
    _number("asked", "-1"),
    _number("reminded", "0"),
    _text("created_at"),
    Column("started_at", Text),
    Column("ended_at", Text),
    _text("persona", ""),
    _text("kind", ""),
    _text("audience", ""),
    Index("turns_ended", "ended_at"),
    sqlite_autoincrement=True,
)

attempts = Table(
    "attempts",
    metadata,
    Column("turn_id", Text, ForeignKey("turns.id"), primary_key=True),
    Column("attempt", Integer, primary_key=True),
    _text("body"),
)

# What the metrics read of each attempt, written with it: the bodies themselves are far too large to add up. The columns
# from `prose_characters` on are the figures of the stages, NULL where a stage measured nothing.
measured_attempts = Table(
    "measured_attempts",
    metadata,
    Column("turn_id", Text, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    _text("at"),
    _text("persona"),
    _text("kind"),
    _text("audience"),
    _text("outcome"),
    _text("verdict", ""),
    Column("chain_milliseconds", Float, nullable=False),
    _number("tokens"),
    Column("cost_usd", Float, nullable=False),
    *(Column(name, Float) for name in FIGURES),
    Index("measured_attempts_at", "at"),
)

# What stages held against an attempt.
objections = Table(
    "objections",
    metadata,
    Column("turn_id", Text, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("stage", Text, primary_key=True),
    _text("at"),
    _text("persona"),
    _text("rule"),
    _text("effect"),
    _number("observed"),
    Index("objections_at", "at"),
)

# `sequence` is the number of a report; `body` is the report as it was made.
reports = Table(
    "reports",
    metadata,
    _sequence(),
    _text("turn_id"),
    _number("attempt"),
    _text("conversation"),
    _text("state"),
    _text("body"),
    Column("settled_at", Text),
    _text("whitelisted", "[]"),
    Index("reports_attempt", "turn_id", "attempt", unique=True),
    Index("reports_state", "state"),
    Index("reports_conversation", "conversation"),
    sqlite_autoincrement=True,
)

# `source` is what put the entry there: a message or a post; `message` is the sequence of a person's message.
context = Table(
    "context",
    metadata,
    _sequence(),
    Column("source", Text, nullable=False, unique=True),
    _text("conversation"),
    Column("message", Integer),
    _text("author"),
    _text("body"),
    _text("at"),
    Column("verdict", Text),
    Index("context_order", "conversation", "message", "sequence"),
    sqlite_autoincrement=True,
)

outbox = Table(
    "outbox",
    metadata,
    _sequence(),
    Column("id", Text, nullable=False, unique=True),
    _text("conversation"),
    Column("turn_id", Text, index=True),
    _text("body"),
    _text("created_at"),
    Column("posted_at", Text),
    _text("platform_ids", "[]"),
    _text("failure", ""),
    Index(
        "outbox_pending",
        "conversation",
        "sequence",
        sqlite_where=text("posted_at IS NULL AND failure = ''"),
    ),
    Index("outbox_conversation", "conversation", "created_at"),
    sqlite_autoincrement=True,
)

# The messages of a post that were ever about to be sent: `platform_id` is "" until the platform is known to have it.
outbox_parts = Table(
    "outbox_parts",
    metadata,
    Column("post_id", Text, primary_key=True),
    Column("part", Integer, primary_key=True),
    _text("conversation"),
    _text("platform_id", ""),
    Index("outbox_parts_platform_id", "platform_id"),
)

# What gateways keep over restarts.
gateway_state = Table(
    "gateway_state",
    metadata,
    Column("platform", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    _text("value"),
)

# People who asked to be served, and what became of it.
pairings = Table(
    "pairings",
    metadata,
    Column("platform", Text, primary_key=True),
    Column("person", Text, primary_key=True),
    _text("name"),
    _text("code"),
    _text("state"),
    _text("asked_at"),
    Column("settled_at", Text),
    _text("settled_by", ""),
    _number("asked", "1"),
    _text("language", "en"),
    Index("pairings_code", "code"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("conversation", Text, primary_key=True),
    Column("persona", Text, primary_key=True),
    _text("session_id"),
)

# What the turns of a persona showed in a conversation, since it began or began anew; `turn` and `message` are the
# sequences of the latest turn that is counted in and of its message.
earlier_facts = Table(
    "earlier_facts",
    metadata,
    Column("conversation", Text, primary_key=True),
    Column("persona", Text, primary_key=True),
    _text("body"),
    _number("message"),
    _number("turn"),
)

# What rules remember of a session, until so many others were seen after it.
rule_states = Table(
    "rule_states",
    metadata,
    Column("session_id", Text, primary_key=True),
    _text("body"),
    _text("seen_at"),
    Index("rule_states_seen", "seen_at"),
)

# What rules asked people before a tool call ran; `sequence` is the number of the question, `told` is 1 once its agent
# knows the answer, `rule` the first of those that ask.
tool_questions = Table(
    "tool_questions",
    metadata,
    _sequence(),
    _text("conversation"),
    _text("message_id"),
    _text("digest"),
    _text("rule"),
    _text("body"),
    _text("state", "open"),
    _text("decided_by", ""),
    _text("why", ""),
    _number("told", "0"),
    _text("expires_at"),
    Column("settled_at", Text),
    Index("tool_questions_message", "message_id", "digest"),
    Index("tool_questions_conversation", "conversation", "state", "rule"),
    sqlite_autoincrement=True,
)

# `origin` is the turn that left the reminder, `taken_by` the turn whose prompt carries it; `said_before` is the latest
# message of the conversation at that moment, `dropped` says that a person spoke, or the exchange was stopped, before
# any prompt carried it.
reminders = Table(
    "reminders",
    metadata,
    Column("origin", Text, primary_key=True),
    Column("position", Integer, primary_key=True),
    _text("conversation"),
    _text("persona"),
    _text("body"),
    Column("taken_by", Text),
    _number("said_before", "0"),
    _number("dropped", "0"),
    Index("reminders_persona", "conversation", "persona", "taken_by"),
)

# How far a persona is with a task of one exchange; the one with the highest `sequence` was worked on last.
checklists = Table(
    "checklists",
    metadata,
    Column("message_id", Text, primary_key=True),
    Column("persona", Text, primary_key=True),
    Column("task", Text, primary_key=True),
    _number("open_items"),
    _text("body"),
    _number("sequence"),
)

# What stands behind a posted reply; `sequence` is the number of the receipt.
receipts = Table(
    "receipts",
    metadata,
    _sequence(),
    Column("turn_id", Text, nullable=False, unique=True),
    _text("conversation"),
    _text("body"),
    _text("at"),
    Index("receipts_conversation", "conversation"),
    sqlite_autoincrement=True,
)

# One review for each session of a worker's CLI, or for each task of an exchange.
reviews = Table(
    "reviews",
    metadata,
    Column("session_id", Text, primary_key=True),
    _text("status"),
    _text("worker_agent"),
    _text("reviewer_agent", ""),
    _text("issues_found", "[]"),
    _number("attempts", "0"),
    _text("created_at"),
    _text("updated_at"),
)

# The repository that a conversation works in ("": a scratch one of its own), since its first message.
assignments = Table(
    "assignments",
    metadata,
    Column("conversation", Text, primary_key=True),
    _text("repository"),
)

# What people chose for a channel by a command; it stands above the configuration.
repository_choices = Table(
    "repository_choices",
    metadata,
    Column("place", Text, primary_key=True),
    _text("repository"),
    _text("chosen_by"),
    _text("at"),
)

# The work trees of conversations; `path` is relative to the data directory of this service.
checkouts = Table(
    "checkouts",
    metadata,
    Column("conversation", Text, primary_key=True),
    Column("repository", Text, primary_key=True),
    _text("branch"),
    _text("base"),
    _text("path"),
    _text("made_at"),
    _text("used_at"),
    Column("put_away_at", Text),
    Index("checkouts_used", "put_away_at", "used_at"),
)

# What turns and undos changed in work trees; `ended` is 0 while a turn goes on, `undone_by` the deed that took it back.
work_changes = Table(
    "work_changes",
    metadata,
    _sequence(),
    Column("id", Text, nullable=False, unique=True),
    _text("conversation"),
    _text("body"),
    _number("ended", "0"),
    Column("undone_by", Text),
    Index("work_changes_conversation", "conversation", "sequence"),
)

# What people did with the work of a conversation: what was asked, what it is about to do, and what came of it.
deeds = Table(
    "deeds",
    metadata,
    _sequence(),
    Column("id", Text, nullable=False, unique=True),
    _text("conversation"),
    _text("kind"),
    _text("body"),
    Column("plan", Text),
    Column("outcome", Text),
    Column("settled_at", Text),
    Index("deeds_conversation", "conversation", "sequence"),
    Index("deeds_open", "conversation", unique=True, sqlite_where=text("outcome IS NULL")),
)

# Pull requests that conversations opened; `ended_at` says that they are watched no more.
pull_requests = Table(
    "pull_requests",
    metadata,
    _sequence(),
    _text("repository"),
    Column("number", Integer, nullable=False),
    _text("conversation"),
    _text("body"),
    Column("ended_at", Text),
    Index("pull_requests_number", "repository", "number", unique=True),
    Index("pull_requests_conversation", "conversation", "sequence"),
)

# Conversations in which no exchange may begin, until then at the latest (seconds since the epoch).
holds = Table(
    "holds",
    metadata,
    Column("conversation", Text, primary_key=True),
    Column("until", Float, nullable=False),
)

# Only jobs that are not finished: a row here is a message that waits ("todo") or runs ("doing").
jobs = Table(
    "jobs",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _text("task_name"),
    _text("lock"),
    _text("args"),
    _text("status", "todo"),
    _number("attempts", "0"),
    Column("scheduled_at", Float, nullable=False, server_default="0"),
    Index("jobs_lock", "lock", "id"),
    sqlite_autoincrement=True,
)
