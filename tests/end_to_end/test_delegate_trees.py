"""Delegates of a conversation that works in a repository have work trees of their own, which are merged back."""

import asyncio
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.model_server import ModelServer
from mama_bot.model import ChangeId, TurnState
from tests.end_to_end.evidence import git
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import key, running_team, write_configuration
from tests.end_to_end.test_repositories import make_source, settings_for
from tests.end_to_end.test_team_tools import bash, delegates
from tests.waiting import SECONDS, until

pytestmark = pytest.mark.cli

WORK = {
    "alpha": "echo alpha > alpha; git add alpha; git commit -qm Alpha; cat greeting alpha",
    "beta": "echo beta > greeting; echo beta > beta; cat greeting",
    "gamma": "echo gamma > gamma; cat notes gamma",
}


async def test_two_in_the_background_and_one_waited_for_work_side_by_side_and_one_conflicts(tmp_path: Path) -> None:
    begun: set[str] = set()
    heard: list[str] = []
    looks = 0

    def script(request: ModelRequest) -> ModelReply:
        nonlocal looks
        if request.persona == "developer":
            task = next(name for name in WORK if f"TASK: {name}" in "\n".join(request.user_texts))
            begun.add(task)
            looks += 1
            if len(begun) < len(WORK) and looks < 200:  # nobody is done before all have begun
                return bash("sleep 0.1")
            if not any(task in result.text for result in request.tool_results):
                return bash(WORK[task])
            return ModelReply(text=f"`{task}` is written.")
        if "What came of your delegations" in request.last_user_text:
            heard.append(request.last_user_text)
            return ModelReply(text="Alpha is here; beta is in conflict, on its branch.")
        match len(request.tool_results):
            case 0:
                return bash("echo notes > notes; ls")
            case 1:
                return delegates("alpha", "beta", background=True)
            case 3:
                return bash("echo lead > greeting; cat greeting")
            case 4:
                return delegates("gamma")
            case _:
                heard.append(request.tool_results[-1].text)
                return ModelReply(text="Gamma is here.")

    settings = settings_for(make_source(tmp_path)) | {"work_trees": {"spares": 0}, "pool": {"size": 4}}
    settings["router"] = {"default_persona": "lead"}
    async with running_team(tmp_path, script=script, tools={"lead": "Bash, "}, **settings) as team:
        exchange = await team.settled(await team.say("Do all three"), seconds=60)
        data = tmp_path / "data" / "scripted"
        (lead,) = (data / "work_trees").glob("*/app")
        changes = [
            await team.store.deeds.change(key(), ChangeId(stored.turn.id))
            for stored in exchange.turns
            if stored.turn.persona == "developer"
        ]
        branch = git(lead, "branch", "--format=%(refname:short)", "--list", "mama/*-developer-*")
        assert (lead / "greeting").read_text() == "lead\n"
        assert [(lead / name).read_text() for name in ("notes", "alpha", "gamma")] == ["notes\n", "alpha\n", "gamma\n"]
        assert git(lead, "log", "-1", "--format=%s") == "Alpha"
        assert git(lead, "show", f"{branch}:beta") == "beta"
        told = next(stored.turn.told for stored in exchange.turns if stored.turn.id.endswith(".b"))
    assert [stored.state for stored in exchange.turns] == [TurnState.ANSWERED] * 5
    assert looks < 200
    waited, later = heard
    assert "[WORK TREE] What it changed is in your work tree now: gamma." in waited
    assert "in your work tree now, with 1 of its commits: alpha." in later
    assert "CONFLICT: nothing of its work is in your work tree" in later
    assert f"since it began: greeting. All of its work is on the branch {branch}." in later
    assert [change is not None and not change.shared and change.files for change in changes] == [1, 2, 1]
    assert {call.after.root for call in told if call.after is not None} >= {str(lead)}
    assert len(list((data / "agents").glob("*/home"))) == 1


async def test_killed_again_and_again_each_part_is_there_once_and_no_work_tree_is_left(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "developer":
            task = next(name for name in WORK if f"TASK: {name}" in "\n".join(request.user_texts))
            if not request.tool_results:
                return bash(f"sleep 0.4; echo {task} > {task}; cat {task}")
            return ModelReply(text=f"`{task}` is written.", delay_seconds=0.2)
        words = [request.last_user_text, *(result.text for result in request.tool_results)]
        heard = {name for name in WORK for text in words if f"`{name}` is written" in text}
        if heard == {*WORK}:
            return ModelReply(text="All three are written: `alpha`, `beta` and `gamma`.", delay_seconds=0.2)
        if "What came of your delegations" in request.last_user_text:
            return ModelReply(text="`alpha` and `beta` came later.")
        if not request.tool_results and "[RESUMED]" not in request.last_user_text:
            return delegates("alpha", "beta", background=True)
        return ModelReply(text="`gamma` is written.") if "gamma" in heard else delegates("gamma")

    chance = random.Random(5)
    settings = settings_for(make_source(tmp_path)) | {"work_trees": {"spares": 0}, "pool": {"size": 4}}
    settings |= {"router": {"default_persona": "lead"}, "claude": {"source": "real"}}
    file = write_configuration(tmp_path, **settings)
    async with ModelServer(script=script) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        async with service_process(file, environment) as service:
            assert (await service.say("Do all three")).status_code == 202
            # Both: a call that never came in is nobody's to remember, and this model does not make it again.
            await until(lambda: sum(line["event"] == "delegated" for line in service.events) >= 2)
            await service.kill()
        for _ in range(3):
            async with service_process(file, environment) as service:
                await asyncio.sleep(chance.uniform(1.0, 4.0))
                await service.kill()
        async with service_process(file, environment) as service:
            async with asyncio.timeout(3 * SECONDS):
                while not all_answered(view := await service.conversation()) or len(places(tmp_path)) > 1:
                    await asyncio.sleep(0.2)
            assert await service.terminate() == 0
    assert sum(turn["kind"] == "delegation" for turn in view["turns"]) == len(WORK), "none was given twice"
    (lead,) = places(tmp_path)
    assert {name: (lead / name).read_text() for name in WORK if (lead / name).exists()} == {
        name: f"{name}\n" for name in WORK
    }


def all_answered(view: Mapping[str, Any]) -> bool:
    """Whether all three delegations have come to their end, and so has every turn of their sender."""
    turns = view["turns"]
    return len(turns) > len(WORK) and all(turn["state"] == "answered" for turn in turns)


def places(directory: Path) -> list[Path]:
    """The work trees that there are."""
    return [*(directory / "data").glob("*/work_trees/*/app")]
