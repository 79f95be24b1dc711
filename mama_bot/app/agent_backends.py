"""What answers for the personas: the claude CLI, with a real model or with the scripted one, and other CLIs."""

import hashlib
import secrets
import shutil
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import structlog

from mama_bot.agents.acp_agents import CLIS
from mama_bot.agents.acp_tools import OfferedTools
from mama_bot.agents.agent_surroundings import AgentSurroundings
from mama_bot.agents.claude import ClaudeBackend
from mama_bot.agents.claude_transcripts import KeptTranscripts
from mama_bot.agents.homes import make_run_directory
from mama_bot.app.configuration import Configuration
from mama_bot.app.containment import sandbox_of, tell_what_is_not_contained
from mama_bot.app.provisions import RepositoryProvisions, work_repository
from mama_bot.app.roles import pulse_of
from mama_bot.app.system_clock import SystemClock
from mama_bot.app.tool_boundary import told_tools
from mama_bot.config import AcpSettings, CheckpointLevel
from mama_bot.declarations import ReportTools
from mama_bot.metrics import Metrics
from mama_bot.model import NO_WORKFLOW
from mama_bot.protocols import AgentBackend, Approver, RuleRecords, RuleStates, SessionTranscripts, TeamTools
from mama_bot.repositories.snapshots import Snapshots
from mama_bot.repositories.work_trees import GitWorkTrees
from mama_bot.rules.breakers import RuleBreakers
from mama_bot.rules.rule_engine import RuleEngine
from mama_bot.rules.rule_guard import RuleGuard
from mama_bot.runs import RunReader
from mama_bot.runs.runner_files import RunnerFiles
from mama_bot.team_tools.door import ToolDoor
from mama_bot.tool_policy.guards import Guards
from mama_bot.tool_policy.outbound import OutboundCommands
from mama_bot.tool_policy.readers import NoCommands, ReadersLook
from mama_bot.wording import Said

if TYPE_CHECKING:  # who has an account needs no demo, and who works with Claude alone no other protocol
    from mama_bot.agents.acp_backend import AcpBackend
    from mama_bot.demo.model_script import ModelScript

log = structlog.get_logger(__name__)

STORY_DELAY_SECONDS = 0.8
AGENTS = "agents"  # where what the CLI keeps of each agent lies, in the data directory


@asynccontextmanager
async def agent_backends(
    configuration: Configuration,
    script: "ModelScript | None",
    backends: Mapping[str, AgentBackend] | None,
    metrics: Metrics,
    snapshots: Snapshots,
    states: RuleStates,
    breakers: RuleBreakers,
    approver: Approver,
    team_tools: TeamTools,
    transcripts: SessionTranscripts | None,
) -> AsyncIterator[Mapping[str, AgentBackend]]:
    """Run what answers, by name: the given ones, else the claude CLI, with the scripted model where that is chosen."""
    if backends is not None:
        yield backends
        return
    async with AsyncExitStack() as stack:
        further: list[AgentBackend] = [
            await stack.enter_async_context(backend)
            for backend in _further(
                configuration,
                metrics,
                snapshots,
                states,
                breakers,
                approver,
                OfferedTools(door=await stack.enter_async_context(_door(configuration)), tools=team_tools),
            )
        ]
        async with _with_claude(
            configuration, script, metrics, snapshots, states, breakers, approver, team_tools, transcripts
        ) as claude:
            yield {claude.name: claude, **{backend.name: backend for backend in further}}


@asynccontextmanager
async def _with_claude(
    configuration: Configuration,
    script: "ModelScript | None",
    metrics: Metrics,
    snapshots: Snapshots,
    states: RuleStates,
    breakers: RuleBreakers,
    approver: Approver,
    team_tools: TeamTools,
    transcripts: SessionTranscripts | None,
) -> AsyncIterator[ClaudeBackend]:
    if configuration.scripted:
        from mama_bot.demo.model_server import ModelServer
        from mama_bot.demo.story import story

        in_shop = not configuration.settings.default_repository
        chosen = story(delay_seconds=STORY_DELAY_SECONDS, in_shop=in_shop) if script is None else script
        async with ModelServer(script=chosen) as server:
            log.info("model_is_scripted", port=urlsplit(server.url).port)
            environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "scripted"}
            async with _claude(
                configuration, environment, metrics, snapshots, states, breakers, approver, team_tools, transcripts
            ) as claude:
                yield claude
    else:
        async with _claude(
            configuration, {}, metrics, snapshots, states, breakers, approver, team_tools, transcripts
        ) as claude:
            yield claude


def rule_breakers_of(
    configuration: Configuration, records: RuleRecords, metrics: Metrics, alarm: Callable[[str, Said], None]
) -> RuleBreakers:
    """Return what leaves out rules that fail, for all sessions of this service."""
    settings = configuration.settings.rules
    breakers = RuleBreakers(
        rules=configuration.rules,
        records=records,
        failures=settings.failures_to_open,
        cooldown=timedelta(seconds=settings.cooldown_seconds),
        now=SystemClock().now,
        metrics=metrics,
        alarm=alarm,
    )

    def follow(new: Configuration) -> None:
        rules = new.settings.rules
        cooldown = timedelta(seconds=rules.cooldown_seconds)
        breakers.go_by(new.rules, failures=rules.failures_to_open, cooldown=cooldown)

    configuration.followers.add(follow)
    return breakers


def rule_guard_of(
    configuration: Configuration, states: RuleStates, metrics: Metrics, breakers: RuleBreakers
) -> RuleGuard:
    """Return the rules of this service as a guard of sessions."""
    claims = configuration.settings.enforcement.claim_check
    guard = RuleGuard(
        engine=RuleEngine(configuration.rules),
        states=states,
        reader=lambda workspace: RunReader(commands=claims.commands, workspace=workspace),
        protected_branches=configuration.settings.rules.protected_branches,
        now=SystemClock().now,
        metrics=metrics,
        breakers=breakers,
        workflows=configuration.workflows,
        workflow=configuration.settings.rules.workflow or NO_WORKFLOW,
        levels_of=lambda workspace: levels_in(configuration, workspace),
    )

    def follow(new: Configuration) -> None:
        rules = new.settings.rules
        guard.go_by(
            RuleEngine(new.rules),
            protected_branches=rules.protected_branches,
            workflows=new.workflows,
            workflow=rules.workflow or NO_WORKFLOW,
        )

    configuration.followers.add(follow)
    return guard


def levels_in(configuration: Configuration, workspace: Path) -> Mapping[str, CheckpointLevel]:
    """Return what checkpoints do where an agent works, by the settings of its repository."""
    if not any(each.checkpoints for each in configuration.settings.repositories.values()):
        return {}
    repository = work_repository(configuration, workspace)
    return {} if repository is None else repository[1].checkpoints


def _claude(
    configuration: Configuration,
    overrides: Mapping[str, str],
    metrics: Metrics,
    snapshots: Snapshots,
    states: RuleStates,
    breakers: RuleBreakers,
    approver: Approver,
    team_tools: TeamTools,
    transcripts: SessionTranscripts | None,
) -> ClaudeBackend:
    tell_what_is_not_contained(configuration)
    environment = dict(configuration.environment)
    if overrides:  # a real login must never reach the scripted model's server
        for name in [*environment]:
            if name in ("ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN") or name.startswith("CLAUDE_CODE_USE_"):
                del environment[name]
    around = _surroundings(configuration, metrics, snapshots, states, breakers, approver)
    return ClaudeBackend(
        settings=configuration.settings.claude,
        state_directory=configuration.directory / AGENTS,
        mark=_mark(configuration),
        environment=environment | dict(overrides),
        home=configuration.home,
        system_prompt=around.system_prompt,
        redact=around.redact,
        clock=around.clock,
        new_uuid=around.new_uuid,
        trees=around.trees,
        reader=around.reader,
        metrics=metrics,
        guard=around.guard,
        watch=around.watch,
        approver=approver,
        sandbox=around.sandbox,
        limits=around.limits,
        umask=around.umask,
        pulse=around.pulse,
        tool_variables=around.tool_variables,
        declarations=around.declarations,
        team_tools=team_tools,
        provisions=around.provisions,
        transcripts=None
        if transcripts is None
        else KeptTranscripts(records=transcripts, redact=around.redact, metrics=metrics),
        priced=not configuration.scripted,
    )


def _further(
    configuration: Configuration,
    metrics: Metrics,
    snapshots: Snapshots,
    states: RuleStates,
    breakers: RuleBreakers,
    approver: Approver,
    offered: OfferedTools,
) -> "Iterator[AcpBackend]":
    """Yield the backends beside Claude that personas name."""
    chosen = cli_settings(configuration)
    named = {name for persona in configuration.personas.values() for name in persona.backends}
    for name, cli in CLIS.items():
        if name in named:
            from mama_bot.agents.acp_backend import AcpBackend

            yield AcpBackend(
                cli=cli,
                settings=chosen[name],
                state_directory=configuration.directory / AGENTS / name,
                mark=_mark(configuration),
                environment=configuration.environment,
                home=configuration.home,
                surroundings=replace(
                    _surroundings(configuration, metrics, snapshots, states, breakers, approver), offered=offered
                ),
            )


@asynccontextmanager
async def _door(configuration: Configuration) -> AsyncIterator[ToolDoor]:
    """Open the way to the tools for CLIs that start a server of their own; nothing listens before one is let in."""
    directory = make_run_directory(f"{_mark(configuration)}-door")
    try:
        async with ToolDoor(directory=directory, new_token=secrets.token_urlsafe) as door:
            yield door
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def cli_settings(configuration: Configuration) -> Mapping[str, AcpSettings]:
    """Return the settings of each CLI beside Claude, by its name."""
    settings = configuration.settings
    return {
        "gemini": settings.gemini,
        "opencode": settings.opencode,
        "codex": settings.codex,
        "acp": settings.acp,
    }


def _mark(configuration: Configuration) -> str:
    return hashlib.sha256(str(configuration.own_directory.resolve()).encode()).hexdigest()[:16]


def _surroundings(
    configuration: Configuration,
    metrics: Metrics,
    snapshots: Snapshots,
    states: RuleStates,
    breakers: RuleBreakers,
    approver: Approver,
) -> AgentSurroundings:
    """Return what sessions are judged by, watched by and recorded with, whatever CLI they are of."""
    directory, claims = configuration.directory, configuration.settings.enforcement.claim_check
    sandbox = sandbox_of(configuration)
    commands = OutboundCommands(RunReader(commands=claims.commands, workspace=directory))
    rules = rule_guard_of(configuration, states, metrics, breakers)
    return AgentSurroundings(
        redact=configuration.redactor(),
        clock=SystemClock(),
        new_uuid=lambda: str(uuid.uuid4()),
        system_prompt=lambda persona: persona.instructions or persona.prompt,
        guard=Guards(ReadersLook(commands if sandbox is not None else NoCommands()), rules),
        declarations=ReportTools(),
        trees=GitWorkTrees(snapshots=snapshots, deciding=RunnerFiles()),
        reader=lambda workspace: RunReader(commands=claims.commands, workspace=workspace, junit_xml=claims.junit_xml),
        watch=rules,
        approver=approver,
        provisions=RepositoryProvisions(configuration).of,
        sandbox=sandbox,
        limits=configuration.settings.sandbox.limits.model_dump(),
        umask=configuration.umask,
        pulse=pulse_of(configuration),
        tool_variables=told_tools(directory),
        metrics=metrics,
    )
