"""What rules remember of sessions."""

from mama_bot.model import RuleState
from mama_bot.protocols import Clock
from mama_bot.store.codec import RULE_STATE, instant
from mama_bot.store.connection import EVERYTHING, Connection, Statement
from mama_bot.store.database import Database

MOST_SESSIONS = 5_000
_LOAD = Statement("SELECT body FROM rule_states WHERE session_id = :session")
_SAVE = Statement(
    """
    INSERT INTO rule_states (session_id, body, seen_at) VALUES (:session, :body, :at)
    ON CONFLICT (session_id) DO UPDATE SET body = excluded.body, seen_at = excluded.seen_at
    """
)
_FORGET = Statement(
    f"""
    DELETE FROM rule_states WHERE session_id IN (
        SELECT session_id FROM rule_states ORDER BY seen_at DESC LIMIT {EVERYTHING} OFFSET :most
    )
    """  # noqa: S608 - a constant
)


class StoredRuleStates:
    """The `RuleStates` of the database."""

    def __init__(self, *, database: Database, clock: Clock, most: int = MOST_SESSIONS) -> None:
        self._database = database
        self._clock = clock
        self._most = most

    async def load(self, session: str) -> RuleState | None:
        """See RuleStates.load."""
        body = await self._database.read(lambda connection: connection.execute(_LOAD, {"session": session}).scalar())
        return None if body is None else RULE_STATE.load(body)

    async def save(self, session: str, state: RuleState) -> None:
        """See RuleStates.save."""
        row = {"session": session, "body": RULE_STATE.dump(state), "at": instant(self._clock.now())}

        def write(connection: Connection) -> None:
            is_new = connection.execute(_LOAD, {"session": session}).scalar() is None
            connection.execute(_SAVE, row)
            if is_new:
                connection.execute(_FORGET, {"most": self._most})

        await self._database.write(write)
