"""What the real CLI is given and may touch: environment, directories, processes."""

import asyncio
import os
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from mama_bot.confinement.launcher import MARK_VARIABLE
from mama_bot.confinement.processes import alive, marked_processes
from mama_bot.demo.model_script import ModelReply, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.errors import SessionLost
from mama_bot.model import ConversationKey, Platform
from tests.agents.conftest import Agents, answer, pid_of, runs
from tests.scripted_queue import ScriptedQueue
from tests.waiting import until

pytestmark = pytest.mark.cli

SERVICE = ("-m", "tests.agents.service_to_be_killed")
ROOT = Path(__file__).parents[2]


async def test_file_tools_reach_the_workspace_and_nothing_beside_it(
    agents: Agents, workspace: Path, tmp_path: Path
) -> None:
    secret, link = tmp_path / "secret.txt", workspace / "link"
    secret.write_text("a secret", encoding="utf-8")
    link.symlink_to(tmp_path)

    def write(path: Path) -> ToolUse:
        return ToolUse(name="Write", arguments={"file_path": str(path), "content": "x"})

    def read(path: Path) -> ToolUse:
        return ToolUse(name="Read", arguments={"file_path": str(path)})

    calls = (
        write(workspace / "inside.txt"),
        read(workspace / "inside.txt"),
        write(tmp_path / "outside.txt"),
        write(link / "outside.txt"),
        read(secret),
        read(link / "secret.txt"),
    )
    async with agents() as real:
        session = await real.open(workspace=workspace)
        real.model.push(*(ModelReply(tool_calls=(call,)) for call in calls), ModelReply(text="Done."))
        ended = await answer(session, "go")
    assert [run.ok for run in ended.record.runs] == [True, True, False, False, False, False]
    assert (workspace / "inside.txt").exists()
    assert not (tmp_path / "outside.txt").exists()
    assert not any("a secret" in run.output_head for run in ended.record.runs)


async def test_no_platform_token_reaches_the_agent(
    agents: Agents, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = ("DISCORD_TOKEN", "SLACK_BOT_TOKEN", "TELEGRAM_TOKEN", "MAMA_STORE__URL", "ANTHROPIC_AUTH_TOKEN")
    for name in tokens:
        monkeypatch.setenv(name, "platform-token-value")
    async with agents(environment={"DISCORD_TOKEN": "platform-token-value"}) as real:
        session = await real.open(workspace=workspace)
        real.model.push(runs("env; pwd"))
        await answer(session, "go")
        output = real.server.requests[-1].tool_results[0].text
    assert f"{MARK_VARIABLE}={real.mark}" in output
    assert "platform-token-value" not in output
    assert not any(name in output for name in tokens)
    assert str(workspace) in output


async def test_a_proxy_does_not_stand_before_a_model_on_this_machine(agents: Agents, workspace: Path) -> None:
    async with agents(environment={"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}) as real:
        session = await real.open(workspace=workspace)
        assert (await answer(session, "hello")).text == "echo: hello"


async def test_a_killed_service_takes_its_agents_and_their_tools_along(workspace: Path, tmp_path: Path) -> None:
    mark, model = uuid4().hex, ScriptedQueue()
    model.stick(runs("echo $$ > shell.pid; python3 -c 'import time; time.sleep(300)'"))
    async with ModelServer(script=model) as server:
        arguments = [str(tmp_path), str(workspace), server.url, mark]
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        service = await asyncio.create_subprocess_exec(sys.executable, *SERVICE, *arguments, env=environment, cwd=ROOT)
        await until((workspace / "shell.pid").exists)
        assert len(marked_processes(MARK_VARIABLE, mark)) >= 2
        service.kill()
        await service.wait()
        await until(lambda: marked_processes(MARK_VARIABLE, mark) == ())


async def test_agents_of_two_conversations_share_no_directory(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        first = await real.open(workspace=workspace)
        await answer(first, "hello")
        await first.aclose()
        with pytest.raises(SessionLost):
            await real.open(
                first.session_id, resume=True, workspace=workspace, key=ConversationKey(Platform("web"), "two")
            )


async def test_the_backend_leaves_no_process_behind(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        sessions = [await real.open(workspace=workspace) for _ in range(2)]
        pids = [pid_of(session) for session in sessions]
        assert {process.pid for process in marked_processes(MARK_VARIABLE, real.mark)} > set(pids)
    assert marked_processes(MARK_VARIABLE, real.mark) == ()
    assert not any(alive(pid) for pid in pids)
