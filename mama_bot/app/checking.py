"""The checks of workspaces as the service runs them: where, with what, and for whom."""

import os
import stat
import tempfile
import uuid
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path

from mama_bot.agents.processes import end_marked
from mama_bot.app.configuration import Configuration
from mama_bot.config import WorkspaceCheck
from mama_bot.enforcement.chain import ChainLink
from mama_bot.enforcement.changes import GitChanges
from mama_bot.enforcement.sidecar import HostChecks
from mama_bot.enforcement.workspace_checks import CheckedWorkspace, WorkspaceChecks
from mama_bot.model import AgentPersona, Turn
from mama_bot.protocols import Clock

SEEN = ("PATH", "LANG", "TZ")


def checks_of(configuration: Configuration, persona: AgentPersona) -> tuple[WorkspaceCheck, ...]:
    """The checks that a persona's work is to pass; none where they are switched off."""
    enforcement = configuration.settings.enforcement
    workspace = configuration.settings.workspaces.get(persona.workspace)
    if workspace is None or not (enforcement.enabled and enforcement.workspace_checks.enabled):
        return ()
    return workspace.checks


def host_checks(configuration: Configuration, changes: GitChanges, clock: Clock) -> HostChecks:
    """What carries the checks out, in a directory of its own that no repository and no project lies above."""
    mark = sha256(f"{configuration.directory.resolve()}".encode()).hexdigest()[:16]
    return HostChecks(
        repositories=changes,
        place=_place(mark),
        mark=mark,
        environment={name: value for name in SEEN if (value := configuration.environment.get(name))},
        redact=configuration.redactor(),
        end_marked=partial(end_marked, term_seconds=0),
        new_id=lambda: uuid.uuid4().hex[:16],
        clock=clock,
    )


def checks_link(configuration: Configuration, checks: HostChecks, workspace_of: Callable[[Turn], Path]) -> ChainLink:
    """The stage, as the chain takes it."""
    settings = configuration.settings.enforcement

    def checked(turn: Turn) -> CheckedWorkspace | None:
        persona = configuration.personas.get(turn.persona)
        configured = () if persona is None else checks_of(configuration, persona)
        return CheckedWorkspace(path=workspace_of(turn), checks=configured) if configured else None

    stage = WorkspaceChecks(
        settings=settings.workspace_checks, workspace_of=checked, checks=checks, words=settings.words.by_kind
    )
    return ChainLink(stage=stage, settings=settings.workspace_checks)


def _place(mark: str) -> Path:
    """Below the temporary directory: the same in every life, so that what one left is found; nobody else's."""
    place = Path(tempfile.gettempdir()) / f"mama-checks-{os.getuid()}-{mark[:8]}"
    try:
        found = place.lstat()
    except FileNotFoundError:
        return place
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
        return place
    return Path(tempfile.mkdtemp(prefix="mama-checks-"))
