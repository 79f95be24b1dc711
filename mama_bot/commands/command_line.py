"""The command line: one function for each command, heavy imports inside, so that `--help` is quick."""

import argparse
import os
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mama_bot import __version__
from mama_bot.commands.judge_help import EXPLANATION
from mama_bot.commands.setup import setup_arguments as cli_setup
from mama_bot.errors import ConfigurationError, MamaBotError, NoSuchReceipt, PairingRefused, ReportRefused

if TYPE_CHECKING:
    from mama_bot.app import Configuration

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

FAILED = 1
UNUSABLE = 2
PIPE_CLOSED = 141
OWN_FILE = Path("config.yaml")  # who changes nothing needs none
MAX_DAYS = 3650
ACTIONS = ("list", "show", "accept", "dismiss")
MAX_DIGITS = 18  # what the database takes


def run_command(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status: 0, 1 when it failed, 2 when what a person wrote cannot be used."""
    options = _parser().parse_args(arguments)
    try:
        return _COMMANDS[options.command](options)
    except (ConfigurationError, NoSuchReceipt, PairingRefused, ReportRefused) as error:
        _complain(str(error))
        return UNUSABLE
    except MamaBotError as error:
        _complain(str(error))
        return FAILED
    except BrokenPipeError:
        # Whoever read has seen enough; what Python still holds back must not complain at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mama-bot",
        description="A team of coding agents in chat, whose every reply is judged by code before it is posted.",
    )
    parser.add_argument("--version", action="version", version=f"mama-bot {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, purpose in (
        ("run", "start the service"),
        ("demo", "start the service with a scripted model: no account needed"),
        ("page", "print a link that opens the page of the service that runs here, once"),
        ("check", "read configuration and personas, and start nothing"),
        ("doctor", "check this machine as well: Python, git, CLI, login, database, port"),
        ("judge", "say what the chain decides about the messages in a file of JSON lines"),
    ):
        command = _command(commands, name, purpose)
        if name == "judge":
            command.add_argument(
                "file", metavar="FILE", help='one {"id": ..., "text": ...} to a line; - reads the input'
            )
            command.add_argument("--explain", action="store_true", help="print for a person instead of JSON")
            command.formatter_class, command.epilog = argparse.RawDescriptionHelpFormatter, EXPLANATION
    _reports_parser(_command(commands, "reports", "list, look at and settle reports of verdicts that were wrong"))
    _review_gate_parser(_command(commands, "review-gate", "hold a CLI session until its review is approved"))
    _pair_parser(_command(commands, "pair", "list who asked to talk to the team, and confirm or deny them"))
    receipt = _command(commands, "receipt", "show what stands behind a reply: claims, commands, figures, hashes")
    receipt.add_argument("reference", metavar="ID", help="the number under the reply on the page, or the id of a turn")
    cli_setup.add_language_argument(receipt)
    _add_reading_options(receipt)
    login = _command(commands, "login", "log in to Claude with the CLI that comes along")
    kept = login.add_mutually_exclusive_group()
    kept.add_argument("--token", action="store_true", help="with a token that lasts a year, kept in secrets.env")
    kept.add_argument("--api-key", action="store_true", help="with a key of the API, kept in secrets.env")
    cli_setup.add_language_argument(login)
    cli_setup.add_init_arguments(_command(commands, "init", "set up Slack, Discord or Telegram, step by step"))
    cli_setup.add_manifest_arguments(
        _command(commands, "manifest", "print what a platform is told about the bot: manifest, invitation, steps")
    )
    metrics = _command(commands, "metrics", "show what the chain did: rejections, retries, success figures")
    metrics.add_argument("--days", type=_days, default=30, metavar="N", help="how many days back (default: 30)")
    _add_reading_options(metrics)
    return parser


def _command(commands: "Commands", name: str, purpose: str) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
    command.add_argument(
        "--config",
        type=Path,
        default=Path(os.environ.get("MAMA_CONFIG") or OWN_FILE),
        help="the configuration file (default: config.yaml where there is one, or $MAMA_CONFIG)",
    )
    return command


def _reports_parser(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action", nargs="?", type=_action, default="list", metavar="{list,show,accept,dismiss}", help="default: list"
    )
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


def _pair_parser(command: argparse.ArgumentParser) -> None:
    which = command.add_mutually_exclusive_group()
    which.add_argument("code", nargs="?", default="", metavar="CODE", help="confirm the person who was given this code")
    which.add_argument("--deny", default="", metavar="CODE", help="turn the person down who was given this code")
    which.add_argument("--remove", default="", metavar="PLATFORM/PERSON", help="end a pairing")
    _add_reading_options(command)


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


def _add_reading_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="for programs")
    command.add_argument(
        "--demo", action="store_true", help="of `mama-bot demo`, where the configuration has a real model"
    )


def _action(text: str) -> str:
    if text in ACTIONS:
        return text
    hint = f"; `mama-bot reports show {text}` shows that report" if text.isascii() and text.isdigit() else ""
    raise argparse.ArgumentTypeError(f"invalid choice: {text[:40]!r} (choose from {', '.join(ACTIONS)}){hint[:80]}")


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < MAX_DIGITS:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected the number of a report, got {text[:40]!r}")


def _days(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < MAX_DIGITS and 1 <= int(text) <= MAX_DAYS:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {MAX_DAYS}, got {text[:40]!r}")


def _read(options: argparse.Namespace) -> "Configuration":
    from mama_bot.app import read_configuration

    return read_configuration(options.config, environment=dict(os.environ), optional=options.config == OWN_FILE)


def _read_stored(options: argparse.Namespace) -> "Configuration":
    """The configuration of a command that reads what a service stored."""
    from mama_bot.app import scripted
    from mama_bot.log import LogLevel, configure_logs

    configuration = _read(options)
    logs = configuration.settings.log
    configure_logs(style=logs.format, level=LogLevel.WARNING, redact=configuration.redactor())
    return scripted(configuration) if options.demo else configuration


def _run(options: argparse.Namespace) -> int:
    from mama_bot.app import serve_until_signalled
    from mama_bot.commands.page_link import show_link

    serve_until_signalled(_read(options), ready=show_link)
    return 0


def _demo(options: argparse.Namespace) -> int:
    from mama_bot.app import scripted, serve_until_signalled
    from mama_bot.commands.page_link import show_link

    serve_until_signalled(scripted(_read(options)), ready=show_link)
    return 0


def _page(options: argparse.Namespace) -> int:
    from mama_bot.app.page_key import new_link

    _say(new_link(_read(options)))
    return 0


def _check(options: argparse.Namespace) -> int:
    from mama_bot.app.readiness import lacking_here
    from mama_bot.config import warnings_of
    from mama_bot.wording import Language

    configuration = _read(options)
    names = ", ".join(configuration.personas)
    read = str(options.config) if options.config.exists() else "The defaults (there is no config.yaml)"
    _say(f"{read} and {len(configuration.personas)} personas ({names}) are in order.")
    for warning in warnings_of(configuration.settings):
        _say(f"Note: {warning}")
    for lack in lacking_here(configuration)():
        _say(f"Note: {lack.sentence.to(Language.ENGLISH)}")
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from mama_bot.commands.doctor import examine_all

    findings = examine_all(_read(options))
    for finding in findings:
        _say(f"{'ok     ' if finding.ok else 'PROBLEM'} {finding.subject}: {finding.outcome}")
        if finding.remedy:
            _say(f"        -> {finding.remedy}")
    problems = sum(1 for finding in findings if not finding.ok)
    _say("Everything is in order." if not problems else f"{problems} problem{'s' if problems > 1 else ''} found.")
    return FAILED if problems else 0


def _reports(options: argparse.Namespace) -> int:
    import asyncio

    from mama_bot.commands import reports

    number = options.number
    if (options.action == "list") == (number is not None):
        raise ConfigurationError(
            problem=f"`mama-bot reports {options.action}` takes "
            + (
                "no number; `mama-bot reports show N` shows one report."
                if number is not None
                else "the number of a report."
            )
        )
    if options.action != "accept" and (options.phrase or options.stage or options.dry_run):
        raise ConfigurationError(problem="--phrase, --stage and --dry-run belong to `mama-bot reports accept N`.")
    configuration = _read_stored(options)
    match options.action:
        case "show":
            lines = asyncio.run(reports.show_report(configuration, number, as_json=options.json))
        case "accept":
            accepting = reports.accept_report(
                configuration,
                number,
                phrases=options.phrase,
                stage=options.stage,
                dry_run=options.dry_run,
            )
            asyncio.run(_say_all(accepting))
            return 0
        case "dismiss":
            lines = iter(asyncio.run(reports.dismiss_report(configuration, number)))
        case _:
            lines = asyncio.run(reports.list_reports(configuration, settled=options.all, as_json=options.json))
    for line in lines:
        _say(line)
    return 0


def _review_gate(options: argparse.Namespace) -> int:
    try:
        from mama_bot.commands import review_gate as review_gate_command

        status, lines, reason = review_gate_command.run(
            _read_stored(options),
            options.action,
            session=options.session,
            agent=options.agent,
            issues=options.issue,
            as_json=options.json,
        )
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - only exit status 2 holds a session: whatever broke must not let it go
        status, lines, reason = UNUSABLE, (), str(error) if isinstance(error, MamaBotError) else f"It broke: {error!r}"
    for line in lines:
        _say(line)
    if reason:
        try:
            _complain(reason)
            sys.stderr.flush()
        except (AttributeError, OSError, ValueError):  # closed or full: who is held is held all the same
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # and Python must not fail over it at the end
    return status


def _metrics(options: argparse.Namespace) -> int:
    import asyncio

    from mama_bot.commands.metrics import metrics_report

    for line in asyncio.run(metrics_report(_read_stored(options), days=options.days, as_json=options.json)):
        _say(line)
    return 0


def _receipt(options: argparse.Namespace) -> int:
    import asyncio

    from mama_bot.commands.receipts import shown_receipt
    from mama_bot.commands.setup.setup_arguments import session_language

    language = options.language or session_language(os.environ)
    told = shown_receipt(_read_stored(options), options.reference, as_json=options.json, language=language)
    for line in asyncio.run(told):
        _say(line)
    return 0


def _login(options: argparse.Namespace) -> int:
    from mama_bot.commands.claude_login import LoginWay, log_in
    from mama_bot.commands.setup.console import StreamConsole
    from mama_bot.commands.setup.setup_arguments import session_language

    way = LoginWay.TOKEN if options.token else LoginWay.API_KEY if options.api_key else LoginWay.BROWSER
    language = options.language or session_language(os.environ)
    for told in log_in(_read(options), way, StreamConsole(), language):
        _say(told.to(language))
    return 0


def _pair(options: argparse.Namespace) -> int:
    import asyncio

    from mama_bot.commands import pairing as pairing_command

    configuration = _read_stored(options)
    if options.code or options.deny:
        code = options.code or options.deny
        _say(asyncio.run(pairing_command.settle_pairing(configuration, code, approve=bool(options.code))))
    elif options.remove:
        _say(asyncio.run(pairing_command.remove_pairing(configuration, options.remove)))
    else:
        for line in asyncio.run(pairing_command.listed_pairings(configuration, as_json=options.json)):
            _say(line)
    return 0


def _judge(options: argparse.Namespace) -> int:
    from mama_bot.app.configuration import SECRETS_NAME
    from mama_bot.commands.judge import judge_lines
    from mama_bot.config import load_settings

    # Without a configuration of their own people tune against the defaults.
    given = options.config if options.config.exists() or options.config != OWN_FILE else None
    secrets_file = options.config.parent / SECRETS_NAME
    settings = load_settings(given, environment=dict(os.environ), secrets_file=secrets_file).enforcement
    with _opened(options.file) as lines:
        for line in judge_lines(lines, name=options.file, settings=settings, explain=options.explain):
            _say(line)
    return 0


def _opened(name: str) -> TextIO:
    if name == "-" and sys.stdin is None:
        raise ConfigurationError(problem="There is no input to read. Give a file of JSON lines, or pipe them in.")
    try:
        # Texts of agents hold what they hold: an undecodable byte must not end the run.
        return open(
            sys.stdin.fileno() if name == "-" else name, encoding="utf-8-sig", errors="replace", closefd=name != "-"
        )
    except OSError as error:
        problem = f"It cannot be read: {error.strerror}. Give a file of JSON lines, or - for the input."
        raise ConfigurationError(problem=problem, file=Path(name)) from error


_COMMANDS = {
    "run": _run,
    "demo": _demo,
    "page": _page,
    "check": _check,
    "doctor": _doctor,
    "login": _login,
    "init": cli_setup.init,
    "manifest": cli_setup.print_manifest,
    "judge": _judge,
    "reports": _reports,
    "metrics": _metrics,
    "review-gate": _review_gate,
    "receipt": _receipt,
    "pair": _pair,
}


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


async def _say_all(lines: "AsyncGenerator[str]") -> None:
    """Say lines as they come: what is about to be done before it is."""
    async with aclosing(lines):
        async for line in lines:
            _say(line)


def _complain(line: str) -> None:
    sys.stderr.write(f"mama-bot: {line}\n")
