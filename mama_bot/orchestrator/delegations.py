"""What an agent delegates while its turn runs: stored, carried out beside it, and told as the result of its tool."""

import asyncio
import hashlib
from dataclasses import replace
from typing import assert_never

import structlog

from mama_bot.enforcement.delegations.requests import Request, as_directive
from mama_bot.enforcement.delegations.team_rules import delegation_of
from mama_bot.headway.loops import AtHand, is_idle_pair
from mama_bot.model import Cleared, Delegation, SentBack, StoredTurn, Turn, TurnState, Withheld
from mama_bot.orchestrator.beginnings import TurnBeginnings
from mama_bot.orchestrator.branches import Branches
from mama_bot.orchestrator.delegation_outcomes import DelegationOutcomes
from mama_bot.orchestrator.live_exchanges import RunningExchanges
from mama_bot.orchestrator.team import Team
from mama_bot.protocols import Outbox
from mama_bot.team_tools import Caller, ToolRefused
from mama_bot.turns import notices
from mama_bot.turns.new_turns import came_of, delegated_turn, told_calls
from mama_bot.turns.prompts import results_text
from mama_bot.turns.schedule import ReportResults, delegations_of, settlement_of
from mama_bot.turns.workspaces import Workspaces

log = structlog.get_logger(__name__)

BEGUN = "{recipient} works on it in the background. You are told when it is done; do not wait for it in this turn."
STILL_AT_WORK = (
    "{recipient} still works on it after {seconds:.0f} s. Go on with what does not need it, or end your turn: you are "
    "told the outcome when it is there."
)
SPENT = (
    "Not carried out: this request has used up its {budget} delegations. Do the rest yourself, or report what is open."
)

NOWHERE = (
    "Not carried out: your last {rounds} rounds with {recipient} brought no new tool call, file or figure, and a "
    "person was told. Do the rest yourself, or report what is open."
)


class DelegationsInTurns:
    """Carries delegations out that come by a tool; whoever waits for one waits `wait_seconds` at most."""

    def __init__(
        self,
        *,
        running: RunningExchanges,
        workspaces: Workspaces,
        beginnings: TurnBeginnings,
        outcomes: DelegationOutcomes,
        outbox: Outbox,
        wait_seconds: float,
    ) -> None:
        self._running = running
        self._workspaces = workspaces
        self._beginnings = beginnings
        self._outcomes = outcomes
        self._outbox = outbox
        self._wait_seconds = wait_seconds

    async def carry_out(self, team: Team, branches: Branches, request: Request, caller: Caller) -> str:
        """Return what came of a delegation, or that it goes on; see `Delegate`."""
        turn = caller.turn
        delegation = delegation_of(
            request,
            sender=caller.persona,
            team=team.personas,
            language=turn.language,
            asked_for=turn.asked_for,
        )
        if not isinstance(delegation, Delegation):
            raise ToolRefused(delegation)
        delegation = _redacted(delegation, caller)
        await _judged(delegation, team, caller)
        async with branches.deciding:
            child = await self._stored(team, branches, delegation, caller)
        # Now, and not when there is a place for its agent: whoever asked goes on in the work tree that it is made from.
        await self._beginnings.laid_out(child, await branches.exchange(), team)
        if delegation.background:
            if child.work_tree == child.id:
                branches.begin(child)
            return BEGUN.format(recipient=child.persona)
        task = branches.begin(child)
        at_work = self._running.running_turn(turn)
        if at_work is None:
            raise ToolRefused("Your turn is over: nobody hears of this any more.")
        with caller.waits(), at_work[1].paused():
            await asyncio.wait([task], timeout=self._wait_seconds)
        if not task.done():
            return STILL_AT_WORK.format(recipient=child.persona, seconds=self._wait_seconds)
        return await self._told(team, branches, child, caller)

    async def _stored(self, team: Team, branches: Branches, delegation: Delegation, caller: Caller) -> Turn:
        """Return the turn of a delegation, stored: the one that is there already where the same was asked before."""
        turn, exchange = caller.turn, await branches.exchange()
        made = delegated_turn(
            turn,
            delegation,
            team.personas,
            f"t{_short(caller.call_id or delegation.request_key)}",
            apart=self._workspaces.works_apart(team.personas[delegation.recipient], turn.key),
        )
        for stored in exchange.turns:
            known = stored.turn
            if known.id == made.id or (known.parent == turn.id and _is_again(stored, delegation)):
                return known
        if delegations_of(exchange.turns) >= team.turns.hop_budget:
            raise ToolRefused(SPENT.format(budget=team.turns.hop_budget))
        rounds = team.loops.idle_rounds
        at_hand = AtHand(turn=turn.id, runs=caller.done().runs, text=delegation.task)
        if is_idle_pair(exchange.turns, delegation.sender, delegation.recipient, at_hand, rounds=rounds):
            log.warning("loop_stopped", sender=delegation.sender, recipient=delegation.recipient)
            await self._outbox.add(notices.pair_stopped(turn, delegation, rounds))
            raise ToolRefused(NOWHERE.format(recipient=delegation.recipient, rounds=rounds))
        await branches.add(made)
        log.info("delegated", to=made.persona, form=delegation.form.value, background=delegation.background)
        return made

    async def _told(self, team: Team, branches: Branches, child: Turn, caller: Caller) -> str:
        exchange = await branches.exchange()
        last = settlement_of(exchange.turns, child.id)
        if last is None:
            return STILL_AT_WORK.format(recipient=child.persona, seconds=self._wait_seconds)
        heard = await self._outcomes.heard(team, ReportResults(asking=caller.turn, settled=(last,)), exchange)
        below = [stored for stored in exchange.turns if came_of(stored.turn, child, exchange.turns)]
        await caller.told(heard.calls(told_calls(below)))
        now = next(stored.turn for stored in exchange.turns if stored.turn.id == child.id)
        await branches.hear(now)
        return results_text([last], heard.lines)


def _redacted(delegation: Delegation, caller: Caller) -> Delegation:
    return replace(
        delegation,
        task=caller.redacted(delegation.task),
        expected_outcome=caller.redacted(delegation.expected_outcome),
        required_tools=caller.redacted(delegation.required_tools),
        must_do=caller.redacted(delegation.must_do),
        must_not_do=caller.redacted(delegation.must_not_do),
        context=caller.redacted(delegation.context),
    )


async def _judged(delegation: Delegation, team: Team, caller: Caller) -> None:
    """Raise ToolRefused where a delegation would go back to its sender as part of a reply."""
    turn = caller.turn
    if team.handed_on is not None:
        objected = await team.handed_on.objection(delegation, turn, turn.language)
        if objected is not None:
            raise ToolRefused(objected.feedback)
    outcome = await caller.judged(as_directive(delegation))
    match outcome:
        case Cleared():
            return
        case SentBack():
            raise ToolRefused(f"[SENT BACK by {outcome.stage}] {outcome.feedback}\n\nNothing was delegated.")
        case Withheld():
            raise ToolRefused(f"{outcome.reason} Nothing was delegated.")
        case unexpected:
            assert_never(unexpected)


def _is_again(stored: StoredTurn, delegation: Delegation) -> bool:
    """Whether a turn is of the same delegation, came to no bad end, and its sender has not heard of it: a call that is
    made anew after a crash.
    """
    asked = stored.turn.delegation
    same = asked is not None and asked.request_key == delegation.request_key
    return same and not stored.turn.heard and stored.state in (TurnState.PENDING, TurnState.RUNNING, TurnState.ANSWERED)


def _short(call_id: str) -> str:
    return hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
