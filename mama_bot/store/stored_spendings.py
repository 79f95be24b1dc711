"""What agents took, by turn, and the caps that owners set anew."""

from collections.abc import Collection, Sequence
from datetime import datetime

from mama_bot.model import (
    Account,
    BudgetScope,
    BudgetUnit,
    DayOfSpending,
    RaisedCap,
    Spending,
    Spent,
    well_formed,
)
from mama_bot.store.codec import conversation_of, instant, moment
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.database import Database

_ENTER = Statement(
    """
    INSERT INTO spendings (turn_id, run, message_id, conversation, agent, person, at, tokens, usd, seconds)
    VALUES (:turn_id, :run, :message_id, :conversation, :agent, :person, :at, :tokens, :usd, :seconds)
    ON CONFLICT (turn_id, run) DO UPDATE SET
        at = excluded.at, tokens = excluded.tokens, usd = excluded.usd, seconds = excluded.seconds
    """
)
_SUMS = "COALESCE(SUM(tokens), 0) AS tokens, COALESCE(SUM(usd), 0) AS usd, COALESCE(SUM(seconds), 0) AS seconds"
_SPENT = {
    BudgetScope.TASK: Statement(f"SELECT {_SUMS} FROM spendings WHERE message_id = :message_id"),  # noqa: S608
    BudgetScope.TURN: Statement(f"SELECT {_SUMS} FROM spendings WHERE turn_id = :turn_id"),  # noqa: S608
    BudgetScope.CONVERSATION: Statement(
        f"SELECT {_SUMS} FROM spendings WHERE at >= :since AND conversation = :conversation"  # noqa: S608
    ),
    BudgetScope.AGENT: Statement(f"SELECT {_SUMS} FROM spendings WHERE at >= :since AND agent = :agent"),  # noqa: S608
    BudgetScope.PERSON: Statement(f"SELECT {_SUMS} FROM spendings WHERE at >= :since AND person = :person"),  # noqa: S608
    BudgetScope.DAY: Statement(f"SELECT {_SUMS} FROM spendings WHERE at >= :since"),  # noqa: S608
}
_RAISE = Statement(
    """
    INSERT INTO raised_caps (scope, subject, unit, most, raised_by, at)
    VALUES (:scope, :subject, :unit, :most, :by, :at)
    """
)
_RAISED = Statement(
    "SELECT scope, subject, unit, most, raised_by, at FROM raised_caps WHERE at >= :since ORDER BY sequence"
)


class StoredSpendings:
    """The `SpendingRecords` of the database."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def enter(self, spending: Spending) -> None:
        """See SpendingRecords.enter."""
        row = {
            **_place(spending.account),
            "run": spending.run,
            "at": instant(spending.at),
            "tokens": spending.usage.fresh_tokens,
            "usd": spending.usage.cost_usd,
            "seconds": spending.seconds,
        }
        await self._database.write(lambda connection: connection.execute(_ENTER, row).close())

    async def day(self, account: Account, *, since: datetime, scopes: Collection[BudgetScope]) -> DayOfSpending:
        """See SpendingRecords.day."""
        values = {**_place(account), "since": instant(since)}

        def work(connection: Connection) -> DayOfSpending:
            raised = _raised(connection, since)
            wanted = {*scopes, *(each.scope for each in raised)}
            sums = [(scope, connection.execute(_SPENT[scope], values).first()) for scope in wanted]
            return DayOfSpending(by_scope=tuple((scope, _spent(row)) for scope, row in sums), raised=raised)

        return await self._database.read(work)

    async def raise_cap(self, raised: RaisedCap) -> None:
        """See SpendingRecords.raise_cap."""
        row = {
            "scope": raised.scope.value,
            "subject": well_formed(raised.subject),
            "unit": raised.unit.value,
            "most": raised.most,
            "by": well_formed(raised.by),
            "at": instant(raised.at),
        }
        await self._database.write(lambda connection: connection.execute(_RAISE, row).close())

    async def raised(self, *, since: datetime) -> Sequence[RaisedCap]:
        """See SpendingRecords.raised."""
        return await self._database.read(lambda connection: _raised(connection, since))


def _place(account: Account) -> dict[str, str]:
    return {
        "turn_id": account.turn_id,
        "message_id": account.message_id,
        "conversation": conversation_of(account.key),
        "agent": account.agent,
        "person": well_formed(account.person),
    }


def _spent(row: Row | None) -> Spent:
    return Spent() if row is None else Spent(tokens=row.tokens, usd=row.usd, seconds=row.seconds)


def _raised(connection: Connection, since: datetime) -> tuple[RaisedCap, ...]:
    return tuple(
        RaisedCap(
            scope=BudgetScope(row.scope),
            subject=row.subject,
            unit=BudgetUnit(row.unit),
            most=row.most,
            by=row.raised_by,
            at=moment(row.at),
        )
        for row in connection.execute(_RAISED, {"since": instant(since)}).all()
    )
