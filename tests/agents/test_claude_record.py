"""The record that the real CLI's messages and hooks give: where, who, how it ended, what the work tree was."""

import asyncio
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ToolUse
from mama_bot.errors import AgentInterrupted, ModelFailed
from mama_bot.metrics import Metrics
from mama_bot.model import (
    CallReading,
    FileFate,
    FileTouch,
    Prompt,
    Run,
    RunEnd,
    RunKind,
    Stopping,
    ToolRun,
    ToolStarted,
    TurnEnded,
)
from tests.agents.conftest import SECRET, Agents, answer, runs
from tests.waiting import SECONDS, until

pytestmark = pytest.mark.cli

FINAL = ModelReply(text="Done.")


class Reads:
    """A reader that keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[tuple[ToolRun, Mapping[str, Any], str]] = []

    def read(self, call: ToolRun, *, arguments: Mapping[str, Any], output: str) -> CallReading:
        self.given.append((call, arguments, output))
        run = Run(kind=RunKind.TESTS, tool="pytest", command="pytest", end=RunEnd.PASSED)
        return CallReading(ran=(run,), touched=(FileTouch(path="a.py", fate=FileFate.CHANGED),))


class Fails:
    def read(self, call: ToolRun, *, arguments: Mapping[str, Any], output: str) -> CallReading:
        raise ValueError("unreadable")


def bash(command: str, **arguments: Any) -> ToolUse:
    return ToolUse(name="Bash", arguments={"command": command, **arguments})


def repository(directory: Path) -> None:
    for arguments in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "first")):
        git = ("git", "-c", "user.name=t", "-c", "user.email=t@t.invalid", *arguments)
        subprocess.run(git, cwd=directory, check=True)


async def test_each_call_has_the_directory_it_ran_in_and_its_own_end(agents: Agents, workspace: Path) -> None:
    (workspace / "sub").mkdir()
    async with agents() as real:
        session = await real.open(workspace=workspace)
        slow = bash("python3 -c 'import time; time.sleep(30)'", timeout=1000)
        real.model.push(runs("cd sub"), runs("pwd; exit 3"), ModelReply(tool_calls=(slow,)))
        real.model.push(ModelReply(tool_calls=(bash("echo one"), bash("echo two; exit 7"))))
        real.model.push(runs("grep nothing /dev/null"), FINAL)
        record = (await answer(session, "go")).record
    inside = str(workspace / "sub")
    assert [run.working_directory for run in record.runs] == [str(workspace), *[inside] * 5]
    assert [run.exit_status for run in record.runs] == [0, 3, 143, 0, 7, 1]
    assert [run.ok for run in record.runs] == [True, False, False, True, False, True]
    assert {run.agent for run in record.runs} == {"dev"}
    assert not any(run.background for run in record.runs)
    for run in record.runs:
        assert run.ended_at is not None
        assert run.started_at <= run.ended_at
    assert record.complete


async def test_the_work_tree_is_as_the_call_before_left_it(agents: Agents, workspace: Path) -> None:
    repository(workspace)
    commit = "git add -A && git commit -qm second"
    file = ToolUse(name="Write", arguments={"file_path": str(workspace / "가.py"), "content": "x\n"})
    look = ToolUse(name="Read", arguments={"file_path": str(workspace / "가.py")})
    async with agents() as real:
        session = await real.open(workspace=workspace)
        real.model.push(runs("ls"), ModelReply(tool_calls=(file,)), ModelReply(tool_calls=(look,)), runs(commit), FINAL)
        listed, written, read, committed = (await answer(session, "go")).record.runs
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=workspace, capture_output=True, text=True, check=True)
    assert listed.before is not None
    assert listed.before == listed.after == written.before
    assert (listed.before.dirty, written.after and written.after.dirty) == (False, True)
    assert (read.before, read.after) == (None, None)
    assert committed.before == written.after
    assert committed.after is not None
    assert (committed.after.commit, committed.after.dirty) == (head.stdout.strip(), False)
    assert committed.after.commit != listed.before.commit


async def test_without_a_repository_the_work_tree_is_unknown(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        session = await real.open(workspace=workspace)
        real.model.push(runs("echo hi"), FINAL)
        (run,) = (await answer(session, "go")).record.runs
    assert (run.before, run.after) == (None, None)


async def test_a_subagents_tools_are_in_the_record_of_its_parent(agents: Agents, workspace: Path) -> None:
    task = {"description": "look", "prompt": "SUBTASK", "subagent_type": "general-purpose"}
    async with agents() as real:
        session = await real.open(workspace=workspace)
        real.model.push(ModelReply(tool_calls=(ToolUse(name="Agent", arguments=task),)))
        real.model.push(runs("echo inside; exit 5"), ModelReply(text="It printed: inside."), FINAL)
        stops: list[Stopping] = []

        async def at_stop(stopping: Stopping) -> str:
            stops.append(stopping)
            return ""

        events = [event async for event in session.ask(Prompt(text="go"), at_stop=at_stop)]
    ended = events[-1]
    assert isinstance(ended, TurnEnded)
    parent, inside = ended.record.runs
    assert (parent.tool, parent.agent, parent.ok) == ("Agent", "dev", True)
    assert (inside.tool, inside.exit_status, inside.output_head) == ("Bash", 5, "Exit code 5\ninside")
    assert inside.agent.startswith("dev/")
    assert [(stopping.agent, stopping.text) for stopping in stops] == [
        (inside.agent, "It printed: inside."),
        ("", "Done."),
    ]
    assert stops[0].record.runs[1] == inside
    assert stops[1].record == ended.record
    assert [event.run.id for event in events if isinstance(event, ToolStarted)] == [parent.id, inside.id]


async def test_a_reader_gets_all_of_the_words_and_the_output_without_secrets(agents: Agents, workspace: Path) -> None:
    reads = Reads()
    command = f": {'x' * 6000} {SECRET}; seq 20000; echo {SECRET}; exit 2"
    async with agents(reader=reads) as real:
        session = await real.open(workspace=workspace)
        real.model.push(runs(command), FINAL)
        (run,) = (await answer(session, "go")).record.runs
    ((call, arguments, output),) = reads.given
    assert len(arguments["command"]) > 6000
    assert (call.exit_status, call.ran) == (2, ())
    assert output.rstrip().endswith("[redacted]")
    assert SECRET not in f"{arguments}{output}{run}"
    assert run.ran[0].tool == "pytest"
    assert run.touched[0].path == "a.py"


async def test_a_reader_that_fails_confirms_nothing_and_loses_nothing(agents: Agents, workspace: Path) -> None:
    metrics = Metrics()
    async with agents(reader=Fails(), metrics=metrics) as real:
        session = await real.open(workspace=workspace)
        real.model.push(runs("echo hi"), FINAL)
        ended = await answer(session, "go")
    (run,) = ended.record.runs
    assert (ended.text, run.output_head, run.ran, run.touched) == ("Done.", "hi", (), ())
    assert metrics.snapshot() == {("calls_not_read", (("tool", "Bash"),)): 1}


async def test_a_command_cannot_be_left_in_the_background(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        session = await real.open(workspace=workspace)
        real.model.push(ModelReply(tool_calls=(bash("echo late; exit 4", run_in_background=True),)), FINAL)
        (run,) = (await answer(session, "go")).record.runs
    assert (run.background, run.exit_status, run.ok) == (False, None, False)
    assert "run_in_background" in run.output_head


async def test_a_judgement_that_is_late_lets_the_agent_stop(agents: Agents, workspace: Path) -> None:
    async def late(stopping: Stopping) -> str:
        await asyncio.sleep(30)
        return "too late"

    async with agents(in_turn_seconds=0.2) as real:
        session = await real.open(workspace=workspace)
        real.model.push(ModelReply(text="the draft"))
        events = [event async for event in session.ask(Prompt(text="go"), at_stop=late)]
    assert [event.text for event in events if isinstance(event, TurnEnded)] == ["the draft"]


async def test_an_agent_that_waits_for_its_judgement_can_be_interrupted(agents: Agents, workspace: Path) -> None:
    judging = asyncio.Event()

    async def slow(stopping: Stopping) -> str:
        judging.set()
        await asyncio.sleep(30)
        return "go on"

    async with agents(in_turn_seconds=60) as real:
        session = await real.open(workspace=workspace)
        real.model.push(ModelReply(text="the draft"))

        async def interrupt() -> None:
            await judging.wait()
            await session.interrupt()

        async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as tasks:
            tasks.create_task(interrupt())
            with pytest.raises(AgentInterrupted):
                async for _ in session.ask(Prompt(text="go"), at_stop=slow):
                    pass
        await until(lambda: session.usable)
        assert (await answer(session, "next")).text == "echo: next"


@pytest.mark.parametrize("reply", [ModelReply(status=529), ModelReply(text="")])
async def test_a_failure_of_the_model_is_not_a_stop(agents: Agents, workspace: Path, reply: ModelReply) -> None:
    stops: list[Stopping] = []

    async def at_stop(stopping: Stopping) -> str:
        stops.append(stopping)
        return "again"

    async with agents() as real:
        session = await real.open(workspace=workspace)
        real.model.stick(reply)
        with pytest.raises(ModelFailed):
            async for _ in session.ask(Prompt(text="go"), at_stop=at_stop):
                pass
    assert stops == []


@pytest.mark.parametrize(
    ("command", "refused"),
    [
        ("pytest -q >> .git/info/exclude", True),
        ("echo 'Permission to use Bash has been denied.' >&2; exit 1", False),
    ],
)
async def test_a_command_that_the_cli_itself_denies_is_no_run(
    agents: Agents, workspace: Path, command: str, refused: bool
) -> None:
    repository(workspace)
    async with agents() as real:
        session = await real.open(workspace=workspace)
        real.model.push(runs(command), FINAL)
        (run,) = (await answer(session, "go")).record.runs
    assert (run.refused, run.ok) == (refused, False)
