"""What each command of the command line takes, and what is said of it in its help."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from mama_bot import __version__
from mama_bot.commands.board_arguments import add_item_arguments, add_topic_arguments
from mama_bot.commands.command_parser import CommandParser
from mama_bot.commands.judge_help import EXPLANATION
from mama_bot.commands.sentences import NOT_A_COUNT, NOT_A_REPORT_NUMBER, SHOWS_THAT_REPORT
from mama_bot.commands.setup import setup_arguments
from mama_bot.errors import ConfigurationError
from mama_bot.wording import program_name

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

OWN_FILE = Path("config.local.yaml")  # who changes nothing needs none
SHARED_FILE = Path("config.yaml")
MAX_DAYS = 3650
ROLES = ("all", "gateway", "worker", "page")
ACTIONS = ("list", "show", "accept", "dismiss")
MAX_DIGITS = 18  # what the database takes


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of every command with its arguments."""
    parser = CommandParser(
        prog=program_name(),
        description="A team of coding agents in chat, whose every reply is judged by code before it is posted.",
    )
    parser.add_argument("--version", action="version", version=f"mama-bot {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, purpose in (
        ("run", "start the service"),
        ("demo", "start the service with a scripted model: no account needed"),
        ("page", "print a link that opens the page of the service that runs here, once"),
        ("reload", "let the service that runs here read its settings again"),
        ("check", "read configuration and personas, and start nothing"),
        ("doctor", "check this machine as well: Python, git, CLI, login, database, port"),
        ("judge", "say what the chain decides about the messages in a file of JSON lines"),
    ):
        command = _command(commands, name, purpose)
        if name == "run":
            command.add_argument(
                "--role",
                choices=ROLES,
                default="all",
                help="what this process does of the service, beside others on PostgreSQL (default: all)",
            )
        if name == "judge":
            command.add_argument(
                "file", metavar="FILE", help='one {"id": ..., "text": ...} to a line; - reads the input'
            )
            command.add_argument("--explain", action="store_true", help="print for a person instead of JSON")
            command.formatter_class, command.epilog = argparse.RawDescriptionHelpFormatter, EXPLANATION
    _reports_parser(_command(commands, "reports", "list, look at and settle reports of verdicts that were wrong"))
    _review_gate_parser(_command(commands, "review-gate", "hold a CLI session until its review is approved"))
    _rules_parser(_command(commands, "rules", "list the rules of tools, say what they decide, run their examples"))
    _hook_parser(
        _command(commands, "hook", "hold sessions of Claude, Gemini or Codex in a terminal by the rules of the service")
    )
    _pair_parser(_command(commands, "pair", "list who asked to talk to the team, and confirm or deny them"))
    _turns_parser(_command(commands, "turns", "list what was given up, show it, ask for it again, or drop it"))
    _keeping_parsers(commands)
    _boards_parsers(commands)
    receipt = _command(commands, "receipt", "show what stands behind a reply: claims, commands, figures, hashes")
    receipt.add_argument("reference", metavar="ID", help="the number under the reply on the page, or the id of a turn")
    setup_arguments.add_language_argument(receipt)
    _add_reading_options(receipt)
    login = _command(commands, "login", "log in to Claude with the CLI that comes along")
    kept = login.add_mutually_exclusive_group()
    kept.add_argument("--token", action="store_true", help="with a token that lasts a year, kept in secrets.env")
    kept.add_argument("--api-key", action="store_true", help="with a key of the API, kept in secrets.env")
    setup_arguments.add_language_argument(login)
    setup_arguments.add_init_arguments(
        _command(commands, "init", "set up the first repository, and Slack, Discord or Telegram, step by step")
    )
    setup_arguments.add_manifest_arguments(
        _command(commands, "manifest", "print what a platform is told about the bot: manifest, invitation, steps")
    )
    _command(commands, "agents", "say which agents' CLIs are here, which version, and whether they are logged in")
    metrics = _command(commands, "metrics", "show what the chain did: rejections, retries, success figures")
    metrics.add_argument("--days", type=_days, default=30, metavar="N", help="how many days back (default: 30)")
    _add_reading_options(metrics)
    return parser


def _command(commands: "Commands", name: str, purpose: str) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
    command.add_argument(
        "--config",
        type=Path,
        default=Path(os.environ.get("MAMA_CONFIG") or (OWN_FILE if name == "init" else _file_here())),
        help="the file that is written (default: $MAMA_CONFIG, or config.local.yaml here)"
        if name == "init"
        else "the configuration file (default: $MAMA_CONFIG, or config.local.yaml on top of config.yaml)",
    )
    return command


def _file_here() -> Path:
    """The file in this folder that is read when nobody names one."""
    return SHARED_FILE if SHARED_FILE.exists() and not OWN_FILE.exists() else OWN_FILE


def _reports_parser(command: argparse.ArgumentParser) -> None:
    command.add_argument("action", nargs="?", type=_action, choices=ACTIONS, default="list", help="default: list")
    command.add_argument("number", nargs="?", type=_number, metavar="N", help="which report to show, accept or dismiss")
    command.add_argument("--all", action="store_true", help="list: settled ones as well")
    command.add_argument(
        "--phrase",
        action="append",
        default=[],
        metavar="TEXT",
        help="accept: what to whitelist instead of what was found",
    )
    command.add_argument("--stage", default="", metavar="NAME", help="accept: whose whitelist, where several objected")
    command.add_argument("--dry-run", action="store_true", help="accept: say what would be written, and write nothing")
    _add_reading_options(command)


def _rules_parser(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action", nargs="?", choices=("list", "explain", "test", "report"), default="list", help="default: list"
    )
    command.add_argument("--event", default="tool", metavar="NAME", help="explain: when (default: tool)")
    command.add_argument(
        "--input", default="", metavar="CALL", help="explain: a command line, or JSON with the tool and its arguments"
    )
    _add_reading_options(command)


def _hook_parser(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        metavar="install|remove|plugin|EVENT",
        help="plugin: say how to install the one of Claude's CLI; EVENT: answer a hook, whose input comes on stdin",
    )
    command.add_argument(
        "cli", nargs="?", choices=("claude", "gemini", "codex"), default="claude", help="default: claude"
    )
    command.add_argument("--project", type=Path, metavar="DIR", help="for this project only (default: all of yours)")
    command.add_argument("--demo", action="store_true", help="of the service with the scripted model")


def _pair_parser(command: argparse.ArgumentParser) -> None:
    which = command.add_mutually_exclusive_group()
    which.add_argument("code", nargs="?", default="", metavar="CODE", help="confirm the person who was given this code")
    which.add_argument("--deny", default="", metavar="CODE", help="turn the person down who was given this code")
    which.add_argument("--remove", default="", metavar="PLATFORM/PERSON", help="end a pairing")
    _add_reading_options(command)


def _turns_parser(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action", nargs="?", choices=("list", "show", "retry", "drop"), default="list", help="default: list"
    )
    command.add_argument("number", nargs="?", type=int, metavar="N", help="which one to show, retry or drop")
    setup_arguments.add_language_argument(command)
    _add_reading_options(command)


def _keeping_parsers(commands: "Commands") -> None:
    backup = _command(commands, "backup", "write what the service keeps to one file, also while it runs")
    backup.add_argument("file", nargs="?", type=Path, metavar="FILE", help="default: a new one in backups.directory")
    backup.add_argument("--database-only", action="store_true", help="without sessions, work trees and files of agents")
    backup.add_argument("--replace", action="store_true", help="write over FILE where it is there already")
    restore = _command(commands, "restore", "put a backup back, while the service does not run")
    restore.add_argument("file", type=Path, metavar="FILE", help="what `mama-bot backup` wrote")
    restore.add_argument("--replace", action="store_true", help="put aside what is there")
    migrate = _command(commands, "migrate", "copy the SQLite file of the service to PostgreSQL, or back")
    migrate.add_argument(
        "--to",
        metavar="URL",
        help="an empty database (default: MAMA_STORE__URL), or a new file: sqlite:///PATH",
    )
    migrate.add_argument(
        "--from", dest="source", metavar="FILE", help="the SQLite file, or the database; default: the service's own"
    )
    migrate.add_argument("--demo", action="store_true", help="of the service with the scripted model")
    prune = _command(commands, "prune", "forget what was said and done long ago, also while the service runs")
    prune.add_argument("--days", type=_days, metavar="N", help="older than so many days (default: retention.days)")
    prune.add_argument("--megabytes", type=int, metavar="N", help="the oldest, until the database holds no more")
    prune.add_argument(
        "--compact", action="store_true", help="give free room back to the disk; the service must not run"
    )
    prune.add_argument("--demo", action="store_true", help="of the service with the scripted model")
    for command in (backup, restore, migrate, prune):
        setup_arguments.add_language_argument(command)


def _review_gate_parser(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        choices=("check", "request", "start", "approve", "reject", "show", "key"),
        help="check: as a Stop hook, exit status 2 while the review is not approved; with `claude.source: auto` the "
        "data of the real and of the scripted model are both looked at, the stricter answer counts, and what is new "
        "goes to the real one's where there is any; key: what a reviewer shows as $REVIEWER_KEY, at a terminal only",
    )
    command.add_argument("--session", default="", metavar="ID", help="default: the hook's, or $CLAUDE_SESSION_ID")
    command.add_argument("--agent", default="", metavar="NAME", help="who works or reviews")
    command.add_argument("--issue", action="append", default=[], metavar="TEXT", help="reject: what is wrong")
    _add_reading_options(command)


def _boards_parsers(commands: "Commands") -> None:
    def finish(action: argparse.ArgumentParser) -> None:
        action.add_argument("--config", type=Path, default=argparse.SUPPRESS, help="the configuration file")
        _add_reading_options(action)

    topics = _command(commands, "topic", "read and post what the agents of a repository tell each other")
    add_topic_arguments(topics, finish)
    items = _command(commands, "item", "list, create and close the work items of a repository")
    add_item_arguments(items, finish)


def _add_reading_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="for programs")
    command.add_argument(
        "--demo", action="store_true", help="of `mama-bot demo`, where the configuration has a real model"
    )


def _action(text: str) -> str:
    if text.isascii() and text.isdigit():
        raise ConfigurationError(problem=SHOWS_THAT_REPORT.of(number=text[:MAX_DIGITS]))
    return text


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < MAX_DIGITS:
        return int(text)
    raise ConfigurationError(problem=NOT_A_REPORT_NUMBER.of(given=text[:40]))


def _days(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < MAX_DIGITS and 1 <= int(text) <= MAX_DAYS:
        return int(text)
    raise ConfigurationError(problem=NOT_A_COUNT.of(most=MAX_DAYS, given=text[:40]))
