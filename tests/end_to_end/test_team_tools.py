"""Agents in the real CLI hand work on by a tool, and get its outcome in the same turn."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.model import ChangeId, DelegationForm, TurnKind, TurnState
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import attempts, key, running_team, write_configuration
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
        made = await team.store.deeds.change(key(), ChangeId(exchange.turns[1].turn.id))
    lead, developer = exchange.turns
    assert made is not None
    assert not made.shared  # its sender only waited, so it can be undone
    assert [lead.turn.kind, developer.turn.kind] == [TurnKind.REQUEST, TurnKind.DELEGATION]
    assert [lead.state, developer.state] == [TurnState.ANSWERED] * 2
    assert developer.turn.delegation is not None
    assert developer.turn.delegation.form is DelegationForm.TOOL
    assert "developer, on the part “Add the rates”, replies:\n`rates.py` holds `RATE = 1`." in heard[0]
    assert attempts(lead) == ["cleared"]
    assert replies == ["developer", "lead"]
    assert any("rates.py" in call.command for call in lead.turn.told)


def counting(request: ModelRequest) -> ModelReply:
    """A lead that delegates by the tool and answers with what it heard, however often both are cut off."""
    if request.persona == "developer":
        if not request.tool_results:
            return bash("sleep 0.4; printf 'RATE = 1' > rates.py && cat rates.py")
        return ModelReply(text="`rates.py` holds `RATE = 1`.", delay_seconds=0.1)
    heard = any(" replies:" in text for text in (request.last_user_text, *map(str, request.tool_results)))
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


async def test_several_run_side_by_side_and_beyond_the_budget_the_agent_is_told(tmp_path: Path) -> None:
    begun: set[str] = set()
    heard: list[str] = []
    looks = {"developer": 0, "reviewer": 0}

    def script(request: ModelRequest) -> ModelReply:
        name = request.persona
        if name in looks:
            begun.add(name)
            looks[name] += 1
            if len(begun) < 2 and looks[name] < 100:  # nobody is done before the other one has begun
                return bash("sleep 0.1")
            return ModelReply(text=f"`{name}.py` has 3 lines.")
        if request.tool_results:
            heard.extend(result.text for result in request.tool_results)
            return ModelReply(text="`developer.py` and `reviewer.py` have 3 lines each, as both told me.")
        calls = (*delegates("Count").tool_calls, *delegates("Count", agent="reviewer").tool_calls)
        return ModelReply(tool_calls=(*calls, *delegates("Count again").tool_calls))

    own = {"developer": "workspace: own", "reviewer": "workspace: own"}
    async with running_team(tmp_path, script=script, personas=own, turns={"hop_budget": 2}) as team:
        exchange = await team.settled(await team.say("Count the lines"))
    assert max(looks.values()) < 100
    assert [stored.turn.persona for stored in exchange.turns] == ["lead", "developer", "reviewer"]
    first, second, third = heard
    assert "developer, on the part “Count”, replies:" in first
    assert "reviewer, on the part “Count”, replies:" in second
    assert "used up its 2 delegations" in third


@pytest.mark.parametrize("form", ["tool", "line"])
async def test_in_the_background_the_person_is_answered_first_and_the_sender_is_told_later(
    tmp_path: Path, form: str
) -> None:
    told: list[str] = []
    answered: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "developer":
            return ModelReply(text="`rates.py` has 3 lines.", delay_seconds=0.3)
        if "What came of your delegations" in request.last_user_text:
            told.append(request.last_user_text)
            return ModelReply(text="`rates.py` has 3 lines, as the developer counted.")
        if form == "line":
            return ModelReply(
                text=f"The developer counts.\n\nDELEGATE_BG::developer::Count\nEXPECTED OUTCOME:\n{OUTCOME}"
            )
        if not request.tool_results:
            return delegates("Count", background=True)
        answered.append(request.tool_results[0].text)
        return ModelReply(text="The developer counts the lines of `rates.py`.")

    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say("Count the lines"))
        replies = [reply.persona for reply in team.replies()]
        assert team.replies()[0].record_line.endswith("Waits for Developer")
    assert [stored.turn.kind for stored in exchange.turns] == [TurnKind.REQUEST, TurnKind.DELEGATION, TurnKind.RESULTS]
    assert replies == ["lead", "developer", "lead"]
    assert ["in the background" in text for text in answered] == [True] * len(answered)
    (prompt,) = told
    assert "`rates.py` has 3 lines." in prompt


TOKEN = f"ghp_{'a1B2c3D4e5' * 4}"[:40]


async def test_what_is_handed_on_by_the_tool_is_redacted_and_judged_as_words_to_an_agent(tmp_path: Path) -> None:
    prompts: list[str] = []
    heard: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "developer":
            prompts.append(request.last_user_text)
            return ModelReply(text="`rates.py` holds `RATE = 1`.")
        heard[:] = [result.text for result in request.tool_results]
        calls = [
            delegates("Add the rates", context="I ran `python3 -m unittest`: 8 tests, OK."),
            delegates("Add the rates", required_tools="Your work is truly outstanding and brilliant. Excellent!"),
            delegates(f"Add the rates with {TOKEN}"),
        ]
        return calls[len(heard)] if len(heard) < len(calls) else ModelReply(text="The developer has the rates.")

    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say("Add the rates"))
    claimed, praised, _ = heard
    assert "SENT BACK by claim_check" in claimed
    assert "replies:" not in praised
    (prompt,) = prompts
    assert TOKEN not in prompt
    given = exchange.turns[1].turn.delegation
    assert given is not None
    assert TOKEN not in given.task


async def test_two_in_one_work_tree_follow_each_other_and_what_is_asked_otherwise_is_done_anew(tmp_path: Path) -> None:
    heard: list[str] = []
    alone: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "lead":
            heard[:] = [result.text for result in request.tool_results]
            if len(heard) < 2:
                return ModelReply(
                    tool_calls=(
                        *delegates("Count", context="the rates").tool_calls,
                        *delegates("Count", context="the taxes", agent="reviewer").tool_calls,
                    )
                )
            return delegates("Count", context="the fees") if len(heard) < 3 else ModelReply(text="All have 3 lines.")
        if not request.tool_results:
            return bash("mkdir at-work && sleep 0.3 && rmdir at-work && echo nobody else")
        alone.append(request.tool_results[-1].text.strip())
        asked = next(name for name in ("rates", "taxes", "fees") if f"CONTEXT: the {name}" in request.last_user_text)
        return ModelReply(text=f"`{asked}.py` has 3 lines.")

    async with running_team(tmp_path, script=script, personas={"reviewer": "workspace: team"}) as team:
        exchange = await team.settled(await team.say("Count the lines"))
    assert [stored.turn.persona for stored in exchange.turns] == ["lead", "developer", "reviewer", "developer"]
    assert ["`rates.py`" in heard[0], "`taxes.py`" in heard[1], "`fees.py`" in heard[2]] == [True] * 3
    assert alone == ["nobody else"] * 3
