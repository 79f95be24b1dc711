"""A reader's tools with the real CLI: what could change something is refused before it is run."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from mama_bot.demo.model_script import ModelReply, ToolUse
from mama_bot.model import AgentPersona, Allow, Amend, Ask, Block, Decision, Prompt, Tier, ToolCall, ToolTurn, TurnEnded
from mama_bot.tool_policy.read_only.policy import ReadOnlyCommands
from mama_bot.tool_policy.readers import ReadersLook
from tests.agents.conftest import KEY, PERSONA, Agents, new_session_id

READER = replace(PERSONA, name="reader", tier=Tier.READER)
RAISES = "raise-in-the-policy"


def tries(workspace: Path) -> ModelReply:
    return ModelReply(
        tool_calls=(
            ToolUse(name="Write", arguments={"file_path": str(workspace / "new.py"), "content": "x"}),
            ToolUse(name="Bash", arguments={"command": "echo x > other.py", "description": "x"}),
            ToolUse(name="Bash", arguments={"command": f"ls {RAISES}", "description": "x"}),
            ToolUse(name="Bash", arguments={"command": "echo looked && ls -a", "description": "x"}),
        )
    )


class BrokenCommands:
    """Knows which commands only look, and breaks on one of them."""

    def refusal(self, command: str, workspace: Path) -> str:
        if RAISES in command:
            raise OSError("broken")
        return ReadOnlyCommands().refusal(command, workspace)


async def outcome(agents: Agents, workspace: Path, persona: AgentPersona, *, read_only: bool) -> list[bool | None]:
    """Whether each of the calls was run, in order."""
    async with agents(guard=ReadersLook(BrokenCommands())) as real:
        real.model.push(tries(workspace), ModelReply(text="`a.py` has 3 functions."))
        session = await real.backend.open(
            persona=persona, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        asked = session.ask(Prompt(text="look", read_only=read_only))
        (ended,) = [event async for event in asked if isinstance(event, TurnEnded)]
        await session.aclose()
    return [run.ok for run in ended.record.runs]


@pytest.mark.cli
@pytest.mark.parametrize(("persona", "read_only"), [(READER, False), (PERSONA, True)])
async def test_a_reader_and_a_reviewing_turn_only_look_and_a_broken_policy_refuses(
    agents: Agents, workspace: Path, persona: AgentPersona, read_only: bool
) -> None:
    assert await outcome(agents, workspace, persona, read_only=read_only) == [False, False, False, True]
    assert list(workspace.iterdir()) == []


@pytest.mark.cli
async def test_any_other_turn_is_left_alone(agents: Agents, workspace: Path) -> None:
    assert await outcome(agents, workspace, PERSONA, read_only=False) == [True, True, False, True]
    assert {path.name for path in workspace.iterdir()} == {"new.py", "other.py"}


class Decided:
    """A guard that decides the same about every call."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
        return self._decision


@pytest.mark.cli
@pytest.mark.parametrize(
    ("decision", "ran"),
    [
        (Allow(), True),
        (Block(rule="rule", reason="reason", feedback="feedback"), False),
        (Ask(rule="rule", reason="reason", question="May it?"), False),
        (Amend(rule="rule", reason="reason"), False),
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
        session = await real.backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        (_,) = [event async for event in session.ask(Prompt(text="write")) if isinstance(event, TurnEnded)]
        await session.aclose()
    assert (workspace / "new.py").exists() is ran
