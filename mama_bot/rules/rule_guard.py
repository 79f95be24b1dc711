"""The rules as a guard of sessions: state from the store, facts from the disk, the decision, and what it leaves."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

import structlog

from mama_bot.locks import KeyedLocks
from mama_bot.metrics import Metrics
from mama_bot.model import (
    NO_WORKFLOW,
    Allow,
    Amend,
    Block,
    CallReading,
    Decision,
    Moment,
    Phase,
    RuleState,
    TaskState,
    ToolAsked,
    ToolCall,
    ToolEnded,
    ToolRun,
    ToolTurn,
    WorkflowStanding,
)
from mama_bot.protocols import CallReader, RuleStates
from mama_bot.recent import Recent
from mama_bot.rules.breakers import RuleBreakers
from mama_bot.rules.conditions import Bound
from mama_bot.rules.rule_engine import Levels, RuleEngine, Ruling, changes_of, combined, looked_twice
from mama_bot.rules.session_progress import after_call, at_task, counted, warned
from mama_bot.rules.surroundings import surroundings
from mama_bot.rules.values import called_in, readable_call, values_of, workflow_values
from mama_bot.rules.workflow import Workflow, workflow_of
from mama_bot.tool_names import by_deed, recalled
from mama_bot.wording import Language

MOST_SESSIONS = 500
LEFT_OUT = "The rule {name} cannot be checked at present; keep to it yourself: {about}"

log = structlog.get_logger(__name__)


class RuleGuard:
    """Decides about each moment of a session by rules: a `ToolGuard` and a `SessionWatch`.

    `reader` reads what a call of a workspace ran. What a rule amends of a call is decided about once more, as it would
    run. `workflow` is what personas are held to that name none of `workflows`, `levels_of` tells what
    checkpoints do in the project of a workspace.
    """

    def __init__(
        self,
        *,
        engine: RuleEngine,
        states: RuleStates,
        reader: Callable[[Path], CallReader],
        protected_branches: Sequence[str],
        now: Callable[[], datetime],
        metrics: Metrics,
        breakers: RuleBreakers,
        workflows: Mapping[str, Workflow] = MappingProxyType({}),
        workflow: str = NO_WORKFLOW,
        levels_of: Callable[[Path], Levels] = lambda _: {},
    ) -> None:
        self._engine = engine
        self._workflows = workflows
        self._workflow = workflow
        self._levels_of = levels_of
        self._states = states
        self._reader = reader
        self._protected = tuple(protected_branches)
        self._now = now
        self._metrics = metrics
        self._breakers = breakers
        self._reminded: Recent[str, frozenset[str]] = Recent(MOST_SESSIONS)
        self._known: Recent[str, RuleState] = Recent(MOST_SESSIONS)
        self._locks: KeyedLocks[str] = KeyedLocks()

    def go_by(
        self,
        engine: RuleEngine,
        *,
        protected_branches: Sequence[str],
        workflows: Mapping[str, Workflow],
        workflow: str,
    ) -> None:
        """Decide by these from the next moment on; what sessions are remembered for stays."""
        self._engine, self._protected = engine, tuple(protected_branches)
        self._workflows, self._workflow = workflows, workflow

    async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
        """See ToolGuard.decide."""
        return await self.at(ToolAsked(call=call), turn)

    async def at(self, moment: Moment, turn: ToolTurn) -> Decision:
        """See SessionWatch.at."""
        if isinstance(moment, ToolAsked | ToolEnded):
            moment = replace(moment, call=readable_call(by_deed(moment.call)))
        async with self._locks.held(turn.session):
            before, opened = await self._state(turn.session), await self._breakers.opened()
            ruling, after = await asyncio.to_thread(self._ruled, moment, turn, before, opened)
            if after != before:
                self._known[turn.session] = after
                if turn.session:
                    await self._states.save(turn.session, after)
        self._tell(ruling, moment, turn)
        await self._breakers.note(ruling, turn.session, turn.key)
        return self._with_sentences(ruling, turn.session)

    async def standing(self, turn: ToolTurn) -> WorkflowStanding | None:
        """See SessionWatch.standing."""
        workflow = workflow_of(turn, self._workflows, self._workflow)
        if workflow is None:
            return None
        task = (await self._state(turn.session)).task
        known = task.workflow == workflow.name
        return workflow.standing(task.open_steps if known else tuple(step.name for step in workflow.steps))

    async def _state(self, session: str) -> RuleState:
        if session and session not in self._known:
            self._known[session] = await self._states.load(session) or RuleState()
        return self._known.get(session, RuleState()) if session else RuleState()

    def _with_sentences(self, ruling: Ruling, session: str) -> Decision:
        """Return the decision with the sentences of rules that are left out, each once in a session."""
        opened = [match.rule for match in ruling.matches if match.opened and isinstance(match.decision, Allow)]
        known = self._reminded.get(session, frozenset())
        new = [rule for rule in opened if rule.name not in known]
        if not new or not isinstance(ruling.decision, Allow | Amend):
            return ruling.decision
        if session:
            self._reminded[session] = known | {rule.name for rule in new}
        lines = "\n".join(
            LEFT_OUT.format(name=rule.name, about=rule.purpose(Language.ENGLISH, rule.message.text)) for rule in new
        )
        reminder = Amend(rule=new[0].name, reason="the rule is left out for its failures", reminder=lines)
        return combined([ruling.decision, reminder])[0]

    def _ruled(
        self, moment: Moment, turn: ToolTurn, state: RuleState, opened: frozenset[str]
    ) -> tuple[Ruling, RuleState]:
        """Return what is decided, of a call that is changed as it would run too; the state knows the call that runs."""
        ruling, after = self._looked(moment, turn, state, opened)
        if isinstance(moment, ToolAsked) and (changes := changes_of(ruling.decision)):
            again, after = self._looked(ToolAsked(call=recalled(moment.call, changes)), turn, state, opened)
            ruling = looked_twice(ruling, again)
        return ruling, warned(after, _warnings(ruling))

    def _looked(
        self, moment: Moment, turn: ToolTurn, state: RuleState, opened: frozenset[str]
    ) -> tuple[Ruling, RuleState]:
        call, workflow = called_in(moment), workflow_of(turn, self._workflows, self._workflow)
        task = state.task
        if turn.read_only:  # a review is no part of the task that its persona works on
            state = replace(state, task=TaskState())
        state = at_task(state, turn.request, workflow.name if workflow is not None else "")
        place = surroundings(turn.workspace, call, state)
        if isinstance(moment, ToolEnded):
            state = after_call(state, moment, self._reading(moment, turn), place)
        values = values_of(
            moment,
            turn=turn,
            state=state,
            place=place,
            counters=self._engine.counters,
            protected_branches=self._protected,
        )
        if workflow is not None:
            standing = replace(state.task, open_steps=workflow.open_steps(Bound(values)))
            state = replace(state, task=standing)
            values = {**values, **workflow_values(standing, workflow.standing(standing.open_steps))}
        elif turn.read_only:
            state = replace(state, task=task)
        levels = self._levels_of(turn.workspace)
        ruling = self._engine.decide(moment.phase, call, values, levels=levels, opened=opened)
        return ruling, counted(state, ruling.counts, ruling.clears)

    def _reading(self, ended: ToolEnded, turn: ToolTurn) -> CallReading:
        call, now = ended.call, self._now()
        run = ToolRun(
            id="",
            tool=call.tool,
            arguments="",
            kind=call.kind,
            command=call.command,
            paths=call.paths,
            working_directory=call.directory,
            started_at=now,
            ended_at=now,
            ok=ended.ok,
            exit_status=ended.exit_status,
        )
        try:
            return self._reader(turn.workspace).read(run, arguments=call.arguments, output=ended.output)
        except Exception as error:  # noqa: BLE001 - one odd output must not end the turn; nothing of it is known then
            log.warning("call_not_read_for_rules", tool=call.tool, failure=f"{type(error).__name__}: {error}")
            return CallReading()

    def _tell(self, ruling: Ruling, moment: Moment, turn: ToolTurn) -> None:
        for match in ruling.matches:
            decided = match.decision.kind
            self._metrics.count("rules_matched", rule=match.rule.name, decision=decided)
            if match.failure:
                log.warning("rule_failed", rule=match.rule.name, failure=match.failure)
            elif not isinstance(match.decision, Allow):
                log.info(
                    "rule_spoke",
                    rule=match.rule.name,
                    decision=decided,
                    phase=moment.phase.value,
                    persona=turn.persona.name,
                    session=turn.session,
                )
        for conflict in ruling.conflicts:
            log.warning("rules_conflict", conflict=conflict.to(Language.ENGLISH))


def _warnings(ruling: Ruling) -> Sequence[str]:
    """Return the rules of a workflow that warned the agent now; where a person is asked, once that is approved."""
    if isinstance(ruling.decision, Block):
        return ()
    warning = [match.rule for match in ruling.matches if isinstance(match.decision, Amend)]
    return [rule.name for rule in warning if rule.workflow and rule.phase is Phase.TOOL]
