"""The commands `init` and `manifest`: their arguments, and what they do with them."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from mama_bot.wording import Language, language_of_locale

PLATFORMS = ("slack", "discord", "telegram")
INTERRUPTED = 130


def add_language_argument(command: argparse.ArgumentParser) -> None:
    """Add the choice of a language."""
    command.add_argument(
        "--language", type=Language, choices=tuple(Language), help="default: the language of this session ($LANG)"
    )


def add_init_arguments(command: argparse.ArgumentParser) -> None:
    """Add every question of the set-up as a flag; tokens come from the environment or are asked for."""
    command.add_argument(
        "--platform",
        action="append",
        choices=PLATFORMS,
        default=[],
        help="may be given several times (default with --yes: the page alone)",
    )
    command.add_argument(
        "--owner",
        action="append",
        default=[],
        metavar="ID",
        help="who owns the bot; with several platforms: PLATFORM=ID",
    )
    command.add_argument(
        "--channel",
        action="append",
        default=[],
        metavar="ID",
        help="where everybody is served; with several platforms: PLATFORM=ID",
    )
    command.add_argument(
        "--repository",
        metavar="SOURCE",
        help="a path or a URL to clone, whose checks are run once; those that pass are taken with --yes",
    )
    add_language_argument(command)
    command.add_argument(
        "--yes",
        action="store_true",
        help="ask nothing and write; the tokens are then in the environment, such as MAMA_SLACK__BOT_TOKEN",
    )


def add_manifest_arguments(command: argparse.ArgumentParser) -> None:
    """Add the argument that names the platform."""
    command.add_argument("platform", choices=PLATFORMS)
    add_language_argument(command)


def init(options: argparse.Namespace) -> int:
    """Run the set-up in this terminal; exit status 1 when the person wrote nothing."""
    from mama_bot.commands.setup.console import StreamConsole
    from mama_bot.commands.setup.init import SetUp, SetUpAnswers
    from mama_bot.log import LogFormat, LogLevel, configure_logs
    from mama_bot.redaction import redactor

    answers = SetUpAnswers(
        platforms=options.platform,
        owners=_by_platform(options.owner, options.platform, "--owner"),
        channels=_by_platform(options.channel, options.platform, "--channel"),
        repository=options.repository,
        language=options.language or session_language(os.environ),
        yes=options.yes,
    )
    # What is done is told in sentences of its own; of the log, what goes wrong.
    configure_logs(style=LogFormat.CONSOLE, level=LogLevel.WARNING, redact=redactor(_tokens_of(os.environ)))
    console = StreamConsole()
    try:
        written = SetUp(file=Path(options.config), answers=answers, console=console, environment=dict(os.environ)).run()
    except KeyboardInterrupt:
        sys.stderr.write("\nmama-bot: Nothing was written.\n")
        return INTERRUPTED
    return 0 if written else 1


def print_manifest(options: argparse.Namespace) -> int:
    """Print what the platform is to be told about the bot."""
    from mama_bot.app.configuration import SECRETS_NAME
    from mama_bot.commands.setup.manifests import manifest_of
    from mama_bot.config import read_secrets

    variables = {**read_secrets(options.config.parent / SECRETS_NAME), **os.environ}
    language = options.language or session_language(os.environ)
    text = manifest_of(options.platform, token=variables.get("MAMA_DISCORD__TOKEN", ""), language=language)
    sys.stdout.write(f"{text}\n")
    return 0


def _tokens_of(environment: Mapping[str, str]) -> list[str]:
    return [text for name, text in environment.items() if name.startswith("MAMA_") and name.endswith("_TOKEN")]


def session_language(environment: Mapping[str, str]) -> Language:
    """Return the language of a session."""
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return language_of_locale(locale)


def _by_platform(given: Sequence[str], platforms: Sequence[str], flag: str) -> Mapping[str, Sequence[str]]:
    """Ids of flags by platform; raises ConfigurationError where an id does not tell its platform."""
    from mama_bot.commands.sentences import WHICH_PLATFORM
    from mama_bot.errors import ConfigurationError

    lists: dict[str, list[str]] = {}
    for argument in given:
        name, sign, ids = argument.partition("=")
        if not sign and len(set(platforms)) == 1:
            lists.setdefault(platforms[0], []).append(argument)
        elif sign and name in platforms:
            lists.setdefault(name, []).append(ids)
        else:
            raise ConfigurationError(problem=WHICH_PLATFORM.of(flag=flag, id=argument[:60]))
    return lists
