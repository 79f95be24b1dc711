"""How far each persona is with a task of an exchange."""

from mama_bot.model import Checklist, Turn
from mama_bot.store.codec import CHECKLIST
from mama_bot.store.connection import Connection, Statement

_KEEP_CHECKLIST = Statement(
    """
    INSERT INTO checklists (message_id, persona, task, open_items, body, sequence)
    VALUES (:message_id, :persona, :task, :open_items, :body,
            (SELECT 1 + COALESCE(MAX(sequence), 0) FROM checklists WHERE message_id = :message_id))
    ON CONFLICT (message_id, persona, task) DO UPDATE SET
        open_items = excluded.open_items, body = excluded.body, sequence = excluded.sequence
    """
)
_CHECKLIST = Statement(
    "SELECT body FROM checklists WHERE message_id = :message_id AND persona = :persona AND task = :task"
)
_OPEN_CHECKLIST = Statement(
    """
    SELECT body FROM checklists
    WHERE message_id = :message_id AND persona = :persona AND open_items > 0
    ORDER BY sequence DESC LIMIT 1
    """
)


def keep_checklist(connection: Connection, turn: Turn, checklist: Checklist) -> None:
    """Keep how far the persona of a turn is with its task."""
    facts = {
        "message_id": turn.message_id,
        "persona": turn.persona,
        "task": checklist.task,
        "open_items": checklist.open_items,
        "body": CHECKLIST.dump(checklist),
    }
    connection.execute(_KEEP_CHECKLIST, facts)


def checklist_of(connection: Connection, turn: Turn, *, goes_on: bool) -> Checklist | None:
    """Return how far the persona of a turn was with its task, or, where the work goes on, with any that is open."""
    if turn.delegation is None:
        return None
    place = {"message_id": turn.message_id, "persona": turn.persona}
    body = connection.execute(_CHECKLIST, {**place, "task": turn.delegation.task_key}).scalar()
    if body is None and goes_on:
        body = connection.execute(_OPEN_CHECKLIST, place).scalar()
    return None if body is None else CHECKLIST.load(body)
