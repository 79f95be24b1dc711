"""What a start would stumble over on a machine is said in one line each: before it, at it, and by its health."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from mama_bot.app.configuration import read_configuration
from mama_bot.app.readiness import lacking_here
from mama_bot.commands.command_line import run_command
from mama_bot.model import Lack, Need
from mama_bot.wording import Said
from tests.end_to_end.team import write_configuration
from tests.gateways.web.harness import serve

NO_GIT = Lack(need=Need.GIT, sentence=Said("Install git.", "git을 설치하세요."))
NO_LOGIN = Lack(need=Need.LOGIN, sentence=Said("Log in.", "로그인하세요."), stops_work=False)


def lacks(directory: Path, environment: dict[str, str], **claude: object) -> list[tuple[str, bool]]:
    file = write_configuration(directory, claude=claude)
    configuration = read_configuration(file, environment={"HOME": str(directory), **environment})
    return [(lack.need.value, lack.stops_work) for lack in lacking_here(configuration)()]


def test_git_the_cli_and_a_login_are_missed(tmp_path: Path) -> None:
    path = {"PATH": os.environ["PATH"]}
    assert lacks(tmp_path, {"PATH": str(tmp_path)}, source="auto") == [("git", True), ("login", False)]
    assert lacks(tmp_path, path, source="real", cli_path="nowhere") == [("cli", True), ("login", True)]
    assert lacks(tmp_path, path, source="scripted") == []
    assert lacks(tmp_path, path | {"ANTHROPIC_API_KEY": "sk-1"}, source="real") == []


def test_check_and_doctor_name_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(write_configuration(tmp_path, web={"host": "0.0.0.0", "port": 0}, claude={"source": "real"}))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MAMA_TELEGRAM__TOKEN", "hunter2")
    monkeypatch.setenv("MAMA_TELEGRAM__ACCESS__OWNERS", "1")
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    assert run_command(["check", "--config", file]) == 0
    notes = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Note: ")]
    assert [note.split()[1] for note in notes] == ["telegram.token", "web.host", "git", "There"]
    assert "a key that the start makes" in notes[1]
    assert "mama-bot login" in notes[3]
    monkeypatch.setenv("MAMA_WEB__KEY", "short")
    assert run_command(["check", "--config", file]) == 2
    assert "MAMA_WEB__KEY is wrong: web.key: it is too short" in capsys.readouterr().err


async def test_health_names_what_is_missing_and_is_bad_where_nothing_can_be_answered() -> None:
    missing = [NO_LOGIN]
    async with serve(lacking=lambda: missing) as served, served.client() as client, served.stranger() as stranger:
        scripted = await client.get("/readyz")
        missing.append(NO_GIT)
        stopped, seen = await client.get("/readyz"), await stranger.get("/readyz")
    assert (scripted.status_code, scripted.json()["status"]) == (200, "ready")
    assert scripted.json()["lacks"] == [{"need": "login", "stops_work": False}]
    assert (stopped.status_code, stopped.json()["status"]) == (503, "lacking")
    assert [lack["need"] for lack in seen.json()["lacks"]] == ["login", "git"]


def at_a_terminal(*command: str, environment: dict[str, str]) -> Iterator[str]:
    """What a command shows at a terminal, until whoever reads has seen enough."""
    ours, its = pty.openpty()
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=environment) as process:
        os.close(its)
        try:
            with os.fdopen(ours, encoding="utf-8", errors="replace") as screen:
                yield from screen
        finally:
            process.terminate()


def test_a_start_without_git_and_login_says_so_and_the_first_address_at_the_terminal_is_the_one_to_open(
    tmp_path: Path,
) -> None:
    file = write_configuration(tmp_path, web={"port": 0}, claude={"source": "auto"}, log={"format": "json"})
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), "MAMA_LOG__LEVEL": "info"}
    shown = []
    command = (sys.executable, "-m", "mama_bot", "run", "--config", str(file))
    for line in at_a_terminal(*command, environment=environment):
        shown.append(line)
        if "http" in line:
            break
    said = "".join(shown)
    assert '"need": "git"' in said
    assert '"need": "login"' in said
    address = re.search(r"https?://\S+", said)
    assert address is not None
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/enter\?with=\S+", address[0])
    # Whether it opens is what the tests of sessions show; here the service may have ended already.
    assert httpx.URL(address[0]).path == "/enter"
