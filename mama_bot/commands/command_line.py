"""The command line: one function for each command, heavy imports inside, so that `--help` is quick."""

import argparse
import gc
import os
import sys
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING

from mama_bot.commands.command_arguments import OWN_FILE, command_parser
from mama_bot.commands.setup import setup_arguments
from mama_bot.errors import ErrorDecision, MamaBotError

if TYPE_CHECKING:
    from mama_bot.app.configuration import Configuration
    from mama_bot.model import Examination
    from mama_bot.wording import Language

FAILED = 1
UNUSABLE = 2
PIPE_CLOSED = 141


def run_command(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status: 0, 1 when it failed, 2 when what a person asked is refused."""
    try:
        options = command_parser().parse_args(arguments)
        return _COMMANDS[options.command](options)
    except MamaBotError as error:
        _complain(error)
        return UNUSABLE if error.decision is ErrorDecision.REFUSED else FAILED
    except BrokenPipeError:
        # Whoever read has seen enough; what Python still holds back must not complain at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return 130


def _read(options: argparse.Namespace, *, serves: bool = False) -> "Configuration":
    """The configuration; the secrets of the service may stand in an environment that only the service has."""
    from mama_bot.app.configuration import read_configuration

    optional = options.config == OWN_FILE
    return read_configuration(options.config, environment=dict(os.environ), optional=optional, serves=serves)


def _read_stored(options: argparse.Namespace) -> "Configuration":
    """The configuration of a command that reads what a service stored."""
    from mama_bot.app.configuration import scripted
    from mama_bot.log import LogLevel, configure_logs

    configuration = _read(options)
    logs = configuration.settings.log
    configure_logs(style=logs.format, level=LogLevel.WARNING, redact=configuration.redactor())
    return scripted(configuration) if options.demo else configuration


@contextmanager
def _imports_that_stay() -> Iterator[None]:
    """A service keeps what it imports: walking all of it for garbage, again and again, was a fifth of its start."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _run(options: argparse.Namespace) -> int:
    with _imports_that_stay():
        from mama_bot.app.service_process import serve_until_signalled
        from mama_bot.commands.page_link import show_link

    serve_until_signalled(_read(options, serves=True), ready=show_link)
    return 0


def _demo(options: argparse.Namespace) -> int:
    with _imports_that_stay():
        from mama_bot.app.configuration import scripted
        from mama_bot.app.service_process import serve_until_signalled
        from mama_bot.commands.page_link import show_link

    serve_until_signalled(scripted(_read(options, serves=True)), ready=show_link)
    return 0


def _page(options: argparse.Namespace) -> int:
    from mama_bot.app.page_key import new_link

    _say(new_link(_read(options)))
    return 0


def _reload(options: argparse.Namespace) -> int:
    from mama_bot.commands.reload_command import ask_to_reload

    _say(ask_to_reload(_read(options, serves=True)).to(setup_arguments.session_language(os.environ)))
    return 0


def _check(options: argparse.Namespace) -> int:
    from mama_bot.app.readiness import lacking_here
    from mama_bot.config import warnings_of
    from mama_bot.wording import Language

    configuration = _read(options, serves=True)
    names = ", ".join(configuration.personas)
    read = str(options.config) if options.config.exists() else "The defaults (there is no config.yaml here)"
    _say(f"{read} and {len(configuration.personas)} personas ({names}) are in order.")
    for warning in warnings_of(configuration.settings):
        _say(f"Note: {warning}")
    for lack in lacking_here(configuration)():
        _say(f"Note: {lack.sentence.to(Language.ENGLISH)}")
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from mama_bot.commands.doctor import examine_all

    return _told(examine_all(_read(options, serves=True)))


def _agents(options: argparse.Namespace) -> int:
    from mama_bot.commands.doctor import examine_agents

    return _told(examine_agents(_read(options)))


def _told(findings: "Sequence[Examination]") -> int:
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
    reports.check_arguments(options)
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
    reason: MamaBotError | str
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
        status, lines, reason = UNUSABLE, (), error if isinstance(error, MamaBotError) else f"It broke: {error!r}"
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


def _board(options: argparse.Namespace) -> int:
    import asyncio

    from mama_bot.commands.board_commands import item_answer, topic_answer

    answer = topic_answer if options.command == "topic" else item_answer
    for line in asyncio.run(answer(_read_stored(options), options, _language(options))):
        _say(line)
    return 0


def _language(options: argparse.Namespace) -> "Language":
    language: Language | None = options.language
    return language or setup_arguments.session_language(os.environ)


def _turns(options: argparse.Namespace) -> int:
    import asyncio

    from mama_bot.commands.turn_commands import turns_answer

    for line in asyncio.run(turns_answer(_read_stored(options), options, _language(options))):
        _say(line)
    return 0


def _backup(options: argparse.Namespace) -> int:
    from mama_bot.commands.backup_commands import backup_answer

    for line in backup_answer(_read(options), options.file, only=options.database_only, language=_language(options)):
        _say(line)
    return 0


def _migrate(options: argparse.Namespace) -> int:
    import asyncio

    from mama_bot.commands.store_migration import migration_answer

    configuration, language = _read_stored(options), _language(options)
    for line in asyncio.run(migration_answer(configuration, options.to, source=options.source, language=language)):
        _say(line)
    return 0


def _restore(options: argparse.Namespace) -> int:
    from mama_bot.commands.backup_commands import restore_answer

    for line in restore_answer(_read(options), options.file, replace=options.replace, language=_language(options)):
        _say(line)
    return 0


def _prune(options: argparse.Namespace) -> int:
    import asyncio

    from mama_bot.commands.backup_commands import prune_answer

    for line in asyncio.run(prune_answer(_read_stored(options), options, _language(options))):
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


def _rules(options: argparse.Namespace) -> int:
    import asyncio

    from mama_bot.commands import rule_examination, rule_report

    configuration = _read_stored(options) if options.action == "report" else _read(options)
    rules, branches = configuration.rules, configuration.settings.rules.protected_branches
    passed = True
    match options.action:
        case "test":
            passed, lines = rule_examination.tested(rules, branches)
        case "explain":
            lines = tuple(rule_examination.explained(rules, options.input, options.event, branches, options.json))
        case "report":
            lines = tuple(asyncio.run(rule_report.rule_report(configuration, as_json=options.json)))
        case _:
            lines = tuple(rule_examination.listed_rules(rules, as_json=options.json))
    for line in lines:
        _say(line)
    return 0 if passed else FAILED


def _hook(options: argparse.Namespace) -> int:
    from mama_bot.commands import hook_commands

    hook_commands.check_action(options.action)
    if options.action == "remove":
        _say(hook_commands.remove_hooks(options, setup_arguments.session_language(os.environ)))
        return 0
    configuration = _read_stored(options)
    match options.action:
        case "install":
            lines = hook_commands.install_hooks(options, configuration, setup_arguments.session_language(os.environ))
        case "plugin":
            lines = hook_commands.plugin_commands(configuration)
        case _:
            return hook_commands.relayed(options, configuration)
    for line in lines:
        _say(line)
    return 0


def _judge(options: argparse.Namespace) -> int:
    from mama_bot.commands.judge import judged_file

    for line in judged_file(options.file, options.config, os.environ, explain=options.explain):
        _say(line)
    return 0


_COMMANDS = {
    "run": _run,
    "demo": _demo,
    "page": _page,
    "reload": _reload,
    "check": _check,
    "doctor": _doctor,
    "login": _login,
    "init": setup_arguments.init,
    "manifest": setup_arguments.print_manifest,
    "judge": _judge,
    "reports": _reports,
    "metrics": _metrics,
    "agents": _agents,
    "review-gate": _review_gate,
    "receipt": _receipt,
    "rules": _rules,
    "hook": _hook,
    "pair": _pair,
    "turns": _turns,
    "backup": _backup,
    "restore": _restore,
    "prune": _prune,
    "migrate": _migrate,
    "topic": _board,
    "item": _board,
}


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


async def _say_all(lines: "AsyncGenerator[str]") -> None:
    """Say lines as they come: what is about to be done before it is."""
    async with aclosing(lines):
        async for line in lines:
            _say(line)


def _complain(problem: MamaBotError | str) -> None:
    told = problem if isinstance(problem, str) else problem.to(setup_arguments.session_language(os.environ))
    sys.stderr.write(f"mama-bot: {told}\n")
