"""What is kept durably of what agents took, and of the caps that owners set anew."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from mama_bot.model import Account, BudgetScope, DayOfSpending, RaisedCap, Spending


class SpendingRecords(Protocol):
    """Who spent how much, over restarts; each method may raise StoreUnavailable."""

    async def enter(self, spending: Spending) -> None:
        """Keep what a run of a turn took so far, in place of what was kept of the same run."""
        ...

    async def day(self, account: Account, *, since: datetime, scopes: Collection[BudgetScope]) -> DayOfSpending:
        """Return the sums that concern an account since the beginning of a day, with the caps raised since then.

        They are those of these scopes and of the raised caps: a day's rows are added up only for a cap.
        """
        ...

    async def raise_cap(self, raised: RaisedCap) -> None:
        """Keep a cap that an owner set; the latest of a scope, subject and unit counts."""
        ...

    async def raised(self, *, since: datetime) -> Sequence[RaisedCap]:
        """Return the caps that owners set since the beginning of a day, oldest first."""
        ...
