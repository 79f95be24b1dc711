"""What exchanges go by, made of the configuration."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from mama_bot.app.configuration import Configuration
from mama_bot.app.host_checks import checks_link, checks_of
from mama_bot.checkouts.work_places import borrowed_objects
from mama_bot.config import AccessSettings
from mama_bot.enforcement import build_chain, handed_on_judge
from mama_bot.enforcement.chain import Chain, ChainLink
from mama_bot.enforcement.host_checks import HostChecks
from mama_bot.intake.access import access_settings
from mama_bot.metrics import Metrics
from mama_bot.model import Platform, Progress, Turn
from mama_bot.orchestrator import Current, Team
from mama_bot.protocols import Clock, ReviewStates
from mama_bot.repositories import WorkspaceFiles, WorkspaceStandings
from mama_bot.repositories.changes import GitChanges
from mama_bot.review.filed_issues import FiledIssues
from mama_bot.review.rounds import ReviewRounds
from mama_bot.router import Router
from mama_bot.turns.prompts import system_prompt
from mama_bot.turns.workspaces import Workspaces


def team_of(
    configuration: Configuration,
    *,
    changes: GitChanges,
    checks: HostChecks,
    workspaces: Workspaces,
    reviews: ReviewStates,
    filed: FiledIssues | None = None,
    show: Callable[[Progress], Awaitable[None]],
    clock: Clock,
    metrics: Metrics,
) -> Team:
    """Return the team of a configuration; raises ConfigurationError for an expression that is no RE2.

    All of it goes by the personas of this configuration, where they work and what they are told included: a turn is
    judged where it works, whatever team comes after.
    """
    settings = configuration.settings
    personas = {
        name: replace(persona, instructions=system_prompt(persona, configuration.personas))
        for name, persona in configuration.personas.items()
    }
    workspace_of = workspaces.of(personas)
    checks_of_turn = checks_of(configuration, workspaces, personas)
    changes = changes.going_by(workspace_of)
    enforcement = settings.enforcement
    return Team(
        personas=personas,
        access=access_settings(settings),
        router=Router(personas=personas, settings=settings.router),
        chain=_chain(
            configuration,
            changes,
            checks_link(configuration, checks, workspace_of, checks_of_turn, show, clock),
            workspace_of,
            clock,
        ),
        reviews=ReviewRounds(
            settings=settings.reviews,
            personas=personas,
            states=reviews,
            changes=changes,
            metrics=metrics,
            words=enforcement.words.by_kind,
            filed=filed,
        ),
        turns=settings.turns,
        budgets=settings.budgets,
        loops=settings.loops,
        drift=settings.drift,
        breaker_rejections=enforcement.breaker_rejections,
        record_lines=enforcement.enabled and enforcement.record_line,
        checked=lambda turn: bool(checks_of_turn(turn)),
        scoped=enforcement.enabled and enforcement.scope_guard.enabled,
        handed_on=handed_on_judge(enforcement, configuration.personas),
    )


def served_by(team: Current[Team]) -> Callable[[], Mapping[Platform, AccessSettings]]:
    """Return what tells whom the team serves that there is at the moment."""

    def served() -> Mapping[Platform, AccessSettings]:
        return team.value.access

    return served


def _chain(
    configuration: Configuration,
    changes: GitChanges,
    checks: ChainLink,
    workspace_of: Callable[[Turn], Path],
    clock: Clock,
) -> Chain:
    return build_chain(
        settings=configuration.settings.enforcement,
        changed_files=changes,
        clock=clock,
        further=(checks,),
        present_files=WorkspaceFiles(workspace_of=workspace_of),
        standings=WorkspaceStandings(
            workspace_of=workspace_of,
            own=configuration.directory,
            borrowed=partial(borrowed_objects, configuration.directory.absolute()),
        ),
        team=configuration.personas,
    )
