"""Hooks in the settings of a CLI: there once, gone again, and nothing else changed."""

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mama_bot.errors import ConfigurationError
from mama_bot.session_hooks.installation import SETTINGS, install_hook, remove_hook, settings_file
from mama_bot.session_hooks.plugin import relay
from mama_bot.wording import Language

CLIS = sorted(SETTINGS)


@pytest.mark.parametrize("cli", CLIS)
def test_the_hook_is_installed_once_and_removed_and_leaves_others_alone(tmp_path: Path, cli: str) -> None:
    file = settings_file(cli, tmp_path, None, {})
    file.parent.mkdir()
    gate = SETTINGS[cli].events[0]
    theirs = {"matcher": "write_.*", "hooks": [{"type": "command", "command": "theirs"}]}
    others: dict[str, Any] = {"model": "x", "hooks": {gate: [theirs], "Other": []}}
    file.write_text(json.dumps(others), encoding="utf-8")
    install_hook(cli, file, tmp_path)
    first = file.read_text(encoding="utf-8")
    install_hook(cli, file, tmp_path)
    assert file.read_text(encoding="utf-8") == first
    hooks = json.loads(first)["hooks"]
    assert set(SETTINGS[cli].events) <= set(hooks)
    assert hooks[gate][0] == theirs
    command = hooks[gate][1]["hooks"][0]["command"]
    assert shlex.split(command)[4:7] == [str(tmp_path), gate, cli]
    remove_hook(file)
    assert json.loads(file.read_text(encoding="utf-8")) == others


@pytest.mark.parametrize("cli", CLIS)
def test_where_no_relay_is_left_a_call_is_kept_from_running_and_nothing_else(tmp_path: Path, cli: str) -> None:
    file = tmp_path / "settings.json"
    install_hook(cli, file, tmp_path)
    statuses = {}
    for event, ((group,)) in json.loads(file.read_text(encoding="utf-8"))["hooks"].items():
        command = group["hooks"][0]["command"].replace("relay.py", "gone.py")
        ended = subprocess.run(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        statuses[event] = ended.returncode == relay.BLOCKING
    assert [event for event, blocks in statuses.items() if blocks] == [
        event for event in SETTINGS[cli].events if event in relay.GATES
    ]


def test_a_hook_of_an_earlier_release_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    earlier = "/opt/venv/bin/python -I -S /opt/mama_bot/session_hooks/relay.py /data Stop"
    file.write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": earlier}]}]}}), encoding="utf-8"
    )
    install_hook("claude", file, tmp_path)
    assert earlier not in file.read_text(encoding="utf-8")


def test_settings_stand_where_the_cli_reads_them(tmp_path: Path) -> None:
    home, moved = tmp_path / "home", str(tmp_path / "moved")
    places = {cli: settings_file(cli, home, None, {}).relative_to(home).as_posix() for cli in CLIS}
    assert places == {
        "claude": ".claude/settings.json",
        "codex": ".codex/hooks.json",
        "gemini": ".gemini/settings.json",
    }
    assert settings_file("claude", home, tmp_path, {}) == tmp_path / ".claude" / "settings.local.json"
    assert settings_file("codex", home, None, {"CODEX_HOME": moved}) == tmp_path / "moved" / "hooks.json"


def test_whoever_installs_is_told_what_keeps_the_hooks_from_running(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"hooksConfig": {"enabled": false}}', encoding="utf-8")
    told = install_hook("gemini", file, tmp_path, project=True)
    assert told[0].to(Language.KOREAN).startswith("그 파일에서 훅이 꺼져 있어(`hooksConfig.enabled`)")
    assert "a folder that you trust" in told[1].to(Language.ENGLISH)
    assert "`/hooks`" in install_hook("codex", tmp_path / "hooks.json", tmp_path)[0].to(Language.ENGLISH)
    assert install_hook("claude", tmp_path / "claude.json", tmp_path) == ()
    assert "keep it out of git" in told[-1].to(Language.ENGLISH)
    private = settings_file("claude", tmp_path, tmp_path, {})
    assert install_hook("claude", private, tmp_path, project=True) == ()


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": [1]}}'])
def test_settings_that_cannot_be_read_stay(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError):
        install_hook("gemini", file, tmp_path)
    assert file.read_text(encoding="utf-8") == text


def test_a_project_that_is_no_directory_is_refused_and_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="There is no such directory"):
        settings_file("claude", tmp_path, tmp_path / "nowhere", {})
    assert list(tmp_path.iterdir()) == []


def test_settings_that_are_no_json_stay_and_are_told_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{\n  "hooks": {,}\n}\n', encoding="utf-8")
    with pytest.raises(ConfigurationError) as told:
        install_hook("claude", file, tmp_path)
    assert told.value.to(Language.ENGLISH).startswith(f"{file}:2: This is no JSON from here on")
    assert told.value.to(Language.KOREAN).startswith(f"{file}:2: 이 줄부터 JSON이 아니어서")
    assert file.read_text(encoding="utf-8") == '{\n  "hooks": {,}\n}\n'
