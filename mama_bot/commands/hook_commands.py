"""`mama-bot hook`: put the hooks into the settings of a CLI, take them away, or answer one."""

import argparse
import os
import shlex
from collections.abc import Iterable
from pathlib import Path

from mama_bot.app.configuration import Configuration
from mama_bot.app.instance import LOCK_NAME, owner_of
from mama_bot.commands.sentences import ANY_OF, NEAREST
from mama_bot.errors import ConfigurationError
from mama_bot.session_hooks import installation
from mama_bot.session_hooks.failure_modes import write_failure_modes
from mama_bot.session_hooks.plugin import relay
from mama_bot.session_hooks.sentences import INSTALLED, NO_SERVICE, REMOVED, UNKNOWN_ACTION
from mama_bot.similar_names import most_similar
from mama_bot.wording import Language, Said

EVENTS = tuple(dict.fromkeys(event for settings in installation.SETTINGS.values() for event in settings.events))


def check_action(action: str) -> None:
    """Raise ConfigurationError for what is neither done with hooks nor one of them."""
    known = ("install", "remove", "plugin", *EVENTS)
    if action not in known:
        similar = most_similar(action, known)
        hint = ANY_OF.of(names=", ".join(known)) if similar is None else NEAREST.of(name=similar)
        raise ConfigurationError(problem=UNKNOWN_ACTION.of(given=action[:60], hint=hint))


def remove_hooks(options: argparse.Namespace, language: Language) -> str:
    """Take the hooks of a CLI away, and return what is told of it; raises ConfigurationError."""
    file = _file(options)
    installation.remove_hook(file)
    return REMOVED.to(language, file=file)


def install_hooks(options: argparse.Namespace, configuration: Configuration, language: Language) -> Iterable[str]:
    """Put the hooks of a CLI there, and return what is told of it and still to do; raises ConfigurationError."""
    directory, file = configuration.directory, _file(options)
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_failure_modes(directory, configuration.terminal_rules)
    to_do = installation.install_hook(options.cli, file, directory, project=options.project is not None)
    told = INSTALLED.to(language, cli=installation.SETTINGS[options.cli].name, file=file)
    return (told, *(sentence.to(language) for sentence in (*to_do, *_unanswered(configuration))))


def _unanswered(configuration: Configuration) -> Iterable[Said]:
    """Yield why nothing answers these hooks now; a service with, or without, a login answers for the other."""
    directory = configuration.directory
    places = (directory, *(lock.parent for lock in configuration.settings.data_directory.glob(f"*/{LOCK_NAME}")))
    if all(owner_of(place) is None for place in places):
        yield NO_SERVICE.of(directory=directory)


def plugin_commands(configuration: Configuration) -> Iterable[str]:
    """Return what installs the plugin of Claude's CLI for this service; its rules are left for the relay."""
    directory = configuration.directory.absolute()
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_failure_modes(directory, configuration.terminal_rules)
    place = Path(relay.__file__).absolute().parent
    setting = f"data_directory={directory}"
    yield shlex.join(["claude", "plugin", "install", "mama-bot", "--marketplace", str(place), "--config", setting])


def plugin_warnings(configuration: Configuration, language: Language) -> Iterable[str]:
    """Return why nothing would answer the plugin now; apart from its command, which may be run as it is printed."""
    return [sentence.to(language) for sentence in _unanswered(configuration)]


def relayed(options: argparse.Namespace, configuration: Configuration) -> int:
    """Answer a hook whose input comes on stdin, and return the exit status."""
    return relay.answer_hook(["", str(configuration.directory.absolute()), options.action, options.cli])


def _file(options: argparse.Namespace) -> Path:
    return installation.settings_file(options.cli, Path.home(), options.project, os.environ)
