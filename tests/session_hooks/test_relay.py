"""A hook's input goes to the service and its answer back, as processes; without a service the failure modes hold."""

import asyncio
import json
import os
import socket
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mama_bot.model import Decision, Moment, ToolCall, ToolTurn, WorkflowStanding
from mama_bot.rules.rule_set import shipped_rules
from mama_bot.session_hooks.failure_modes import write_failure_modes
from mama_bot.session_hooks.hook_socket import HookSocket
from mama_bot.session_hooks.plugin import relay
from tests.rules.making import rules_of
from tests.session_hooks.serving import served
from tests.waiting import SECONDS

CLOSING = "name: closes\nmatch: Bash\nwhen: 'false'\ndecision: block\nmessage: x"
FORBIDDEN: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /opt/other"}}


async def relayed(
    directory: Path,
    event: str,
    text: str | None = None,
    *before: str,
    cli: str = "claude",
    locale: str = "",
    **given: object,
) -> Any:
    """What the relay prints about a hook, as a process; with its exit status where it prints nothing."""
    told = {"hook_event_name": event, "session_id": "s", "cwd": str(directory), **given}
    process = await asyncio.create_subprocess_exec(
        *(*before, sys.executable, "-I", "-S", relay.__file__, str(directory), event, cli),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(directory), "LANG": locale},
    )
    async with asyncio.timeout(SECONDS):
        output, _ = await process.communicate((json.dumps(told) if text is None else text).encode())
    return json.loads(output) if output else process.returncode


def denial(answer: Any) -> str:
    """Why a call is denied; "" where it is not."""
    specific = answer.get("hookSpecificOutput", {})
    return str(specific["permissionDecisionReason"]) if specific.get("permissionDecision") == "deny" else ""


async def test_a_call_is_decided_by_the_rules_of_the_service(tmp_path: Path) -> None:
    async with served(tmp_path) as path:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        blocked = await relayed(tmp_path, "PreToolUse", **FORBIDDEN)
        passed = await relayed(tmp_path, "PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
        broken = await relayed(tmp_path, "PreToolUse", "{")
        after = await relayed(tmp_path, "PostToolUse", **FORBIDDEN, tool_response={"stdout": "결과"})
    assert "outside of your workspace" in denial(blocked)
    assert (passed, after) == ({}, {})
    assert broken == relay.BLOCKING
    assert not path.exists()


@pytest.mark.parametrize(("installed", "serves"), [("scripted", "real"), ("real", "scripted")])
async def test_a_hook_finds_the_service_also_after_its_first_login(tmp_path: Path, installed: str, serves: str) -> None:
    (tmp_path / serves).mkdir()
    async with served(tmp_path / serves):
        blocked = await relayed(tmp_path / installed, "PreToolUse", **FORBIDDEN)
        elsewhere = await relayed(tmp_path / "other", "PreToolUse", **FORBIDDEN)
    assert "outside of your workspace" in denial(blocked)
    assert "outside of your workspace" not in denial(elsewhere)


async def test_a_process_of_a_sandbox_gets_no_answer(tmp_path: Path) -> None:
    async with served(tmp_path):
        (tmp_path / relay.FAILURES).write_text('{"tools": {"Bash": "walled"}, "patterns": []}', encoding="utf-8")
        answer = await relayed(
            tmp_path, "PreToolUse", None, "setpriv", "--no-new-privs", tool_name="Bash", tool_input={"command": "ls"}
        )
    assert "walled" in denial(answer)


async def test_a_place_without_sockets_does_not_end_the_service(tmp_path: Path) -> None:
    guard = Unasked()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await HookSocket(path=tmp_path / ("x" * 120), guard=guard, watch=guard).run()


class Unasked:
    """Rules that nobody asks."""

    async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
        raise AssertionError((call, turn))

    async def at(self, moment: Moment, turn: ToolTurn) -> Decision:
        raise AssertionError((moment, turn))

    async def standing(self, turn: ToolTurn) -> WorkflowStanding | None:
        raise AssertionError(turn)


async def test_without_the_service_each_rule_closes_or_opens_as_it_says(tmp_path: Path) -> None:
    opening = "name: opens\nmatch: Write\nwhen: 'false'\ndecision: block\nmessage: x\non_failure: allow"
    served_tool = "name: served\nmatch: mcp__github__*\nwhen: 'false'\ndecision: block\nmessage: x"
    write_failure_modes(tmp_path, rules_of(tmp_path, CLOSING, opening, served_tool))
    tools = ("Bash", "Write", "Read", "mcp__github__push", "mcp__other__push")
    answers = [denial(await relayed(tmp_path, "PreToolUse", tool_name=tool, tool_input={})) for tool in tools]
    assert [bool(answer) for answer in answers] == [True, False, False, True, False]
    assert "closes" in answers[0]
    assert await relayed(tmp_path, "Stop") == {}
    (tmp_path / relay.FAILURES).unlink()
    assert "cannot be read" in denial(await relayed(tmp_path, "PreToolUse", tool_name="Read", tool_input={}))


async def test_without_the_service_a_shipped_rule_closes_on_what_it_is_about_alone(tmp_path: Path) -> None:
    write_failure_modes(tmp_path, shipped_rules())
    closed = ("Bash", "Read", "Grep", "Write", "mcp__terminal__run_command", "mcp__files__Read_File")
    open_ones = ("TodoWrite", "WebSearch", "Task", "mcp__github__create_issue")
    for tool in (*closed, *open_ones):
        answer = await relayed(tmp_path, "PreToolUse", tool_name=tool, tool_input={})
        assert bool(denial(answer)) is (tool in closed), tool


@pytest.mark.parametrize(
    "text",
    [
        *("", '{"tools": {"Bash": "", "Rea', "[]", "null", '{"tools": {}}', '{"tools": null, "patterns": []}'),
        *('{"tools": {}, "patterns": [["*"]]}', '{"tools": {}, "patterns": [[1, ""]]}', "[" * 100_000),
    ],
)
async def test_a_torn_file_of_failure_modes_closes(tmp_path: Path, text: str) -> None:
    (tmp_path / relay.FAILURES).write_text(text, encoding="utf-8")
    answer = await relayed(tmp_path, "PreToolUse", tool_name="Read", tool_input={})
    assert answer == relay.BLOCKING or "cannot be read" in denial(answer)


async def test_a_socket_that_nobody_listens_on_is_no_service(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as killed:
        killed.bind(str(tmp_path / relay.SOCKET))
    write_failure_modes(tmp_path, rules_of(tmp_path, CLOSING))
    assert "closes" in denial(await relayed(tmp_path, "PreToolUse", tool_name="Bash", tool_input={}))
    assert await relayed(tmp_path, "PreToolUse", tool_name="Read", tool_input={}) == {}


@pytest.mark.parametrize("begun", [b"", b"{"])
async def test_a_service_that_is_killed_in_the_middle_of_a_call_did_not_answer(tmp_path: Path, begun: bytes) -> None:
    write_failure_modes(tmp_path, rules_of(tmp_path, CLOSING))
    with listening(tmp_path) as listener:
        asked = asyncio.create_task(relayed(tmp_path, "PreToolUse", tool_name="Bash"))  # noqa: TID251 - awaited below
        connection, _ = await asyncio.to_thread(listener.accept)
        await asyncio.to_thread(connection.recv, 1)
        connection.sendall(begun)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        assert "closes" in denial(await asked)


async def test_a_service_that_never_answers_is_waited_for_no_longer_than_a_relay_may(tmp_path: Path) -> None:
    write_failure_modes(tmp_path, rules_of(tmp_path, CLOSING))
    hurried = "import sys, relay; relay.SECONDS = 0.2; sys.exit(relay.answer_hook(sys.argv))"
    with listening(tmp_path):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-S", "-c", hurried, str(tmp_path), "PreToolUse"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={"PYTHONPATH": str(Path(relay.__file__).parent)},
        )
        async with asyncio.timeout(SECONDS):
            output, _ = await process.communicate(b'{"tool_name": "Bash"}')
    assert "closes" in denial(json.loads(output))


@contextmanager
def listening(directory: Path) -> Iterator[socket.socket]:
    """A socket as the service's, with nobody who answers."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(directory / relay.SOCKET))
        listener.listen()
        yield listener


async def test_each_cli_is_denied_a_call_in_its_own_form(tmp_path: Path) -> None:
    served_tool = "name: served\nmatch: mcp__notes__*\nwhen: 'false'\ndecision: block\nmessage: x"
    write_failure_modes(tmp_path, rules_of(tmp_path, CLOSING, served_tool))
    context = {"server_name": "notes", "tool_name": "add_note"}
    gemini = [
        await relayed(tmp_path, "BeforeTool", cli="gemini", tool_name="run_shell_command"),
        await relayed(tmp_path, "BeforeTool", cli="gemini", tool_name="mcp_notes_add_note", mcp_context=context),
        await relayed(tmp_path, "BeforeTool", cli="gemini", tool_name="mcp_other_add_note"),
    ]
    assert [answer.get("decision") for answer in gemini] == ["deny", "deny", None]
    assert "hook remove gemini" in gemini[0]["reason"]
    assert "hook remove codex" in denial(await relayed(tmp_path, "PreToolUse", cli="codex", tool_name="Bash"))


@pytest.mark.parametrize(
    ("locale", "words"), [("ko_KR.UTF-8", "배포합니다."), ("C.UTF-8", "This deploys."), ("", "This")]
)
async def test_the_person_at_the_terminal_is_asked_in_their_language(tmp_path: Path, locale: str, words: str) -> None:
    asking = "name: asks\nmatch: Bash\ndecision: ask\nmessage: x\nperson: {en: This deploys., ko: 배포합니다.}"
    call: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "make deploy"}}
    async with served(tmp_path, rules_of(tmp_path, asking)):
        claude = await relayed(tmp_path, "PreToolUse", locale=locale, **call)
        gemini = await relayed(
            tmp_path, "BeforeTool", cli="gemini", locale=locale, **{**call, "tool_name": "run_shell_command"}
        )
    assert words in claude["hookSpecificOutput"]["permissionDecisionReason"]
    assert words in gemini["systemMessage"]


async def test_that_the_service_does_not_answer_is_told_in_the_language_of_the_terminal(tmp_path: Path) -> None:
    write_failure_modes(tmp_path, rules_of(tmp_path, CLOSING))
    told = denial(await relayed(tmp_path, "PreToolUse", locale="ko_KR.UTF-8", tool_name="Bash", tool_input={}))
    assert "closes에 해당하는 호출은 실행되지 않습니다" in told
    assert "`mama-bot hook remove claude`" in told
    assert "--project DIR" in told
    (tmp_path / relay.FAILURES).unlink()
    assert "읽을 수 없음" in denial(await relayed(tmp_path, "PreToolUse", locale="ko", tool_name="Read", tool_input={}))


async def test_a_relay_of_an_earlier_release_that_tells_no_locale_is_answered(tmp_path: Path) -> None:
    told = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(tmp_path), **FORBIDDEN}
    async with served(tmp_path) as path:
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(b"claude\0%b\0%b" % (os.fsencode(tmp_path), json.dumps(told).encode()))
        writer.write_eof()
        async with asyncio.timeout(SECONDS):
            answer = json.loads(await reader.read())
        writer.close()
    assert "outside of your workspace" in denial(answer)
