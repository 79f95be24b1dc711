"""The chain where an agent is about to stop: a rejection there goes on in the same turn of the agent."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import structlog

from mama_bot.metrics import Metrics
from mama_bot.model import (
    Attempt,
    Audience,
    Author,
    AuthorKind,
    Draft,
    Judgement,
    SentBack,
    SessionId,
    Stopping,
    ToolRecord,
    Turn,
    TurnKind,
)
from mama_bot.protocols import Judge, TurnStore
from mama_bot.turns.prompts import feedback_prompt
from mama_bot.turns.standing import Standing

log = structlog.get_logger(__name__)


class InTurn:
    """Judges what an agent would stop with, during one `ask`; whatever it does not judge is judged afterwards.

    A draft that is sent back here is an attempt like any other: stored, counted, shown. What it cost is not known: its
    usage is zero, and the attempt that ends the `ask` bears all of it. At most `retries` are sent back in one `ask`,
    and never more than the chain itself would. Once `end` was called nothing more is stored.
    """

    def __init__(
        self,
        *,
        turn: Turn,
        standing: Standing,
        session_id: SessionId,
        retries: int,
        chain: Judge,
        turns: TurnStore,
        report: Callable[[Draft, Judgement], Awaitable[Attempt]],
        metrics: Metrics,
    ) -> None:
        self._turn = turn
        self._before = standing.record
        self._standing = standing
        self._session_id = session_id
        self._left = retries
        self._chain = chain
        self._turns = turns
        self._report = report
        self._metrics = metrics
        self._unstored: list[Attempt] = []
        self._unanswered: Attempt | None = None
        self._judged: tuple[Draft, Judgement] | None = None
        self._ended = False

    @property
    def attempt(self) -> int:
        """The number of the draft that the agent is at."""
        return self._standing.next_attempt

    async def at_stop(self, stopping: Stopping) -> str:
        """See `AtStop`; a failure lets the agent stop, and its text is judged as every text is."""
        turn = self._turn
        place = {"message": turn.message_id, "conversation": str(turn.key), "turn": turn.id, "persona": turn.persona}
        try:
            with structlog.contextvars.bound_contextvars(**place):  # the backend calls from a task of its own
                return await (self._subagent(stopping) if stopping.agent else self._agent(stopping))
        except Exception as error:  # noqa: BLE001 - the judgement of the final text follows in any case
            log.warning("in_turn_failed", failure=f"{type(error).__name__}: {error}")
            self._metrics.count("in_turn_failures", persona=self._turn.persona)
            return ""

    async def end(self) -> Standing:
        """The `ask` is over: how far the turn is now, and all of it in the store."""
        self._ended = True
        for attempt in tuple(self._unstored):
            await self._store(attempt)
        return self._standing

    def verdict(self, draft: Draft) -> Judgement | None:
        """What was decided about this very draft: the same words, record and attempt; else None."""
        if self._judged is None or draft.cut_short:
            return None
        known, judgement = self._judged
        same = (known.attempt, known.text, known.record) == (draft.attempt, draft.text, draft.record)
        return judgement if same else None

    def unanswered(self, text: str, since: ToolRecord) -> Attempt | None:
        """The last attempt of `end`, when it was sent back for these very words and record, and nobody told the agent.

        What came between was a store that failed, or the end of the `ask`.
        """
        last = self._unanswered
        if last is None or (last.draft.text, last.draft.record) != (text, self.record(since)):
            return None
        return last

    def record(self, since: ToolRecord) -> ToolRecord:
        """The record of the turn: what was before this `ask`, and what happened in it."""
        return self._before + since

    async def _agent(self, stopping: Stopping) -> str:
        if self._over() or self._left <= 0:
            return ""
        draft = Draft(
            turn_id=self._turn.id,
            attempt=self.attempt,
            text=stopping.text,
            record=self.record(stopping.record),
            session_id=self._session_id,
        )
        judgement = await self._chain.judge(draft, self._turn, rejections=self._standing.rejections)
        if self._over():
            return ""
        self._judged = (draft, judgement)
        if not isinstance(judgement.outcome, SentBack):
            return ""
        self._left -= 1
        attempt = await self._report(draft, judgement)
        if self._over():  # the number is the final text's now
            return ""
        # Known before it is stored: when this is cut off now, `end` stores it.
        self._standing = replace(self._standing, attempts=(*self._standing.attempts, attempt))
        self._unanswered = attempt
        self._unstored.append(attempt)
        await self._store(attempt)
        if self._over():
            return ""
        await self._turns.begin_attempt(self._turn, self.attempt, self._session_id)
        self._metrics.count("in_turn_rejections", persona=self._turn.persona, stage=judgement.outcome.stage)
        self._unanswered = None
        log.info("sent_back_in_turn", attempt=draft.attempt, stage=judgement.outcome.stage)
        return feedback_prompt(judgement.outcome)

    def _over(self) -> bool:
        return self._ended

    async def _store(self, attempt: Attempt) -> None:
        await self._turns.add_attempt(attempt)
        if attempt in self._unstored:
            self._unstored.remove(attempt)

    async def _subagent(self, stopping: Stopping) -> str:
        """A subagent reports to the agent that started it: judged as one agent's reply to another, not stored."""
        if self._over() or self._left <= 0:
            return ""
        turn = replace(
            self._turn,
            kind=TurnKind.DELEGATION,
            audience=Audience.AGENT,
            asker=Author(id=self._turn.persona, name=self._turn.persona, kind=AuthorKind.AGENT),
            delegation=None,
            checklist=None,
            baseline="",
            told=(),
        )
        own = tuple(run for run in stopping.record.runs if run.agent == stopping.agent)
        draft = Draft(turn_id=turn.id, attempt=0, text=stopping.text, record=replace(stopping.record, runs=own))
        judgement = await self._chain.judge(draft, turn)
        if self._over() or not isinstance(judgement.outcome, SentBack):
            return ""
        log.info("subagent_sent_back", agent=stopping.agent, stage=judgement.outcome.stage)
        self._metrics.count("subagent_rejections", persona=self._turn.persona, stage=judgement.outcome.stage)
        return feedback_prompt(judgement.outcome)
