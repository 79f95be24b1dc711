"""The service killed at points of an agent's work: what lay in the work tree then is there at the end, and grows on.

`KILLS` in the environment says how often (default 5), `KILL_SEED` where.
"""

import asyncio
import os
import random
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.model_server import ModelServer
from tests.end_to_end.evidence import bash, git
from tests.end_to_end.service_process import ServiceProcess, service_process
from tests.end_to_end.team import write_configuration
from tests.end_to_end.test_repositories import make_source, settings_for
from tests.waiting import SECONDS

pytestmark = pytest.mark.cli

KILLS = int(os.environ.get("KILLS", "5"))
# How far the work on a message may be when the service is killed: nothing, a file, the index, a commit, the reply.
POINTS = ("taken", "loose", "staged", "committed", "answered")


def script(request: ModelRequest) -> ModelReply:
    """A file that nobody added, one that is in the index alone, a commit; then the reply."""
    number = request.last_user_text.rpartition("write ")[2].split()[0]
    steps = (
        f"echo {number} >> loose",
        f"echo {number} >> staged && git add staged",
        f"git commit -q --allow-empty -m {number} --only",
    )
    done = len(request.tool_results)
    return bash(steps[done]) if done < len(steps) else ModelReply(text=f"Number {number} is written.")


def work_tree(directory: Path) -> Path | None:
    branches = next(directory.glob("data/real/work_trees/*/app/.git/refs/heads/mama"), None)  # the spare has none
    return branches.parents[3] if branches else None


def written(directory: Path) -> dict[str, set[str]]:
    """The numbers that are in the work tree, by how they are there."""
    tree = work_tree(directory)
    if tree is None:
        return {"loose": set(), "staged": set(), "committed": set()}
    loose = (tree / "loose").read_text().split() if (tree / "loose").exists() else []
    in_index = git(tree, "ls-files", "--cached", "staged")
    staged = git(tree, "show", ":staged").split() if in_index else []
    committed = git(tree, "log", "--format=%s", "HEAD").split()
    return {"loose": set(loose), "staged": set(staged), "committed": set(committed) - {"Begin"}}


async def reached(service: ServiceProcess, directory: Path, point: str, number: str) -> None:
    """Wait until the work on a message is so far."""
    async with asyncio.timeout(SECONDS):
        if point == "answered":
            while f"Number {number} is" not in str((await service.conversation())["posts"]):
                await asyncio.sleep(0.02)
        elif point != "taken":
            while number not in written(directory)[point]:
                await asyncio.sleep(0.02)


async def test_what_lay_in_the_work_tree_survives_each_kill(tmp_path: Path) -> None:
    chance = random.Random(os.environ.get("KILL_SEED", "14"))
    settings = settings_for(make_source(tmp_path)) | {"turns": {"steer": "on_request"}}
    file = write_configuration(tmp_path, claude={"source": "real"}, **settings)
    seen: dict[str, set[str]] = {"loose": set(), "staged": set(), "committed": set()}
    async with ModelServer(script=script) as model:
        environment = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "test"}
        for number in range(KILLS):
            async with service_process(file, environment) as service:
                assert (await service.say(f"write {number}", message=f"m{number}")).status_code == 202
                await reached(service, tmp_path, POINTS[(number + chance.randrange(2)) % len(POINTS)], str(number))
                await asyncio.sleep(chance.uniform(0, 0.15))
                await service.kill()
            for kind, numbers in written(tmp_path).items():
                assert seen[kind] <= numbers
                seen[kind] |= numbers
        async with service_process(file, environment) as service:
            for number in range(KILLS):
                await reached(service, tmp_path, "answered", str(number))
            assert await service.terminate() == 0
    at_last = written(tmp_path)
    assert at_last == {kind: {str(number) for number in range(KILLS)} for kind in at_last}
    tree = work_tree(tmp_path)
    assert tree is not None
    git(tree, "fsck", "--strict")
    assert len([*tmp_path.glob("data/real/work_trees/*/app/.git/refs/heads/mama")]) == 1
