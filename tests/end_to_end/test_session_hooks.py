"""A session of the real CLI that somebody starts by hand is held by the rules of the service, and when it is killed."""

import asyncio
import json
import os
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mama_bot.agents.login import bundled_cli
from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.session_hooks.plugin import relay
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import running_team, write_configuration
from tests.marks import needs_landlock
from tests.scripted_queue import ScriptedQueue
from tests.waiting import SECONDS

pytestmark = pytest.mark.cli


def bash(command: str) -> ModelReply:
    """A call of the shell."""
    return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": command}),))


async def session(project: Path, script: Callable[[ModelRequest], ModelReply]) -> str:
    """What the model was told in a session in a terminal."""
    async with ModelServer(script=script) as server:
        process = await asyncio.create_subprocess_exec(
            *(str(bundled_cli()), "-p", "go", "--allowedTools", "Bash"),
            cwd=project,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(project.parent),
                "ANTHROPIC_BASE_URL": server.url,
                "ANTHROPIC_API_KEY": "scripted",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            },
        )
        async with asyncio.timeout(SECONDS):
            assert await process.wait() == 0
        return str([exchange.request for exchange in server.journal])


async def test_a_session_in_a_terminal_is_held_by_the_rules_and_when_the_service_is_killed_in_the_middle(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    project = home / "project"
    project.mkdir(parents=True)
    file = write_configuration(tmp_path)
    install = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mama_bot", "hook", "install", "claude", "--project", str(project)),
        *("--config", str(file)),
        stdout=asyncio.subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
    )
    assert await install.wait() == 0
    left = next(tmp_path.rglob(relay.FAILURES))
    installed = left.read_bytes()
    async with service_process(file, {}) as service:
        assert left.read_bytes() == installed, "what holds without the service is the same, whoever left it"
        calls = ScriptedQueue(bash("rm -rf /opt/other"), bash("touch ran"), bash("touch late"), ModelReply(text="done"))

        def killed_before_the_last_call(request: ModelRequest) -> ModelReply:
            if len(calls) == 2:
                os.kill(service.process.pid, signal.SIGKILL)
            return calls(request)

        told = await session(project, killed_before_the_last_call)
    assert "outside of your workspace" in told
    assert (project / "ran").exists()
    assert "mama-bot does not answer" in told
    assert not (project / "late").exists()


@needs_landlock
async def test_an_agent_of_the_bot_gets_no_answer_from_that_socket(tmp_path: Path) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /opt/other"}}
    told = {"hook_event_name": "PreToolUse", "cwd": str(tmp_path), **call}
    model = ScriptedQueue()
    async with running_team(tmp_path, script=model, router={"default_persona": "developer"}) as team:
        (path,) = tmp_path.rglob(relay.SOCKET)
        relayed = [sys.executable, "-I", "-S", relay.__file__, str(path.parent), "PreToolUse"]
        model.push(
            ModelReply(
                tool_calls=(
                    ToolUse(name="Bash", arguments={"command": f"{shlex.join(relayed)} <<< '{json.dumps(told)}'"}),
                )
            ),
            ModelReply(text="I looked at the folder `build`: 1 of 1 commands ran."),
        )
        exchange = await team.settled(await team.say("정리해 주세요"))
        process = await asyncio.create_subprocess_exec(*relayed, stdin=-1, stdout=-1)
        outside, _ = await process.communicate(json.dumps(told).encode())
    (run,) = exchange.turns[0].attempts[-1].draft.record.runs
    assert "outside of your workspace" in outside.decode()
    assert "mama-bot does not answer" in run.output_head
