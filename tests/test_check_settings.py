"""What is wrong about a configured check is one sentence with its key, file and line."""

from pathlib import Path

import pytest
import yaml

from mama_bot.app.configuration import read_configuration
from mama_bot.commands.command_line import run_command
from mama_bot.commands.doctor import examine_all
from mama_bot.commands.setup.new_files import DEFAULTS
from mama_bot.config import CheckOf, warnings_of
from mama_bot.errors import ConfigurationError
from tests.end_to_end.team import write_configuration
from tests.test_config import load, refusal

HEAD = "repositories:\n  app:\n    source: /srv\n    checks:\n"


def test_a_check_is_read_with_its_defaults(tmp_path: Path) -> None:
    text = HEAD + "    - {name: tests, argv: [pytest, -q], from_base: [tests/, '**/conftest.py', ./setup.cfg]}\n"
    (check,) = load(tmp_path, text).repositories["app"].checks
    assert (check.directory, check.timeout_seconds, check.of) == (".", 300, CheckOf.WORKING_TREE)
    assert check.from_base == ("tests/", "**/conftest.py", "./setup.cfg")


@pytest.mark.parametrize(
    ("check", "line", "words"),
    [
        ("argv: []", 6, "repositories.app.checks.0.argv: expected at least one entry."),
        ("argv: ['']", 6, "checks.0.argv.0: expected the name of a program"),
        ('argv: ["a\\0b"]', 6, "checks.0.argv.0: it holds a NUL character"),
        ("argv: make test", 6, "checks.0.argv: expected a list"),
        ("argv: [a]\n      directory: ../other", 7, "checks.0.directory: '../other' leads out of the workspace."),
        ("argv: [a]\n      directory: /srv/other", 7, "checks.0.directory: '/srv/other' leads out of the workspace."),
        ("argv: [a]\n      directory: ''", 7, "checks.0.directory: '' leads out of the workspace."),
        ("argv: [a]\n      from_base: [a, b/../../c]", 7, "checks.0.from_base.1: 'b/../../c' leads out of"),
        ("argv: [a]\n      from_base: [~/x]", 7, "checks.0.from_base.0: '~/x' leads out of the workspace."),
        ("argv: [a]\n      from_base: [./]", 7, "checks.0.from_base.0: './' names no file."),
        ("argv: [a]\n      environment: {A=B: c}", 7, "checks.0.environment.A=B: 'A=B' is no variable"),
        ("argv: [a]\n      environment: {MAMA_BOT_CHECK_RUN: c}", 7, "the service itself sets this. Remove it."),
        ("argv: [a]\n      timeout_seconds: 600", 7, "not less than the 600 that all checks have together"),
        (
            "argv: [a]\n      timeout: 5",
            7,
            "Unknown key 'repositories.app.checks.0.timeout'. Did you mean 'timeout_sec",
        ),
        (
            "argv: [a]\n      install: {argv: [b], file: [c], makes: [d]}",
            7,
            "Unknown key 'repositories.app.checks.0.install.file'. Did you mean 'files'?",
        ),
        ("argv: [a]\n      install: {argv: [b]}", 7, "checks.0.install.files: expected a value, there is none"),
        (
            "argv: [a]\n      install:\n        argv: [b]\n        files: [../c]\n        makes: [d]",
            9,
            "checks.0.install.files.0: '../c' leads out of the workspace.",
        ),
        (
            "argv: [a]\n      install:\n        argv: [b]\n        files: [c]\n        makes: [.]",
            10,
            "checks.0.install.makes.0: '.' names no file.",
        ),
        (
            "argv: [a]\n      install: {argv: [b], files: [c], makes: [d], timeout_seconds: 400}",
            7,
            "install.timeout_seconds: 400 seconds: with the 300 of the check itself that is not less than the 600",
        ),
        ("argv: [a]\n    - name: tests\n      argv: [b]", 7, "checks.1.name: 'tests' is the name of check 0 too."),
        ("argv: [a]\n    - name: ' '\n      argv: [b]", 7, "checks.1.name: expected a name on one line."),
    ],
)
def test_a_mistake_is_a_sentence_with_key_file_and_line(tmp_path: Path, check: str, line: int, words: str) -> None:
    error = refusal(tmp_path, f"{HEAD}    - name: tests\n      {check}\n")
    assert error.line == line
    assert words in str(error)


def test_a_mistake_in_a_variable_names_the_variable(tmp_path: Path) -> None:
    given = '{"app": {"source": "/srv", "checks": [{"name": "tests", "argv": ["a"], "directory": ".."}]}}'
    error = refusal(tmp_path, "", {"MAMA_REPOSITORIES": given})
    assert "MAMA_REPOSITORIES is wrong: repositories.app.checks.0.directory: '..' leads out of the workspace." in str(
        error
    )


def test_checks_need_a_repository(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    repository = {"source": "app", "mode": "in_place", "checks": [{"name": "tests", "argv": ["true"]}]}
    file = write_configuration(tmp_path, repositories={"app": repository})
    with pytest.raises(ConfigurationError, match="belongs to no git repository, and a check is run on a git tree"):
        read_configuration(file, environment={})
    (tmp_path / "app" / ".git").mkdir()
    assert read_configuration(file, environment={}).settings.repositories["app"].checks


def test_the_example_in_the_shipped_file_is_one_that_can_be_used(tmp_path: Path) -> None:
    shipped = DEFAULTS.read_text(encoding="utf-8").split("\n")
    start = shipped.index("repositories: {}")
    example = [line.removeprefix("#") for line in shipped[start + 1 : shipped.index("", start)]]
    text = "\n".join(["repositories:", *example])
    (check,) = load(tmp_path, text).repositories["app"].checks
    assert yaml.safe_load(text)["repositories"]["app"]["checks"][0]["name"] == check.name == "tests"


def test_secrets_that_a_check_is_given_are_redacted(tmp_path: Path) -> None:
    (tmp_path / "app" / ".git").mkdir(parents=True)
    check = {"name": "tests", "argv": ["true"], "environment": {"DB_PASSWORD": "swordfish", "MODE": "testing"}}
    file = write_configuration(tmp_path, repositories={"app": {"source": "app", "checks": [check]}})
    redact = read_configuration(file, environment={}).redactor()
    assert redact("swordfish testing") == "[redacted] testing"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", None),
        (
            "claude: {in_turn_seconds: 60}\n",
            "claude.in_turn_seconds (60) is less than enforcement.workspace_checks.",
        ),
        (
            "enforcement: {claim_check: {timeout_seconds: 900}}\n",
            "is less than enforcement.claim_check.timeout_seconds (",
        ),
        ("enforcement: {claim_check: {timeout_seconds: 900, enabled: false}}\n", None),
        ("claude: {in_turn_seconds: 60, in_turn_retries: 0}\n", None),
    ],
)
def test_a_turn_that_waits_less_than_a_stage_takes_is_warned_of(tmp_path: Path, text: str, words: str | None) -> None:
    said = list(warnings_of(load(tmp_path, text)))
    assert len(said) == (words is not None)
    assert words is None or words in said[0]


def test_check_and_doctor_tell_the_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_configuration(tmp_path, claude={"in_turn_seconds": 60})
    assert run_command(["check", "--config", str(file)]) == 0
    assert "Note: claude.in_turn_seconds (60) is less than" in capsys.readouterr().out
    (found,) = [one for one in examine_all(read_configuration(file, environment={})) if one.subject == "settings"]
    assert found.ok
    assert "claude.in_turn_seconds (60)" in found.outcome
