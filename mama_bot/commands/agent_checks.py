"""Which agents' CLIs are on this machine, which version, and whether they are logged in."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from mama_bot.agents.acp_agents import CLIS
from mama_bot.agents.acp_clis import AcpCli
from mama_bot.app.agent_backends import cli_settings
from mama_bot.app.configuration import Configuration
from mama_bot.config import CliSettings
from mama_bot.model import Examination

VERSION_SECONDS = 20


def examined_agents(configuration: Configuration, *, every: bool) -> Iterator[Examination]:
    """Yield what there is to say of the CLIs beside Claude: of `every` one, else of those that personas name.

    One that no persona names is no problem, whatever it lacks.
    """
    personas = configuration.personas.values()
    for name, cli in CLIS.items():
        named = [persona.name for persona in personas if name in persona.backends]
        if cli.program and (named or every):
            yield _examined(configuration, cli, named)
    for persona in personas:
        if persona.command:
            program = persona.command.split()[0]
            there = shutil.which(program, path=configuration.environment.get("PATH", os.defpath)) is not None
            yield Examination(
                subject=f"agent of {persona.name}",
                ok=there,
                outcome=f"`{program}` is {'there' if there else 'not found'}; it is started by the persona's command",
                remedy="" if there else f"Install it, or write its whole path in personas/{persona.name}.md.",
            )


def _examined(configuration: Configuration, cli: AcpCli, named: Sequence[str]) -> Examination:
    settings = cli_settings(configuration)[cli.name]
    chosen = settings.cli_path if isinstance(settings, CliSettings) else None
    users = f", for {', '.join(named)}" if named else ""
    place = cli.find(configuration.environment, chosen)
    if place is None or not place.is_file():
        outcome = f"there is no {place or cli.program}{users}"
        return Examination(subject=cli.title, ok=not named, outcome=outcome, remedy=cli.remedy)
    version = version_of(place, configuration.environment.get("PATH", os.defpath))
    if not version:
        outcome = f"{place} does not run{users}"
        return Examination(subject=cli.title, ok=not named, outcome=outcome, remedy=cli.remedy)
    login = cli.find_login(configuration.environment, configuration.home)
    known = version == cli.tested
    told = version if known else f"{version} (tested is {cli.tested}; what it tells of its work may differ)"
    logged_in = f"logged in by {login.source}" if login else "not logged in"
    return Examination(
        subject=cli.title,
        ok=login is not None or not named,
        outcome=f"{told} at {place}, {logged_in}{users}",
        remedy="" if login else cli.login,
    )


def version_of(program: Path, path: str) -> str:
    """Return the version that a program tells, in a home of its own; "" where it does not run."""
    with tempfile.TemporaryDirectory() as home:
        try:
            done = subprocess.run(
                [program, "--version"],
                capture_output=True,
                text=True,
                timeout=VERSION_SECONDS,
                check=True,
                stdin=subprocess.DEVNULL,
                env={"PATH": path, "HOME": home, "TMPDIR": home},
            )
        except (OSError, subprocess.SubprocessError):
            return ""
    words = done.stdout.split()
    return next((word.lstrip("v") for word in words if word.lstrip("v")[:1].isdigit()), words[0] if words else "")
