"""Sums of a day are made for caps: those that are configured, and those that were raised."""

from dataclasses import replace

from mama_bot.model import Account, BudgetScope, BudgetUnit, RaisedCap, Spending, Spent, TurnId, Usage
from mama_bot.store import Store
from tests.store.making import HERE, START, message

ACCOUNT = Account(turn_id=TurnId("t1"), message_id=message().id, key=HERE, agent="lead", person="web:u1")


async def sums(store: Store, *scopes: BudgetScope) -> dict[BudgetScope, Spent]:
    return dict((await store.spendings.day(ACCOUNT, since=START, scopes=scopes)).by_scope)


async def test_a_scope_without_a_cap_is_not_added_up(store: Store) -> None:
    other = replace(ACCOUNT, turn_id=TurnId("t2"))
    for account, run in ((ACCOUNT, "a"), (other, "b")):
        await store.spendings.enter(
            Spending(account=account, run=run, at=START, usage=Usage(output_tokens=5), seconds=1)
        )
    assert await sums(store) == {}
    assert await sums(store, BudgetScope.TURN, BudgetScope.TASK) == {
        BudgetScope.TURN: Spent(tokens=5, seconds=1),
        BudgetScope.TASK: Spent(tokens=10, seconds=2),
    }
    await store.spendings.raise_cap(
        RaisedCap(scope=BudgetScope.AGENT, subject="lead", unit=BudgetUnit.TOKENS, most=9, by="Kim", at=START)
    )
    assert await sums(store) == {BudgetScope.AGENT: Spent(tokens=10, seconds=2)}, "an owner set a cap"
