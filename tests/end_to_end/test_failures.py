"""What dies in the middle of a turn, is stopped, or is drained: nothing is lost, nothing is posted twice."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.model import NoticeKind, TurnState
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import attempts, running_team, write_configuration
from tests.scripted_queue import ScriptedQueue
from tests.waiting import until

pytestmark = pytest.mark.cli

SLEEP = f"time.sleep(20.{os.getpid()})"  # of this run alone: others may run the same test on this machine
SLOW = f'python3 -c "import time; {SLEEP}"; echo late'
CLEAN = "`a.py` has 3 functions: `f`, `g`, `h`."


def slow_tool() -> ModelReply:
    return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": SLOW, "description": "wait"}),))


def pids_with(text: str) -> list[int]:
    """The processes whose command line holds a text."""
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            command = (directory / "cmdline").read_bytes()
        except OSError:
            continue
        if text.encode() in command and int(directory.name) != os.getpid():
            found.append(int(directory.name))
    return found


def cli_of(directory: Path) -> list[int]:
    """The CLI processes whose sessions live below a directory."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if str(directory).encode() in environment and b"stream-json" in command:
            found.append(int(process.name))
    return found


async def test_a_cli_killed_in_the_middle_of_a_turn_is_resumed_and_the_turn_is_answered(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        return ModelReply(text=CLEAN) if "[RESUMED]" in request.last_user_text else slow_tool()

    async with running_team(tmp_path, script=script) as team:
        message = await team.say("@developer count the functions")
        await until(lambda: pids_with(SLEEP))
        for pid in cli_of(tmp_path):
            os.kill(pid, signal.SIGKILL)
        exchange = await team.settled(message)
    (turn,) = exchange.turns
    assert turn.state is TurnState.ANSWERED
    assert attempts(turn) == ["cleared"]
    assert [reply.text for reply in team.replies()] == [CLEAN]
    assert not team.notices()
    assert not pids_with(SLEEP)


async def test_a_cli_that_dies_every_time_ends_in_a_line(tmp_path: Path) -> None:
    cli = tmp_path / "claude"
    cli.write_text("#!/bin/sh\nread line\nexit 7\n", encoding="utf-8")
    cli.chmod(0o755)
    async with running_team(tmp_path, script=ScriptedQueue(), claude={"cli_path": str(cli)}) as team:
        exchange = await team.settled(await team.say("Hello"))
    assert exchange.turns[0].state is TurnState.FAILED
    (notice,) = team.notices()
    assert notice.notice is NoticeKind.FAILED
    assert "7" in notice.text


async def test_a_missing_cli_is_said_with_what_to_do(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere" / "claude"
    async with running_team(tmp_path, script=ScriptedQueue(), claude={"cli_path": str(missing)}) as team:
        await team.settled(await team.say("Hello"))
    (notice,) = team.notices()
    assert str(missing) in notice.text
    assert "cli_path" in notice.text


async def test_a_stop_ends_the_turn_and_its_tools_and_the_conversation_goes_on(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        return slow_tool() if request.last_user_text.endswith("slow") else ModelReply(text=CLEAN)

    async with running_team(tmp_path, script=script) as team:
        first = await team.say("@developer slow")
        second = await team.say("@developer count the functions")
        await until(lambda: pids_with(SLEEP))
        assert await team.stop()
        exchange = await team.settled(first)
        await team.settled(second)
        assert not await team.stop()
        context = await team.context()
    assert exchange.turns[0].state is TurnState.STOPPED
    (notice,) = team.notices()
    assert (notice.notice, "Kim" in notice.text) == (NoticeKind.STOPPED, True)
    assert [reply.text for reply in team.replies()] == [CLEAN]
    assert [entry.text for entry in context][-1] == CLEAN
    assert not pids_with(SLEEP)


async def test_messages_that_wait_for_a_process_are_counted_and_can_be_stopped_before_they_begin(
    tmp_path: Path,
) -> None:
    script = ScriptedQueue()
    script.stick(slow_tool())
    async with running_team(tmp_path, script=script, pool={"size": 1}) as team:
        busy = await team.say("@developer slow", channel="busy")
        await until(lambda: pids_with(SLEEP))
        waiting = await team.say("@developer slow", channel="waiting")
        state = await team.store.history.queue()
        assert (state.running, state.waiting) == (1, 1)
        assert await team.stop(channel="waiting")
        assert not await team.stop(channel="waiting")
        lines = await until(lambda: team.notices("waiting"))
        assert [line.notice for line in lines] == [NoticeKind.STOPPED]
        assert await team.stop(channel="busy")
        exchange = await team.settled(busy)
        stopped = await team.store.turns.load(waiting)
    assert exchange.turns[0].state is TurnState.STOPPED
    assert (stopped.stopped, stopped.turns) == (True, ())
    assert team.replies("waiting") == []


async def test_a_turn_past_its_deadline_ends_in_a_line_and_leaves_no_process(tmp_path: Path) -> None:
    script = ScriptedQueue()
    script.stick(slow_tool())
    async with running_team(tmp_path, script=script, turns={"deadline_seconds": 3}) as team:
        exchange = await team.settled(await team.say("@developer slow"))
    assert exchange.turns[0].state is TurnState.FAILED
    assert "3 seconds" in team.notices()[0].text
    assert not pids_with(SLEEP)


async def test_a_service_killed_in_the_middle_of_a_turn_finishes_it_after_the_restart(tmp_path: Path) -> None:
    requests: list[ModelRequest] = []

    def script(request: ModelRequest) -> ModelReply:
        requests.append(request)
        return ModelReply(text=CLEAN) if "[RESUMED]" in request.last_user_text else slow_tool()

    file = write_configuration(tmp_path, claude={"source": "real"})
    async with ModelServer(script=script) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        async with service_process(file, environment) as service:
            assert (await service.say("@developer count the functions")).status_code == 202
            await until(lambda: pids_with(SLEEP))
            asked = await service.logged("agent_asked")
            await service.kill()
        async with service_process(file, environment) as service:
            (reply,) = await service.replies(1)
            again = await service.logged("agent_asked")
            await asyncio.sleep(0.5)
            posts = (await service.conversation())["posts"]
            assert await service.terminate() == 0
    assert reply["text"] == CLEAN
    assert len(posts) == 1
    assert again["session"] == asked["session"]
    # The session was resumed, not started over: the model was sent what happened before the kill as well.
    assert any("count the functions" in text for text in requests[-1].user_texts[:-1])
    assert not pids_with(SLEEP)
    assert not cli_of(tmp_path)


async def test_sigterm_lets_a_running_turn_end_and_leaves_nothing_behind(tmp_path: Path) -> None:
    script = ScriptedQueue()
    script.stick(ModelReply(text=CLEAN, delay_seconds=1.5))
    file = write_configuration(tmp_path, claude={"source": "real"}, turns={"drain_seconds": 20})
    async with ModelServer(script=script) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        async with service_process(file, environment) as service:
            await service.say("@developer count the functions")
            await service.logged("agent_asked")
            assert await service.terminate() == 0
            await service.logged("posted")
    assert not cli_of(tmp_path)


async def test_sigterm_with_no_time_left_hands_the_turn_to_the_next_start(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        return ModelReply(text=CLEAN) if "[RESUMED]" in request.last_user_text else slow_tool()

    file = write_configuration(tmp_path, claude={"source": "real"}, turns={"drain_seconds": 0})
    async with ModelServer(script=script) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        async with service_process(file, environment) as service:
            await service.say("@developer count the functions")
            await until(lambda: pids_with(SLEEP))
            assert await service.terminate() == 0
            assert not pids_with(SLEEP)
        async with service_process(file, environment) as service:
            (reply,) = await service.replies(1)
    assert reply["text"] == CLEAN


async def test_a_second_start_on_the_same_directory_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    file = write_configuration(tmp_path)
    async with service_process(file, {}) as service:
        second = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "mama_bot", "run", "--config", str(file)),
            env={"PATH": os.environ["PATH"]},
            stderr=asyncio.subprocess.PIPE,
        )
        _, errors = await second.communicate()
        assert second.returncode == 1
        assert str(service.process.pid) in errors.decode()
        assert "Traceback" not in errors.decode()
