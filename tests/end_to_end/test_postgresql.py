"""The service on PostgreSQL, with the real CLI: answered and kept, over restarts of the database and of its own."""

import asyncio
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.model_server import ModelServer
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import write_configuration
from tests.postgresql_server import postgresql_server

pytestmark = pytest.mark.cli

SAID = "`a.py` has 3 functions: `f`, `g`, `h`."


async def test_what_is_said_is_answered_and_kept_though_the_database_and_the_service_die(tmp_path: Path) -> None:
    asked = asyncio.Event()

    def script(_request: ModelRequest) -> ModelReply:
        asked.set()
        return ModelReply(text=SAID, delay_seconds=0.5)

    file = write_configuration(tmp_path, claude={"source": "real"}, router={"default_persona": "developer"})
    with postgresql_server() as database:
        async with ModelServer(script=script) as server:
            environment = {
                "ANTHROPIC_BASE_URL": server.url,
                "ANTHROPIC_API_KEY": "test",
                "MAMA_STORE__URL": database.url("postgres"),
            }
            async with service_process(file, environment) as service:
                assert (await service.say("count", message="first")).status_code == 202
                await asyncio.wait_for(asked.wait(), 60)
                # The database goes while an agent works, and is back before anybody gives up.
                await asyncio.to_thread(database.stop)
                await asyncio.to_thread(database.start)
                assert [reply["text"] for reply in await service.replies(1)] == [SAID]
                assert (await service.say("count", message="second")).status_code == 202
                await service.kill()
            async with service_process(file, environment) as service:
                replies = await service.replies(2)
                assert [reply["turn_id"].split(".")[0] for reply in replies] == ["first", "second"]
                assert await service.terminate() == 0
    assert not list(tmp_path.rglob("mama-bot.sqlite"))
