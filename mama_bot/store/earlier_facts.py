"""What the turns of a persona showed in a conversation, for the next of them."""

from dataclasses import replace

from mama_bot.model import ConversationKey, Facts, Turn
from mama_bot.store.codec import FACTS, conversation_of
from mama_bot.store.connection import Connection, Statement

_KEEP = Statement(
    """
    INSERT INTO earlier_facts (conversation, persona, body, message, turn)
    SELECT :conversation, :persona, :body, messages.sequence, turns.sequence
    FROM turns JOIN messages ON messages.id = turns.message_id WHERE turns.id = :id
    ON CONFLICT (conversation, persona) DO UPDATE SET body = excluded.body, message = excluded.message,
        turn = CASE WHEN excluded.turn > earlier_facts.turn THEN excluded.turn ELSE earlier_facts.turn END
    """
)
_FACTS = Statement(
    "SELECT body, message, turn FROM earlier_facts WHERE conversation = :conversation AND persona = :persona"
)
# A turn of an earlier release, or one that was ended from outside after a crash: what its agent did is in no facts.
_UNKNOWN = Statement(
    """
    SELECT 1 FROM messages JOIN turns ON turns.message_id = messages.id
    WHERE messages.conversation = :conversation AND messages.sequence >= :message
      AND turns.persona = :persona AND turns.sequence > :turn AND turns.id <> :id AND turns.asked >= 0
    LIMIT 1
    """
)
_BEGIN_ANEW = Statement(
    """
    INSERT INTO earlier_facts (conversation, persona, body, message, turn)
    SELECT :conversation, turns.persona, :body, MAX(messages.sequence), MAX(turns.sequence)
    FROM messages JOIN turns ON turns.message_id = messages.id
    WHERE messages.conversation = :conversation GROUP BY turns.persona
    ON CONFLICT (conversation, persona) DO UPDATE SET body = excluded.body, message = excluded.message,
        turn = excluded.turn
    """
)


def keep_facts(connection: Connection, turn: Turn, facts: Facts) -> None:
    """Keep what a conversation shows of a persona's work at the end of a turn."""
    values = {"conversation": conversation_of(turn.key), "persona": turn.persona, "id": turn.id}
    connection.execute(_KEEP, {**values, "body": FACTS.dump(facts)})


def facts_before(connection: Connection, turn: Turn) -> Facts | None:
    """Return what the persona's turns showed before this one; None when there were some and nothing is known of them.

    Where something is known of them, and not everything, it is not `from_beginning`.
    """
    values = {"conversation": conversation_of(turn.key), "persona": turn.persona, "id": turn.id}
    row = connection.execute(_FACTS, values).first()
    since = {"message": 0, "turn": 0} if row is None else {"message": row.message, "turn": row.turn}
    unknown = connection.execute(_UNKNOWN, values | since).scalar() is not None
    if row is None:
        return None if unknown else Facts()
    facts = FACTS.load(row.body)
    return replace(facts, from_beginning=False) if unknown else facts


def forget_facts(connection: Connection, key: ConversationKey) -> None:
    """Let the facts of a conversation begin anew for everybody who worked in it."""
    connection.execute(_BEGIN_ANEW, {"conversation": conversation_of(key), "body": FACTS.dump(Facts())})
