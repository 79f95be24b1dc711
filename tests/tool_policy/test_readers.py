"""Readers only look, and so does everybody in a turn in which nothing may be changed."""

from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.model import AgentPersona, Allow, Block, Decision, Tier, ToolTurn
from mama_bot.tool_names import claude_call
from mama_bot.tool_policy.read_only.policy import ReadOnlyCommands
from mama_bot.tool_policy.readers import NoCommands, ReadersLook
from tests.agents.conftest import PERSONA


def persona(tier: Tier) -> AgentPersona:
    return replace(PERSONA, tier=tier)


async def decide(
    tool: str, arguments: dict[str, object], *, tier: Tier = Tier.READER, read_only: bool = False
) -> Decision:
    turn = ToolTurn(persona=persona(tier), workspace=Path("/work"), read_only=read_only)
    return await ReadersLook(NoCommands()).decide(claude_call(tool, arguments), turn)


@pytest.mark.parametrize(
    "tool", ["Edit", "MultiEdit", "NotebookEdit", "Write", "mcp__mail__send", "Skill", "", "read", "search", "view"]
)
async def test_a_tool_that_is_not_known_to_look_is_refused(tool: str) -> None:
    decision = await decide(tool, {})
    assert isinstance(decision, Block)
    assert "You may only look here" in decision.feedback


async def test_of_a_command_its_policy_decides() -> None:
    decision = await decide("Bash", {"command": "ls"})
    assert isinstance(decision, Block)
    assert "no command" in decision.feedback


@pytest.mark.parametrize("command", [{"rm": 1}, 5, True, ["rm", "a.py"]])
async def test_a_command_that_is_no_text_is_judged_by_its_words(command: object) -> None:
    turn = ToolTurn(persona=persona(Tier.READER), workspace=Path("/work"), read_only=False)
    decision = await ReadersLook(ReadOnlyCommands()).decide(claude_call("Bash", {"command": command}), turn)
    assert isinstance(decision, Block)


@pytest.mark.parametrize(
    "tool", ["Read", "Grep", "Glob", "LS", "Task", "WebFetch", "TodoWrite", "BashOutput", "KillShell"]
)
async def test_who_only_looks_is_left_alone(tool: str) -> None:
    assert isinstance(await decide(tool, {"file_path": "a.py"}), Allow)


@pytest.mark.parametrize(
    ("tier", "read_only", "blocked"),
    [(Tier.WORKER, False, False), (Tier.LEAD, False, False), (Tier.WORKER, True, True), (Tier.READER, False, True)],
)
async def test_others_are_held_to_it_in_a_turn_that_is_read_only(tier: Tier, *, read_only: bool, blocked: bool) -> None:
    decision = await decide("Write", {"file_path": "a.py"}, tier=tier, read_only=read_only)
    assert isinstance(decision, Block) is blocked
