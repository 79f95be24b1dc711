"""A command that a sentence names can be typed as it stands, wherever the program lies."""

import sys
from pathlib import Path

import pytest

from mama_bot.commands.command_line import run_command
from mama_bot.wording import Language, Said, as_typed, program_name

LOGIN = Said("Log in with `mama-bot login`.", "`mama-bot login`을 실행하세요.")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / ".venv" / "bin" / "mama-bot"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(program), "run"])
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.chdir(tmp_path)
    return program


def test_below_the_directory_where_a_person_stands_it_is_a_short_path(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del program
    assert as_typed(LOGIN.to(Language.KOREAN)) == "`.venv/bin/mama-bot login`을 실행하세요."
    assert LOGIN.to(Language.ENGLISH) == "Log in with `mama-bot login`.", "in a chat nobody is told where it lies"
    assert run_command(["pair", "--nope"]) == 2
    assert "`.venv/bin/mama-bot pair` has no option --nope" in capsys.readouterr().err


def test_elsewhere_it_is_the_whole_path_quoted_for_a_shell(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spaced = tmp_path / "a team" / "mama-bot"
    spaced.parent.mkdir()
    program.rename(spaced)
    monkeypatch.setattr(sys, "argv", [str(spaced)])
    monkeypatch.chdir(program.parent)
    assert as_typed("Try `mama-bot doctor`.") == f"Try `'{spaced}' doctor`."


def test_where_it_is_found_by_its_name_the_name_is_said(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(program.parent))
    assert program_name() == "mama-bot"
    monkeypatch.setattr(sys, "argv", ["/usr/bin/pytest"])
    assert program_name() == "mama-bot"


def test_where_the_directory_is_gone_the_name_is_said(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert as_typed("Try `mama-bot doctor`.") == "Try `mama-bot doctor`."
