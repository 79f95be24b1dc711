"""The whole service killed while it does each deed: the next life ends what was begun, once, and nothing is lost.

`KILLS` in the environment says how often each deed is killed (default 1), `KILL_SEED` when.
"""

import asyncio
import contextlib
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from mama_bot.demo.model_server import ModelServer
from mama_bot.model import NoticeKind
from tests.end_to_end.evidence import git
from tests.end_to_end.service_process import ServiceProcess, service_process
from tests.end_to_end.team import write_configuration
from tests.end_to_end.test_repositories import make_source, obeying, settings_for
from tests.waiting import SECONDS

pytestmark = pytest.mark.cli

KILLS = int(os.environ.get("KILLS", "1"))
HERE = "/api/conversations/general"
TOLD = {NoticeKind.DEED.value, NoticeKind.UNDONE.value}


async def told(service: ServiceProcess) -> list[str]:
    """What the conversation was told of deeds so far."""
    return [post["text"] for post in (await service.conversation())["posts"] if post.get("notice") in TOLD]


async def asked(service: ServiceProcess, name: str, argument: str = "") -> dict[str, Any]:
    async with service.client() as client:
        given = {"name": name, "post_id": "", "argument": argument}
        answer: dict[str, Any] = (await client.post(f"{HERE}/commands", json=given)).json()
    return answer


async def killed_while_asked(service: ServiceProcess, name: str, argument: str, seconds: float) -> None:
    """Ask for a deed, and kill the service so much later."""

    async def ask() -> None:
        with contextlib.suppress(httpx.HTTPError):  # it is dead
            await asked(service, name, argument)

    async with asyncio.TaskGroup() as group:
        group.create_task(ask())
        await asyncio.sleep(seconds)
        await service.kill()


@dataclass(frozen=True)
class Killed:
    """A deed in which the service was killed, with what the conversation was told before, and what is to hold then."""

    name: str
    argument: str
    told: list[str]
    holds: Callable[[], bool]

    async def is_done(self, service: ServiceProcess) -> None:
        """Hold the next life to it; where the service died before the deed was stored, it is asked for again."""
        if await told(service) == self.told:
            answer = await asked(service, self.name, self.argument)
            assert answer["done"], answer
        async with asyncio.timeout(SECONDS):  # whoever asks is answered after two seconds at the latest, done or not
            while await told(service) == self.told:
                await asyncio.sleep(0.05)
        assert len(await told(service)) == len(self.told) + 1
        assert self.holds(), self.name


async def test_each_deed_is_done_once_however_the_service_is_killed_in_it(tmp_path: Path) -> None:
    chance = random.Random(os.environ.get("KILL_SEED", "14"))
    source = make_source(tmp_path)
    file = write_configuration(tmp_path, claude={"source": "real"}, **settings_for(source))

    def stands(*greetings: str) -> Callable[[], bool]:
        """Whether these are the greetings in the work trees of conversations."""

        def holds() -> bool:
            marks = tmp_path.glob("data/real/work_trees/*/app/.git/refs/heads/mama/*")
            return [(mark.parents[4] / "greeting").read_text() for mark in marks] == [f"{one}\n" for one in greetings]

        return holds

    def pushed(greeting: str, to: str) -> Callable[[], bool]:
        def holds() -> bool:
            (branch,) = git(source, "for-each-ref", "--format=%(refname)", f"refs/heads/{to}").split()
            return git(source, "show", f"{branch}:greeting") == greeting

        return holds

    async with ModelServer(script=obeying()) as model:
        environment = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "test"}
        killed: Killed | None = None
        for number in range(KILLS):
            work, before = f"work {number}", f"work {number - 1}" if number else "hello"
            deeds = (
                ("undo", "", stands(before)),
                ("redo", "", stands(work)),
                ("push", "", pushed(work, "mama")),
                ("merge", "anyway", pushed(work, "main")),
                ("discard", "", stands()),
                ("restore", "", stands(work)),
            )
            for place, (name, argument, holds) in enumerate(deeds):
                async with service_process(file, environment) as service:
                    if killed is not None:
                        await killed.is_done(service)
                    if place == 0:
                        await service.say(f"run echo {work} > greeting", message=f"m{number}")
                        await service.replies(number + 1)
                    killed = Killed(name, argument, await told(service), holds)
                    await killed_while_asked(service, name, argument, chance.uniform(0, 0.3))
        async with service_process(file, environment) as service:
            assert killed is not None
            await killed.is_done(service)
            assert await service.terminate() == 0
    assert len(git(source, "log", "--merges", "--format=%s", "main").splitlines()) == KILLS
