"""A message with all its turns, as plain functions of a connection."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from mama_bot.model import Attempt, Exchange, InboundMessage, MessageId, StoredTurn, TurnState
from mama_bot.store.added import added_messages
from mama_bot.store.codec import ATTEMPT, MESSAGE, TURN, moment
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.earlier_facts import facts_before
from mama_bot.store.stored_pull_requests import checks_of_open
from mama_bot.wording import Language

UNFINISHED = (TurnState.PENDING, TurnState.RUNNING)

_MESSAGE = Statement("SELECT body, stopped, stop_asked_by FROM messages WHERE id = :id")
_TURNS = Statement(
    """
    SELECT id, body, state, created_at, started_at, ended_at, asked FROM turns
    WHERE message_id = :message_id ORDER BY sequence
    """
)
_ATTEMPTS = Statement(
    """
    SELECT attempts.turn_id, attempts.body FROM attempts JOIN turns ON turns.id = attempts.turn_id
    WHERE turns.message_id = :message_id ORDER BY turns.sequence, attempts.attempt
    """
)


def load_exchange(connection: Connection, message_id: MessageId) -> Exchange:
    """Return a message with all its turns, oldest first; raises LookupError."""
    row = connection.execute(_MESSAGE, {"id": message_id}).first()
    if row is None:
        raise LookupError(f"The store has no message {message_id!r}.")
    message = MESSAGE.load(row.body)
    return Exchange(
        message=message,
        turns=tuple(_with_earlier(connection, stored) for stored in turns_of(connection, message)),
        stopped=bool(row.stopped),
        stop_asked_by=row.stop_asked_by,
        added=added_messages(connection, message_id),
    )


def _with_earlier(connection: Connection, stored: StoredTurn) -> StoredTurn:
    """Return a turn with what the turns before it showed, and what the forge says now, unless it is at its end."""
    if stored.state not in UNFINISHED:
        return stored
    earlier = facts_before(connection, stored.turn)
    if earlier is not None:
        ci = checks_of_open(connection, stored.turn.key)
        earlier = earlier if earlier.ci == ci else replace(earlier, ci=ci)
    return replace(stored, earlier=earlier)


def turns_of(connection: Connection, message: InboundMessage) -> tuple[StoredTurn, ...]:
    """Return the turns that answer a message with their attempts, oldest first.

    Their language is that of the message: earlier releases stored none.
    """
    rows = connection.execute(_TURNS, {"message_id": message.id}).all()
    attempts: dict[str, list[Attempt]] = {row.id: [] for row in rows}
    if rows:
        for turn_id, body in connection.execute(_ATTEMPTS, {"message_id": message.id}):
            attempts[turn_id].append(ATTEMPT.load(body))
    return tuple(_stored_turn(row, attempts[row.id], message.language) for row in rows)


def _stored_turn(row: Row, attempts: Sequence[Attempt], language: Language) -> StoredTurn:
    turn = TURN.load(row.body)
    return StoredTurn(
        turn=turn if turn.language == language else replace(turn, language=language),
        state=TurnState(row.state),
        created_at=moment(row.created_at),
        started_at=_moment_or_none(row.started_at),
        ended_at=_moment_or_none(row.ended_at),
        asked=row.asked,
        attempts=tuple(attempts),
    )


def _moment_or_none(at: str | None) -> datetime | None:
    return None if at is None else moment(at)
