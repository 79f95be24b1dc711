"""`mama-bot login` makes a login where the service looks for it, with the CLI that it runs."""

import io
import subprocess
from pathlib import Path

import pytest

from mama_bot.agents.login import bundled_cli
from mama_bot.app.configuration import read_configuration
from mama_bot.commands.command_line import run_command
from mama_bot.config import read_secrets
from tests.end_to_end.team import write_configuration

CLI = """#!/bin/sh
echo "$@" >> "$HOME/asked"
[ "$1" = auth ] && mkdir -p "$HOME/.claude" && echo '{}' > "$HOME/.claude/.credentials.json"
[ "$1" = setup-token ] && echo sk-ant-oat01-abc
exit ${CLI_STATUS:-0}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cli = tmp_path / "claude"
    cli.write_text(CLI, encoding="utf-8")
    cli.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    write_configuration(tmp_path, claude={"cli_path": str(cli), "source": "auto"})
    return tmp_path


def login(place: Path, *arguments: str) -> int:
    return run_command(["login", *arguments, "--language", "en", "--config", str(place / "config.yaml")])


def is_scripted(place: Path) -> bool:
    return read_configuration(place / "config.yaml", environment={"HOME": str(place)}).scripted


def test_the_cli_logs_in_and_the_service_has_a_real_model(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert is_scripted(place)
    assert login(place) == 0
    assert (place / "asked").read_text() == "auth login\n"
    assert "There is a login (credentials file from " in capsys.readouterr().out
    assert not is_scripted(place)


@pytest.mark.parametrize(
    ("flag", "name", "typed", "asked"),
    [
        ("--token", "CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-abc", "setup-token\n"),
        ("--api-key", "ANTHROPIC_API_KEY", "sk-ant-api03-abc", None),
    ],
)
def test_a_token_and_a_key_are_kept_where_their_owner_alone_reads(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    flag: str,
    name: str,
    typed: str,
    asked: str | None,
) -> None:
    (place / "secrets.env").write_text("# mine\nOTHER=1\n", encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"garbage\n{typed}\n"))
    assert login(place, flag) == 0
    assert read_secrets(place / "secrets.env") == {"OTHER": "1", name: typed}
    assert (place / "secrets.env").stat().st_mode & 0o777 == 0o600
    output = capsys.readouterr().out
    assert "That is not it" in output
    assert typed not in output
    asks = place / "asked"
    assert (asks.read_text() if asks.exists() else None) == asked
    assert not is_scripted(place)


def test_a_cli_that_fails_or_is_missing_is_a_sentence(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLI_STATUS", "3")
    assert login(place) == 2
    assert "The CLI ended with exit status 3: nobody was logged in." in capsys.readouterr().err
    (place / "claude").unlink()
    assert login(place) == 2
    assert "The claude CLI is not there" in capsys.readouterr().err


@pytest.mark.cli
@pytest.mark.parametrize("arguments", [("auth", "login"), ("setup-token",)])
def test_the_cli_that_comes_along_can_do_what_it_is_asked_for(arguments: tuple[str, ...], tmp_path: Path) -> None:
    cli = bundled_cli()
    assert cli is not None
    told = subprocess.run(
        [cli, *arguments, "--help"], env={"HOME": str(tmp_path)}, capture_output=True, text=True, timeout=60
    )
    assert told.returncode == 0
    assert f"claude {' '.join(arguments)}" in told.stdout
