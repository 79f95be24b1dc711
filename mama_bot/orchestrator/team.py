"""What an exchange goes by, taken once at its beginning."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from mama_bot.config import AccessSettings, BudgetSettings, DriftSettings, LoopSettings, TurnSettings
from mama_bot.enforcement.delegations.handed_on import HandedOn
from mama_bot.model import AgentPersona, Platform, Turn
from mama_bot.protocols import Judge
from mama_bot.review.rounds import ReviewRounds
from mama_bot.router import Router

T = TypeVar("T")


def _unchecked(turn: Turn) -> bool:
    del turn
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Who there is, who answers whom, whom they serve, and how replies are judged.

    `access` says who may come in, on each platform that does not decide it itself. `checked` says whether the work of
    a turn is to pass checks, `scoped` that the scope of delegations is judged, `record_lines` that replies carry the
    line of facts. `handed_on` judges the words of delegations that come by a tool.
    """

    personas: Mapping[str, AgentPersona]
    router: Router
    access: Mapping[Platform, AccessSettings]
    chain: Judge
    reviews: ReviewRounds
    turns: TurnSettings
    budgets: BudgetSettings
    loops: LoopSettings
    drift: DriftSettings
    breaker_rejections: int
    record_lines: bool = True
    checked: Callable[[Turn], bool] = _unchecked
    scoped: bool = False
    handed_on: HandedOn | None = None


@dataclass(slots=True)
class Current(Generic[T]):
    """A value that may be replaced while the service runs.

    What runs keeps what it took, what begins takes the new one.
    """

    value: T
