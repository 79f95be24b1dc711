"""From any older shape of the database to the current one, step by numbered step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mama_bot.store.board_tables import topic_posts, work_items
from mama_bot.store.budget_tables import raised_caps, spendings
from mama_bot.store.codec import ATTEMPT
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.measure_rows import add_measures
from mama_bot.store.node_tables import duties, homes, nodes, transcripts
from mama_bot.store.table_shapes import StoredTable
from mama_bot.store.tables import (
    earlier_facts,
    gateway_state,
    holds,
    jobs,
    measured_attempts,
    metadata,
    objections,
    outbox_parts,
    pairings,
    receipts,
    reports,
    reviews,
    rule_records,
    rule_states,
    sessions,
    tool_questions,
)
from mama_bot.store.work_tables import (
    assignments,
    checkouts,
    deeds,
    delegate_trees,
    pull_requests,
    repository_choices,
    work_changes,
    workflow_choices,
)

# The number of the shape that tables.py and the other modules of tables describe; step N turns shape N-1 into N.
CURRENT_VERSION = 26
_BATCH = 50  # a body may hold a turn's whole record


def _measure(connection: Connection) -> None:
    """Reports and metrics: new tables, filled from the attempts that are there."""
    for column in ("persona", "kind", "audience"):
        connection.execute(Statement(f"ALTER TABLE turns ADD COLUMN {column} TEXT NOT NULL DEFAULT ''"))
    connection.execute(Statement("CREATE INDEX turns_ended ON turns (ended_at)"))
    _create(connection, measured_attempts, objections, reports)
    _complete(connection)


def _complete(connection: Connection) -> None:
    """Fill in what the metrics read, where it is missing: an older release that still ran may have left it out."""
    connection.execute(_NAME_TURNS)
    turn_id, attempt = "", -1
    while rows := connection.execute(_SOME_UNMEASURED, {"turn": turn_id, "attempt": attempt, "limit": _BATCH}).all():
        for row in rows:
            add_measures(connection, ATTEMPT.load(row.body))
        turn_id, attempt = rows[-1].turn_id, rows[-1].attempt
    if turn_id:
        connection.execute(_JUDGE_SCOPES)


def _checklists(connection: Connection) -> None:
    connection.execute(Statement("ALTER TABLE reminders ADD COLUMN said_before INTEGER NOT NULL DEFAULT '0'"))
    connection.execute(Statement("ALTER TABLE reminders ADD COLUMN dropped INTEGER NOT NULL DEFAULT '0'"))
    _create(connection, metadata.tables["checklists"])


def _evidence(connection: Connection) -> None:
    # From the first shape, the table was just made as it is now.
    names = {"claims", "claims_confirmed", "claims_unsupported", "claims_contradicted"}
    for name in names - _columns(connection, "measured_attempts"):
        connection.execute(Statement(f"ALTER TABLE measured_attempts ADD COLUMN {name} FLOAT"))
    _create(connection, receipts, reviews)


def _platforms(connection: Connection) -> None:
    _create(connection, outbox_parts, gateway_state, pairings)
    # An older release, whose posts had one part each, may have sent what waits.
    connection.execute(
        Statement(
            """
            INSERT INTO outbox_parts (post_id, part, conversation)
            SELECT id, 0, conversation FROM outbox WHERE posted_at IS NULL AND failure = ''
            """
        )
    )


def _languages(connection: Connection) -> None:
    if {"korean", "language"}.isdisjoint(_columns(connection, "pairings")):
        connection.execute(Statement("ALTER TABLE pairings ADD COLUMN korean INTEGER NOT NULL DEFAULT '0'"))


def _stops(connection: Connection) -> None:
    connection.execute(Statement("ALTER TABLE outbox DROP COLUMN life"))  # written with every post, read by nobody
    connection.execute(Statement("ALTER TABLE messages ADD COLUMN stop_asked_by TEXT"))
    _create(connection, holds)


def _violations(connection: Connection) -> None:
    if "scope_violated" not in _columns(connection, "measured_attempts"):
        connection.execute(Statement("ALTER TABLE measured_attempts ADD COLUMN scope_violated FLOAT"))
    connection.execute(_JUDGE_SCOPES)


def _further_languages(connection: Connection) -> None:
    if "language" not in _columns(connection, "pairings"):
        connection.execute(Statement("ALTER TABLE pairings ADD COLUMN language TEXT NOT NULL DEFAULT 'en'"))
        connection.execute(Statement("UPDATE pairings SET language = 'ko' WHERE korean = 1"))
        connection.execute(Statement("ALTER TABLE pairings DROP COLUMN korean"))


def _earlier_facts(connection: Connection) -> None:
    _create(connection, earlier_facts)


def _order_of_context(connection: Connection) -> None:
    # In the order in which it is read, so that a turn does not sort all of its conversation.
    connection.execute(Statement("DROP INDEX IF EXISTS context_conversation"))
    connection.execute(
        Statement("CREATE INDEX IF NOT EXISTS context_order ON context (conversation, message, sequence)")
    )


def _checkouts(connection: Connection) -> None:
    _create(connection, assignments, repository_choices, checkouts)


def _added_messages(connection: Connection) -> None:
    for column in ("added_to", "taken_by"):
        connection.execute(Statement(f"ALTER TABLE messages ADD COLUMN {column} TEXT"))
    connection.execute(Statement("CREATE INDEX messages_added_to ON messages (added_to) WHERE added_to IS NOT NULL"))


def _deeds(connection: Connection) -> None:
    _create(connection, work_changes, deeds)


def _pull_requests(connection: Connection) -> None:
    _create(connection, pull_requests)


def _rule_states(connection: Connection) -> None:
    _create(connection, rule_states)


def _tool_questions(connection: Connection) -> None:
    _create(connection, tool_questions)


def _workflow_choices(connection: Connection) -> None:
    _create(connection, workflow_choices)


def _boards(connection: Connection) -> None:
    _create(connection, topic_posts, work_items)


def _rule_records(connection: Connection) -> None:
    _create(connection, rule_records)


def _items_without_open(connection: Connection) -> None:
    if "open" in _columns(connection, "work_items"):  # written with every item, read by nobody
        connection.execute(Statement("DROP INDEX IF EXISTS work_items_open"))
        connection.execute(Statement("ALTER TABLE work_items DROP COLUMN open"))


def _delegate_trees(connection: Connection) -> None:
    _create(connection, delegate_trees)


def _spendings(connection: Connection) -> None:
    _create(connection, spendings, raised_caps)


def _nodes(connection: Connection) -> None:
    _add_column(connection, jobs, "node")
    _create(connection, nodes, duties, homes)


def _backends_of_sessions(connection: Connection) -> None:
    _add_column(connection, sessions, "backend")


def _transcripts(connection: Connection) -> None:
    if "platforms" not in _columns(connection, "nodes"):
        _add_column(connection, nodes, "platforms")
    _create(connection, transcripts)


def _create(connection: Connection, *tables: StoredTable) -> None:
    for table in tables:
        for statement in table.ddl(connection.dialect):
            connection.execute(Statement(statement))


def _add_column(connection: Connection, table: StoredTable, name: str) -> None:
    """Add a column as its table describes it, which each database writes in its own way."""
    line = table.column_line(name, connection.dialect)
    connection.execute(Statement(f"ALTER TABLE {table.name} ADD COLUMN {line}"))


def _columns(connection: Connection, table: str) -> set[str]:
    return set(connection.execute(Statement(connection.dialect.columns), {"table": table}).scalars())


STEPS: Mapping[int, Callable[[Connection], None]] = {
    2: _measure,
    3: _checklists,
    4: _evidence,
    5: _platforms,
    6: _languages,
    7: _stops,
    8: _violations,
    9: _further_languages,
    10: _earlier_facts,
    11: _order_of_context,
    12: _checkouts,
    13: _added_messages,
    14: _pull_requests,
    15: _deeds,
    16: _rule_states,
    17: _tool_questions,
    18: _workflow_choices,
    19: _boards,
    20: _rule_records,
    21: _items_without_open,
    22: _delegate_trees,
    23: _spendings,
    24: _nodes,
    25: _backends_of_sessions,
    26: _transcripts,
}
_NAME_TURNS = Statement(
    """
    UPDATE turns SET persona = json_extract(body, '$.persona'), kind = json_extract(body, '$.kind'),
                     audience = json_extract(body, '$.audience')
    WHERE persona = ''
    """
)
# Earlier releases did not measure it, but said of each draft what came of its unexpected files.
_JUDGE_SCOPES = Statement(
    """
    UPDATE measured_attempts SET scope_violated = CASE WHEN EXISTS (
        SELECT 1 FROM objections AS objection
        WHERE objection.turn_id = measured_attempts.turn_id AND objection.attempt = measured_attempts.attempt
          AND objection.stage = 'scope_guard' AND objection.effect = 'needs_review'
    ) THEN 1 ELSE 0 END
    WHERE unexpected_files IS NOT NULL AND scope_violated IS NULL
    """
)
_SOME_UNMEASURED = Statement(
    """
    SELECT turn_id, attempt, body FROM attempts
    WHERE (turn_id, attempt) > (:turn, :attempt) AND NOT EXISTS (
        SELECT 1 FROM measured_attempts AS measured
        WHERE measured.turn_id = attempts.turn_id AND measured.attempt = attempts.attempt
    )
    ORDER BY turn_id, attempt LIMIT :limit
    """
)

_READ_VERSION = Statement("SELECT version FROM schema_version")
_INSERT_VERSION = Statement("INSERT INTO schema_version (version) VALUES (:version)")
_UPDATE_VERSION = Statement("UPDATE schema_version SET version = :version")


_ANOTHER = "{first} a database of its own in store.url (MAMA_STORE__URL)."
_EVER = frozenset({"schema_version", "messages", "jobs"})  # the tables that every shape has


@dataclass(frozen=True, slots=True)
class Unsuitable:
    """Why a database cannot be brought to the current shape, and what to do."""

    reason: str
    remedy: str


def migrate(
    connection: Connection,
    *,
    current: int = CURRENT_VERSION,
    steps: Mapping[int, Callable[[Connection], None]] = STEPS,
) -> Unsuitable | None:
    """Create the tables in an empty database, or run the missing steps; nothing is changed when it is unsuitable."""
    names = _table_names(connection)
    if not names:
        _create(connection, *metadata.tables.values())
        connection.execute(_INSERT_VERSION, {"version": current})
        return None
    version = _version(connection, names)
    unsuitable = _foreign(version, current)
    return unsuitable or _advance(connection, version or 0, current, steps)


def unsuitable_database(connection: Connection) -> Unsuitable | None:
    """Why a database cannot be used as it is; nothing is changed: an older service may be using it."""
    names = _table_names(connection)
    version = _version(connection, names)
    remedy = "Start the service once: it brings the database up to date."
    if not names:
        return Unsuitable(reason="there is nothing in it yet", remedy=remedy)
    if version is not None and version < CURRENT_VERSION:
        reason = f"an older mama-bot wrote it (schema {version}, this one reads {CURRENT_VERSION})"
        return Unsuitable(reason=reason, remedy=remedy)
    return _foreign(version, CURRENT_VERSION)


def is_older(connection: Connection) -> bool:
    """Return whether steps are missing; nothing is changed."""
    names = _table_names(connection)
    version = _version(connection, names)
    return version is not None and version < CURRENT_VERSION


def not_ours(connection: Connection) -> Unsuitable | None:
    """Why a database must not be touched at all: another program's, or a newer release's; nothing is changed."""
    names = _table_names(connection)
    return _foreign(_version(connection, names), CURRENT_VERSION) if names else None


def _table_names(connection: Connection) -> Sequence[str]:
    return tuple(connection.execute(Statement(connection.dialect.tables)).scalars())


def _foreign(version: int | None, current: int) -> Unsuitable | None:
    if version is None:
        return Unsuitable(
            reason="it holds the tables of another program",
            remedy=_ANOTHER.format(first="Name"),
        )
    if version > current:
        return Unsuitable(
            reason=f"a newer mama-bot wrote it (schema {version}, this one knows {current})",
            remedy=_ANOTHER.format(first="Update mama-bot, or name"),
        )
    return None


def _version(connection: Connection, names: Sequence[str]) -> int | None:
    """Return the number of the shape; None in another program's database, whatever its tables are called."""
    return connection.execute(_READ_VERSION).scalar() if set(names) >= _EVER else None


def _advance(
    connection: Connection, version: int, current: int, steps: Mapping[int, Callable[[Connection], None]]
) -> Unsuitable | None:
    missing = [number for number in range(version + 1, current + 1) if number not in steps]
    if missing:
        return Unsuitable(
            reason=f"its schema {version} is too old to be brought to schema {current}",
            remedy=_ANOTHER.format(first="Open it once with the release in between, or name"),
        )
    for number in range(version + 1, current + 1):
        steps[number](connection)
        connection.execute(_UPDATE_VERSION, {"version": number})
    if current == CURRENT_VERSION:
        _complete(connection)
    return None
