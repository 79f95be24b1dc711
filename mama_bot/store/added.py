"""Messages that become part of an exchange that runs: stored before any agent is told of them."""

from collections.abc import Sequence

from mama_bot.model import Added, Audience, InboundMessage, MessageId, Turn, TurnState
from mama_bot.store.codec import MESSAGE, TURN, conversation_of
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.jobs import end_job, insert_job, taken_message, waiting_job, waiting_messages

_BODY = Statement("SELECT body FROM messages WHERE id = :id AND stopped = 0 AND stop_asked_by IS NULL")
_AT_WORK = Statement(
    "SELECT 1 FROM turns WHERE message_id = :message_id AND state = :running AND audience = :person LIMIT 1"
)
_ADD = Statement("UPDATE messages SET added_to = :to, taken_by = NULL WHERE id = :id")
_ADDED = Statement("SELECT id, body, taken_by FROM messages WHERE added_to = :to ORDER BY sequence")
_UNTAKEN = Statement("SELECT id, body FROM messages WHERE added_to = :to AND taken_by IS NULL ORDER BY sequence")
_TAKE = Statement("UPDATE messages SET taken_by = :turn_id WHERE id = :id")
_LET_GO = Statement("UPDATE messages SET added_to = NULL WHERE id = :id")
_SET_BODY = Statement("UPDATE turns SET body = :body WHERE id = :id")
# In the shared context it stands where the message stands that it belongs to: before the reply to both.
_PLACE = Statement(
    """
    UPDATE context SET message = (SELECT sequence FROM messages WHERE id = :place)
    WHERE source = 'message:' || :id
    """
)
_IN_CONVERSATION = Statement(
    "SELECT id FROM messages WHERE conversation = :conversation AND added_to IS NOT NULL ORDER BY sequence"
)


def add_waiting(
    connection: Connection, conversation: str, *, by: str | None, message_id: MessageId | None
) -> tuple[InboundMessage, ...]:
    """See `Inbox.add_to_running`."""
    running = taken_message(connection, conversation)
    body = None if running is None else connection.execute(_BODY, {"id": running}).scalar()
    if body is None or not _at_work(connection, running):
        return ()
    if by is not None and MESSAGE.load(body).author.id != by:
        return ()
    waiting = waiting_messages(connection, conversation)
    if message_id is not None:
        waiting = [name for name in waiting[:1] if name == message_id]
    messages = [MESSAGE.load(connection.execute(_BODY, {"id": name}).scalar()) for name in waiting]
    added = tuple(message for message in messages if by is None or message.author.id == by)
    for message in added:
        job = waiting_job(connection, conversation, message.id)
        assert job is not None
        end_job(connection, job)
        connection.execute(_ADD, {"to": running, "id": message.id})
        connection.execute(_PLACE, {"place": running, "id": message.id})
    return added


def _at_work(connection: Connection, message_id: MessageId | None) -> bool:
    """Whether an agent is at work whose reply goes to a person: another agent's task is not for people to change."""
    facts = {"message_id": message_id, "running": TurnState.RUNNING, "person": Audience.PERSON}
    return connection.execute(_AT_WORK, facts).first() is not None


def added_messages(connection: Connection, message_id: MessageId) -> tuple[InboundMessage, ...]:
    """Return what was added to an exchange, in order."""
    return tuple(MESSAGE.load(row.body) for row in connection.execute(_ADDED, {"to": message_id}))


def added_in(connection: Connection, conversation: str) -> tuple[MessageId, ...]:
    """Return the messages of a conversation that were added to exchanges of others."""
    return tuple(map(MessageId, connection.execute(_IN_CONVERSATION, {"conversation": conversation}).scalars()))


def has_untaken(connection: Connection, message_id: MessageId) -> bool:
    """Return whether something was added to an exchange that no agent was told of."""
    return connection.execute(_UNTAKEN, {"to": message_id}).first() is not None


def take_added(connection: Connection, turn: Turn) -> tuple[Turn, Sequence[InboundMessage]]:
    """See `TurnStore.take_added`."""
    messages = [MESSAGE.load(row.body) for row in connection.execute(_UNTAKEN, {"to": turn.message_id}).all()]
    if not messages:
        return turn, ()
    for message in messages:
        connection.execute(_TAKE, {"turn_id": turn.id, "id": message.id})
    turn = turn.with_added(messages)
    connection.execute(_SET_BODY, {"id": turn.id, "body": TURN.dump(turn)})
    return turn, messages


def end_added(connection: Connection, message_id: MessageId) -> Added:
    """See `TurnStore.end_added`."""
    rows = connection.execute(_ADDED, {"to": message_id}).all()
    left = tuple(MESSAGE.load(row.body) for row in rows if row.taken_by is None)
    for message in left:
        connection.execute(_LET_GO, {"id": message.id})
        connection.execute(_PLACE, {"place": message.id, "id": message.id})
        insert_job(connection, message.id, conversation_of(message.key))
    return Added(taken=tuple(MESSAGE.load(row.body) for row in rows if row.taken_by is not None), left=left)


def has_added(connection: Connection, message_id: MessageId) -> bool:
    """Return whether anything was added to an exchange."""
    return connection.execute(_ADDED, {"to": message_id}).first() is not None
