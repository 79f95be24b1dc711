"""Who waits in a conversation, as a plain function of a connection."""

from mama_bot.model import WaitingLine
from mama_bot.store.codec import MESSAGE
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.jobs import count_waiting, taken_message, waiting_messages

_BODY = Statement("SELECT body FROM messages WHERE id = :id")


def waiting_line(connection: Connection, conversation: str, most: int) -> WaitingLine:
    """Return the first messages that wait in a conversation, `most` at most, and how many there are in all."""
    running = taken_message(connection, conversation) is not None
    first = waiting_messages(connection, conversation, most=most)
    bodies = (connection.execute(_BODY, {"id": name}).scalar() for name in first)
    return WaitingLine(
        running=int(running),
        waiting=tuple(MESSAGE.load(body) for body in bodies if body is not None),
        length=count_waiting(connection, conversation) if len(first) == most else len(first),
    )
