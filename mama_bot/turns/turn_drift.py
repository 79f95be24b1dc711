"""Whether the agent of one turn is stuck, and what it is told then."""

from collections.abc import Sequence

import structlog

from mama_bot.headway.drift import AgentOutput, Drift, output_of
from mama_bot.metrics import Metrics
from mama_bot.model import Attempt, Prompt, SentBack, ToolRun
from mama_bot.turns.prompts import feedback_prompt

log = structlog.get_logger(__name__)


class TurnDrift:
    """Follows a turn; `earlier` is what its persona put out on the same task before it, oldest first."""

    def __init__(self, *, drift: Drift, earlier: Sequence[AgentOutput], persona: str, metrics: Metrics) -> None:
        self._drift = drift
        self._earlier = earlier
        self._persona = persona
        self._metrics = metrics
        self._told_of_calls = False

    def begin_ask(self) -> None:
        """Note that the agent is asked: it may be told of its calls once more."""
        self._told_of_calls = False

    async def feedback(self, outcome: SentBack, attempts: Sequence[Attempt]) -> str:
        """Return what an agent is told whose draft was sent back, and that it is stuck where it is."""
        words = await self._drift.words([*self._earlier, *map(output_of, attempts)])
        return self._with(feedback_prompt(outcome), words)

    async def first_prompt(self, prompt: str) -> str:
        """Return the first prompt of a turn, and that its agent is stuck where its last turns say so."""
        return self._with(prompt, await self._drift.words(self._earlier))

    def of_calls(self, runs: Sequence[ToolRun]) -> Prompt | None:
        """Return what an agent at work is told that makes one call again and again, once in an `ask`."""
        words = "" if self._told_of_calls else self._drift.words_of_calls(runs)
        if not words:
            return None
        self._told_of_calls = True
        return Prompt(text=self._with("", words))

    def _with(self, prompt: str, words: str) -> str:
        if not words:
            return prompt
        log.warning("agent_stuck", persona=self._persona, words=words)
        self._metrics.count("drift_told", persona=self._persona)
        return f"{prompt}\n\n{words}".strip()
