"""Forget what was said and done long ago: finished messages with their turns, and what became of them."""

from dataclasses import dataclass
from datetime import datetime

from mama_bot.store.codec import instant, moment
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database

BATCH = 50  # messages of one transaction: nobody waits long behind it

# In a conversation in which something waits, runs or is still to be posted, everything stays.
_IDLE = """
    NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.lock = message.conversation)
    AND NOT EXISTS (
        SELECT 1 FROM outbox AS open
        WHERE open.conversation = message.conversation AND open.posted_at IS NULL AND open.failure = ''
    )
    AND NOT EXISTS (
        SELECT 1 FROM tool_questions AS question
        WHERE question.conversation = message.conversation AND question.state = 'open'
    )
"""
_OLD = Statement(
    f"""
    SELECT sequence, id FROM messages AS message
    WHERE stored_at < :before AND {_IDLE} ORDER BY sequence LIMIT :most
    """  # noqa: S608 - a constant
)
_TURNS = "SELECT id FROM turns WHERE message_id = :id"
# Those that others are found by come last.
DELETIONS = tuple(
    Statement(f"DELETE FROM {table} WHERE {rows}")  # noqa: S608 - constants
    for table, rows in (
        ("attempts", f"turn_id IN ({_TURNS})"),
        ("receipts", f"turn_id IN ({_TURNS})"),
        ("reminders", f"origin IN ({_TURNS})"),
        ("reviews", f"session_id IN ({_TURNS})"),
        ("checklists", "message_id = :id"),
        ("tool_questions", "message_id = :id"),
        ("spendings", "message_id = :id"),  # caps look back a day at most, and what is removed is older
        ("outbox_parts", f"post_id IN (SELECT id FROM outbox WHERE turn_id IN ({_TURNS}))"),  # noqa: S608 - constants
        ("outbox", f"turn_id IN ({_TURNS})"),
        ("context", "conversation = (SELECT conversation FROM messages WHERE id = :id) AND message = :sequence"),
        ("turns", "message_id = :id"),
        ("messages", "id = :id"),
    )
)
_OLD_LINES = """
    SELECT id FROM outbox
    WHERE turn_id IS NULL AND created_at < :before AND (posted_at IS NOT NULL OR failure <> '') LIMIT :most
"""
_LINE_PARTS = Statement(f"DELETE FROM outbox_parts WHERE post_id IN ({_OLD_LINES})")  # noqa: S608 - a constant
_LINES = Statement(f"DELETE FROM outbox WHERE id IN ({_OLD_LINES})")  # noqa: S608 - a constant
_EMPTY = """
    SELECT conversation FROM conversations AS place
    WHERE place.last_at < :before
      AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.conversation = place.conversation)
      AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.conversation = place.conversation)
"""
_EMPTY_DELETIONS = tuple(
    Statement(f"DELETE FROM {table} WHERE conversation IN ({_EMPTY})")  # noqa: S608 - constants
    for table in ("context", "earlier_facts", "sessions", "transcripts", "conversations")
)
# A session is kept whole or not at all: who takes it up again needs its beginning.
_TRANSCRIPTS = Statement(
    """
    DELETE FROM transcripts WHERE session_id IN (
        SELECT session_id FROM transcripts GROUP BY session_id HAVING MAX(at) < :before
    )
    """
)
_OLDEST = Statement("SELECT MIN(stored_at) FROM messages")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What one transaction removed: messages with all that came of them, and lines of the service about none."""

    messages: int = 0
    lines: int = 0

    def __add__(self, other: "Forgotten") -> "Forgotten":
        return Forgotten(messages=self.messages + other.messages, lines=self.lines + other.lines)

    @property
    def more(self) -> bool:
        """Whether there may be more to remove."""
        return self.messages >= BATCH or self.lines >= BATCH


class StoredRetention:
    """Removes what is old from the database; figures of attempts, reports and what is kept of work trees stay."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def forget(self, before: datetime) -> Forgotten:
        """Remove one batch of what was finished before a moment; raises StoreUnavailable."""
        facts: dict[str, str | int] = {"before": instant(before), "most": BATCH}
        return await self._database.write(lambda connection: _forget(connection, facts))

    async def oldest(self) -> datetime | None:
        """Return when the oldest message was stored; None without any."""
        at = await self._database.read(lambda connection: connection.execute(_OLDEST).scalar())
        return None if at is None else moment(at)


def _forget(connection: Connection, facts: dict[str, str | int]) -> Forgotten:
    rows = connection.execute(_OLD, facts).all()
    for row in rows:
        for deletion in DELETIONS:
            connection.execute(deletion, {"id": row.id, "sequence": row.sequence}).close()
    connection.execute(_LINE_PARTS, facts).close()
    lines = connection.execute(_LINES, facts).rowcount
    for deletion in _EMPTY_DELETIONS:
        connection.execute(deletion, facts).close()
    if len(rows) < BATCH:  # once: it looks at all that is kept
        connection.execute(_TRANSCRIPTS, facts).close()
    return Forgotten(messages=len(rows), lines=lines)
