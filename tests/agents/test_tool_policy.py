"""The tools of who only looks, with the real CLI: any command runs, and the kernel keeps it from changing anything."""

import asyncio
from pathlib import Path
from typing import cast

import pytest

from mama_bot.config import RunCommands
from mama_bot.demo.model_script import ModelReply, ToolUse
from mama_bot.model import AgentPersona, Allow, Amend, Approval, Ask, Block, Decision, ToolCall, ToolRun, ToolTurn
from mama_bot.runs import RunReader
from mama_bot.tool_policy.guards import NOT_DECIDED, decided_in_time
from mama_bot.tool_policy.outbound import OutboundCommands
from mama_bot.tool_policy.readers import CommandPolicy, NoCommands, ReadersLook
from tests.agents.conftest import Agents, answer
from tests.marks import needs_landlock
from tests.walls import refusals

pytestmark = pytest.mark.cli
RAISES = "raise-in-the-policy"


def tries(workspace: Path) -> ModelReply:
    commands = ("echo x > other.py", "git push", f"ls {RAISES}", "echo looked && ls -a")
    calls = (ToolUse(name="Bash", arguments={"command": command, "description": "x"}) for command in commands)
    write = ToolUse(name="Write", arguments={"file_path": str(workspace / "new.py"), "content": "x"})
    return ModelReply(tool_calls=(write, *calls))


class BreakingCommands:
    """Refuses what leaves the machine, and breaks on one command."""

    def refusal(self, command: str) -> str:
        if RAISES in command:
            raise OSError("broken")
        return OutboundCommands(RunReader(commands=RunCommands(), workspace=Path("/work"))).refusal(command)


async def runs_of(
    agents: Agents, workspace: Path, *, read_only: bool, commands: CommandPolicy | None = None
) -> tuple[ToolRun, ...]:
    """What became of each of the calls, in order."""
    async with agents(guard=ReadersLook(commands or BreakingCommands())) as real:
        real.model.push(tries(workspace), ModelReply(text="`a.py` has 3 functions."))
        ended = await answer(await real.open(workspace=workspace, read_only=read_only), "look")
    return ended.record.runs


@needs_landlock
async def test_who_only_looks_runs_any_command_and_changes_nothing(agents: Agents, workspace: Path) -> None:
    write, echo, push, broken, look = await runs_of(agents, workspace, read_only=True)
    assert [run.ok for run in (write, echo, push, broken, look)] == [False, False, False, False, True]
    assert refusals(echo.output_head)
    assert echo.exit_status not in (None, 0)
    assert "git push would send something off this machine" in push.output_head
    assert push.exit_status is None
    assert list(workspace.iterdir()) == []


async def test_without_a_sandbox_who_only_looks_has_no_shell(agents: Agents, workspace: Path) -> None:
    runs = await runs_of(agents, workspace, read_only=True, commands=NoCommands())
    assert [run.ok for run in runs] == [False] * 5
    assert all("there is no shell" in run.output_head for run in runs[1:])
    assert list(workspace.iterdir()) == []


async def test_any_other_turn_is_left_alone(agents: Agents, workspace: Path) -> None:
    runs = await runs_of(agents, workspace, read_only=False)
    assert [run.exit_status is None and run.ok is False for run in runs] == [False] * 5
    assert {path.name for path in workspace.iterdir()} == {"new.py", "other.py"}


class Decided:
    """A guard that decides the same about every call."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
        return self._decision


@pytest.mark.parametrize(
    ("decision", "ran"),
    [
        (Allow(), True),
        (Block(rule="rule", reason="reason", feedback="feedback"), False),
        (Ask(rule="rule", reason="reason", question="May it?"), False),
        (Amend(rule="rule", reason="reason"), True),
        (cast("Decision", None), False),  # a guard that forgot to decide
    ],
    ids=["allow", "block", "ask", "amend", "forgotten"],
)
async def test_a_call_runs_only_where_the_guard_allows_it(
    agents: Agents, workspace: Path, decision: Decision, *, ran: bool
) -> None:
    async with agents(guard=Decided(decision)) as real:
        write = ToolUse(name="Write", arguments={"file_path": str(workspace / "new.py"), "content": "x"})
        real.model.push(ModelReply(tool_calls=(write,)), ModelReply(text="Tried."))
        await answer(await real.open(workspace=workspace), "write")
    assert (workspace / "new.py").exists() is ran


class Undecided:
    """A guard whose disk is gone: it raises, or never answers."""

    def __init__(self, *, answers: bool) -> None:
        self._answers = answers

    async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
        if not self._answers:
            await asyncio.Event().wait()
        raise OSError("the disk is gone")


@pytest.mark.parametrize("answers", [True, False])
async def test_what_nobody_decides_in_time_does_not_run(workspace: Path, *, answers: bool) -> None:
    persona = AgentPersona(name="developer", display_name="", prompt="")
    turn = ToolTurn(persona=persona, workspace=workspace, read_only=False)
    decision = await decided_in_time(Undecided(answers=answers), ToolCall(tool="Write"), turn, seconds=0.01)
    assert isinstance(decision, Block)
    assert decision.feedback == NOT_DECIDED


async def test_an_agent_is_told_that_nobody_could_decide_about_its_call_and_goes_on(
    agents: Agents, workspace: Path
) -> None:
    async with agents(guard=Undecided(answers=True)) as real:
        write = ToolUse(name="Write", arguments={"file_path": str(workspace / "new.py"), "content": "x"})
        real.model.push(
            ModelReply(tool_calls=(write,)), ModelReply(text="It was not decided in time: 0 files written.")
        )
        ended = await answer(await real.open(workspace=workspace), "write")
    (run,) = ended.record.runs
    assert (run.ok, (workspace / "new.py").exists()) == (False, False)
    assert NOT_DECIDED in run.output_head


class Granting:
    """Somebody who approves each call, and remembers what was shown."""

    seconds = 10.0

    def __init__(self) -> None:
        self.shown: list[str] = []

    async def answer(self, question: Ask, call: ToolCall, turn: ToolTurn, *, stopped: asyncio.Event) -> Approval:
        self.shown.append(call.command)
        return Approval(granted=True)


async def test_the_changed_call_that_was_approved_is_the_one_that_runs_with_its_reminder(
    agents: Agents, workspace: Path
) -> None:
    amend = Amend(rule="changes", reason="reason", reminder="Mind the gap.", arguments=(("command", "echo changed"),))
    question, approver = Ask(rule="rule", reason="reason", question="May it?", amend=amend), Granting()
    async with agents(guard=Decided(question), approver=approver) as real:
        call = ToolUse(name="Bash", arguments={"command": "echo first", "description": "x"})
        real.model.push(ModelReply(tool_calls=(call,)), ModelReply(text="Tried."))
        ended = await answer(await real.open(workspace=workspace), "say it")
        requests = real.server.requests
    assert approver.shown == ["echo changed"]
    assert [run.output_head.strip() for run in ended.record.runs] == ["changed"]
    assert "Mind the gap." in str(requests[-1].messages)
