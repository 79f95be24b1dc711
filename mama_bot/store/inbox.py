"""The messages that wait, durably."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mama_bot.config import QueueSettings
from mama_bot.errors import MessageRefused, QueueFull
from mama_bot.model import AuthorKind, ConversationKey, InboundMessage, InLine, MessageId, WaitingLine
from mama_bot.protocols import Clock
from mama_bot.store.added import add_waiting
from mama_bot.store.bell import Bell
from mama_bot.store.codec import MESSAGE, channel_of, conversation_of, instant, key_from
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.context import add_message, remove_message, replace_message
from mama_bot.store.database import Database
from mama_bot.store.jobs import (
    count_unfinished,
    end_job,
    insert_job,
    taken_message,
    waiting_job,
    waiting_locks,
)
from mama_bot.store.queue_lines import waiting_line
from mama_bot.store.sentences import ID_TAKEN
from mama_bot.text.foreign import without_marks

_TITLE_CHARACTERS = 80

_CONVERSATION_OF = Statement("SELECT conversation FROM messages WHERE id = :id")
_INSERT = Statement(
    """
    INSERT INTO messages (id, platform, conversation, body, stored_at)
    VALUES (:id, :platform, :conversation, :body, :at) RETURNING sequence
    """
)
_TOUCH = Statement(
    """
    INSERT INTO conversations (conversation, platform, title, last_at) VALUES (:conversation, :platform, :title, :at)
    ON CONFLICT (conversation) DO UPDATE SET last_at = excluded.last_at
    """
)

_UNTOUCHED = Statement(
    """
    SELECT conversation, body FROM messages
    WHERE id = :id AND stopped = 0 AND NOT EXISTS (SELECT 1 FROM turns WHERE message_id = :id)
    """
)
_REPLACE = Statement("UPDATE messages SET body = :body WHERE id = :id")
# Stopped before it began, and taken back by its author: nobody is shown it any more.
_WITHDRAW = Statement("UPDATE messages SET stopped = 2 WHERE id = :id")
_RENAME = Statement("UPDATE conversations SET title = :new WHERE conversation = :conversation AND title = :old")


class StoredInbox:
    """The `Inbox` of the database: the message, its line of context and its job are stored in one transaction.

    A message counts against the bounds of `queue` until its exchange is over.
    """

    def __init__(self, *, database: Database, clock: Clock, queue: QueueSettings, bell: Bell) -> None:
        self._database = database
        self._clock = clock
        self._queue = queue
        self._bell = bell

    async def accept(self, message: InboundMessage) -> InLine | None:
        """See `Inbox.accept`.

        Raises MessageRefused when another conversation has a message of the same id, and ValueError for the words of
        one of our agents, which reach the shared context only as a reply that was judged.
        """
        if message.author.kind is AuthorKind.AGENT:
            raise ValueError(f"Message {message.id} is by the agent {message.author.id}: an inbox takes none of those.")
        at = instant(self._clock.now())
        stored = await self._database.write(lambda connection: store_message(connection, message, at, self._queue))
        if isinstance(stored, QueueFull):
            raise stored
        if stored is not None:
            self._bell.ring()
        return stored

    async def waiting(self, key: ConversationKey, message_id: MessageId) -> InboundMessage | None:
        waiting = await self._database.read(lambda connection: _waiting(connection, key, message_id))
        return None if waiting is None else waiting.message

    async def unfinished(self, key: ConversationKey, message_id: MessageId) -> bool:
        conversation = conversation_of(key)

        def look(connection: Connection) -> bool:
            if taken_message(connection, conversation) == message_id:
                return True
            return waiting_job(connection, conversation, message_id) is not None

        return await self._database.read(look)

    async def revise(self, message: InboundMessage) -> bool:
        """See `Inbox.revise`; what came with the message stays unless something comes with its new text."""
        return await self._database.write(lambda connection: _revise(connection, message))

    async def withdraw(self, key: ConversationKey, message_id: MessageId) -> bool:
        """See `Inbox.withdraw`; the message itself stays known, so that a redelivery of it is not taken."""
        withdrawn = await self._database.write(lambda connection: _withdraw(connection, key, message_id))
        if withdrawn:
            self._bell.ring()
        return withdrawn

    async def add_to_running(
        self, key: ConversationKey, *, by: str | None = None, message_id: MessageId | None = None
    ) -> Sequence[InboundMessage]:
        conversation = conversation_of(key)
        return await self._database.write(
            lambda connection: add_waiting(connection, conversation, by=by, message_id=message_id)
        )

    async def line(self, key: ConversationKey, *, most: int) -> WaitingLine:
        conversation = conversation_of(key)
        return await self._database.read(lambda connection: waiting_line(connection, conversation, most))

    async def waited_in(self) -> Sequence[ConversationKey]:
        return [key_from(lock) for lock in await self._database.read(waiting_locks)]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A stored message whose exchange has not begun."""

    job: int
    conversation: str
    message: InboundMessage


def _waiting(connection: Connection, key: ConversationKey, message_id: MessageId) -> _Waiting | None:
    row = connection.execute(_UNTOUCHED, {"id": message_id}).first()
    if row is None or not row.conversation.startswith(channel_of(key)):
        return None
    job = waiting_job(connection, row.conversation, message_id)
    return None if job is None else _Waiting(job, row.conversation, MESSAGE.load(row.body))


def _revise(connection: Connection, message: InboundMessage) -> bool:
    waiting = _waiting(connection, message.key, message.id)
    if waiting is None or waiting.message.author.id != message.author.id:
        return False
    old = waiting.message
    new = replace(
        old,
        text=message.text,
        attachments=message.attachments or old.attachments,
        request=message.request,
        addressed_to=message.addressed_to,
    )
    connection.execute(_REPLACE, {"id": old.id, "body": MESSAGE.dump(new)})
    replace_message(connection, new)
    facts = {
        "conversation": waiting.conversation,
        "old": title_of(old.text_with_files),
        "new": title_of(new.text_with_files),
    }
    connection.execute(_RENAME, facts)
    return True


def _withdraw(connection: Connection, key: ConversationKey, message_id: MessageId) -> bool:
    waiting = _waiting(connection, key, message_id)
    if waiting is None:
        return False
    end_job(connection, waiting.job)
    remove_message(connection, message_id)
    connection.execute(_WITHDRAW, {"id": message_id})
    title = {"conversation": waiting.conversation, "old": title_of(waiting.message.text_with_files), "new": ""}
    connection.execute(_RENAME, title)
    return True


def store_message(
    connection: Connection, message: InboundMessage, at: str, queue: QueueSettings
) -> InLine | QueueFull | None:
    """Store a message and queue its exchange; returns None when it is stored already.

    A full queue is returned, not raised: a refusal must not undo what shares its transaction.
    """
    conversation = conversation_of(message.key)
    if _known(connection, message):
        return None
    in_all, here = count_unfinished(connection, conversation)
    if here >= queue.per_conversation:
        return QueueFull(scope="this conversation", limit=queue.per_conversation)
    if in_all >= queue.limit:
        return QueueFull(scope="the service", limit=queue.limit)
    facts = {"conversation": conversation, "platform": message.key.platform, "at": at}
    sequence = connection.execute(_INSERT, {**facts, "id": message.id, "body": MESSAGE.dump(message)}).scalar()
    add_message(connection, message, sequence)
    connection.execute(_TOUCH, {**facts, "title": title_of(message.text_with_files)})
    insert_job(connection, message.id, conversation)
    return InLine(ahead=here)


def title_of(text_of_message: str) -> str:
    """Return the first line of a message, cut to the length of a title."""
    line = next(iter(without_marks(text_of_message).strip().splitlines()), "")
    return line if len(line) <= _TITLE_CHARACTERS else line[: _TITLE_CHARACTERS - 1] + "…"


def _known(connection: Connection, message: InboundMessage) -> bool:
    conversation = connection.execute(_CONVERSATION_OF, {"id": message.id}).scalar()
    if conversation is not None and conversation != conversation_of(message.key):
        raise MessageRefused(ID_TAKEN.of(id=str(message.id)))
    return conversation is not None
