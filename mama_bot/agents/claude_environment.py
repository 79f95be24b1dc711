"""The claude CLI and the variables that it is started with."""

import os
from collections.abc import Mapping
from pathlib import Path

from mama_bot.agents import sentences as words
from mama_bot.agents.claude_events import BACKEND
from mama_bot.agents.homes import AgentHome
from mama_bot.agents.login import bundled_cli
from mama_bot.config import ClaudeSettings
from mama_bot.confinement.launcher import MARK_VARIABLE, PARENT_VARIABLE, PROCESS_VARIABLE, allowed_variables
from mama_bot.errors import AgentUnavailable
from mama_bot.model import AgentPersona

# What names the model's service, and the way to it.
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
SERVERS = ("ANTHROPIC_BASE_URL", *PROXIES, *(name.lower() for name in PROXIES))

SHORTEST_STALL_SECONDS = 10.0  # the CLI takes no shorter one

FLAGS = {
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    # What an agent is to remember stands in the shared context: a memory of its own would outlast a reset.
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    # A session that is resumed goes by what it is told now: a persona, or a repository, may say something else since.
    "CLAUDE_CODE_HOST_PROMPT_SUPERSEDES_RECORD": "1",
    # Of a longer output of a command that failed the CLI forgets the end, where the figures are; it takes no more.
    "BASH_MAX_OUTPUT_LENGTH": "150000",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
}


def cli_variables(
    environment: Mapping[str, str], persona: AgentPersona, home: AgentHome, *, mark: str, process_mark: str
) -> dict[str, str]:
    """Return what the SDK lays over our environment; an empty value makes the launcher leave a variable out.

    `environment` is the whole that agents may be given, `mark` names the service, `process_mark` the process.
    """
    hidden = {name: "" for name in allowed_variables(os.environ) if name not in environment}
    return {
        **hidden,
        **author_variables(persona),
        **allowed_variables(environment),
        **loopback_without_proxy(environment),
        **FLAGS,
        "CLAUDE_CONFIG_DIR": str(home.config),
        "HOME": str(home.home),
        "TMPDIR": str(home.temporary),
        MARK_VARIABLE: mark,
        PROCESS_VARIABLE: process_mark,
        PARENT_VARIABLE: str(os.getpid()),
    }


def retry_variables(settings: ClaudeSettings) -> dict[str, str]:
    """Return what tells the CLI when to ask the model's service again.

    It tells how long the service asks to wait, and waits that long (the "watchdog"): whether that is too long is
    decided here, by `patience_seconds`. A stream that nothing comes of is ended like a request that is not answered.
    """
    silence = str(int(max(SHORTEST_STALL_SECONDS, settings.api_timeout_seconds) * 1000))
    return {
        "CLAUDE_CODE_MAX_RETRIES": str(settings.api_retries),
        "CLAUDE_CODE_RETRY_WATCHDOG": "1",
        "API_TIMEOUT_MS": str(int(settings.api_timeout_seconds * 1000)),
        "CLAUDE_ENABLE_BYTE_WATCHDOG": "1",
        "CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS": silence,
    }


def author_variables(persona: AgentPersona) -> dict[str, str]:
    """Return in whose name an agent commits."""
    email = f"{persona.name}@mama-bot.invalid"
    return {
        "GIT_AUTHOR_NAME": persona.display_name,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_COMMITTER_NAME": persona.display_name,
        "GIT_COMMITTER_EMAIL": email,
    }


def loopback_without_proxy(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that keep a model server on this machine from being asked through a proxy."""
    hosts = [environment.get("NO_PROXY") or environment.get("no_proxy") or "", "127.0.0.1", "localhost"]
    value = ",".join(host for host in hosts if host)
    return {"NO_PROXY": value, "no_proxy": value}


def runnable_cli(chosen: Path | None) -> Path:
    """Return the chosen CLI, else the one that comes with the SDK; raises AgentUnavailable."""
    cli = chosen or bundled_cli()
    remedy = words.INSTALL_CLAUDE
    if cli is None:
        raise AgentUnavailable(backend=BACKEND, reason=words.NO_PROGRAM.of(program="claude"), remedy=remedy)
    if not cli.is_file():
        raise AgentUnavailable(backend=BACKEND, reason=words.NO_FILE.of(file=str(cli)), remedy=remedy)
    if not os.access(cli, os.X_OK):
        reason, remedy = words.NOT_EXECUTABLE.of(file=str(cli)), words.MAKE_EXECUTABLE.of(file=str(cli))
        raise AgentUnavailable(backend=BACKEND, reason=reason, remedy=remedy)
    return cli.absolute()
