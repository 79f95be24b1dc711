"""The commands of a service, put together from its parts."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping

from mama_bot.agents.homes import home_name
from mama_bot.app.agent_backends import AGENTS
from mama_bot.app.agent_parts import active_workflows
from mama_bot.app.configuration import Configuration
from mama_bot.app.platforms import personas_default_first
from mama_bot.app.provisions import RepositoryProvisions
from mama_bot.app.trigger_parts import Triggers
from mama_bot.app.work_parts import WorkParts, deed_commands
from mama_bot.budgets.budgets import Budgets
from mama_bot.checkouts import Checkouts
from mama_bot.consent.approval_desk import ApprovalDesk
from mama_bot.intake.access import Access
from mama_bot.intake.board_answers import BoardCommands
from mama_bot.intake.budget_command import BudgetCommand
from mama_bot.intake.chat_commands import ChatCommands
from mama_bot.intake.own_conversations import OwnConversations
from mama_bot.intake.question_lines import QuestionLines
from mama_bot.intake.repository_command import RepositoryCommand
from mama_bot.intake.resumption import Resumption
from mama_bot.intake.schedules_command import SchedulesCommand
from mama_bot.intake.tool_approvals import ToolApprovals
from mama_bot.intake.workflow_command import WorkflowCommand
from mama_bot.message_line import MessageStandings
from mama_bot.metrics import Metrics
from mama_bot.model import (
    BoardId,
    Command,
    ConversationKey,
    Hearing,
    InboundMessage,
    Platform,
    RefusedOffer,
    board_of,
)
from mama_bot.orchestrator import Orchestrator
from mama_bot.protocols import Clock, RuleReports
from mama_bot.store import Store


def chat_commands(
    configuration: Configuration,
    *,
    store: Store,
    forget_sessions: Callable[[ConversationKey], int],
    orchestrator: Orchestrator,
    checkouts: Checkouts,
    access: Access,
    standings: MessageStandings,
    triggers: Triggers,
    work: WorkParts,
    budgets: Budgets,
    approvals: ApprovalDesk,
    rule_reports: RuleReports,
    hearing: Callable[[], Mapping[Platform, Hearing]],
    clock: Clock,
    metrics: Metrics,
) -> ChatCommands:
    """Return what answers the commands of every gateway."""

    async def accept(message: InboundMessage) -> bool:
        taken = await store.inbox.accept(message)
        if taken:
            await standings.taken(message)
        return taken

    provisions = RepositoryProvisions(configuration)

    async def repository_of(command: Command) -> str:
        return (await checkouts.view(command.key, command.author.id, looks=False)).name

    async def refused(command: Command) -> RefusedOffer:
        return await provisions.refused(await repository_of(command))

    workflow = WorkflowCommand(
        workflows=active_workflows(configuration, store),
        choices=store.workflow_choices,
        states=store.rule_states,
        session_of=store.turns.session,
        repository_of=repository_of,
        is_owner=access.is_owner,
        now=clock.now,
    )

    async def board(command: Command) -> BoardId:
        return board_of(await repository_of(command), command.key)

    budget = BudgetCommand(
        budgets=budgets,
        records=store.spendings,
        history=store.history,
        personas=tuple(configuration.personas),
        is_owner=access.is_owner,
        zone=lambda: budgets.zone,
        clock=clock,
    )
    boards = BoardCommands(topics=store.topics, items=store.items, board_of=board)
    return ChatCommands(
        personas=personas_default_first(configuration),
        exchanges=orchestrator,
        forget_sessions=forget_sessions,
        context=store.context,
        history=store.history,
        receipts=store.receipts,
        reports=store.reports,
        rule_reports=rule_reports,
        measurements=store.measures,
        posted=store.outbox,
        exchange_of=store.turns.load,
        is_owner=access.is_owner,
        resumption=Resumption(
            accept=accept,
            history=store.history,
            exchange_of=store.turns.load,
            is_owner=access.is_owner,
            clock=clock,
        ),
        pairings=store.pairings,
        reviews=store.reviews,
        items=boards.items,
        topics=boards.topics,
        schedules=SchedulesCommand(
            standings=triggers.schedules.standings,
            hooks=[(name, hook.channel) for name, hook in configuration.settings.webhooks.items()],
            pauses=triggers.pauses,
            is_owner=access.is_owner,
        ).answer,
        budget=budget.answer,
        budget_lines=budget.lines,
        workflow=workflow.answer,
        standing_of=workflow.standing_of,
        tool_approvals=ToolApprovals(desk=approvals, is_owner=access.is_owner, metrics=metrics).answer,
        questions=QuestionLines(
            waiting=store.tool_questions.unanswered, asked=store.tool_questions.of_turn, clock=clock
        ),
        repository=RepositoryCommand(checkouts=checkouts, is_owner=access.is_owner, runs=orchestrator.runs).answer,
        conversations=OwnConversations(
            kept=store.conversations, forget_sessions=forget_sessions, remove_homes=_homes_removed(configuration)
        ),
        refused=refused,
        about_posts=deed_commands(
            work, store=store, checkouts=checkouts, access=access, clock=clock, metrics=metrics
        ).by_name,
        hearing=hearing,
        clock=clock,
        metrics=metrics,
    )


def _homes_removed(configuration: Configuration) -> Callable[[ConversationKey], Awaitable[None]]:
    """Return the function that removes what the CLI kept of a conversation, its transcripts above all."""

    async def remove(key: ConversationKey) -> None:
        for persona in configuration.personas:
            home = configuration.directory / AGENTS / home_name(key, persona)
            await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)

    return remove
