"""One exchange: a person's message and every turn that answers it, until nothing is left to do."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial

import structlog

from mama_bot.budgets.balances import account_of
from mama_bot.budgets.budgets import Budgets, BudgetSpent
from mama_bot.consent.approval_desk import ApprovalDesk
from mama_bot.errors import AgentError, AgentInterrupted
from mama_bot.message_line import MOST_MOVED, MessageStandings
from mama_bot.metrics import Metrics
from mama_bot.model import (
    AgentPersona,
    Attempt,
    ConversationKey,
    Exchange,
    InboundMessage,
    MessageId,
    Notice,
    Progress,
    QuestionAnswer,
    QuestionState,
    StopAsked,
    StopScope,
    StoredTurn,
    Turn,
    TurnFinished,
    TurnId,
    TurnKind,
    TurnStarted,
    TurnState,
)
from mama_bot.orchestrator.beginnings import TurnBeginnings
from mama_bot.orchestrator.branches import Branches
from mama_bot.orchestrator.delegation_outcomes import DelegationOutcomes
from mama_bot.orchestrator.delegations import DelegationsInTurns
from mama_bot.orchestrator.endings import TurnEnd, TurnEndings
from mama_bot.orchestrator.first_turns import FirstTurns
from mama_bot.orchestrator.live_exchanges import RunningExchange, RunningExchanges, RunningTurn
from mama_bot.orchestrator.team import Current, Team
from mama_bot.orchestrator.written_boards import WrittenBoards
from mama_bot.protocols import Clock, Inbox, Outbox, Stops, TurnStore
from mama_bot.turns import notices
from mama_bot.turns.new_turns import results_turn
from mama_bot.turns.schedule import OPEN, ReportResults, last_attempt_of
from mama_bot.turns.turn_drift import TurnDrift
from mama_bot.turns.turn_runner import FinalAttempt, TurnRunner
from mama_bot.wording import Language

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Course:
    """An exchange on its way: what the store has of it, what it goes by to its end, and what a stop needs to know."""

    exchange: Exchange
    team: Team
    running: RunningExchange
    branches: Branches | None = None

    def ending(self, turn: Turn, exchange: Exchange) -> AbstractAsyncContextManager[Exchange]:
        """Give the exchange as it is at the end of a turn, in which its agent may have asked others."""
        return nullcontext(exchange) if self.branches is None else self.branches.ending(turn, exchange)


class Orchestrator:
    """Runs exchanges: routes the message and runs its turns in order; what becomes of them it leaves to the store.

    It waits for no platform: what is to be posted is in the outbox, whose bell wakes whoever posts.
    """

    def __init__(
        self,
        *,
        team: Current[Team],
        runner: TurnRunner,
        budgets: Budgets,
        first_turns: FirstTurns,
        drift_of: Callable[[Turn, Exchange], TurnDrift],
        beginnings: TurnBeginnings,
        endings: TurnEndings,
        delegations: DelegationsInTurns,
        outcomes: DelegationOutcomes,
        approvals: ApprovalDesk,
        boards: WrittenBoards,
        turns: TurnStore,
        stops: Stops,
        running: RunningExchanges,
        inbox: Inbox,
        outbox: Outbox,
        show: Callable[[Progress], Awaitable[None]],
        standings: MessageStandings,
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._team = team
        self._runner = runner
        self._budgets = budgets
        self._first_turns = first_turns
        self._drift_of = drift_of
        self._beginnings = beginnings
        self._endings = endings
        self._delegations = delegations
        self._outcomes = outcomes
        self._approvals = approvals
        self._boards = boards
        self._turns = turns
        self._stops = stops
        self._inbox = inbox
        self._outbox = outbox
        self._show = show
        self._standings = standings
        self._clock = clock
        self._metrics = metrics
        self._running = running

    async def run_exchange(self, message_id: MessageId) -> None:
        """Do all that is left to do for a message, by the team as it is now; safe to repeat after a crash."""
        with self._running.begun(message_id) as running:
            exchange = await self._turns.load(message_id)
            running.key = exchange.message.key
            # Asked for in an earlier life, and still in force; or while the exchange was read.
            running.stopped_by = running.stopped_by or exchange.stop_asked_by
            place = {"message": message_id, "conversation": str(exchange.message.key)}
            with structlog.contextvars.bound_contextvars(**place):
                await self._standings.working(exchange.message)
                await self._work(Course(exchange, self._team.value, running))
                await self._keep_left(exchange.message)
                await self._boards.write(exchange.message.key)
                await self._end_added(exchange.message)

    async def _keep_left(self, message: InboundMessage) -> None:
        """Keep what delegations changed that their senders will not hear of any more, and say where it is."""
        for line in await self._outcomes.left(message):
            await self._outbox.add(line)

    async def _end_added(self, message: InboundMessage) -> None:
        """Part with an exchange that is over: what was added to it and no agent took is a message of its own again."""
        ended = await self._turns.end_added(message, most=MOST_MOVED)
        for added in ended.taken:
            await self._standings.done(added.key, added.id, ended.line)
        for added in ended.left:
            log.info("not_told_in_time", message=added.id)
            await self._standings.left(added, ended.line)
        await self._standings.done(message.key, message.id, ended.line)

    async def tell(
        self, key: ConversationKey, *, by: str | None = None, message_id: MessageId | None = None
    ) -> Sequence[InboundMessage]:
        """Make what waits in a conversation part of what its agent works on, as `Inbox.add_to_running` does."""
        added = await self._inbox.add_to_running(key, by=by, message_id=message_id)
        for message in added:
            log.info("added_to_running", message=message.id, conversation=str(key))
            await self._standings.added(message)
        if added:
            await self._standings.moved(key)
        return added

    async def steer(self, message: InboundMessage) -> bool:
        """Tell the agent at work of a message of whoever it works for, where it can be told while it works.

        A message that is for another persona, a command of one, or not the first in line, waits.
        """
        exchange = self._running.at_work(message.key)
        if exchange is not None and await self.takes_answer(message):
            return True
        running = exchange.steered if exchange is not None else None
        if running is None or running.session is None or not running.session.steerable or message.request:
            return False
        named = self._team.value.router.addressed(message.text)
        if named and named != (running.persona,):
            return False
        return bool(await self.tell(message.key, by=message.author.id, message_id=message.id))

    async def takes_answer(self, message: InboundMessage) -> bool:
        """Take a message as the answer to what an agent at work asks its author.

        False: nobody asks them anything, or the message is for another persona than who asks.
        """
        stored = None if message.request else await self._approvals.waiting_for(message.key, message.author.id)
        if stored is None:
            return False
        named = self._team.value.router.addressed(message.text)
        if named and named != (stored.question.persona,):
            return False
        if not await self.tell(message.key, by=message.author.id, message_id=message.id):
            return False
        words = stored.question.chosen(message.text_with_files.strip())
        answer = QuestionAnswer(state=QuestionState.REPLIED, by=message.author.name, why=words)
        await self._approvals.settle(stored, answer)
        return True

    async def runs(self, key: ConversationKey) -> bool:
        """Return whether an exchange of a conversation runs."""
        return await self._stops.runs(key)

    def held(self, key: ConversationKey) -> AbstractAsyncContextManager[bool]:
        """Let no exchange of a conversation begin during the block; False: one runs, and nothing is held."""
        return self._stops.held(key)

    async def stop(
        self,
        key: ConversationKey,
        by: str,
        scope: StopScope = StopScope.USUAL,
        language: Language = Language.ENGLISH,
    ) -> StopAsked:
        """Stop the exchange that runs in a conversation, or those that wait, or both; return what that did."""

        def line(message: InboundMessage) -> Notice:
            # A name, a figure or a path is English to whoever looks at the words alone.
            return notices.never_began(
                message, by, language if message.language == Language.ENGLISH else message.language
            )

        stop = await self._stops.ask(key, by, line, scope)
        if stop.running is not None:
            log.info("stop_requested", conversation=str(key), by=by)
            await self._running.stop(stop.running, by)
        for exchange in stop.ended:
            log.info("stopped_before_it_began", conversation=str(key), message=exchange.message.id, by=by)
            await self._show_stopped(exchange)
            await self._standings.done(key, exchange.message.id)
        return stop

    async def stop_branch(self, key: ConversationKey, root: TurnId, by: str) -> bool:
        """Stop a delegation with what came of it, and nothing else; False: this process runs no such."""
        running = self._running.at_work(key)
        if running is None or running.message_id is None:
            return False
        exchange = await self._turns.load(running.message_id)
        top = next((stored.turn for stored in exchange.turns if stored.turn.id == root), None)
        if top is None:
            return False
        log.info("branch_stop_requested", conversation=str(key), turn=root, by=by)
        await running.stop_branch(top, exchange.turns, by)
        return True

    async def watch_stops(self) -> None:
        """Act on stops that another process asked for, until cancelled."""
        await self._running.watch()

    async def give_up(self, message_id: MessageId, error: BaseException) -> None:
        """Tell the person that an exchange failed for good, outside any turn's own handling."""
        exchange = await self._turns.load(message_id)
        self._metrics.count("exchanges_given_up")
        # The line first: a crash between the two must not leave a stopped exchange without one.
        await self._outbox.add(notices.given_up(exchange.message, error))
        await self._turns.stop_exchange(message_id)
        await self._show_stopped(exchange)
        await self._beginnings.learn_place(exchange.message)  # it may not have come so far in this life
        await self._keep_left(exchange.message)
        await self._end_added(exchange.message)

    async def _show_stopped(self, exchange: Exchange) -> None:
        """Show that nobody works on an exchange any more."""
        for stored in exchange.turns:
            if stored.state in OPEN:
                await self._show(TurnFinished(turn=stored.turn, state=TurnState.STOPPED, at=self._clock.now()))

    # --- turn after turn ------------------------------------------------------------------------------

    async def _work(self, course: Course) -> None:
        message = course.exchange.message
        await self._beginnings.learn_place(message)
        await self._boards.take_in(message.key)
        if not course.exchange.turns and not course.exchange.stopped:
            first = await self._first_turns.of(message, course.team)
            course.exchange = await self._turns.begin_exchange(message.id, first)
        if course.exchange.stopped:  # before anybody was asked, or before it was cut off
            return
        branches = course.branches = Branches(
            turns=self._turns,
            run_turn=lambda stored, exchange: self._run_turn(stored, exchange, course),
            reported=lambda step, exchange: self._report(step, exchange, course.team),
            place_of=lambda turn: turn.work_tree or self._endings.workspace(turn, course.team),
            message_id=message.id,
        )
        course.running.delegate = partial(self._delegations.carry_out, course.team, branches)
        try:
            async with branches:
                await branches.run(course.exchange)
        finally:
            course.running.delegate = None

    async def _report(self, step: ReportResults, exchange: Exchange, team: Team) -> None:
        heard = await self._outcomes.heard(team, step, exchange)
        await self._turns.add_turns([results_turn(step, heard, turns=exchange.turns)])

    async def _run_turn(self, stored: StoredTurn, exchange: Exchange, course: Course) -> TurnEnd:
        """Run a turn to a final state; `exchange` is what the store had of it when the turn began."""
        stored = await self._beginnings.begun(stored, exchange, course.team)
        turn = stored.turn
        await course.team.reviews.begins(turn, exchange)
        with structlog.contextvars.bound_contextvars(turn=turn.id, persona=turn.persona):
            log.info("turn_started", kind=turn.kind.value, audience=turn.audience.value, depth=turn.depth)
            await self._show(TurnStarted(turn=turn, at=self._clock.now()))
            with course.running.begun(turn) as running:
                end = await self._bounded(stored, exchange, course, running)
            self._metrics.count("turns", persona=turn.persona, state=end.state.value)
            log.info("turn_finished", state=end.state.value)
            await self._show(TurnFinished(turn=turn, state=end.state, at=self._clock.now()))
            return end

    async def _bounded(self, stored: StoredTurn, exchange: Exchange, course: Course, running: RunningTurn) -> TurnEnd:
        """Run a turn within its deadline; whatever ends it becomes a final state and, if not a reply, a line."""
        turn, seconds = stored.turn, course.team.turns.deadline_seconds
        running.stopped_by = running.stopped_by or course.running.branch_stopped_by(turn, exchange.turns)
        persona = course.team.personas.get(turn.persona)
        if persona is None:
            return await self._failed(notices.persona_gone(turn), turn, exchange, course)
        last = last_attempt_of(exchange.turns, turn)
        if last is not None and _is_broken(stored, last, course.team):
            return await self._endings.not_asked(turn, persona, last)
        try:
            async with asyncio.timeout(seconds) as scope:
                running.scope = scope
                try:
                    if (running.stopped_by or course.running.stopped_by) is not None:
                        return await self._stopped(turn, exchange, course, running)
                    final = await self._asked(stored, persona, last, exchange, course, running)
                finally:
                    running.scope = None
        except TimeoutError:
            if not scope.expired():
                raise
            if (running.stopped_by or course.running.stopped_by) is not None:
                return await self._stopped(turn, exchange, course, running)
            return await self._failed(notices.timed_out(turn, seconds, running.trouble), turn, exchange, course)
        except AgentInterrupted:
            return await self._stopped(turn, exchange, course, running)
        except BudgetSpent as error:
            return await self._failed(notices.budget_spent(turn, error), turn, exchange, course)
        except AgentError as error:
            log.warning("turn_failed", reason=str(error))
            return await self._failed(notices.agent_failed(turn, error), turn, exchange, course)
        async with course.ending(turn, exchange) as now:
            return await self._endings.judged(turn, persona, final, now, course.team)

    async def _asked(
        self,
        stored: StoredTurn,
        persona: AgentPersona,
        last: Attempt | None,
        exchange: Exchange,
        course: Course,
        running: RunningTurn,
    ) -> FinalAttempt:
        async with self._budgets.opened(account_of(stored.turn, exchange.message), waited=running.waited) as allowance:
            return await self._runner.run(
                stored,
                persona,
                exchange.request,
                chain=course.team.chain,
                hearing=partial(self._outcomes.heard, course.team),
                rejections=last.judgement.rejections if last else 0,
                at_work=running,
                allowance=allowance,
                drift=self._drift_of(stored.turn, exchange),
            )

    async def _stopped(self, turn: Turn, exchange: Exchange, course: Course, running: RunningTurn) -> TurnEnd:
        line = notices.stopped(turn, course.running.stopped_by or running.stopped_by or "")
        async with course.ending(turn, exchange) as now:
            end = await self._endings.without_reply(turn, TurnState.STOPPED, [line], now, course.team)
        return replace(end, alone=running.stopped_by is not None and course.running.stopped_by is None)

    async def _failed(self, line: Notice, turn: Turn, exchange: Exchange, course: Course) -> TurnEnd:
        async with course.ending(turn, exchange) as now:
            return await self._endings.without_reply(turn, TurnState.FAILED, [line], now, course.team)


def _is_broken(stored: StoredTurn, last: Attempt, team: Team) -> bool:
    """Whether a delegation comes to a persona that was rejected too often in a row on the same task.

    A turn that reports to whoever asked still runs: it gets one attempt, and no retry.
    """
    rejected = 0 < team.breaker_rejections <= last.judgement.rejections
    return rejected and stored.turn.kind is TurnKind.DELEGATION and stored.asked < 0
