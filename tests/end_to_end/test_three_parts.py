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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.model_server import ModelServer
from tests.end_to_end.evidence import git
from tests.end_to_end.service_process import ServiceProcess, service_process
from tests.end_to_end.team import running_team, write_configuration
from tests.end_to_end.test_declarations import submits
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
REVIEWER = {"reviewer": "tier: reader\nworkspace: team"}
FINDING = "`alpha:2`: `reworked` is missing"


def asked(request: ModelRequest) -> str:
    """What an agent was asked: without what others said before, which is quoted to it for its information."""
    return re.sub(r"<conversation>.*?</conversation>", "", "\n".join(request.user_texts), flags=re.DOTALL)


def settings_of(directory: Path) -> dict[str, Any]:
    """A repository in which the work of developers needs a review."""
    return settings_for(make_source(directory)) | {
        "work_trees": {"spares": 0},
        "pool": {"size": 4},
        "router": {"default_persona": "lead"},
        "enforcement": {"enabled": True},
        "reviews": {"require_review_for": [{"personas": ["developer"]}]},
    }


def part_of(request: ModelRequest) -> str:
    """The part that a request is about: the one that was named last."""
    return str(re.findall(r"TASK: (\w+)", asked(request))[-1])


@dataclass
class ThreeParts:
    """All three; whoever was cut off does the same again. Beta conflicts with lead, who wrote before it was done."""

    lead_wrote: bool = False

    def __call__(self, request: ModelRequest) -> ModelReply:
        if request.persona == "developer":
            waits = part_of(request) == "beta" and not self.lead_wrote
            return bash("sleep 0.2") if waits else developer(request)
        if request.persona == "reviewer":
            return reviewer(request)
        self.lead_wrote = self.lead_wrote or any(result.text.strip() == "lead" for result in request.tool_results)
        return lead(request)


def lead(request: ModelRequest) -> ModelReply:
    """Hand two on in the background, write a file that one of them writes too, and wait for the third."""
    if "Go on: delegate what is left" in request.last_user_text:
        return ModelReply(text="`alpha` and `beta` were told of later.", delay_seconds=0.1)
    memory = json.dumps(request.messages, ensure_ascii=False)
    heard = {name for name in PARTS if f"on the part “{name}”, replies:" in memory}
    if "gamma" in heard:
        return ModelReply(text="`gamma` is here; `alpha` and `beta` are under way.", delay_seconds=0.1)
    missing = [name for name in ("alpha", "beta") if name not in heard]
    done = len(request.tool_results)
    if done < len(missing):
        return asks_for(*missing, background=True)
    return bash("echo lead > greeting; cat greeting") if done == len(missing) else asks_for("gamma")


def asks_for(*names: str, background: bool = False) -> ModelReply:
    """Delegate parts."""
    replies = (delegates(name, expected_outcome=f"- `{name}` exists", background=background) for name in names)
    return ModelReply(tool_calls=tuple(call for reply in replies for call in reply.tool_calls))


def developer(request: ModelRequest) -> ModelReply:
    """Write the part, and what a review found missing."""
    name = part_of(request)
    again = "is missing" in asked(request)
    command = f"printf 'alpha\\nreworked\\n' > {name}" if again else PARTS[name]
    if not any(result.text.startswith(name) for result in request.tool_results):
        return bash(f"sleep 0.2; {command}; cat {name}")
    return ModelReply(text=f"`{name}` is written.", delay_seconds=0.1)


def reviewer(request: ModelRequest) -> ModelReply:
    """Read what was written, and submit a verdict; of alpha the second line is wanted."""
    name, results = part_of(request), request.tool_results
    if not results:
        return bash(f"cat {name} greeting")
    rejects = name == "alpha" and "reworked" not in results[0].text
    if len(results) == 1:
        return submits("reject", FINDING) if rejects else submits("approve")
    return ModelReply(text=f"One finding. {FINDING}" if rejects else f"`{name}` was read.", delay_seconds=0.1)


async def test_what_is_said_of_one_part_reaches_the_next_as_words_on_that_part(tmp_path: Path) -> None:
    told: list[str] = []
    parts = ThreeParts(lead_wrote=True)

    def script(request: ModelRequest) -> ModelReply:
        if request.persona != "lead":
            if request.persona == "developer" and part_of(request) == "gamma":
                told.append("\n".join(request.user_texts))
            return parts(request)
        if len(request.tool_results) < 2:
            return asks_for(("alpha", "gamma")[len(request.tool_results)])
        told.extend(result.text for result in request.tool_results)
        return ModelReply(text="`alpha` and `gamma` are here.")

    async with running_team(tmp_path, script=script, personas=REVIEWER, **settings_of(tmp_path)) as team:
        exchange = await team.settled(await team.say("Do two"), seconds=2 * SECONDS)
    assert Counter(stored.turn.kind.value for stored in exchange.turns) == {
        "delegation": 2,
        "review": 3,
        "rework": 1,
        "request": 1,
    }
    (tree,) = places(tmp_path)
    assert {name: (tree / name).read_text() for name in ("alpha", "gamma")} == {
        "alpha": "alpha\nreworked\n",
        "gamma": "gamma\n",
    }
    prompt, *results = told[0], *told[-2:]
    window, _, task = prompt.partition("</conversation>")
    assert "[agent] Developer, on the part “alpha” (needs review): `alpha` is written." in window
    assert f"[agent] Reviewer, on the part “alpha”: One finding. {FINDING}" in window
    assert FINDING not in task
    assert "TASK: gamma" in task
    assert [result.splitlines()[0] for result in results] == [
        f"developer, on the part “{name}”, replies:" for name in ("alpha", "gamma")
    ]
    assert all("[REVIEW] Approved by reviewer" in result for result in results)


async def test_killed_at_random_points_it_finishes_the_same(tmp_path: Path) -> None:
    chance = random.Random(os.environ.get("KILL_SEED", "16"))
    settings = settings_of(tmp_path) | {"claude": {"source": "real"}}
    file = write_configuration(tmp_path, personas=REVIEWER, tools={"lead": "Bash, "}, **settings)
    async with ModelServer(script=ThreeParts()) as server:
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
