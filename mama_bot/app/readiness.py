"""What a start would stumble over on this machine: looked at without starting anything, in no time."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import structlog

from mama_bot.agents.claude_events import BACKEND
from mama_bot.agents.login import bundled_cli, find_login
from mama_bot.app.configuration import Configuration
from mama_bot.app.sentences import NO_CLAUDE_LOGIN, NO_CLI, NO_GIT, NO_LOGIN, SCRIPTED_FOR_WANT_OF_LOGIN
from mama_bot.config import AgentSource, ClaudeSettings
from mama_bot.model import Lack, Need
from mama_bot.wording import Language, as_typed

log = structlog.get_logger(__name__)


def lacks_of(claude: ClaudeSettings, environment: Mapping[str, str], home: Path) -> Iterator[Lack]:
    """Yield what is missing for agents to work: git, the CLI, a login."""
    if shutil.which("git", path=environment.get("PATH") or os.defpath) is None:
        yield Lack(need=Need.GIT, sentence=NO_GIT)
    cli = claude.cli_path or bundled_cli()
    if cli is None or not os.access(cli, os.X_OK) or not cli.is_file():
        yield Lack(need=Need.CLI, sentence=NO_CLI.of(path=str(cli or "claude")))
    if claude.source is not AgentSource.SCRIPTED and find_login(environment, home) is None:
        required = claude.source is AgentSource.REAL
        sentence = NO_LOGIN if required else SCRIPTED_FOR_WANT_OF_LOGIN
        yield Lack(need=Need.LOGIN, sentence=sentence, stops_work=required)


def lacking_here(configuration: Configuration) -> Callable[[], tuple[Lack, ...]]:
    """Return the function that looks anew at each call: what was missing may be there by now."""

    personas = configuration.personas.values()

    def lacking() -> tuple[Lack, ...]:
        if not configuration.works:
            return ()
        claude, needed = configuration.settings.claude, any(BACKEND in each.backends for each in personas)
        lacks = lacks_of(claude, configuration.environment, configuration.home)
        told = [lack for lack in lacks if needed or lack.need is Need.GIT]
        if configuration.scripted:
            return tuple(told)
        # Where another agent answers, a persona without a login is not played by the scripted model.
        return tuple(replace(lack, sentence=NO_CLAUDE_LOGIN) if lack.need is Need.LOGIN else lack for lack in told)

    return lacking


def tell_what_is_lacking(configuration: Configuration) -> None:
    """Log one line for each thing that is missing."""
    for lack in lacking_here(configuration)():
        log.warning("lacking", need=lack.need.value, reason=as_typed(lack.sentence.to(Language.ENGLISH)))
