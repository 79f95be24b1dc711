"""What is spent, on whose account, and how much may be."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from mama_bot.model.conversations import ConversationKey
from mama_bot.model.ids import MessageId, TurnId
from mama_bot.model.turns import Usage


class BudgetScope(StrEnum):
    """What a cap is for: all that one message of a person sets off, one turn, or what one conversation, agent, person
    or the whole service spends on one day.
    """

    TASK = "task"
    TURN = "turn"
    CONVERSATION = "conversation"
    AGENT = "agent"
    PERSON = "person"
    DAY = "day"


class BudgetUnit(StrEnum):
    """What is counted against a cap."""

    TOKENS = "tokens"
    USD = "usd"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Who pays for a turn; `person` is whoever asked, as `platform:id`."""

    turn_id: TurnId
    message_id: MessageId
    key: ConversationKey
    agent: str
    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What one run of a turn took; a later entry of the same `run` stands in place of the earlier one.

    `seconds` is the time in which the agent worked and was judged, without the time in which it waited for others.
    """

    account: Account
    run: str
    at: datetime
    usage: Usage
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """A sum of spendings; tokens are those that were written, and read without the model's cache."""

    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0

    def of(self, unit: BudgetUnit) -> float:
        """Return the sum in one unit."""
        return {BudgetUnit.TOKENS: self.tokens, BudgetUnit.USD: self.usd, BudgetUnit.SECONDS: self.seconds}[unit]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedCap:
    """That an owner set a cap anew until the end of a day.

    `subject` is whose it is: a conversation, an agent, a person, "" for the whole service. Of a task or a turn it is
    the conversation that it is asked in.
    """

    scope: BudgetScope
    subject: str
    unit: BudgetUnit
    most: float
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Where one cap stands: what was spent, what running turns hold, and what may be spent in all."""

    scope: BudgetScope
    unit: BudgetUnit
    most: float
    spent: float
    held: float = 0.0
    subject: str = ""
    raised: bool = False

    @property
    def left(self) -> float:
        """What a turn that begins now may still take; not above 0: nothing."""
        return self.most - self.spent - self.held


@dataclass(frozen=True, slots=True, kw_only=True)
class DayOfSpending:
    """The sums that caps are held against: those of a day by scope, those of a turn and its task whatever the day."""

    by_scope: Sequence[tuple[BudgetScope, Spent]] = ()
    raised: Sequence[RaisedCap] = field(default_factory=tuple)

    def spent(self, scope: BudgetScope) -> Spent:
        """Return what was spent in a scope."""
        return next((spent for known, spent in self.by_scope if known is scope), Spent())
