"""One exchange: a person's message and every turn that answers it, until nothing is left to do."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import assert_never

import structlog

from mama_bot.config import TurnSettings
from mama_bot.enforcement.completion.questions import goes_on_with_work
from mama_bot.errors import AgentError, AgentInterrupted
from mama_bot.metrics import Metrics
from mama_bot.model import (
    AgentPersona,
    Attempt,
    Cleared,
    ConversationKey,
    Exchange,
    InboundMessage,
    MessageId,
    Notice,
    Post,
    PostId,
    Progress,
    Reply,
    StoredTurn,
    Turn,
    TurnFinished,
    TurnKind,
    TurnStarted,
    TurnState,
    Withheld,
)
from mama_bot.orchestrator.files.outgoing import Outgoing
from mama_bot.orchestrator.running_exchanges import RunningExchange, RunningExchanges
from mama_bot.protocols import AgentSession, Clock, Judge, Outbox, Stops, TurnStore
from mama_bot.review.rounds import Reviewing
from mama_bot.router import Router
from mama_bot.turns import notices
from mama_bot.turns.new_turns import delegated_turn, first_turn, results_turn
from mama_bot.turns.schedule import OPEN, Done, ReportResults, RunTurn, delegations_of, last_attempt_of, next_step
from mama_bot.turns.turn_runner import FinalAttempt, TurnRunner
from mama_bot.wording import is_korean

log = structlog.get_logger(__name__)


class Orchestrator:
    """Runs exchanges: routes the message, runs its turns in order, hands finished turns to the store and delivery."""

    def __init__(
        self,
        *,
        personas: Mapping[str, AgentPersona],
        router: Router,
        runner: TurnRunner,
        chain: Judge,
        reviewing: Reviewing,
        outgoing: Outgoing,
        turns: TurnStore,
        stops: Stops,
        outbox: Outbox,
        show: Callable[[Progress], Awaitable[None]],
        baseline: Callable[[AgentPersona, ConversationKey], Awaitable[str]],
        is_checked: Callable[[AgentPersona], bool] = lambda _: False,
        settings: TurnSettings,
        breaker_rejections: int,
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._personas = personas
        self._router = router
        self._runner = runner
        self._chain = chain
        self._reviewing = reviewing
        self._outgoing = outgoing
        self._turns = turns
        self._outbox = outbox
        self._stops = stops
        self._show = show
        self._baseline = baseline
        self._is_checked = is_checked
        self._settings = settings
        self._breaker_rejections = breaker_rejections
        self._clock = clock
        self._metrics = metrics
        self._running = RunningExchanges(stops)

    async def run_exchange(self, message_id: MessageId) -> None:
        """Do all that is left to do for a message; safe to repeat after a crash at any point."""
        with self._running.begun(message_id) as running:
            exchange = await self._turns.load(message_id)
            running.stopped_by = exchange.stop_asked_by  # asked for in an earlier life, and still in force
            place = {"message": message_id, "conversation": str(exchange.message.key)}
            with structlog.contextvars.bound_contextvars(**place):
                await self._work(exchange, running)

    async def runs(self, key: ConversationKey) -> bool:
        """Whether an exchange of a conversation runs."""
        return await self._stops.runs(key)

    def held(self, key: ConversationKey) -> AbstractAsyncContextManager[bool]:
        """Let no exchange of a conversation begin during the block; False: one runs, and nothing is held."""
        return self._stops.held(key)

    async def stop(self, key: ConversationKey, by: str) -> bool:
        """Stop the exchange that runs in a conversation, or those that wait when none does; False: there is none."""

        def line(message: InboundMessage) -> Notice:
            return notices.never_began(message, by, korean=is_korean(message.text))

        stop = await self._stops.ask(key, by, line)
        if stop.running is not None:
            log.info("stop_requested", conversation=str(key), by=by)
            await self._running.stop(stop.running, by)
        for exchange in stop.ended:
            log.info("stopped_before_it_began", conversation=str(key), message=exchange.message.id, by=by)
            await self._show_stopped(exchange)
        return bool(stop)

    async def watch_stops(self) -> None:
        """Act on stops that another process asked for, until cancelled."""
        await self._running.watch()

    async def _show_stopped(self, exchange: Exchange) -> None:
        """Whoever was shown at work on an exchange is not any more."""
        for stored in exchange.turns:
            if stored.state in OPEN:
                await self._show(TurnFinished(turn=stored.turn, state=TurnState.STOPPED, at=self._clock.now()))

    async def give_up(self, message_id: MessageId, error: BaseException) -> None:
        """Tell the person that an exchange failed for good, outside any turn's own handling."""
        exchange = await self._turns.load(message_id)
        self._metrics.count("exchanges_given_up")
        # The line first: a crash between the two must not leave a stopped exchange without one.
        await self._outbox.add(notices.given_up(exchange.message, error, korean=is_korean(exchange.message.text)))
        await self._turns.stop_exchange(message_id)
        await self._show_stopped(exchange)

    async def _work(self, exchange: Exchange, running: RunningExchange) -> None:
        message = exchange.message
        if exchange.stopped:  # and then cut off before its job ended
            return
        if not exchange.turns:
            await self._turns.add_turns(await self._first_turns(message))
            exchange = await self._turns.load(message.id)
            if exchange.stopped:  # meanwhile, before anybody was asked
                return
        while True:
            step = next_step(exchange.turns)
            match step:
                case Done():
                    return
                case ReportResults():
                    reviews = await self._reviewing.standings(step, exchange)
                    await self._turns.add_turns([results_turn(step, reviews, turns=exchange.turns)])
                case RunTurn():
                    state, further = await self._run_turn(step.stored, exchange, running)
                    if state is TurnState.STOPPED:
                        await self._turns.stop_exchange(message.id)
                    if state is TurnState.STOPPED or (not further and len(exchange.turns) == 1):
                        return  # nothing can be left: by far the most exchanges are one turn
                case unexpected:
                    assert_never(unexpected)
            exchange = await self._turns.load(message.id)

    async def _first_turns(self, message: InboundMessage) -> Sequence[Turn]:
        route = self._router.route(message)
        log.info("routed", stage=route.stage.value, personas=[persona.name for persona in route.personas])
        if route.note:
            await self._outbox.add(notices.not_routed(message, route.note))
        return [first_turn(message, persona, index) for index, persona in enumerate(route.personas)]

    async def _run_turn(
        self, stored: StoredTurn, exchange: Exchange, running: RunningExchange
    ) -> tuple[TurnState, bool]:
        """Run a turn to a final state, and say which, and whether it led to further turns."""
        stored = await self._as_it_begins(stored, exchange)
        turn = stored.turn
        await self._reviewing.begins(turn, exchange)
        with structlog.contextvars.bound_contextvars(turn=turn.id, persona=turn.persona):
            log.info("turn_started", kind=turn.kind.value, audience=turn.audience.value, depth=turn.depth)
            await self._show(TurnStarted(turn=turn, at=self._clock.now()))
            state, further = await self._bounded(stored, exchange, running)
            self._metrics.count("turns", persona=turn.persona, state=state.value)
            log.info("turn_finished", state=state.value)
            await self._show(TurnFinished(turn=turn, state=state, at=self._clock.now()))
            return state, further

    async def _as_it_begins(self, stored: StoredTurn, exchange: Exchange) -> StoredTurn:
        """The turn with what its workspace looks like and how far its task is, when it begins and will be judged by it.

        Not earlier: the turns of one exchange share workspaces, and one must not answer for what another changed. What
        a check of the workspace is taken from is older: nobody who works for this message may have had it in hand.
        """
        persona, turn = self._personas.get(stored.turn.persona), stored.turn
        checked = persona is not None and self._is_checked(persona)
        measured = turn.delegation is not None or self._reviewing.may_need(turn)
        if stored.asked >= 0 or persona is None or not (measured or checked):
            return stored
        now = await self._baseline(persona, turn.key)
        if turn.delegation is not None:
            checklist = await self._turns.checklist(turn, goes_on=goes_on_with_work(turn.delegation))
            turn = replace(turn, checklist=checklist)
        if measured and turn.kind is not TurnKind.REWORK:  # a rework answers for all since the work began
            turn = replace(turn, baseline=now)
        if checked:
            turn = replace(turn, base=self._first_base(persona, exchange) or now)
        await self._turns.keep_turn(turn)
        return replace(stored, turn=turn)

    def _first_base(self, persona: AgentPersona, exchange: Exchange) -> str:
        """What the workspace was like when the first turn of an exchange began in it; "" when none has."""
        earlier = (stored.turn for stored in exchange.turns if stored.turn.base)
        same = (turn for turn in earlier if self._works_in(turn) == persona.workspace)
        return next((turn.base for turn in same), "")

    def _works_in(self, turn: Turn) -> str:
        persona = self._personas.get(turn.persona)
        return persona.workspace if persona is not None else ""

    async def _bounded(
        self, stored: StoredTurn, exchange: Exchange, running: RunningExchange
    ) -> tuple[TurnState, bool]:
        """Run a turn within its deadline; whatever ends it becomes a final state and, if not a reply, a line."""
        turn = stored.turn
        korean = is_korean(exchange.message.text)
        persona = self._personas.get(turn.persona)
        if persona is None:
            return await self._fail(turn, exchange, notices.persona_gone(turn, korean=korean))
        last = last_attempt_of(exchange.turns, turn)
        if last is not None and self._is_broken(stored, last):
            return await self._not_asked(turn, persona, last, korean=korean)

        def asking(session: AgentSession | None) -> None:
            running.session = session

        try:
            async with asyncio.timeout(self._settings.deadline_seconds) as scope:
                running.scope = scope
                try:
                    if running.stopped_by is not None:
                        return await self._stopped(turn, exchange, running)
                    final = await self._runner.run(
                        stored,
                        persona,
                        exchange.message,
                        chain=self._chain,
                        rejections=last.judgement.rejections if last else 0,
                        asking=asking,
                    )
                finally:
                    running.scope = None
        except TimeoutError:
            if not scope.expired():
                raise
            if running.stopped_by is not None:
                return await self._stopped(turn, exchange, running)
            line = notices.timed_out(turn, self._settings.deadline_seconds, korean=korean)
            return await self._fail(turn, exchange, line)
        except AgentInterrupted:
            return await self._stopped(turn, exchange, running)
        except AgentError as error:
            log.warning("turn_failed", reason=str(error))
            return await self._fail(turn, exchange, notices.agent_failed(turn, error, korean=korean))
        return await self._finish(turn, persona, final, exchange)

    def _is_broken(self, stored: StoredTurn, last: Attempt) -> bool:
        """Whether a delegation comes to a persona that was rejected too often in a row on the same task.

        A turn that reports to whoever asked still runs: it gets one attempt, and no retry.
        """
        rejected = 0 < self._breaker_rejections <= last.judgement.rejections
        return rejected and stored.turn.kind is TurnKind.DELEGATION and stored.asked < 0

    async def _not_asked(
        self, turn: Turn, persona: AgentPersona, last: Attempt, *, korean: bool
    ) -> tuple[TurnState, bool]:
        judgement = last.judgement
        log.warning("breaker_refused", stage=judgement.rejected_by, rejections=judgement.rejections)
        self._metrics.count("breaker_refusals", persona=turn.persona, stage=judgement.rejected_by)
        notice = notices.breaker(turn, persona, judgement, korean=korean)
        await self._turns.finish(turn, TurnState.WITHHELD, posts=[notice])
        return TurnState.WITHHELD, False

    async def _stopped(self, turn: Turn, exchange: Exchange, running: RunningExchange) -> tuple[TurnState, bool]:
        notice = notices.stopped(turn, running.stopped_by or "", korean=is_korean(exchange.message.text))
        return await self._end_without_reply(turn, TurnState.STOPPED, exchange, [notice])

    async def _fail(self, turn: Turn, exchange: Exchange, notice: Notice) -> tuple[TurnState, bool]:
        return await self._end_without_reply(turn, TurnState.FAILED, exchange, [notice])

    async def _end_without_reply(
        self, turn: Turn, state: TurnState, exchange: Exchange, lines: Sequence[Post], attempt: Attempt | None = None
    ) -> tuple[TurnState, bool]:
        korean = is_korean(exchange.message.text)
        follow = await self._reviewing.after_none(turn, state, exchange, korean=korean)
        posts = [*lines, *follow.posts]
        await self._turns.finish(turn, state, attempt=attempt, posts=posts, reviews=follow.moves)
        return state, False

    async def _finish(
        self, turn: Turn, persona: AgentPersona, final: FinalAttempt, exchange: Exchange
    ) -> tuple[TurnState, bool]:
        korean = is_korean(exchange.message.text)
        if isinstance(final.outcome, Withheld):
            lines: list[Post] = [notices.withheld(turn, persona, final.attempt, final.outcome, korean=korean)]
            if final.attempt.judgement.breaker:
                lines.append(notices.breaker(turn, persona, final.attempt.judgement, korean=korean))
            return await self._end_without_reply(turn, TurnState.WITHHELD, exchange, lines, final.attempt)
        reply = self._reply(turn, persona, final.attempt, final.outcome)
        posts = await self._outgoing.posts(reply, turn, korean=korean)
        delegated = self._delegated(turn, final.outcome, exchange, posts)
        follow = await self._reviewing.after(
            turn, final.attempt, final.outcome, exchange, korean=korean, delegates=bool(delegated)
        )
        children = [*follow.turns, *delegated]
        self._count_checklist(turn, final.outcome)
        await self._turns.finish(
            turn,
            TurnState.ANSWERED,
            attempt=final.attempt,
            posts=[*posts, *follow.posts],
            turns=children,
            reminders=final.outcome.reminders,
            checklist=final.outcome.checklist,
            reviews=follow.moves,
        )
        return TurnState.ANSWERED, bool(children)

    def _delegated(self, turn: Turn, outcome: Cleared, exchange: Exchange, posts: list[Post]) -> list[Turn]:
        """The turns of the delegations in a reply; those that are not carried out become a line among the posts."""
        korean = is_korean(exchange.message.text)
        delegations = outcome.delegations
        if turn.kind is TurnKind.REVIEW:
            if delegations:
                posts.append(notices.review_delegates(turn, delegations, korean=korean))
            return []
        room = max(0, self._settings.hop_budget - delegations_of(exchange.turns))
        if len(delegations) > room:
            self._metrics.count("hop_budget_spent", persona=turn.persona)
            log.warning("hop_budget_spent", dropped=len(delegations) - room)
            posts.append(notices.hops_spent(turn, delegations[room:], self._settings.hop_budget, korean=korean))
        children = [
            delegated_turn(turn, delegation, self._personas, index)
            for index, delegation in enumerate(delegations[:room])
        ]
        for child in children:
            log.info("delegated", to=child.persona, form=child.delegation.form.value if child.delegation else "")
        return children

    def _count_checklist(self, turn: Turn, outcome: Cleared) -> None:
        self._metrics.count("reminders_left", len(outcome.reminders), persona=turn.persona)
        now, before = outcome.checklist, turn.checklist
        if now is not None and now.given_up and not (before and before.given_up):
            log.warning("reminders_given_up", open_items=now.open_items, idle_turns=now.idle_turns)
            self._metrics.count("reminders_given_up", persona=turn.persona)

    def _reply(self, turn: Turn, persona: AgentPersona, attempt: Attempt, outcome: Cleared) -> Reply:
        return Reply(
            id=PostId(f"{turn.id}.reply"),
            turn_id=turn.id,
            key=turn.key,
            persona=persona.name,
            display_name=persona.display_name,
            avatar=persona.avatar,
            text=attempt.draft.text,
            judgement=attempt.judgement,
            verdict=outcome.verdict,
            banners=outcome.banners,
            answers=turn.message_id,
        )
