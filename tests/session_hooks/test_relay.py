"""A hook's input goes to the service and its answer back, as processes; without a service the failure modes hold."""

import asyncio
import json
import os
import socket
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from mama_bot.model import Amend, Ask, Block, Decision, Moment, ToolCall, ToolTurn, WorkflowStanding
from mama_bot.session_hooks.claude_translation import claude_answer
from mama_bot.session_hooks.failure_modes import write_failure_modes
from mama_bot.session_hooks.hook_socket import HookSocket
from mama_bot.session_hooks.plugin import relay
from mama_bot.tool_names import claude_call
from tests.rules.making import rules_of
from tests.session_hooks.serving import served
from tests.waiting import SECONDS

FORBIDDEN: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /opt/other"}}


async def relayed(directory: Path, event: str, text: str | None = None, *before: str, **given: object) -> Any:
    """What the relay prints about a hook, as a process; with its exit status where it prints nothing."""
    told = {"hook_event_name": event, "session_id": "s", "cwd": str(directory), **given}
    process = await asyncio.create_subprocess_exec(
        *(*before, sys.executable, "-I", "-S", relay.__file__, str(directory), event),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(directory)},
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
    closing = "name: closes\nmatch: Bash\nwhen: 'false'\ndecision: block\nmessage: x"
    opening = "name: opens\nmatch: Write\nwhen: 'false'\ndecision: block\nmessage: x\non_failure: allow"
    served_tool = "name: served\nmatch: mcp__github__*\nwhen: 'false'\ndecision: block\nmessage: x"
    write_failure_modes(tmp_path, rules_of(tmp_path, closing, opening, served_tool))
    tools = ("Bash", "Write", "Read", "mcp__github__push", "mcp__other__push")
    answers = [denial(await relayed(tmp_path, "PreToolUse", tool_name=tool, tool_input={})) for tool in tools]
    assert [bool(answer) for answer in answers] == [True, False, False, True, False]
    assert "closes" in answers[0]
    assert await relayed(tmp_path, "Stop") == {}
    (tmp_path / relay.FAILURES).unlink()
    assert "cannot be read" in denial(await relayed(tmp_path, "PreToolUse", tool_name="Read", tool_input={}))


async def test_half_an_answer_is_none(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(tmp_path / relay.SOCKET))
        listener.listen()
        asked = asyncio.create_task(relayed(tmp_path, "PreToolUse", **FORBIDDEN))  # noqa: TID251 - awaited below
        connection, _ = await asyncio.to_thread(listener.accept)
        with connection:
            while await asyncio.to_thread(connection.recv, 1 << 16):
                pass
            connection.sendall(b"{}")
        assert denial(await asked)


@pytest.mark.parametrize(
    ("event", "decision", "answer"),
    [
        ("Stop", Block(rule="r", reason="why", feedback="더 하세요"), {"decision": "block", "reason": "더 하세요"}),
        (
            "PreToolUse",
            Amend(rule="r", reason="why", reminder="soft", arguments=(("command", "b"),)),
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "additionalContext": "soft",
                    "updatedInput": {"command": "b", "timeout": 1},
                }
            },
        ),
        (
            "PreToolUse",
            Ask(rule="r", reason="why", question="May it?"),
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "ask",
                    "permissionDecisionReason": "May it?",
                }
            },
        ),
    ],
)
def test_a_decision_is_told_in_the_form_of_the_cli(
    event: str, decision: Block | Amend | Ask, answer: dict[str, Any]
) -> None:
    assert claude_answer(event, decision, claude_call("Bash", {"command": "a", "timeout": 1})) == answer
