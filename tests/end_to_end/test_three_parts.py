"""A task of three parts in a real repository: two in the background, one waited for, one rejected, one in conflict.

`KILLS` in the environment says how often the whole service is killed on the way (default 2), `KILL_SEED` where.
"""

import asyncio
import json
import os
import random
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.model_server import ModelServer
from tests.end_to_end.evidence import git
from tests.end_to_end.service_process import ServiceProcess, service_process
from tests.end_to_end.team import write_configuration
from tests.end_to_end.test_delegate_trees import places
from tests.end_to_end.test_repositories import make_source, settings_for
from tests.end_to_end.test_team_tools import bash, delegates
from tests.waiting import SECONDS

pytestmark = pytest.mark.cli

KILLS = int(os.environ.get("KILLS", "2"))
PARTS = {
    "alpha": "echo alpha > alpha",
    "beta": "echo beta > greeting; echo beta > beta",
    "gamma": "echo gamma > gamma",
}
# What a life of the service is counted by: each moves the work on.
STEPS = {"agent_asked", "delegated", "tool_finished", "turn_finished", "delegate_tree_ended"}
REVIEW = "Verdict: {}\n\nEvidence:\n- `cat {}` was read here\n\nFindings:{}"


def part_of(request: ModelRequest) -> str:
    """The part that a request is about: the one that was named last."""
    return str(re.findall(r"TASK: (\w+)", "\n".join(request.user_texts))[-1])


def model(request: ModelRequest) -> ModelReply:
    """All three; whoever was cut off does the same again."""
    return {"lead": lead, "developer": developer, "reviewer": reviewer}[request.persona](request)


def lead(request: ModelRequest) -> ModelReply:
    """Hand two on in the background, write a file that one of them writes too, and wait for the third."""
    if "What came of your delegations" in request.last_user_text:
        return ModelReply(text="`alpha` and `beta` were told of later.", delay_seconds=0.1)
    memory = json.dumps(request.messages, ensure_ascii=False)
    if "`gamma` is written" in memory:
        return ModelReply(text="`gamma` is here; `alpha` and `beta` are under way.", delay_seconds=0.1)
    missing = [name for name in ("alpha", "beta") if f"`{name}` is written" not in memory]
    done = len(request.tool_results)
    if done < len(missing):
        return delegates(*missing, background=True)
    return bash("echo lead > greeting; cat greeting") if done == len(missing) else delegates("gamma")


def developer(request: ModelRequest) -> ModelReply:
    """Write the part, and what a review found missing."""
    name = part_of(request)
    again = "is missing" in "\n".join(request.user_texts)
    command = f"printf 'alpha\\nreworked\\n' > {name}" if again else PARTS[name]
    if not request.tool_results:
        return bash(f"sleep 0.2; {command}; cat {name}")
    return ModelReply(text=f"`{name}` is written.", delay_seconds=0.1)


def reviewer(request: ModelRequest) -> ModelReply:
    """Read what was written; of alpha the second line is wanted."""
    name = part_of(request)
    if not request.tool_results:
        return bash(f"cat {name} greeting")
    if name == "alpha" and "reworked" not in request.tool_results[-1].text:
        return ModelReply(text=REVIEW.format("REJECT", name, "\n- `alpha:2`: `reworked` is missing"))
    return ModelReply(text=REVIEW.format("APPROVE", name, " none."))


@pytest.mark.xfail(
    reason="Open defect: once a part was missing after two kills, in a run of the whole suite.", strict=False
)
async def test_killed_at_random_points_it_finishes_the_same(tmp_path: Path) -> None:
    chance = random.Random(os.environ.get("KILL_SEED", "16"))
    settings = settings_for(make_source(tmp_path)) | {
        "work_trees": {"spares": 0},
        "pool": {"size": 4},
        "router": {"default_persona": "lead"},
        "claude": {"source": "real"},
        "enforcement": {"enabled": True},
        "reviews": {"require_review_for": [{"personas": ["developer"]}]},
    }
    personas = {"reviewer": "tier: reader\nworkspace: team"}
    file = write_configuration(tmp_path, personas=personas, tools={"lead": "Bash, "}, **settings)
    async with ModelServer(script=model) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        for number in range(KILLS):
            async with service_process(file, environment) as service:
                if number == 0:
                    assert (await service.say("Do all three")).status_code == 202
                await gone_on(service, tmp_path, chance.randint(1, 6))
                await asyncio.sleep(chance.uniform(0, 0.3))
                await service.kill()
        async with service_process(file, environment) as service:
            if not KILLS:
                assert (await service.say("Do all three")).status_code == 202
            async with asyncio.timeout(3 * SECONDS):
                while not all_done(view := await service.conversation(), tmp_path):
                    await asyncio.sleep(0.2)
            assert await service.terminate() == 0
    kinds = kinds_of(view)
    # Who is told of the two in the background when its own turn is resumed has no turn of its own for that.
    assert kinds.pop("results", 1) == 1
    assert kinds == {"delegation": 3, "review": 4, "rework": 1, "request": 1}
    (tree,) = places(tmp_path)
    there = {name: (tree / name).read_text() for name in ("greeting", "alpha", "gamma")}
    assert there == {"greeting": "lead\n", "alpha": "alpha\nreworked\n", "gamma": "gamma\n"}
    assert not (tree / "beta").exists(), "its work was in conflict"
    branch = git(tree, "branch", "--format=%(refname:short)", "--list", "mama/*-developer-*")
    assert git(tree, "show", f"{branch}:beta") == "beta"


async def gone_on(service: ServiceProcess, directory: Path, steps: int) -> None:
    """Wait until a life of the service went so many steps further, however slow the machine is, or is done."""
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            while sum(line["event"] in STEPS for line in service.events) < steps:
                await asyncio.sleep(0.02)
                if all_done(await service.conversation(), directory):
                    return


def kinds_of(view: Mapping[str, Any]) -> dict[str, int]:
    """How many turns of each kind there are."""
    return dict(Counter(turn["kind"] for turn in view["turns"]))


def all_done(view: Mapping[str, Any], directory: Path) -> bool:
    """Whether all three parts and their reviews have come to their end, and nobody works in a tree of theirs."""
    kinds, turns = kinds_of(view), view["turns"]
    there = kinds.get("review") == 4 and all(turn["state"] == "answered" for turn in turns)
    return there and len(places(directory)) == 1
