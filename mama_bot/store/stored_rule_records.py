"""What is kept of rules over all sessions."""

from collections.abc import Sequence

from mama_bot.model import RuleRecord
from mama_bot.protocols import Clock
from mama_bot.store.codec import RULE_RECORD, instant
from mama_bot.store.connection import EVERYTHING, Connection, Statement
from mama_bot.store.database import Database

MOST_RULES = 5_000
_ALL = Statement("SELECT body FROM rule_records ORDER BY rule, seen_at")
_SAVE = Statement(
    """
    INSERT INTO rule_records (rule, digest, body, seen_at) VALUES (:rule, :digest, :body, :at)
    ON CONFLICT (rule, digest) DO UPDATE SET body = excluded.body, seen_at = excluded.seen_at
    """
)
_FORGET = Statement(
    f"""
    DELETE FROM rule_records WHERE (rule, digest) IN (
        SELECT rule, digest FROM rule_records ORDER BY seen_at DESC LIMIT {EVERYTHING} OFFSET :most
    )
    """  # noqa: S608 - a constant
)


class StoredRuleRecords:
    """The `RuleRecords` of the database."""

    def __init__(self, *, database: Database, clock: Clock, most: int = MOST_RULES) -> None:
        self._database = database
        self._clock = clock
        self._most = most

    async def load(self) -> Sequence[RuleRecord]:
        """See RuleRecords.load."""
        bodies = await self._database.read(lambda connection: tuple(connection.execute(_ALL).scalars()))
        return tuple(RULE_RECORD.load(body) for body in bodies)

    async def save(self, records: Sequence[RuleRecord]) -> None:
        """See RuleRecords.save."""
        at = instant(self._clock.now())
        rows = [
            {"rule": record.rule, "digest": record.digest, "body": RULE_RECORD.dump(record), "at": at}
            for record in records
        ]

        def write(connection: Connection) -> None:
            for row in rows:
                connection.execute(_SAVE, row)
            connection.execute(_FORGET, {"most": self._most})

        await self._database.write(write)
