"""One turn: context -> lease -> ask -> draft and record -> chain -> the reply, or the same agent again."""

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, assert_never

import structlog

from mama_bot.budgets.budgets import Allowance
from mama_bot.config import ContextSettings, TurnSettings
from mama_bot.deeds.turn_changes import TurnChanges
from mama_bot.errors import AgentCrashed, AgentError, ErrorDecision, ModelFailed, SessionLost, SessionTooLarge
from mama_bot.metrics import Metrics
from mama_bot.model import (
    AgentPersona,
    Attempt,
    Cleared,
    InboundMessage,
    ModelRetried,
    Notice,
    Progress,
    Prompt,
    SentBack,
    SessionId,
    StoredTurn,
    ToolFinished,
    ToolStarted,
    Turn,
    TurnEnded,
    TurnKind,
    TurnWorking,
    Withheld,
)
from mama_bot.protocols import AgentSession, Clock, ContextStore, Judge, SessionPool, TurnStore
from mama_bot.rules.active_workflow import ActiveWorkflows
from mama_bot.team_tools import ToolRegistry
from mama_bot.tool_policy.readers import only_looks
from mama_bot.turns.agent_troubles import AgentTroubles
from mama_bot.turns.backend_choices import BackendChange, BackendChoices
from mama_bot.turns.blocked_calls import BlockedCalls
from mama_bot.turns.critical_actions import CriticalActions
from mama_bot.turns.first_prompts import FirstPrompts
from mama_bot.turns.heard import Hearing
from mama_bot.turns.in_turn import InTurn
from mama_bot.turns.ledger import TurnLedger
from mama_bot.turns.logged_work import log_work
from mama_bot.turns.metered import metered
from mama_bot.turns.notices import backend_changed, begun_anew
from mama_bot.turns.prompts import added_prompt
from mama_bot.turns.reported import ReportedAttempts
from mama_bot.turns.team_desk import TurnDesk
from mama_bot.turns.turn_context import TurnContext
from mama_bot.turns.turn_drift import TurnDrift
from mama_bot.turns.workspaces import Workspaces

log = structlog.get_logger(__name__)


class AtWork(Protocol):
    """What whoever ends a turn needs to know of it: the session that is asked, what keeps it from answering."""

    session: AgentSession | None
    trouble: AgentError | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalAttempt:
    """The attempt that a turn ends with, and how: cleared or withheld."""

    attempt: Attempt
    outcome: Cleared | Withheld


class TurnRunner:
    """Asks an agent until the chain clears its draft or gives it up.

    Up to `in_turn_retries` rejections of one `ask` are told to the agent as it is about to stop (0: none), where its
    backend can; its final text is judged here in any case. `workflows` say what work is held to (None: nothing is),
    `actions` verify what a persona has to have before it speaks, `troubles` keeps one that cannot be started from being
    started, `choices` says with which of its backends a persona works, `blocked` whether a turn gets a further try
    after what rules blocked (None: it does), `moved` whether a session was on another machine (None: never), `tell`
    queues a line to the conversation.
    """

    def __init__(
        self,
        *,
        pool: SessionPool,
        turns: TurnStore,
        context: ContextStore,
        workspaces: Workspaces,
        show: Callable[[Progress], Awaitable[None]],
        turn_settings: TurnSettings,
        context_settings: ContextSettings,
        changes: TurnChanges,
        clock: Clock,
        metrics: Metrics,
        tools: ToolRegistry,
        troubles: AgentTroubles,
        choices: BackendChoices,
        tell: Callable[[Notice], Awaitable[None]],
        in_turn_retries: int = 0,
        redact: Callable[[str], str] = str,
        workflows: ActiveWorkflows | None = None,
        actions: CriticalActions | None = None,
        blocked: BlockedCalls | None = None,
        moved: Callable[[SessionId], Awaitable[bool]] | None = None,
    ) -> None:
        self._pool = pool
        self._turns = turns
        turn_context = TurnContext(context=context, turns=turns, max_tokens=context_settings.max_tokens)
        self._first_prompts = FirstPrompts(context=turn_context, turns=turns, metrics=metrics, tell=tell, moved=moved)
        self._workspaces = workspaces
        self._show = show
        self._turn_settings = turn_settings
        self._changes = changes
        self._clock = clock
        self._metrics = metrics
        self._tools = tools
        self._troubles = troubles
        self._choices = choices
        self._tell = tell
        self._in_turn_retries = in_turn_retries
        self._redact = redact
        self._workflows = workflows
        self._actions = actions or CriticalActions(rules=(), checked=())
        self._blocked = blocked
        self._reported = ReportedAttempts(show=show, clock=clock, metrics=metrics)

    async def run(
        self,
        stored: StoredTurn,
        persona: AgentPersona,
        message: InboundMessage,
        *,
        chain: Judge,
        hearing: Hearing,
        rejections: int = 0,
        at_work: AtWork,
        allowance: Allowance,
        drift: TurnDrift,
    ) -> FinalAttempt:
        """Run a turn to its judged end, from the start or from where it was cut off, and return its last attempt.

        `rejections` counts the persona's rejected drafts in a row in this exchange before this turn. `at_work` is told
        which session is being asked, so that a stop can reach it, and what it has trouble with; `hearing` brings it
        what came of its delegations; `allowance` is what it may take, `drift` tells whether its agent is stuck. Raises
        AgentError.
        """
        last = stored.attempts[-1].judgement.outcome if stored.attempts else None
        if isinstance(last, Cleared | Withheld):  # judged for good, cut off before it was finished
            return FinalAttempt(attempt=stored.attempts[-1], outcome=last)
        crashes, anew = 0, False
        is_last = partial(self._blocked.are_too_many, stored.turn, since=self._clock.now()) if self._blocked else None
        while True:
            working = self._choices.chosen(persona)
            ledger = TurnLedger(
                stored,
                rejected_before=rejections,
                turns=self._turns,
                clock=self._clock,
                redact=self._redact,
                allowance=allowance,
                drift=drift,
                backend=working.backend,
                fallback=working.backend != persona.backend,
                is_last=is_last,
            )
            await self._tell_of_backend(stored.turn, self._choices.begins(persona, working, stored.turn))
            try:
                final = await self._in_one_session(ledger, working, message, chain, hearing, at_work)
            except SessionTooLarge as error:
                if anew:
                    raise
                anew = True
                log.warning("session_too_large", reason=error.reason)
                self._metrics.count("sessions_begun_anew", persona=persona.name)
                await self._turns.forget_session(stored.turn.key, stored.turn.session_name)
                await self._tell(begun_anew(ledger.turn))
            except AgentError as error:
                self._troubles.refused(error, backend=working.backend)
                is_lost = error.decision is ErrorDecision.AGAIN
                if is_lost:
                    crashes += 1
                    await self._lost(error, stored.turn, crashes)
                spent = not is_lost or crashes > self._turn_settings.crash_retries
                passes_on = spent and self._choices.passes_on(persona, working, error, worked=ledger.worked)
                if (spent and not passes_on) or ledger.is_last():
                    raise
                crashes = 0 if spent else crashes
                at_work.trouble = error
            else:
                await self._tell_of_backend(stored.turn, self._choices.answered(persona, working, stored.turn))
                return final
            await allowance.check()
            stored = await self._reloaded(stored.turn)

    async def _lost(self, error: AgentError, turn: Turn, crashes: int) -> None:
        self._metrics.count("agent_crashes", persona=turn.persona)
        log.warning("agent_lost", reason=str(error), crashes=crashes)
        if isinstance(error, SessionLost):
            await self._turns.forget_session(turn.key, turn.session_name)

    async def _tell_of_backend(self, turn: Turn, change: BackendChange | None) -> None:
        if change is not None:
            await self._tell(backend_changed(turn, change.backend, change.sentence))

    async def _reloaded(self, turn: Turn) -> StoredTurn:
        exchange = await self._turns.load(turn.message_id)
        stored = next(stored for stored in exchange.turns if stored.turn.id == turn.id)
        return replace(stored, turn=replace(stored.turn, earlier=turn.earlier))

    async def _in_one_session(
        self,
        ledger: TurnLedger,
        persona: AgentPersona,
        message: InboundMessage,
        chain: Judge,
        hearing: Hearing,
        at_work: AtWork,
    ) -> FinalAttempt:
        turn = ledger.turn
        workspace = await self._workspaces.prepare(persona, turn)

        async def stored() -> SessionId | None:
            return await self._turns.session(turn.key, turn.session_name, backend=persona.backend)

        read_only = turn.kind is TurnKind.REVIEW or only_looks(persona)
        repository = self._workspaces.repository(persona, turn.key)
        if self._workflows is not None:
            persona = await self._workflows.held(persona, turn.key, repository, read_only=read_only)
        persona = await self._actions.verified(persona, workspace, repository, read_only=read_only)
        if not read_only:
            await self._changes.begin(turn, repository, workspace, asker=message.author.id)
        leased = self._pool.lease(
            persona=persona,
            key=turn.key,
            workspace=workspace,
            stored=stored,
            read_only=read_only,
            later=turn.delegation is not None and turn.delegation.background,
            apart=turn.work_tree or "",
        )
        async with self._troubles.starting(persona, leased) as lease, ledger.at_work():
            reminders = await ledger.begin_attempt(lease.session.session_id)
            prompt = await self._first_prompts.of(ledger, message, lease, reminders, hearing)
            desk = TurnDesk(
                registry=self._tools,
                ledger=ledger,
                persona=persona,
                lent=lease.lent,
                chain=chain,
                changes=self._changes,
            )
            try:
                return await self._final_attempt(ledger, lease.session, desk, prompt, chain, at_work)
            except SessionTooLarge as error:
                lease.forget()
                if lease.fresh and not ledger.worked:  # it is the request: a new session would be as large
                    raise ModelFailed(status=error.status, reason=error.reason, fault=error.fault) from error
                raise

    async def _final_attempt(
        self,
        ledger: TurnLedger,
        session: AgentSession,
        desk: TurnDesk,
        prompt: Prompt,
        chain: Judge,
        at_work: AtWork,
    ) -> FinalAttempt:
        """Ask until a draft is cleared or given up."""
        while True:
            attempt = await self._attempt(ledger, session, desk, prompt, chain, at_work)
            outcome = attempt.judgement.outcome
            match outcome:
                case Cleared() | Withheld():
                    return FinalAttempt(attempt=attempt, outcome=outcome)
                case SentBack():
                    await ledger.add(attempt)
                    await ledger.check_budget()
                    prompt = Prompt(text=await ledger.feedback(outcome))
                    await ledger.begin_attempt(session.session_id)
                case unexpected:
                    assert_never(unexpected)

    async def _attempt(
        self,
        ledger: TurnLedger,
        session: AgentSession,
        desk: TurnDesk,
        prompt: Prompt,
        chain: Judge,
        at_work: AtWork,
    ) -> Attempt:
        """Ask once, and return the judged draft that it ended with; those sent back on the way are in the ledger."""
        in_turn = InTurn(
            ledger=ledger,
            session_id=session.session_id,
            retries=self._in_turn_retries,
            chain=chain,
            reported=self._reported,
            metrics=self._metrics,
        )
        async with ledger.asked():
            at_work.session = session
            try:
                ended = await self._ask(session, desk, prompt, ledger, at_work, in_turn)
                while (added := await self._added(ledger)) is not None:  # an agent that could not be told before
                    more = await self._ask(session, desk, added, ledger, at_work)
                    record, usage = ended.record + more.record, ended.usage + more.usage
                    ended = replace(more, record=record, usage=usage)
            finally:
                at_work.session = None
                in_turn.end()
        await ledger.clean(ended.text)
        untold = None if ended.cut_short else ledger.untold(ended.text, ended.record)
        if untold is not None:  # judged, stored and shown: once is enough
            return untold
        draft = ledger.draft(
            ended.text,
            ended.record,
            session_id=ended.session_id,
            usage=ended.usage - in_turn.usage,
            cut_short=ended.cut_short,
        )
        judgement = ledger.judgement_of(draft)
        if judgement is None:
            judgement = await chain.judge(draft, ledger.turn, rejections=ledger.rejections, last=ledger.is_last)
        return await self._reported.attempt(draft, judgement, ledger.turn)

    async def _added(self, ledger: TurnLedger) -> Prompt | None:
        """Return what a person added to the request meanwhile, for an agent whose reply goes to a person."""
        if ledger.turn.agent_to_agent:
            return None
        messages = await ledger.take_added()
        if not messages:
            return None
        log.info("told_meanwhile", messages=[message.id for message in messages])
        self._metrics.count("messages_told", len(messages), persona=ledger.turn.persona)
        files = tuple(file for message in messages for file in message.attachments)
        return Prompt(text=added_prompt(messages), attachments=files)

    async def _ask(
        self,
        session: AgentSession,
        desk: TurnDesk,
        prompt: Prompt,
        ledger: TurnLedger,
        at_work: AtWork,
        in_turn: InTurn | None = None,
    ) -> TurnEnded:
        """Ask, and note in the ledger what the agent does; return how it ended."""
        log.info("agent_asked", attempt=ledger.next_attempt, session=session.session_id, characters=len(prompt.text))
        ended: TurnEnded | None = None
        # Read to its end, and closed whatever happens: a session whose `ask` was abandoned cannot be reused.
        at_stop = in_turn.at_stop if in_turn is not None and self._in_turn_retries else None

        async def meanwhile() -> Prompt | None:
            return await self._added(ledger) or ledger.of_calls()

        asked = session.ask(prompt, at_stop=at_stop, meanwhile=meanwhile, call_team=desk.call)
        async with aclosing(metered(asked, session, ledger.allowance)) as events:
            async for event in events:
                match event:
                    case ToolStarted() | ToolFinished() | ModelRetried():
                        log_work(event)
                        at_work.trouble = event.trouble if isinstance(event, ModelRetried) else None
                        if not isinstance(event, ModelRetried):
                            ledger.note(event)
                        working = TurnWorking(
                            turn=ledger.turn, attempt=ledger.next_attempt, event=event, at=self._clock.now()
                        )
                        await self._show(working)
                    case TurnEnded():
                        at_work.trouble, ended = None, event
                    case unexpected:
                        assert_never(unexpected)
        if ended is None:
            raise AgentCrashed(returncode=None, stderr_tail="The stream of events ended without a result.")
        self._troubles.answered(backend=desk.backend)
        log.debug(
            "agent_answered",
            attempt=ledger.next_attempt,
            characters=len(ended.text),
            tools=len(ended.record.runs),
            output_tokens=ended.usage.output_tokens,
            cost_usd=round(ended.usage.cost_usd, 6),
        )
        return ended
