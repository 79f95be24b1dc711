"""`mama-bot agents`: which CLIs are there, which version, logged in or not; and what a service without Claude is."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from mama_bot.agents.acp_agents import CLIS
from mama_bot.agents.acp_clis import AcpCli
from mama_bot.app.configuration import Configuration, read_configuration
from mama_bot.app.readiness import lacking_here
from mama_bot.commands.agent_checks import examined_agents, version_of
from mama_bot.commands.command_line import run_command
from mama_bot.model import Examination, Need
from tests.end_to_end.team import write_configuration
from tests.session_hooks.cli_sessions import program_of


def configuration_of(
    directory: Path, backend: str, environment: Mapping[str, str], source: str = "auto"
) -> Configuration:
    """A team whose developer has this agent."""
    personas = {"developer": f"workspace: own\nbackend: {backend}"}
    file = write_configuration(directory, personas=personas, claude={"source": source})
    here = {"HOME": str(directory), "PATH": str(directory / "bin")}
    return read_configuration(file, environment={**here, **environment})


def program(directory: Path, name: str, prints: str) -> None:
    """A program that tells a version."""
    file = directory / "bin" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\necho '{prints}'\n")
    file.chmod(0o700)


def of(title: str, examinations: list[Examination]) -> Examination:
    return next(examination for examination in examinations if examination.subject == title)


def test_a_cli_that_a_persona_names_is_missed_and_another_is_not(tmp_path: Path) -> None:
    configuration = configuration_of(tmp_path, "gemini", {})
    everything = list(examined_agents(configuration, every=True))
    gemini, codex = of("Gemini CLI", everything), of("Codex", everything)
    assert (gemini.ok, codex.ok) == (False, True)
    assert gemini.outcome == "there is no gemini, for developer"
    assert "npm install -g @google/gemini-cli" in gemini.remedy
    assert [each.subject for each in examined_agents(configuration, every=False)] == ["Gemini CLI"]


def test_the_version_and_the_login_are_told_and_never_a_key(tmp_path: Path) -> None:
    program(tmp_path, "gemini", "0.61.0")
    program(tmp_path, "codex-acp", "@agentclientprotocol/codex-acp 9.9.9")
    configuration = configuration_of(tmp_path, "codex", {"GEMINI_API_KEY": "the-key-itself"})
    examinations = list(examined_agents(configuration, every=True))
    assert "0.61.0 at" in of("Gemini CLI", examinations).outcome
    assert "logged in by GEMINI_API_KEY" in of("Gemini CLI", examinations).outcome
    codex = of("Codex", examinations)
    assert not codex.ok
    assert "9.9.9 (tested is 2.6.0" in codex.outcome
    assert "not logged in, for developer" in codex.outcome
    assert "the-key-itself" not in str(examinations)
    login = tmp_path / ".codex" / "auth.json"
    login.parent.mkdir()
    login.write_text("{}")
    assert str(login) in of("Codex", list(examined_agents(configuration, every=True))).outcome


@pytest.mark.parametrize("cli", [cli for cli in CLIS.values() if cli.program], ids=lambda cli: cli.name)
def test_of_each_cli_another_version_is_said_and_each_login_named_without_its_value(
    tmp_path: Path, cli: AcpCli
) -> None:
    program(tmp_path, cli.program, f"{cli.program} 99.1.2")

    def told(environment: Mapping[str, str]) -> Examination:
        return of(cli.title, list(examined_agents(configuration_of(tmp_path, cli.name, environment), every=False)))

    nobody = told({})
    assert not nobody.ok
    assert f"99.1.2 (tested is {cli.tested}" in nobody.outcome
    assert "not logged in, for developer" in nobody.outcome
    assert all(name in nobody.remedy for name in cli.logins[:1])
    for name in cli.logins:
        by_key = told({name: "the-key-itself"})
        assert by_key.ok, by_key
        assert f"logged in by {name}" in by_key.outcome
        assert "the-key-itself" not in str(by_key)
    login = tmp_path / cli.login_file
    login.parent.mkdir(parents=True)
    login.write_text('{"token": "the-token-itself"}')
    by_file = told({})
    assert by_file.ok, by_file
    assert f"logged in by {login}" in by_file.outcome
    assert "the-token-itself" not in str(by_file)


def test_the_command_lists_claude_too_and_fails_where_a_persona_lacks_its_cli(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration_of(tmp_path, "opencode", {}, source="scripted")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert run_command(["agents", "--config", str(tmp_path / "config.yaml")]) == 1
    printed = capsys.readouterr().out
    assert "ok      claude CLI:" in printed
    assert "PROBLEM OpenCode: there is no opencode, for developer" in printed


def test_a_team_with_another_agent_that_can_answer_is_no_demonstration(tmp_path: Path) -> None:
    assert configuration_of(tmp_path, "gemini", {}).scripted
    configuration = configuration_of(tmp_path, "gemini", {"GEMINI_API_KEY": "x"})
    assert not configuration.scripted
    lack = next(lack for lack in lacking_here(configuration)() if lack.need is Need.LOGIN)
    assert "personas whose agent is Claude" in str(lack.sentence)


@pytest.mark.parametrize("name", [name for name, cli in CLIS.items() if cli.program])
def test_the_tested_version_is_the_one_that_tests_install(name: str) -> None:
    assert version_of(program_of(CLIS[name].program), os.environ["PATH"]) == CLIS[name].tested
