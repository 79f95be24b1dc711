"""The commands of a service, put together from its parts."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable

from mama_bot.agents.homes import home_name
from mama_bot.app.agent_backends import AGENTS
from mama_bot.app.agent_parts import active_workflows
from mama_bot.app.configuration import Configuration
from mama_bot.app.exchange_parts import ExchangeParts
from mama_bot.app.foundation import Foundation
from mama_bot.app.node_parts import sessions_forgotten
from mama_bot.app.outlets import Outlets
from mama_bot.app.platforms import personas_default_first
from mama_bot.app.provisions import RepositoryProvisions
from mama_bot.app.supervision_parts import Supervision
from mama_bot.app.work_parts import WorkParts, deed_commands
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
from mama_bot.model import BoardId, Command, ConversationKey, InboundMessage, RefusedOffer, board_of


def chat_commands(
    base: Foundation,
    supervision: Supervision,
    work: WorkParts,
    outlets: Outlets,
    exchanges: ExchangeParts,
    access: Access,
) -> ChatCommands:
    """Return what answers the commands of every gateway."""
    configuration, store, clock, metrics = base.configuration, base.store, base.clock, base.metrics
    forget_sessions = sessions_forgotten(base.pool.forget, store.events, store.nodes.id)
    place = _CommandPlaces(base)
    workflow = _workflow(base, place, access)
    budget = _budget(base, supervision, access)
    boards = BoardCommands(topics=store.topics, items=store.items, board_of=place.board)
    deeds = deed_commands(work, store=store, checkouts=base.checkouts, access=access, clock=clock, metrics=metrics)
    return ChatCommands(
        personas=personas_default_first(configuration),
        exchanges=exchanges.orchestrator,
        forget_sessions=forget_sessions,
        context=store.context,
        history=store.history,
        receipts=store.receipts,
        reports=store.reports,
        rule_reports=base.breakers,
        measurements=store.measures,
        posted=store.outbox,
        exchange_of=store.turns.load,
        is_owner=access.is_owner,
        resumption=_resumption(base, exchanges, access),
        pairings=store.pairings,
        reviews=store.reviews,
        items=boards.items,
        topics=boards.topics,
        schedules=_schedules(configuration, outlets, access).answer,
        budget=budget.answer,
        budget_lines=budget.lines,
        workflow=workflow.answer,
        standing_of=workflow.standing_of,
        tool_approvals=ToolApprovals(desk=base.answering.approvals, is_owner=access.is_owner, metrics=metrics).answer,
        questions=QuestionLines(
            waiting=store.tool_questions.unanswered, asked=store.tool_questions.of_turn, clock=clock
        ),
        repository=RepositoryCommand(
            checkouts=base.checkouts, is_owner=access.is_owner, runs=exchanges.orchestrator.runs
        ).answer,
        conversations=OwnConversations(
            kept=store.conversations, forget_sessions=forget_sessions, remove_homes=_homes_removed(configuration)
        ),
        refused=place.refused,
        about_posts=deeds.by_name,
        hearing=supervision.hearing,
        clock=clock,
        metrics=metrics,
    )


class _CommandPlaces:
    """The repository of the conversation that a command comes from, with its board and what it offers in vain."""

    def __init__(self, base: Foundation) -> None:
        self._checkouts = base.checkouts
        self._provisions = RepositoryProvisions(base.configuration)

    async def repository(self, command: Command) -> str:
        return (await self._checkouts.view(command.key, command.author.id, looks=False)).name

    async def board(self, command: Command) -> BoardId:
        return board_of(await self.repository(command), command.key)

    async def refused(self, command: Command) -> RefusedOffer:
        return await self._provisions.refused(await self.repository(command))


def _workflow(base: Foundation, place: _CommandPlaces, access: Access) -> WorkflowCommand:
    return WorkflowCommand(
        workflows=active_workflows(base.configuration, base.store),
        choices=base.store.workflow_choices,
        states=base.store.rule_states,
        session_of=base.store.turns.session,
        repository_of=place.repository,
        is_owner=access.is_owner,
        now=base.clock.now,
    )


def _budget(base: Foundation, supervision: Supervision, access: Access) -> BudgetCommand:
    budgets = supervision.budgets
    return BudgetCommand(
        budgets=budgets,
        records=base.store.spendings,
        history=base.store.history,
        personas=tuple(base.configuration.personas),
        is_owner=access.is_owner,
        zone=lambda: budgets.zone,
        clock=base.clock,
    )


def _resumption(base: Foundation, exchanges: ExchangeParts, access: Access) -> Resumption:
    """Return what asks the same again, by a message like any other."""
    store, standings = base.store, exchanges.standings

    async def accept(message: InboundMessage) -> bool:
        taken = await store.inbox.accept(message)
        if taken is not None:
            await standings.taken(message, taken)
        return taken is not None

    return Resumption(
        accept=accept,
        history=store.history,
        exchange_of=store.turns.load,
        is_owner=access.is_owner,
        clock=base.clock,
    )


def _schedules(configuration: Configuration, outlets: Outlets, access: Access) -> SchedulesCommand:
    return SchedulesCommand(
        standings=outlets.triggers.schedules.standings,
        hooks=[(name, hook.channel) for name, hook in configuration.settings.webhooks.items()],
        pauses=outlets.triggers.pauses,
        is_owner=access.is_owner,
    )


def _homes_removed(configuration: Configuration) -> Callable[[ConversationKey], Awaitable[None]]:
    """Return the function that removes what the CLI kept of a conversation, its transcripts above all."""

    async def remove(key: ConversationKey) -> None:
        for persona in configuration.personas:
            home = configuration.directory / AGENTS / home_name(key, persona)
            await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)

    return remove
