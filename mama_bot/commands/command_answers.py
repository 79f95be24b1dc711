"""What every command needs: the configuration that it is asked with, and a way to answer."""

import argparse
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from mama_bot.commands.command_arguments import OWN_FILE
from mama_bot.commands.setup import setup_arguments

if TYPE_CHECKING:
    from mama_bot.app.configuration import Configuration
    from mama_bot.wording import Language


def asked_configuration(options: argparse.Namespace, *, serves: bool = False) -> "Configuration":
    """Return the configuration; the secrets of the service may stand in an environment that only the service has."""
    from mama_bot.app.configuration import read_configuration

    optional = options.config == OWN_FILE
    return read_configuration(options.config, environment=dict(os.environ), optional=optional, serves=serves)


def read_stored(options: argparse.Namespace) -> "Configuration":
    """Return the configuration of a command that reads what a service stored."""
    from mama_bot.app.configuration import scripted
    from mama_bot.log import LogLevel, configure_logs

    configuration = asked_configuration(options)
    logs = configuration.settings.log
    configure_logs(style=logs.format, level=LogLevel.WARNING, redact=configuration.redactor())
    return scripted(configuration) if options.demo else configuration


def answer_language(options: argparse.Namespace) -> "Language":
    """Return the language that a command answers in: as asked, else the session's."""
    language: Language | None = options.language
    return language or setup_arguments.session_language(os.environ)


def print_line(line: str) -> None:
    """Print a line of the answer."""
    sys.stdout.write(f"{line}\n")


async def say_all(lines: "AsyncGenerator[str]") -> None:
    """Say lines as they come: what is about to be done before it is."""
    async with aclosing(lines):
        async for line in lines:
            print_line(line)
