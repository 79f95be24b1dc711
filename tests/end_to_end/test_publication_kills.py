"""The whole service killed while it opens a pull request: the next life ends it, and there is one of each branch.

`KILLS` in the environment says how often it is killed at a moment of chance as well (default 1), `KILL_SEED` when.
"""

import asyncio
import contextlib
import os
import random
from pathlib import Path

import httpx
import pytest

from mama_bot.demo.model_server import ModelServer
from mama_bot.model import NoticeKind
from tests.end_to_end.evidence import git
from tests.end_to_end.service_process import ServiceProcess, service_process
from tests.end_to_end.team import write_configuration
from tests.end_to_end.test_pull_requests import KINDS, committing, forge_of
from tests.end_to_end.test_repositories import make_source
from tests.waiting import SECONDS

pytestmark = pytest.mark.cli

KILLS = int(os.environ.get("KILLS", "1"))
# When the forge is asked which ones are open, when it is asked for one, and when it has made one and not said so yet.
MOMENTS = ("asked GET", "did GET", "asked POST", "did POST")
OPENED = "was opened"


async def publish(service: ServiceProcess, conversation: str) -> None:
    """Ask for a pull request; the service may die meanwhile."""
    with contextlib.suppress(httpx.HTTPError):
        async with service.client() as client:
            given = {"name": "pr", "argument": ""}
            await client.post(f"/api/conversations/{conversation}/commands", json=given)


async def told(service: ServiceProcess, conversation: str) -> list[str]:
    """What a conversation was told of pull requests."""
    posts = (await service.conversation(conversation))["posts"]
    texts = [post["text"] for post in posts if post.get("notice") == NoticeKind.DEED.value]
    return [text for text in texts if OPENED in text or "is open" in text]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_pull_request_is_opened_once_however_the_service_is_killed_meanwhile(tmp_path: Path, kind: str) -> None:
    chance = random.Random(os.environ.get("KILL_SEED", "14"))
    source = make_source(tmp_path)
    git(source, "config", "core.bare", "true")
    async with forge_of(kind) as forge, ModelServer(script=committing([])) as model:
        forge.head_of = lambda branch: git(source, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")
        file = write_configuration(
            tmp_path,
            claude={"source": "real"},
            router={"default_persona": "developer"},
            default_repository="app",
            repositories={
                "app": {
                    "source": str(source),
                    "forge": {"kind": kind, "token": "APP_FORGE", "base_url": forge.base_url, "project": "team/app"},
                }
            },
        )
        environment = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "test", "APP_FORGE": forge.token}

        async def killed_when(service: ServiceProcess, moment: str) -> None:
            """Kill it at a moment of the forge; of what it hears then nothing comes back."""
            reached = asyncio.Event()

            async def meets(what: str) -> None:
                if what == moment and not reached.is_set():
                    reached.set()
                    await service.kill()

            forge.meets = meets
            async with asyncio.timeout(SECONDS):
                await reached.wait()
                await service.process.wait()

        async def killed_after(service: ServiceProcess, seconds: float) -> None:
            await asyncio.sleep(seconds)
            await service.kill()

        async def is_open(service: ServiceProcess, conversation: str, before: int) -> None:
            """Hold the next life to it; where the service died before the deed was stored, it is asked for again."""
            async with asyncio.timeout(SECONDS):
                while not await told(service, conversation):
                    await publish(service, conversation)
                    await asyncio.sleep(0.05)
            assert len(await told(service, conversation)) == 1
            branches = [request.branch for request in forge.requests.values()]
            assert len(branches) == len({*branches}) == before + 1

        rounds: list[str | float] = [*MOMENTS, *(chance.uniform(0, 0.8) for _ in range(KILLS))]
        waiting = ""
        for number, moment in enumerate([*rounds, ""]):
            async with service_process(file, environment) as service:
                if waiting:
                    await is_open(service, waiting, number - 1)
                if moment == "":
                    assert await service.terminate() == 0
                    break
                waiting = f"c{number}"
                await service.say("Greet in French", conversation=waiting, message=f"m{number}")
                await service.replies(1, waiting)
                async with asyncio.TaskGroup() as group:
                    killing = killed_when(service, moment) if isinstance(moment, str) else killed_after(service, moment)
                    group.create_task(killing)
                    group.create_task(publish(service, waiting))
    assert len(forge.requests) == len(rounds)
