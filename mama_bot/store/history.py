"""Earlier conversations, as the page reads them."""

from collections.abc import Mapping, Sequence

from mama_bot.config import QueueSettings
from mama_bot.model import (
    Attempt,
    ConversationKey,
    ConversationSummary,
    ConversationView,
    InboundMessage,
    MessageId,
    Platform,
    Post,
    PostId,
    QueueState,
    StoredTurn,
    TurnId,
    well_formed,
)
from mama_bot.store.added import added_in
from mama_bot.store.codec import ATTEMPT, MESSAGE, POST, TURN, conversation_of, key_from, moment
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database
from mama_bot.store.jobs import count_jobs, waiting_messages
from mama_bot.store.outbox import posts_since
from mama_bot.store.receipts import receipts_since
from mama_bot.store.reports import standings
from mama_bot.store.stored_exchanges import turns_of

_THE_BEGINNING = ""

_CONVERSATIONS = Statement(
    """
    SELECT conversation, title, last_at,
           (SELECT count(*) FROM jobs WHERE jobs.lock = conversations.conversation) AS waiting
    FROM conversations WHERE platform = :platform ORDER BY last_at DESC, conversation LIMIT :limit
    """
)
_SEARCH = Statement(
    """
    SELECT conversation, title, last_at,
           (SELECT count(*) FROM jobs WHERE jobs.lock = conversations.conversation) AS waiting
    FROM conversations WHERE platform = :platform AND (
        lower(title) LIKE lower(:like) ESCAPE '\\'
        OR EXISTS (SELECT 1 FROM messages WHERE messages.conversation = conversations.conversation AND stopped < 2
                   AND lower(json_extract(body, '$.text')) LIKE lower(:like) ESCAPE '\\')
        OR EXISTS (SELECT 1 FROM outbox WHERE outbox.conversation = conversations.conversation
                   AND lower(json_extract(body, '$.text')) LIKE lower(:like) ESCAPE '\\'))
    ORDER BY last_at DESC, conversation LIMIT :limit
    """
)
# A withdrawn message stays known, for those who bring it again, and is shown to nobody.
_LAST_MESSAGES = Statement(
    """
    SELECT id, body, stored_at FROM messages WHERE conversation = :conversation AND stopped < 2
    ORDER BY sequence DESC LIMIT :limit
    """
)
_TURN = Statement("SELECT body FROM turns WHERE id = :turn_id")
_ATTEMPT = Statement("SELECT body FROM attempts WHERE turn_id = :turn_id AND attempt = :attempt")
_MESSAGE = Statement("SELECT body FROM messages WHERE id = :id AND conversation = :conversation")
_MESSAGE_OF_TURN = Statement(
    """
    SELECT messages.body FROM turns JOIN messages ON messages.id = turns.message_id
    WHERE turns.id = :turn_id AND messages.conversation = :conversation
    """
)
_POST = Statement("SELECT body FROM outbox WHERE id = :id AND conversation = :conversation")


class StoredHistory:
    """The `ConversationHistory` of the database."""

    def __init__(self, *, database: Database, queue: QueueSettings) -> None:
        self._database = database
        self._queue = queue

    async def conversations(self, platform: Platform, limit: int) -> Sequence[ConversationSummary]:
        facts = {"platform": platform, "limit": limit}

        return await self._database.read(lambda connection: _summaries(connection, _CONVERSATIONS, facts))

    async def search(self, platform: Platform, words: str, limit: int) -> Sequence[ConversationSummary]:
        """See `ConversationHistory.search`; letters from A to Z are found in either case."""
        escaped = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        facts = {"platform": platform, "limit": limit, "like": f"%{well_formed(escaped)}%"}
        return await self._database.read(lambda connection: _summaries(connection, _SEARCH, facts))

    async def view(self, key: ConversationKey, limit: int) -> ConversationView:
        """See `ConversationHistory.view`; empty for a conversation that nobody knows."""
        return await self._database.read(lambda connection: _view(connection, key, limit))

    async def message(self, key: ConversationKey, message_id: MessageId) -> InboundMessage | None:
        facts = {"conversation": conversation_of(key), "id": message_id}
        row = await self._database.read(lambda connection: connection.execute(_MESSAGE, facts).first())
        return None if row is None else MESSAGE.load(row.body)

    async def posted(self, key: ConversationKey, post_id: PostId) -> Post | None:
        facts = {"conversation": conversation_of(key), "id": post_id}
        row = await self._database.read(lambda connection: connection.execute(_POST, facts).first())
        return None if row is None else POST.load(row.body)

    async def turn(self, key: ConversationKey, turn_id: TurnId) -> StoredTurn | None:
        facts = {"turn_id": turn_id, "conversation": conversation_of(key)}

        def work(connection: Connection) -> StoredTurn | None:
            body = connection.execute(_MESSAGE_OF_TURN, facts).scalar()
            turns = turns_of(connection, MESSAGE.load(body)) if body else ()
            return next((stored for stored in turns if stored.turn.id == turn_id), None)

        return await self._database.read(work)

    async def attempt(self, key: ConversationKey, turn_id: TurnId, number: int) -> Attempt | None:
        place = {"turn_id": turn_id, "attempt": number}

        def work(connection: Connection) -> Attempt | None:
            turn = connection.execute(_TURN, place).scalar()
            body = connection.execute(_ATTEMPT, place).scalar()
            return ATTEMPT.load(body) if turn and body and TURN.load(turn).key == key else None

        return await self._database.read(work)

    async def queue(self) -> QueueState:
        waiting, running = await self._database.read(count_jobs)
        return QueueState(waiting=waiting, running=running, limit=self._queue.limit)


def _summaries(connection: Connection, query: Statement, facts: Mapping[str, object]) -> Sequence[ConversationSummary]:
    return [
        ConversationSummary(key=key_from(conversation), title=title, last_at=moment(last_at), waiting=waiting)
        for conversation, title, last_at, waiting in connection.execute(query, facts)
    ]


def _view(connection: Connection, key: ConversationKey, limit: int) -> ConversationView:
    conversation = conversation_of(key)
    rows = connection.execute(_LAST_MESSAGES, {"conversation": conversation, "limit": limit}).all()[::-1]
    since = rows[0].stored_at if rows and len(rows) == limit else _THE_BEGINNING
    messages = tuple(MESSAGE.load(row.body) for row in rows)
    return ConversationView(
        key=key,
        messages=messages,
        posts=posts_since(connection, conversation, since),
        turns=tuple(turn for message in messages for turn in turns_of(connection, message)),
        queued=tuple(waiting_messages(connection, conversation)),
        reports=standings(connection, conversation),
        receipts=receipts_since(connection, conversation, since),
        added=added_in(connection, conversation),
    )
