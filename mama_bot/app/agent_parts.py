"""What answers for the personas, and who is asked before one of their calls runs."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mama_bot.app.agent_backends import agent_backends
from mama_bot.app.configuration import Configuration
from mama_bot.app.node_parts import settled_told, transcripts_of
from mama_bot.boards.agent_tools import board_tools
from mama_bot.consent.approval_desk import ApprovalDesk, AskingTurn
from mama_bot.consent.ask_person import ask_person_tool
from mama_bot.declarations import declaring_tools
from mama_bot.metrics import Metrics
from mama_bot.model import NO_WORKFLOW, SCRATCH, Author, BoardId, ConversationKey, Turn, TurnState, board_of
from mama_bot.orchestrator.delegate_tool import delegate_tool
from mama_bot.orchestrator.live_exchanges import RunningExchanges
from mama_bot.protocols import AgentBackend, Clock, RuleReports
from mama_bot.repositories.snapshots import Snapshots
from mama_bot.review.filed_issues import FiledIssues
from mama_bot.rules.active_workflow import ActiveWorkflows
from mama_bot.rules.breakers import RuleBreakers
from mama_bot.store import Store
from mama_bot.team_tools import ToolRegistry
from mama_bot.turns.blocked_calls import BlockedCalls
from mama_bot.turns.critical_actions import CriticalActions

if TYPE_CHECKING:  # who has an account needs no demo
    from mama_bot.demo.model_script import ModelScript

MOST_MESSAGES = 500  # so many may wait behind the one that is worked on


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringParts:
    """The backends by name, the desk at which people approve, the exchanges whose deadlines wait for it, and the tools
    that agents are offered, and where reviews file their issues.
    """

    agents: Mapping[str, AgentBackend]
    approvals: ApprovalDesk
    running: RunningExchanges
    tools: ToolRegistry
    filed: FiledIssues


@asynccontextmanager
async def agents_and_approvals(
    configuration: Configuration,
    script: "ModelScript | None",
    backends: Mapping[str, AgentBackend] | None,
    store: Store,
    snapshots: Snapshots,
    clock: Clock,
    metrics: Metrics,
    breakers: RuleBreakers,
) -> AsyncIterator[AnsweringParts]:
    """Run what answers, with a desk that asks people in the conversation of the call."""
    running = RunningExchanges(store.stops)

    async def turn_of(key: ConversationKey) -> AskingTurn | None:
        view = await store.history.view(key, MOST_MESSAGES)
        turn = next((stored.turn for stored in view.turns if stored.state is TurnState.RUNNING), None)
        if turn is None:
            return None
        exchange = await store.turns.load(turn.message_id)
        return AskingTurn(message_id=turn.message_id, asker=exchange.request.author.id, language=turn.language)

    desk = ApprovalDesk(
        questions=store.tool_questions,
        turn_of=turn_of,
        paused=running.paused,
        seconds=configuration.settings.rules.approval_seconds,
        redact=configuration.redactor(),
        clock=clock,
        metrics=metrics,
        tell_nodes=settled_told(store.events),
    )

    async def board(key: ConversationKey) -> BoardId:
        return board_of(await store.checkouts.assigned(key) or SCRATCH, key)

    async def asker(turn: Turn) -> Author:
        return (await store.turns.load(turn.message_id)).request.author

    seconds = configuration.settings.turns.answer_seconds
    ask = ask_person_tool(desk=desk, questions=store.tool_questions, asker=asker, seconds=seconds, clock=clock)
    boards = board_tools(store.topics, store.items, board)
    tools = ToolRegistry((*declaring_tools(), delegate_tool(running), ask, *boards))
    transcripts = transcripts_of(configuration, store)
    async with agent_backends(
        configuration, script, backends, metrics, snapshots, store.rule_states, breakers, desk, tools, transcripts
    ) as agents:
        filed = FiledIssues(items=store.items, board_of=board)
        yield AnsweringParts(agents=agents, approvals=desk, running=running, tools=tools, filed=filed)


def active_workflows(configuration: Configuration, store: Store) -> ActiveWorkflows:
    """Return what knows to which workflow work is held."""
    repositories = configuration.settings.repositories.items()
    active = ActiveWorkflows(
        workflows=configuration.workflows,
        default=configuration.settings.rules.workflow or NO_WORKFLOW,
        of_repository={name: settings.workflow for name, settings in repositories},
        choices=store.workflow_choices,
    )
    configuration.followers.add(lambda new: active.go_by(new.workflows, new.settings.rules.workflow or NO_WORKFLOW))
    return active


def critical_actions(configuration: Configuration) -> CriticalActions:
    """Return what verifies that a persona has what it needs before it speaks."""
    actions = CriticalActions(
        rules=[rule.name for rule in configuration.rules if rule.enabled],
        checked=[name for name, settings in configuration.settings.repositories.items() if settings.checks],
    )
    configuration.followers.add(lambda new: actions.go_by([rule.name for rule in new.rules if rule.enabled]))
    return actions


def blocked_calls(configuration: Configuration, reports: RuleReports, metrics: Metrics) -> BlockedCalls:
    """Return what says whether a turn gets a further try after what rules blocked of it."""
    most = configuration.settings.rules.give_up_after_blocks
    return BlockedCalls(reports=reports, most=most, metrics=metrics)
