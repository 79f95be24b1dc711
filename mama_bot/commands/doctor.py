"""What this machine has and lacks, and what to do about each."""

import asyncio
import os
import platform
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from mama_bot.agents.login import bundled_cli, find_login
from mama_bot.app.configuration import Configuration
from mama_bot.app.containment import containment_sentence, machine_of
from mama_bot.app.instance import owner_of
from mama_bot.app.page_key import running_page
from mama_bot.app.private_files import SHOWN, open_to_others
from mama_bot.commands.agent_checks import examined_agents
from mama_bot.commands.forge_checks import examined_forges
from mama_bot.commands.platform_checks import Examiner, examined
from mama_bot.commands.repository_checks import examined_repositories
from mama_bot.commands.server_checks import examined_brought, examined_servers
from mama_bot.commands.trigger_checks import examined_triggers, paused_triggers
from mama_bot.config import AgentSource, ContainedPart, Containment, warnings_of
from mama_bot.model import Examination
from mama_bot.store.address_check import examined_url

COMMAND_SECONDS = 20
LEAST_FREE_MEGABYTES = 500
OLDEST_PYTHON = (3, 11)
REMEDIES = {
    ContainedPart.FILES: "Use a Linux kernel with Landlock (5.13 or newer), install bubblewrap, or run agents as "
    "another user.",
    ContainedPart.CONNECTIONS: "Use Linux 6.7 or newer, or a firewall for this user.",
    ContainedPart.SIGNALS: "Use Linux 6.12 or newer, or install bubblewrap.",
    ContainedPart.SOCKETS: "Take these sockets from the user who runs the service, allow user namespaces, or name in "
    "sandbox.sockets those that agents may use; for abstract ones use Linux 6.12 or newer.",
}


def examine_all(
    configuration: Configuration, *, examiners: Mapping[str, Examiner] | None = None
) -> Sequence[Examination]:
    """Look at everything that the service needs; changes nothing, takes at most a minute.

    The platforms whose tokens are set are asked, by their own examiners where none are given.
    """
    owner = owner_of(configuration.directory)
    return [
        Examination(
            subject="configuration",
            ok=True,
            outcome=f"settings and {len(configuration.personas)} personas are in order",
        ),
        *(
            Examination(subject="settings", ok=True, outcome=warning, noted=True)
            for warning in warnings_of(configuration.settings)
        ),
        _python(),
        _git(),
        _cli(configuration),
        _login(configuration),
        *examined_agents(configuration, every=False),
        _containment(configuration),
        _data_directory(configuration.directory, owner),
        _private(configuration),
        _database(configuration),
        *_page(configuration),
        *examined_triggers(configuration.settings, datetime.now(UTC), asyncio.run(paused_triggers(configuration))),
        *asyncio.run(examined_repositories(configuration)),
        *examined_servers(configuration),
        *asyncio.run(examined_brought(configuration)),
        *asyncio.run(examined_forges(configuration)),
        *asyncio.run(examined(configuration.settings, redact=configuration.redactor(), examiners=examiners)),
    ]


def _python() -> Examination:
    ok = sys.version_info >= OLDEST_PYTHON
    return Examination(
        subject="Python", ok=ok, outcome=platform.python_version(), remedy="" if ok else "Install Python 3.11 or newer."
    )


def _version(command: Sequence[str | Path]) -> tuple[bool, str]:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False)
    except FileNotFoundError:
        return False, "not found"
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, f"does not run: {error}"
    if done.returncode != 0:
        return False, f"exit status {done.returncode}: {done.stderr.strip()[:200]}"
    return True, done.stdout.strip().splitlines()[0] if done.stdout.strip() else "runs"


def _containment(configuration: Configuration) -> Examination:
    """Say what confines the agents of this machine."""
    mode = configuration.settings.sandbox.mode
    if mode is Containment.NEVER:
        outcome = (
            "switched off (sandbox.mode): agents with a shell reach all that the service's user reaches, and reviewers "
            "and other readers get no shell"
        )
        return Examination(subject="sandbox", ok=True, outcome=outcome)
    machine = machine_of(configuration)
    lacking = {part for part in machine.lacking() if part not in configuration.settings.sandbox.may_lack}
    return Examination(
        subject="sandbox",
        ok=mode is Containment.WHEN_POSSIBLE or not lacking,
        outcome=containment_sentence(machine),
        remedy=" ".join(REMEDIES[part] for part in ContainedPart if part in machine.lacking()),
    )


def _git() -> Examination:
    ok, outcome = _version(["git", "--version"])
    return Examination(
        subject="git",
        ok=ok,
        outcome=outcome,
        remedy=""
        if ok
        else "Install git: agents work in repositories, and the scope of their changes is read from it.",
    )


def examine_agents(configuration: Configuration) -> Sequence[Examination]:
    """Look at the CLIs of agents alone, those that no persona names too."""
    return [_cli(configuration), _login(configuration), *examined_agents(configuration, every=True)]


def _cli(configuration: Configuration) -> Examination:
    cli = configuration.settings.claude.cli_path or bundled_cli()
    if cli is None:
        return Examination(
            subject="claude CLI",
            ok=False,
            outcome="the installed claude-agent-sdk has none for this machine",
            remedy="Install the CLI (npm install -g @anthropic-ai/claude-code) and set claude.cli_path to it.",
        )
    ok, outcome = _version([cli, "--version"])
    remedy = "" if ok else f"Reinstall the package claude-agent-sdk, or set claude.cli_path (now {cli}) to a CLI."
    return Examination(subject="claude CLI", ok=ok, outcome=f"{outcome} at {cli}", remedy=remedy)


def _login(configuration: Configuration) -> Examination:
    source = configuration.settings.claude.source
    login = find_login(configuration.environment, configuration.home)
    advice = "`mama-bot login` logs in; or set ANTHROPIC_API_KEY."
    if source is AgentSource.SCRIPTED:
        return Examination(subject="Claude login", ok=True, outcome="not needed: claude.source is scripted")
    if login is not None:
        return Examination(subject="Claude login", ok=True, outcome=f"{login.kind.value} from {login.source}")
    if source is AgentSource.AUTO:
        return Examination(
            subject="Claude login",
            ok=True,
            outcome="none: the scripted model answers",
            remedy=f"For a real one: {advice}",
        )
    return Examination(subject="Claude login", ok=False, outcome="none, and claude.source is real", remedy=advice)


def _data_directory(directory: Path, owner: int | None) -> Examination:
    subject = "data directory"
    if owner is not None:
        return Examination(subject=subject, ok=True, outcome=f"{directory}, in use by the service with pid {owner}")
    existing = directory
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    try:
        with tempfile.NamedTemporaryFile(dir=existing):
            pass
    except OSError as error:
        return Examination(
            subject=subject,
            ok=False,
            outcome=f"{existing}: {error.strerror or error}",
            remedy="Make it writable for this user, or set data_directory (MAMA_DATA_DIRECTORY) to another.",
        )
    free = shutil.disk_usage(existing).free // 2**20
    if free < LEAST_FREE_MEGABYTES:
        return Examination(
            subject=subject,
            ok=False,
            outcome=f"{directory}: {free} MB free",
            remedy=f"Free at least {LEAST_FREE_MEGABYTES} MB, or set data_directory to another disk.",
        )
    return Examination(subject=subject, ok=True, outcome=f"{directory}, {free} MB free")


def _private(configuration: Configuration) -> Examination:
    """Say whether others of this machine may look into what the service keeps."""
    subject, paths = "files of the service", open_to_others(configuration)
    if not paths:
        return Examination(subject=subject, ok=True, outcome="its user's alone")
    listed = ", ".join(str(path) for path in paths[:SHOWN]) + (", ..." if len(paths) > SHOWN else "")
    outcome = f"other users of this machine may look into {listed}; the next start takes that from them"
    return Examination(subject=subject, ok=True, outcome=outcome)


def _database(configuration: Configuration) -> Examination:
    subject = "database"
    url = configuration.settings.store.url
    if url is not None:
        answer, remedy = examined_url(url.get_secret_value())
        return Examination(subject=subject, ok=not remedy, outcome=answer, remedy=remedy)
    file = configuration.directory / "mama-bot.sqlite"
    if not file.exists():
        return Examination(subject=subject, ok=True, outcome=f"SQLite {sqlite3.sqlite_version}; {file} is not made yet")
    try:
        connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=5)
        try:
            answer = connection.execute("PRAGMA quick_check").fetchone()[0]
        finally:
            connection.close()
    except sqlite3.Error as error:
        answer = str(error)
    ok = answer == "ok"
    remedy = "" if ok else "Restore it from a backup, or move it away: the service then starts with an empty one."
    return Examination(subject=subject, ok=ok, outcome=f"{file}: {answer}", remedy=remedy)


def _page(configuration: Configuration) -> Sequence[Examination]:
    settings = configuration.settings.web
    if running := running_page(configuration):
        return (Examination(subject="page", ok=True, outcome=f"{running}, of the service that runs here"),)
    if not settings.enabled or settings.port == 0:
        return ()
    address = f"{settings.host}:{settings.port}"
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        with socket.create_server((settings.host, settings.port), family=family):
            pass
    except OSError as error:
        return (
            Examination(
                subject="port of the page",
                ok=False,
                outcome=f"{address}: {os.strerror(error.errno) if error.errno else error}",
                remedy="Stop the program that holds it, or set web.port (MAMA_WEB__PORT) to a free port.",
            ),
        )
    return (Examination(subject="port of the page", ok=True, outcome=f"{address} is free"),)
