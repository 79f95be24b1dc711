"""The service on PostgreSQL, with the real CLI: answered and kept, though the database restarts and the service dies."""

import asyncio
from contextlib import AsyncExitStack
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
        async with ModelServer(script=script) as server, AsyncExitStack() as ends:
            environment = {
                "ANTHROPIC_BASE_URL": server.url,
                "ANTHROPIC_API_KEY": "test",
                "MAMA_STORE__URL": database.url("postgres"),
            }
            service = await ends.enter_async_context(service_process(files[0], environment))
            assert (await service.say("count", message="first")).status_code == 202
            await asyncio.wait_for(asked.wait(), 60)
            # The database goes while an agent works, and is back before anybody gives up.
            await asyncio.to_thread(database.stop)
            await asyncio.to_thread(database.start)
            assert [reply["text"] for reply in await service.replies(1)] == [SAID]
            standby = ends.enter_async_context(service_process(files[1], environment))
            async with asyncio.TaskGroup() as group:
                follows = group.create_task(standby)
                asked.clear()
                assert (await service.say("count", message="second")).status_code == 202
                await asyncio.wait_for(asked.wait(), 60)
                await service.kill()
            second = follows.result()
            replies = await second.replies(2)
            assert [reply["turn_id"].split(".")[0] for reply in replies] == ["first", "second"]
            assert "standing_by" in {line["event"] for line in second.events}
            assert await second.terminate() == 0
    assert not list(tmp_path.rglob("mama-bot.sqlite"))
