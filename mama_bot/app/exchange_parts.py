"""What happens after a message: who works for it and where, one turn after the other, put together."""

from dataclasses import dataclass
from functools import partial

from mama_bot.app.agent_parts import active_workflows, blocked_calls, critical_actions
from mama_bot.app.current_team import team_of
from mama_bot.app.foundation import Foundation
from mama_bot.app.host_checks import host_checks
from mama_bot.app.kept_files import outgoing_files
from mama_bot.app.node_parts import transcripts_of
from mama_bot.app.outlets import Outlets
from mama_bot.app.service_parts import drift_of, written_boards
from mama_bot.app.supervision_parts import Supervision
from mama_bot.app.work_parts import WorkParts
from mama_bot.boards.repository_files import DIRECTORY as BOARD_FILES
from mama_bot.message_line import MessageStandings
from mama_bot.orchestrator import Current, Orchestrator, Team
from mama_bot.orchestrator.beginnings import TurnBeginnings
from mama_bot.orchestrator.delegation_outcomes import DelegationOutcomes
from mama_bot.orchestrator.delegations import DelegationsInTurns
from mama_bot.orchestrator.endings import TurnEndings
from mama_bot.orchestrator.first_turns import FirstTurns
from mama_bot.orchestrator.foreign_chains import ForeignChains
from mama_bot.orchestrator.record_lines import RecordLines
from mama_bot.repositories.changes import GitChanges
from mama_bot.repositories.line_counts import GitLineCounts
from mama_bot.turns.agent_troubles import AgentTroubles
from mama_bot.turns.backend_choices import BackendChoices
from mama_bot.turns.turn_runner import TurnRunner
from mama_bot.turns.workspaces import Workspaces


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeParts:
    """What runs exchanges, the team they go by, and where their agents work."""

    team: Current[Team]
    workspaces: Workspaces
    standings: MessageStandings
    orchestrator: Orchestrator


def exchange_parts(base: Foundation, supervision: Supervision, work: WorkParts, outlets: Outlets) -> ExchangeParts:
    """Return what runs exchanges; raises ConfigurationError for a team that cannot be used."""
    workspaces = Workspaces(
        root=base.configuration.directory / "workspaces",
        checkouts=base.checkouts,
        delegate_trees=work.delegate_trees,
    )
    # What agents say of their work on a board is none of what a reviewer goes by.
    changes = GitChanges(
        workspace_of=workspaces.of(base.configuration.personas),
        snapshots=base.snapshots,
        unshown=(f"{BOARD_FILES}/",),
    )
    team = _team(base, supervision, outlets, workspaces, changes)
    runner = _runner(base, work, outlets, workspaces)
    standings = MessageStandings(inbox=base.store.inbox, mark=outlets.told.mark)
    return ExchangeParts(
        team=team,
        workspaces=workspaces,
        standings=standings,
        orchestrator=_orchestrator(
            base,
            supervision,
            work,
            outlets,
            team=team,
            runner=runner,
            changes=changes,
            standings=standings,
            workspaces=workspaces,
        ),
    )


def _team(
    base: Foundation, supervision: Supervision, outlets: Outlets, workspaces: Workspaces, changes: GitChanges
) -> Current[Team]:
    """Return the team of the start, made anew of each configuration that is taken later."""
    return supervision.at_work.begin(
        partial(
            team_of,
            changes=changes,
            checks=host_checks(base.configuration, changes, base.clock),
            workspaces=workspaces,
            reviews=base.store.reviews,
            filed=base.answering.filed,
            show=outlets.told.show,
            clock=base.clock,
            metrics=base.metrics,
        )
    )


def _runner(base: Foundation, work: WorkParts, outlets: Outlets, workspaces: Workspaces) -> TurnRunner:
    """Return what lets one agent come to one reply."""
    configuration, store, clock, metrics = base.configuration, base.store, base.clock, base.metrics
    settings = configuration.settings
    return TurnRunner(
        pool=base.pool,
        turns=store.turns,
        context=store.context,
        workspaces=workspaces,
        show=outlets.told.show,
        turn_settings=settings.turns,
        context_settings=settings.context,
        changes=work.changes,
        clock=clock,
        metrics=metrics,
        tools=base.answering.tools,
        troubles=AgentTroubles(settings=settings.pool, clock=clock, metrics=metrics, alarm=base.alarms.put),
        choices=BackendChoices(settings=settings.pool, clock=clock, metrics=metrics),
        tell=store.outbox.add,
        in_turn_retries=settings.claude.in_turn_retries,
        redact=configuration.redactor(),
        workflows=active_workflows(configuration, store),
        actions=critical_actions(configuration),
        blocked=blocked_calls(configuration, base.breakers, metrics),
        moved=None if (transcripts := transcripts_of(configuration, store)) is None else transcripts.is_elsewhere,
    )


def _orchestrator(
    base: Foundation,
    supervision: Supervision,
    work: WorkParts,
    outlets: Outlets,
    *,
    team: Current[Team],
    runner: TurnRunner,
    changes: GitChanges,
    standings: MessageStandings,
    workspaces: Workspaces,
) -> Orchestrator:
    """Return what runs the turns of an exchange in order."""
    configuration, store, clock, metrics = base.configuration, base.store, base.clock, base.metrics
    answering = base.answering
    beginnings = TurnBeginnings(turns=store.turns, workspaces=workspaces, trees=changes)
    outcomes = DelegationOutcomes(trees=work.delegate_trees, outbox=store.outbox)
    endings = _endings(base, work, workspaces)
    first_turns = FirstTurns(
        turns=store.turns,
        outbox=store.outbox,
        chains=ForeignChains(history=store.history, outbox=store.outbox, clock=clock, metrics=metrics),
        endings=endings,
    )
    delegations = DelegationsInTurns(
        running=answering.running,
        workspaces=workspaces,
        beginnings=beginnings,
        outcomes=outcomes,
        outbox=store.outbox,
        wait_seconds=configuration.settings.turns.delegation_seconds,
    )
    return Orchestrator(
        team=team,
        runner=runner,
        budgets=supervision.budgets,
        first_turns=first_turns,
        drift_of=drift_of(team, configuration, metrics),
        beginnings=beginnings,
        outcomes=outcomes,
        approvals=answering.approvals,
        endings=endings,
        delegations=delegations,
        boards=written_boards(configuration, store, base.checkouts),
        turns=store.turns,
        stops=store.stops,
        running=answering.running,
        inbox=store.inbox,
        outbox=store.outbox,
        show=outlets.told.show,
        standings=standings,
        clock=clock,
        metrics=metrics,
    )


def _endings(base: Foundation, work: WorkParts, workspaces: Workspaces) -> TurnEndings:
    """Return what makes replies of what was cleared, with their files and lines of facts."""
    return TurnEndings(
        turns=base.store.turns,
        outgoing=outgoing_files(base.configuration, base.metrics),
        record_lines=RecordLines(counts=GitLineCounts(snapshots=base.snapshots)),
        workspaces=workspaces,
        changes=work.changes,
        metrics=base.metrics,
    )
