"""What an agent may do, from a message in a chat to the real CLI: rules decide about each call before it is made."""

from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ToolUse
from mama_bot.model import ToolRun
from tests.end_to_end.team import Team, running_team
from tests.scripted_queue import ScriptedQueue

pytestmark = pytest.mark.cli


def bash(command: str) -> ToolUse:
    return ToolUse(name="Bash", arguments={"command": command, "description": "x"})


async def runs_of(team: Team, model: ScriptedQueue, *calls: ToolUse) -> tuple[ToolRun, ...]:
    """What became of calls that a message of a person led to."""
    model.push(ModelReply(tool_calls=calls), ModelReply(text="I looked at the folder `build`: 1 of 2 commands ran."))
    exchange = await team.settled(await team.say("정리해 주세요"))
    return exchange.turns[0].attempts[-1].draft.record.runs


async def test_a_message_leads_to_a_call_that_a_rule_blocks_with_its_reason(tmp_path: Path) -> None:
    model = ScriptedQueue()
    async with running_team(tmp_path, script=model, router={"default_persona": "developer"}) as team:
        blocked, ran = await runs_of(team, model, bash("bash -c 'rm  -r -f /opt/other'"), bash("rm -rf build; echo ok"))
    assert blocked.ok is False
    assert "This would remove something outside of your workspace" in blocked.output_head
    assert (ran.ok, ran.output_head.strip()) == (True, "ok")
