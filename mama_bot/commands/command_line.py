"""The command line: one function for each command, heavy imports inside, so that `--help` is quick."""

import argparse
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mama_bot.commands import stored_commands
from mama_bot.commands.command_answers import asked_configuration, print_line, read_stored
from mama_bot.commands.command_arguments import command_parser
from mama_bot.commands.setup import setup_arguments
from mama_bot.errors import ErrorDecision, MamaBotError
from mama_bot.wording import as_typed

if TYPE_CHECKING:
    from mama_bot.model import Examination

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
        from mama_bot.app.roles import with_role
        from mama_bot.app.service_process import serve_until_signalled
        from mama_bot.commands.page_link import show_link
        from mama_bot.config import ServiceRole

    configuration = with_role(asked_configuration(options, serves=True), ServiceRole(options.role))
    serve_until_signalled(configuration, ready=show_link)
    return 0


def _demo(options: argparse.Namespace) -> int:
    with _imports_that_stay():
        from mama_bot.app.configuration import scripted
        from mama_bot.app.service_process import serve_until_signalled
        from mama_bot.commands.page_link import show_link

    serve_until_signalled(scripted(asked_configuration(options, serves=True)), ready=show_link)
    return 0


def _page(options: argparse.Namespace) -> int:
    from mama_bot.app.page_key import new_link

    print_line(new_link(asked_configuration(options)))
    return 0


def _reload(options: argparse.Namespace) -> int:
    from mama_bot.commands.reload_command import ask_to_reload

    print_line(
        ask_to_reload(asked_configuration(options, serves=True)).to(setup_arguments.session_language(os.environ))
    )
    return 0


def _check(options: argparse.Namespace) -> int:
    from mama_bot.app.readiness import lacking_here
    from mama_bot.config import warnings_of
    from mama_bot.wording import Language

    configuration = asked_configuration(options, serves=True)
    names = ", ".join(configuration.personas)
    source = str(options.config) if options.config.exists() else "The defaults (there is no config.yaml here)"
    print_line(f"{source} and {len(configuration.personas)} personas ({names}) are in order.")
    for warning in warnings_of(configuration.settings):
        print_line(f"Note: {warning}")
    for lack in lacking_here(configuration)():
        print_line(f"Note: {as_typed(lack.sentence.to(Language.ENGLISH))}")
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from mama_bot.commands.doctor import examine_all

    return _told(examine_all(asked_configuration(options, serves=True)))


def _agents(options: argparse.Namespace) -> int:
    from mama_bot.commands.doctor import examine_agents

    return _told(examine_agents(asked_configuration(options)))


def _told(findings: "Sequence[Examination]") -> int:
    for finding in findings:
        mark = "PROBLEM" if not finding.ok else "note" if finding.noted else "ok"
        print_line(f"{mark:<7} {finding.subject}: {finding.outcome}")
        if finding.remedy:
            print_line(f"        -> {as_typed(finding.remedy)}")
    problems = sum(1 for finding in findings if not finding.ok)
    print_line("Everything is in order." if not problems else f"{problems} problem{'s' if problems > 1 else ''} found.")
    return FAILED if problems else 0


def _review_gate(options: argparse.Namespace) -> int:
    reason: MamaBotError | str
    try:
        from mama_bot.commands import review_gate as review_gate_command

        status, lines, reason = review_gate_command.run(
            read_stored(options),
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
        print_line(line)
    if reason:
        try:
            _complain(reason)
            sys.stderr.flush()
        except (AttributeError, OSError, ValueError):  # closed or full: who is held is held all the same
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # and Python must not fail over it at the end
    return status


def _login(options: argparse.Namespace) -> int:
    from mama_bot.commands.claude_login import LoginWay, log_in
    from mama_bot.commands.setup.console import StreamConsole
    from mama_bot.commands.setup.setup_arguments import session_language

    way = LoginWay.TOKEN if options.token else LoginWay.API_KEY if options.api_key else LoginWay.BROWSER
    language = options.language or session_language(os.environ)
    for told in log_in(asked_configuration(options), way, StreamConsole(), language):
        print_line(told.to(language))
    return 0


def _rules(options: argparse.Namespace) -> int:
    import asyncio

    from mama_bot.commands import rule_examination, rule_report

    configuration = read_stored(options) if options.action == "report" else asked_configuration(options)
    rules, branches = configuration.rules, configuration.settings.rules.protected_branches
    passed, language = True, setup_arguments.session_language(os.environ)
    match options.action:
        case "test":
            passed, lines = rule_examination.tested(rules, branches, language)
        case "explain":
            lines = tuple(
                rule_examination.explained(
                    rules, options.input, options.event, branches, language, as_json=options.json
                )
            )
        case "report":
            lines = tuple(asyncio.run(rule_report.rule_report(configuration, language, as_json=options.json)))
        case _:
            lines = tuple(rule_examination.listed_rules(rules, language, as_json=options.json))
    for line in lines:
        print_line(line)
    return 0 if passed else FAILED


def _hook(options: argparse.Namespace) -> int:
    from mama_bot.commands import hook_commands

    hook_commands.check_action(options.action)
    if options.action == "remove":
        print_line(hook_commands.remove_hooks(options, setup_arguments.session_language(os.environ)))
        return 0
    configuration = read_stored(options)
    match options.action:
        case "install":
            lines = hook_commands.install_hooks(options, configuration, setup_arguments.session_language(os.environ))
        case "plugin":
            lines = hook_commands.plugin_commands(configuration)
            for warning in hook_commands.plugin_warnings(configuration, setup_arguments.session_language(os.environ)):
                sys.stderr.write(f"{warning}\n")
        case _:
            return hook_commands.relayed(options, configuration)
    for line in lines:
        print_line(line)
    return 0


def _judge(options: argparse.Namespace) -> int:
    from mama_bot.commands.judge import judged_file

    for line in judged_file(options.file, options.config, os.environ, explain=options.explain):
        print_line(line)
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
    "reports": stored_commands.reports,
    "metrics": stored_commands.metrics,
    "agents": _agents,
    "review-gate": _review_gate,
    "receipt": stored_commands.receipt,
    "rules": _rules,
    "hook": _hook,
    "pair": stored_commands.pair,
    "turns": stored_commands.turns,
    "backup": stored_commands.backup,
    "restore": stored_commands.restore,
    "prune": stored_commands.prune,
    "migrate": stored_commands.copy_store,
    "topic": stored_commands.board,
    "item": stored_commands.board,
}


def _complain(problem: MamaBotError | str) -> None:
    told = problem if isinstance(problem, str) else problem.to(setup_arguments.session_language(os.environ))
    sys.stderr.write(f"mama-bot: {as_typed(told)}\n")
