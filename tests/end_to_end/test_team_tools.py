"""Agents in the real CLI hand work on by a tool, and get its outcome in the same turn."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.model import DelegationForm, TurnKind, TurnState
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import attempts, running_team, write_configuration
from tests.waiting import SECONDS

pytestmark = pytest.mark.cli

OUTCOME = "- `rates.py` exists"


def delegates(*tasks: str, agent: str = "developer", **more: Any) -> ModelReply:
    calls = [
        ToolUse(
            name="mcp__mama__delegate",
            arguments={"agent": agent, "task": task, "expected_outcome": OUTCOME, **more},
        )
        for task in tasks
    ]
    return ModelReply(tool_calls=tuple(calls))


def bash(command: str) -> ModelReply:
    return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": command, "description": "run"}),))


async def test_the_outcome_comes_as_the_result_of_the_tool_in_the_same_turn_with_a_pool_of_one(tmp_path: Path) -> None:
    heard: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "developer":
            if not request.tool_results:
                return bash("printf 'RATE = 1' > rates.py && cat rates.py")
            return ModelReply(text="`rates.py` holds `RATE = 1`.")
        if not request.tool_results:
            return delegates("Add the rates")
        heard.extend(result.text for result in request.tool_results)
        return ModelReply(text="`rates.py` is there: the developer wrote `RATE = 1` into it.")

    async with running_team(tmp_path, script=script, pool={"size": 1}) as team:
        exchange = await team.settled(await team.say("Add the rates"))
        replies = [reply.persona for reply in team.replies()]
    lead, developer = exchange.turns
    assert [lead.turn.kind, developer.turn.kind] == [TurnKind.REQUEST, TurnKind.DELEGATION]
    assert [lead.state, developer.state] == [TurnState.ANSWERED] * 2
    assert developer.turn.delegation is not None
    assert developer.turn.delegation.form is DelegationForm.TOOL
    assert "developer replies:\n`rates.py` holds `RATE = 1`." in heard[0]
    assert attempts(lead) == ["cleared"]
    assert replies == ["developer", "lead"]
    assert any("rates.py" in call.command for call in lead.turn.told)


def counting(request: ModelRequest) -> ModelReply:
    """A lead that delegates by the tool and answers with what it heard, however often both are cut off."""
    if request.persona == "developer":
        if not request.tool_results:
            return bash("sleep 0.4; printf 'RATE = 1' > rates.py && cat rates.py")
        return ModelReply(text="`rates.py` holds `RATE = 1`.", delay_seconds=0.1)
    heard = any("developer replies" in text for text in (request.last_user_text, *map(str, request.tool_results)))
    if not heard:
        return delegates("Add the rates")
    return ModelReply(text="The developer wrote `RATE = 1` into `rates.py`.", delay_seconds=0.1)


async def test_killed_again_and_again_the_delegation_is_made_once_and_the_turn_goes_on(tmp_path: Path) -> None:
    chance = random.Random(11)
    file = write_configuration(tmp_path, claude={"source": "real"}, pool={"size": 1})
    async with ModelServer(script=counting) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        async with service_process(file, environment) as service:
            assert (await service.say("Add the rates")).status_code == 202
            await service.logged("delegated")
            await service.kill()
        for _ in range(3):
            async with service_process(file, environment) as service:
                await asyncio.sleep(chance.uniform(0.5, 2.5))
                await service.kill()
        async with service_process(file, environment) as service:
            async with asyncio.timeout(2 * SECONDS):
                while (view := await service.conversation())["turns"][0]["state"] != "answered":
                    await asyncio.sleep(0.1)
            assert await service.terminate() == 0
    replies = [post["persona"] for post in view["posts"] if post["kind"] == "reply"]
    assert replies == ["developer", "lead"]
    assert [turn["state"] for turn in view["turns"]] == ["answered", "answered"]
