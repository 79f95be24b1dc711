"""A reader's tools with the real CLI: what could change something is refused before it is run."""

from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ToolUse
from mama_bot.model import AgentPersona, Prompt, Tier, TurnEnded
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
