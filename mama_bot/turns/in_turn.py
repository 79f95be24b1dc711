"""The chain where an agent is about to stop: a rejection there goes on in the same turn of the agent."""

from dataclasses import replace

import structlog

from mama_bot.declarations import with_declaration
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Audience,
    Author,
    AuthorKind,
    Draft,
    Facts,
    SentBack,
    SessionId,
    Stopping,
    Turn,
    TurnKind,
    Usage,
)
from mama_bot.protocols import Judge
from mama_bot.turns.ledger import TurnLedger
from mama_bot.turns.prompts import feedback_prompt
from mama_bot.turns.reported import ReportedAttempts

log = structlog.get_logger(__name__)


class InTurn:
    """Judges what an agent would stop with, during one `ask`; whatever it does not judge is judged afterwards.

    A draft that is sent back here is an attempt like any other: stored, counted, shown. It bears what the agent took
    since the one before, where the backend tells; `usage` is that of all of them, and the attempt that ends the `ask`
    bears the rest. At most `retries` are sent back in one `ask`,
    and never more than the chain itself would. Once `end` was called nothing more is entered in the ledger.
    """

    def __init__(
        self,
        *,
        ledger: TurnLedger,
        session_id: SessionId,
        retries: int,
        chain: Judge,
        reported: ReportedAttempts,
        metrics: Metrics,
    ) -> None:
        self._ledger = ledger
        self._session_id = session_id
        self._left = retries
        self._chain = chain
        self._reported = reported
        self._metrics = metrics
        self._ended = False
        self.usage = Usage()

    @property
    def _turn(self) -> Turn:
        """The turn as it is now: a person may have added something to what it was asked."""
        return self._ledger.turn

    async def at_stop(self, stopping: Stopping) -> str:
        """See `AtStop`; a failure lets the agent stop, and its text is judged as every text is."""
        turn = self._turn
        place = {"message": turn.message_id, "conversation": str(turn.key), "turn": turn.id, "persona": turn.persona}
        try:
            with structlog.contextvars.bound_contextvars(**place):  # the backend calls from a task of its own
                if self._over() or self._left <= 0:
                    return ""
                return await (self._subagent(stopping) if stopping.agent else self._agent(stopping))
        except Exception as error:  # noqa: BLE001 - the judgement of the final text follows in any case
            log.warning("in_turn_failed", failure=f"{type(error).__name__}: {error}")
            self._metrics.count("in_turn_failures", persona=self._turn.persona)
            return ""

    def end(self) -> None:
        """Leave the next draft to whoever asked: the `ask` is over."""
        self._ended = True

    async def _agent(self, stopping: Stopping) -> str:
        ledger = self._ledger
        await ledger.clean(stopping.text)
        draft = ledger.draft(stopping.text, stopping.record, session_id=self._session_id, usage=self._since(stopping))
        judgement = await self._chain.judge(draft, self._turn, rejections=ledger.rejections, last=ledger.is_last)
        if self._over():
            return ""
        ledger.judge(draft, judgement)
        if not isinstance(judgement.outcome, SentBack) or not await ledger.may_go_on() or self._over():
            return ""
        self._left -= 1
        attempt = await self._reported.attempt(draft, judgement, self._turn)
        if self._over():  # the number is the final text's now
            return ""
        await ledger.add(attempt)
        self.usage += draft.usage
        if self._over():
            return ""
        await ledger.begin_attempt(self._session_id)
        self._metrics.count("in_turn_rejections", persona=self._turn.persona, stage=judgement.outcome.stage)
        ledger.tell()
        log.info("sent_back_in_turn", attempt=draft.attempt, stage=judgement.outcome.stage)
        return await ledger.feedback(judgement.outcome)

    def _since(self, stopping: Stopping) -> Usage:
        """Return what the agent took since the draft before; nothing where nobody knows."""
        return Usage() if stopping.usage is None else stopping.usage - self.usage

    def _over(self) -> bool:
        return self._ended

    async def _subagent(self, stopping: Stopping) -> str:
        """Judge the report of a subagent to the agent that started it as one agent's reply to another; not stored."""
        turn = replace(
            self._turn,
            kind=TurnKind.DELEGATION,
            audience=Audience.AGENT,
            asker=Author(id=self._turn.persona, name=self._turn.persona, kind=AuthorKind.AGENT),
            delegation=None,
            checklist=None,
            baseline="",
            told=(),
            earlier=Facts(),
        )
        own = tuple(run for run in stopping.record.runs if run.agent == stopping.agent)
        record = replace(stopping.record, runs=own)
        await self._ledger.clean(stopping.text)
        draft = Draft(turn_id=turn.id, attempt=0, text=self._ledger.redact(stopping.text), record=record)
        draft = with_declaration(draft, subagent=stopping.agent)
        judgement = await self._chain.judge(draft, turn)
        if self._over() or not isinstance(judgement.outcome, SentBack):
            return ""
        log.info("subagent_sent_back", agent=stopping.agent, stage=judgement.outcome.stage)
        self._metrics.count("subagent_rejections", persona=self._turn.persona, stage=judgement.outcome.stage)
        return feedback_prompt(judgement.outcome)
