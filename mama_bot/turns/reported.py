"""Attempts as they are told: counted, logged, shown on the platform."""

from collections.abc import Awaitable, Callable

import structlog

from mama_bot.metrics import Metrics
from mama_bot.model import Attempt, AttemptJudged, Cleared, Draft, Judgement, Progress, Turn
from mama_bot.protocols import Clock

log = structlog.get_logger(__name__)


class ReportedAttempts:
    """Makes an attempt of a draft and its judgement, and tells everybody who is to know of it."""

    def __init__(self, *, show: Callable[[Progress], Awaitable[None]], clock: Clock, metrics: Metrics) -> None:
        self._show = show
        self._clock = clock
        self._metrics = metrics

    async def attempt(self, draft: Draft, judgement: Judgement, turn: Turn) -> Attempt:
        """Return the attempt, once it is counted and shown."""
        now = self._clock.now()
        self._count(judgement, turn)
        await self._show(AttemptJudged(turn=turn, judgement=judgement, at=now))
        return Attempt(draft=draft, judgement=judgement, at=now)

    def _count(self, judgement: Judgement, turn: Turn) -> None:
        outcome = judgement.outcome
        # A draft that passes is told of by `turn_finished`, and kept in the store with all that was judged.
        tell = log.debug if isinstance(outcome, Cleared) else log.info
        tell(
            "draft_judged",
            attempt=judgement.attempt,
            outcome=outcome.kind,
            stage=getattr(outcome, "stage", None),
            rule=getattr(outcome, "rule", None),
        )
        self._metrics.count("drafts", persona=turn.persona, outcome=outcome.kind)
        if not isinstance(outcome, Cleared):
            self._metrics.count("rejections", persona=turn.persona, stage=outcome.stage, rule=outcome.rule)
        if judgement.breaker:
            log.warning("breaker_tripped", stage=judgement.rejected_by, rejections=judgement.rejections)
            self._metrics.count("breaker_trips", persona=turn.persona, stage=judgement.rejected_by)
