"""Holds caps before anybody is asked, and while they work."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from typing import ClassVar

import structlog

from mama_bot.budgets import sentences as says
from mama_bot.budgets.balances import NOBODY, balances, capped, shared
from mama_bot.config import BudgetSettings
from mama_bot.config.cron_lines import zone_of
from mama_bot.errors import AgentError, ErrorDecision, StoreUnavailable
from mama_bot.metrics import Metrics
from mama_bot.model import Account, Balance, BudgetScope, BudgetUnit, Spending, Spent, Usage
from mama_bot.protocols import Clock, SpendingRecords

log = structlog.get_logger(__name__)

ENTER_SECONDS = 2.0
OF_A_TASK = frozenset({BudgetScope.TASK, BudgetScope.TURN})


class BudgetSpent(AgentError):
    """A cap is reached: nobody is asked, or asked again, on this account."""

    decision: ClassVar = ErrorDecision.WITHHELD

    def __init__(self, balance: Balance, *, zone: str) -> None:
        held = says.HELD.of(amount=says.amount(balance.unit, balance.held)) if balance.held else ""
        reached = says.CAP_REACHED.of(
            scope=says.scope_words(balance),
            spent=says.amount(balance.unit, balance.spent),
            most=says.amount(balance.unit, balance.most),
            held=held,
        )
        ending = says.NEW_TASK if balance.scope in OF_A_TASK else says.NEW_DAY
        way = ending.of(scope=_written_scope(balance), example=_example(balance), zone=zone)
        super().__init__(says.WITH_WAY.of(reached=reached, way=way))
        self.balance = balance


class Budgets:
    """Knows how every cap stands, with what running turns hold of it; `settings` are asked for each time.

    A turn holds `reserve` of each cap while it runs, and more as it takes more, so turns that begin together cannot
    spend what is there once: whoever finds nothing left is not asked, or is stopped where it is.
    """

    def __init__(
        self,
        *,
        records: SpendingRecords,
        settings: Callable[[], BudgetSettings],
        new_id: Callable[[], str],
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._records = records
        self._settings = settings
        self._new_id = new_id
        self._clock = clock
        self._metrics = metrics
        self._open: list[Allowance] = []
        self._deciding = asyncio.Lock()

    @property
    def zone(self) -> str:
        """Where a day begins."""
        return self._settings().time_zone

    @property
    def day_began(self) -> datetime:
        """When the day began that caps are for."""
        now = self._clock.now().astimezone(zone_of(self.zone))
        return now.replace(hour=0, minute=0, second=0, microsecond=0)

    async def balances(self, account: Account, *, without: "Allowance | None" = None) -> tuple[Balance, ...]:
        """Return how each cap stands for an account; what `without` holds is left out."""
        settings = self._settings()
        day = await self._records.day(account, since=self.day_began, scopes=capped(settings))
        held = {scope: self._held(account, scope, without) for scope, _spent in day.by_scope}
        return balances(settings, day, account, held)

    async def spent_for_the_day(self) -> tuple[BudgetSpent, ...]:
        """Return why nobody is asked any more today, for each cap of the whole service that is reached."""
        standing = await self.balances(NOBODY)
        return tuple(
            BudgetSpent(balance, zone=self.zone)
            for balance in standing
            if balance.scope is BudgetScope.DAY and balance.spent >= balance.most
        )

    @asynccontextmanager
    async def opened(
        self, account: Account, *, waited: Callable[[], float] = lambda: 0.0
    ) -> "AsyncIterator[Allowance]":
        """Hold what a turn may take during the block, and keep what it took; raises BudgetSpent where nothing is left.

        `waited` tells the seconds so far in which the turn waited for others.
        """
        allowance = Allowance(
            budgets=self, records=self._records, account=account, run=self._new_id(), waited=waited, clock=self._clock
        )
        await self.grant(allowance)
        self._open.append(allowance)
        try:
            yield allowance
        finally:
            try:
                # What is not stored yet is held: whoever begins meanwhile does not get it again.
                await allowance.enter()
            finally:
                self._open.remove(allowance)

    async def grant(self, allowance: "Allowance") -> None:
        """Let an allowance hold more, from what is left of every cap; raises BudgetSpent where one has nothing left."""
        async with self._deciding:
            step, left = self._settings().reserve, {BudgetUnit.TOKENS: float("inf"), BudgetUnit.USD: float("inf")}
            for balance in await self.balances(allowance.account, without=allowance):
                if balance.left <= 0:
                    self._refused(allowance.account, balance)
                    raise BudgetSpent(balance, zone=self.zone)
                if balance.unit in left:
                    left[balance.unit] = min(left[balance.unit], balance.left)
            allowance.hold(
                tokens=min(float(step.tokens), left[BudgetUnit.TOKENS]), usd=min(step.usd, left[BudgetUnit.USD])
            )

    def _held(self, account: Account, scope: BudgetScope, without: "Allowance | None") -> Spent:
        held = [each.held for each in self._open if each is not without and shared(each.account, account, scope)]
        return Spent(tokens=sum(each.tokens for each in held), usd=sum(each.usd for each in held))

    def _refused(self, account: Account, balance: Balance) -> None:
        self._metrics.count("budget_spent", scope=balance.scope.value, unit=balance.unit.value)
        log.warning(
            "budget_spent",
            scope=balance.scope.value,
            unit=balance.unit.value,
            spent=balance.spent,
            held=balance.held,
            most=balance.most,
            agent=account.agent,
            turn=account.turn_id,
        )


class Allowance:
    """What one turn may take while it runs."""

    def __init__(
        self,
        *,
        budgets: Budgets,
        records: SpendingRecords,
        account: Account,
        run: str,
        waited: Callable[[], float],
        clock: Clock,
    ) -> None:
        self.account = account
        self._budgets = budgets
        self._records = records
        self._run = run
        self._waited = waited
        self._clock = clock
        self._entered_at = clock.monotonic()
        self._worked = 0.0
        self._works_since: float | None = None
        self._before = Usage()
        self._now = Usage()
        self._entered = Usage()
        self._tokens = 0.0
        self._usd = 0.0

    @property
    def held(self) -> Spent:
        """What it may still take of what it was granted, and is not entered as spent."""
        return Spent(
            tokens=max(0, int(self._tokens) - self._entered.fresh_tokens),
            usd=max(0.0, self._usd - self._entered.cost_usd),
        )

    @property
    def _taken(self) -> Usage:
        return self._before + self._now

    def hold(self, *, tokens: float, usd: float) -> None:
        """Hold so much beyond what is entered."""
        self._tokens = self._entered.fresh_tokens + tokens
        self._usd = self._entered.cost_usd + usd

    async def check(self) -> None:
        """Return when the agent may be asked once more; raises BudgetSpent."""
        await self.enter()
        await self._budgets.grant(self)

    async def took(self, usage: Usage) -> None:
        """Note what the agent took since it was asked; raises BudgetSpent where it may not go on."""
        self._now = usage
        taken = self._taken
        is_due = self._clock.monotonic() - self._entered_at >= ENTER_SECONDS  # a cap of time is met by time alone
        if is_due or taken.fresh_tokens > self._tokens or taken.cost_usd > self._usd:
            try:
                await self.check()
            except StoreUnavailable as error:  # whoever is at work goes on; who begins is asked for it again
                log.warning("budget_not_checked", turn=self.account.turn_id, reason=str(error))

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count the time of the block as work, but for what the turn waits in it."""
        self._works_since = self._clock.monotonic() - self._waited()
        try:
            yield
        finally:
            self._worked, self._works_since = self._seconds(), None

    def _seconds(self) -> float:
        since = self._works_since
        return self._worked + (max(0.0, self._clock.monotonic() - self._waited() - since) if since is not None else 0.0)

    def answered(self, usage: Usage) -> None:
        """Note what an agent took in all since it was asked, now that it answered."""
        self._before += usage
        self._now = Usage()

    def ended(self) -> None:
        """Note that the agent is asked no more: what it told last is what it took."""
        self.answered(self._now)

    async def enter(self) -> None:
        """Keep what was taken so far; a store that is away now is told later."""
        taken, now = self._taken, self._clock.monotonic()
        spending = Spending(
            account=self.account, run=self._run, at=self._clock.now(), usage=taken, seconds=round(self._seconds(), 3)
        )
        try:
            await self._records.enter(spending)
        except StoreUnavailable as error:
            log.warning("spending_not_entered", turn=self.account.turn_id, reason=str(error))
            return
        self._entered, self._entered_at = taken, now


def _written_scope(balance: Balance) -> str:
    named = {BudgetScope.AGENT, BudgetScope.PERSON}
    return f"{balance.scope.value} {balance.subject}" if balance.scope in named else balance.scope.value


def _example(balance: Balance) -> str:
    """Return twice the cap as it is written in the command."""
    match balance.unit:
        case BudgetUnit.TOKENS:
            return f"{balance.most * 2:.0f}"
        case BudgetUnit.USD:
            return f"${balance.most * 2:g}"
        case BudgetUnit.SECONDS:
            return f"{balance.most * 2:.0f}s"
