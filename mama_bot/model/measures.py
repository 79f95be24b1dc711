"""The figures of the chain's work over a period."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A part of a whole; None of a whole of nothing."""

    part: float = 0.0
    whole: float = 0.0

    @property
    def value(self) -> float | None:
        """Part over whole; None without a whole: no data is not zero."""
        return self.part / self.whole if self.whole else None

    def __add__(self, other: "Share") -> "Share":
        return Share(part=self.part + other.part, whole=self.whole + other.whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentiles:
    """The middle and the slow end of `count` durations, by nearest rank; None without any."""

    count: int = 0
    p50: float | None = None
    p95: float | None = None


class Goal(StrEnum):
    """The success figures that the design promises."""

    FLATTERY = "flattery"
    EMPTY_APPROVALS = "empty_approvals"
    SCOPE_VIOLATIONS = "scope_violations"
    UNVERIFIED_COMPLETIONS = "unverified_completions"
    FALSE_CLAIMS = "false_claims"
    RETRIES = "retries_per_delegation"


TARGETS = {
    Goal.FLATTERY: 0.05,
    Goal.EMPTY_APPROVALS: 0.10,
    Goal.SCOPE_VIOLATIONS: 0.05,
    Goal.UNVERIFIED_COMPLETIONS: 0.10,
    Goal.FALSE_CLAIMS: 0.05,
    Goal.RETRIES: 0.5,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalMeasure:
    """A success figure among what agents wrote, and among what was posted (None where that cannot differ)."""

    goal: Goal
    drafts: Share
    posted: Share | None = None

    @property
    def target(self) -> float:
        """The figure is to stay below this."""
        return TARGETS[self.goal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Objections:
    """How often a rule of a stage had an effect on a draft, or would have had one where it was only watched.

    `effect` is `sent_back`, `withheld`, `needs_review` or `noted`.
    """

    stage: str
    rule: str
    effect: str
    observed: bool
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrySpending:
    """The cost of attempts that were sent back: `known` of them; the agent told no usage of `unknown` more."""

    tokens: int = 0
    cost_usd: float = 0.0
    known: int = 0
    unknown: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMeasures:
    """What became of one persona's turns and drafts; with an empty name, of everyone's.

    `turns` counts ended turns by final state. `seconds` are of turns that ended answered or withheld, from start to
    end; `chain_milliseconds` of single judgements. `tokens` and `cost_usd` are of all drafts, as far as agents tell.
    `missed` are the posted drafts that people reported as wrong though they passed, without dismissed reports.
    """

    persona: str = ""
    turns: tuple[tuple[str, int], ...] = ()
    drafts: int = 0
    passed: int = 0
    noted: int = 0
    needs_review: int = 0
    sent_back: int = 0
    withheld: int = 0
    missed: int = 0
    retries: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    objections: tuple[Objections, ...] = ()
    seconds: Percentiles = Percentiles()
    chain_milliseconds: Percentiles = Percentiles()
    retry_spending: RetrySpending = RetrySpending()
    goals: tuple[GoalMeasure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """The figures of a period, in total and for each persona, by name."""

    since: datetime
    until: datetime
    total: AgentMeasures
    agents: tuple[AgentMeasures, ...] = ()
