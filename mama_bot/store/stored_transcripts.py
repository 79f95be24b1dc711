"""What agents remember, line by line, for whatever machine goes on with a conversation."""

from collections.abc import Mapping, Sequence

import structlog

from mama_bot.model import ConversationKey, SessionId
from mama_bot.protocols import Clock
from mama_bot.store.codec import conversation_of, instant
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database

log = structlog.get_logger(__name__)

MOST_CHARACTERS = 8_000_000  # of one session: more than a model takes in, and all of it is read to take it up

_SIZE = Statement(
    "SELECT COUNT(*), SUM(LENGTH(body)), MIN(LENGTH(body)) FROM transcripts WHERE session_id = :session_id"
)
_ADD = Statement(
    """
    INSERT INTO transcripts (session_id, conversation, place, body, at)
    VALUES (:session_id, :conversation, :place, :body, :at)
    """
)
_DROP = Statement("DELETE FROM transcripts WHERE session_id = :session_id")
# Those of sessions that nobody resumes any more: when a new one begins.
_DROP_LEFT = Statement(
    """
    DELETE FROM transcripts WHERE conversation = :conversation AND session_id <> :session_id
    AND session_id NOT IN (SELECT session_id FROM sessions WHERE conversation = :conversation)
    """
)
_LINES = Statement("SELECT body FROM transcripts WHERE session_id = :session_id ORDER BY sequence")
_LAST = Statement("SELECT place, body FROM transcripts WHERE session_id = :session_id ORDER BY sequence DESC LIMIT 1")

_FORGET = tuple(
    Statement(f"DELETE FROM {table} WHERE {rows}")  # noqa: S608 - constants
    for table, rows in (
        (
            "transcripts",
            "session_id = (SELECT session_id FROM sessions WHERE conversation = :conversation AND persona = :persona)",
        ),
        ("sessions", "conversation = :conversation AND persona = :persona"),
    )
)


def forget_session(connection: Connection, place: Mapping[str, str]) -> None:
    """Forget the session of a persona (`place` names it and the conversation), and what is kept of it."""
    for statement in _FORGET:
        connection.execute(statement, place).close()


class StoredTranscripts:
    """The `SessionTranscripts` of the database, as the machine of a `place` sees them."""

    def __init__(self, *, database: Database, clock: Clock, place: str, most_characters: int = MOST_CHARACTERS) -> None:
        self._database = database
        self._clock = clock
        self._place = place
        self._most_characters = most_characters

    async def add(self, key: ConversationKey, session_id: SessionId, lines: Sequence[str], *, whole: bool) -> None:
        body = "\n".join(lines)
        facts = {
            "session_id": session_id,
            "conversation": conversation_of(key),
            "place": self._place,
            "body": body,
            "at": instant(self._clock.now()),
        }

        def work(connection: Connection) -> bool:
            if whole:
                connection.execute(_DROP, facts).close()
            ((rows, size, least),) = connection.execute(_SIZE, facts).all()
            if rows and not least:
                return True
            if not rows:
                connection.execute(_DROP_LEFT, facts).close()
            fits = (size or 0) + len(body) <= self._most_characters
            if not fits:
                connection.execute(_DROP, facts).close()
            connection.execute(_ADD, {**facts, "body": body if fits else ""}).close()
            return fits

        if lines and not await self._database.write(work):
            log.warning("transcript_too_long", session=session_id, most_characters=self._most_characters)

    async def lines(self, session_id: SessionId) -> Sequence[str]:
        facts = {"session_id": session_id}
        rows = await self._database.read(lambda connection: connection.execute(_LINES, facts).all())
        # No `splitlines`: a text within a line may hold what that takes for an end of it.
        return [line for row in rows if row.body for line in row.body.split("\n")]

    async def is_elsewhere(self, session_id: SessionId) -> bool:
        facts = {"session_id": session_id}
        last = await self._database.read(lambda connection: connection.execute(_LAST, facts).first())
        return last is not None and last.place != self._place and bool(last.body)
