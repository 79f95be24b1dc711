"""The service ends when one of its lasting parts does: it never looks alive and is deaf."""

import asyncio
from pathlib import Path

import pytest

from mama_bot.app import read_configuration, serve
from mama_bot.errors import EndedByItself
from mama_bot.protocols import Inlet
from mama_bot.testing.memory_gateway import MemoryGateway
from mama_bot.testing.model_script import ScriptedQueue
from tests.end_to_end.team import SECONDS, write_configuration


class Quitter(MemoryGateway):
    """A gateway that stops listening without an error."""

    async def run(self, inlet: Inlet) -> None:
        return


async def test_a_gateway_that_ends_by_itself_ends_the_service_with_its_name(tmp_path: Path) -> None:
    configuration = read_configuration(write_configuration(tmp_path), environment={"PATH": "/usr/bin:/bin"})
    gateway = Quitter()
    with pytest.RaisesGroup(pytest.RaisesExc(EndedByItself, match="The gateway memory"), flatten_subgroups=True):
        async with asyncio.timeout(SECONDS):
            await serve(
                configuration, stop=asyncio.Event(), script=ScriptedQueue(), gateways={gateway.platform: gateway}
            )
