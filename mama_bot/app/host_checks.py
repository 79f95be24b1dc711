"""The checks of workspaces as the service runs them: where, with what, and for whom."""

import os
import tempfile
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path

from mama_bot.app.configuration import Configuration
from mama_bot.app.containment import sandbox_of
from mama_bot.app.roles import pulse_of
from mama_bot.config import WorkspaceCheck
from mama_bot.confinement.plans import SHARED_MEMORY, Plan
from mama_bot.confinement.processes import end_marked
from mama_bot.confinement.sandbox import Sandbox
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.chain import ChainLink
from mama_bot.enforcement.host_checks import CheckPlace, HostChecks, Installations, sweep
from mama_bot.enforcement.host_checks.stage import CheckedWorkspace, WorkspaceChecks
from mama_bot.model import AgentPersona, CheckSeen, Progress, Turn, TurnKind, TurnWorking
from mama_bot.protocols import Clock
from mama_bot.repositories.changes import GitChanges
from mama_bot.turns.workspaces import Workspaces

SEEN = ("PATH", "LANG", "TZ")
END_MARKED = partial(end_marked, term_seconds=0)


def checks_of(
    configuration: Configuration, workspaces: Workspaces, personas: Mapping[str, AgentPersona]
) -> Callable[[Turn], tuple[WorkspaceCheck, ...]]:
    """Return what says which checks a turn's work is to pass: those of its repository, none where they are off."""
    enforcement = configuration.settings.enforcement
    enabled = enforcement.enabled and enforcement.workspace_checks.enabled

    def checks(turn: Turn) -> tuple[WorkspaceCheck, ...]:
        persona = personas.get(turn.persona)
        if persona is None or not enabled:
            return ()
        repository = configuration.settings.repositories.get(workspaces.repository(persona, turn.key))
        return () if repository is None else repository.checks

    return checks


@asynccontextmanager
async def checks_swept(configuration: Configuration) -> AsyncIterator[None]:
    """Sweep what checks leave behind: of an earlier life that was killed, and of this one."""
    own = mark(configuration)
    await sweep(_place(own), own, end_marked)
    try:
        yield
    finally:
        await sweep(_place(own), own, end_marked)


def host_checks(
    configuration: Configuration, changes: GitChanges, clock: Clock, *, installations: Path | None = None
) -> HostChecks:
    """Return what carries the checks out, in the temporary directory; packages are kept in the data directory.

    `installations` is another place for these.
    """
    own = mark(configuration)
    return HostChecks(
        repositories=changes,
        place=_place(own),
        mark=own,
        environment={name: value for name in SEEN if (value := configuration.environment.get(name))},
        redact=configuration.redactor(),
        installations=Installations(installations or configuration.own_directory / "check_packages"),
        plan_of=partial(check_plan, configuration, sandbox_of(configuration)),
        end_marked=END_MARKED,
        new_id=lambda: uuid.uuid4().hex[:16],
        clock=clock,
    )


def check_plan(configuration: Configuration, sandbox: Sandbox | None, place: CheckPlace) -> Plan:
    """Return what a check reaches: the machine's tools, the files that it checks, a home and a directory of its own."""
    reach = None
    if sandbox is not None:
        program = Path(place.program)
        reach = sandbox.reach(
            workspace=place.root,
            root=place.root,
            own=place.own,
            programs=(
                place.workspace,
                *((place.packages,) if place.packages else ()),
                *((program, *_environment_of(program)) if program.is_absolute() else ()),
            ),
            private=(place.whole.parent,),
            ports_of=place.workspace,
        )
    return Plan(
        told=place.whole / "told.json",
        reach=reach,
        limits=configuration.settings.sandbox.limits.model_dump(),
        umask=configuration.umask,
        pulse=pulse_of(configuration),
        disks=(place.whole, place.root, SHARED_MEMORY),
        every_variable=True,
    )


def _environment_of(program: Path) -> tuple[Path, ...]:
    """Return the virtual environment that a program lies in, which may lie in a home; else nothing."""
    whole = program.parent.parent
    return (whole, Path(os.path.realpath(program)).parent.parent) if (whole / "pyvenv.cfg").is_file() else ()


def checks_link(
    configuration: Configuration,
    checks: HostChecks,
    workspace_of: Callable[[Turn], Path],
    checks_of_turn: Callable[[Turn], tuple[WorkspaceCheck, ...]],
    show: Callable[[Progress], Awaitable[None]],
    clock: Clock,
) -> ChainLink:
    """Return the stage, as the chain takes it; `show` hears what runs."""

    def checked(turn: Turn) -> CheckedWorkspace | None:
        if turn.kind is TurnKind.DELEGATION and turn.delegation is None:
            return None  # a subagent's report: the work is checked when its agent reports
        configured = checks_of_turn(turn)
        return CheckedWorkspace(path=workspace_of(turn), checks=configured) if configured else None

    async def tell(case: Case, seen: CheckSeen) -> None:
        await show(TurnWorking(turn=case.turn, attempt=case.draft.attempt, event=seen, at=clock.now()))

    return ChainLink(
        stage=WorkspaceChecks(workspace_of=checked, checks=checks, tell=tell),
        settings=configuration.settings.enforcement.workspace_checks,
    )


def mark(configuration: Configuration) -> str:
    """Return what the processes of this service's checks carry; the same in every life."""
    return sha256(os.fsencode(configuration.own_directory.resolve())).hexdigest()[:16]


def _place(own: str) -> Path:
    """Outside of the data directory, which may lie in a project whose settings a check would find above it."""
    return Path(tempfile.gettempdir()) / f"mama-checks-{os.getuid()}-{own[:8]}"
