"""The service on PostgreSQL, with the real CLI: answered and kept, though database and service die."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.model_server import ModelServer
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import write_configuration
from tests.postgresql_server import postgresql_server

pytestmark = pytest.mark.cli

TEAM: dict[str, Any] = {"claude": {"source": "real"}, "router": {"default_persona": "developer"}}
SAID = "`a.py` has 3 functions: `f`, `g`, `h`."


async def test_what_was_said_is_answered_though_the_database_restarts_and_another_service_has_to_go_on(
    tmp_path: Path,
) -> None:
    asked = asyncio.Event()

    def script(_request: ModelRequest) -> ModelReply:
        asked.set()
        return ModelReply(text=SAID, delay_seconds=0.5)

    files = [write_configuration(tmp_path / name, **TEAM) for name in ("first", "second")]
    with postgresql_server() as database:
        async with ModelServer(script=script) as server:
            environment = {
                "ANTHROPIC_BASE_URL": server.url,
                "ANTHROPIC_API_KEY": "test",
                "MAMA_STORE__URL": database.url("postgres"),
            }
            async with service_process(files[0], environment) as service, asyncio.TaskGroup() as group:
                assert (await service.say("count", message="first")).status_code == 202
                await asyncio.wait_for(asked.wait(), 60)
                # The database goes while an agent works, and is back before anybody gives up.
                await asyncio.to_thread(database.stop)
                await asyncio.to_thread(database.start)
                assert [reply["text"] for reply in await service.replies(1)] == [SAID]
                asked.clear()
                after = group.create_task(goes_on(files[1], environment))
                assert (await service.say("count", message="second")).status_code == 202
                await asyncio.wait_for(asked.wait(), 60)
                await service.kill()
    assert after.result() == ["first", "second"]
    assert not list(tmp_path.rglob("mama-bot.sqlite"))


async def goes_on(file: Path, environment: Mapping[str, str]) -> list[str]:
    """What is answered once another service works, which has waited for the first one to end."""
    async with service_process(file, environment) as service:
        assert (await service.logged("engine_started"))["restored"] == 1
        replies = await service.replies(2)
        assert await service.terminate() == 0
    return [reply["turn_id"].split(".")[0] for reply in replies]
