"""The service ends when one of its lasting parts does: it never looks alive and is deaf."""

import asyncio
from pathlib import Path

import pytest

from mama_bot.app.configuration import read_configuration
from mama_bot.app.service import Running, serve
from mama_bot.errors import AccessRefused, EndedByItself
from mama_bot.model import Author, ConversationKey, InboundMessage, MessageId, Notice, Origin, Platform
from mama_bot.protocols import Inlet
from mama_bot.testing.memory_gateway import MemoryGateway
from mama_bot.wording import Language
from tests.end_to_end.team import write_configuration
from tests.people import START
from tests.scripted_queue import ScriptedQueue
from tests.waiting import SECONDS, until


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


async def test_an_unknown_person_comes_to_be_served_by_an_owner(tmp_path: Path) -> None:
    file = write_configuration(tmp_path, telegram={"access": {"owners": ["7"]}}, web={"enabled": False})
    configuration = read_configuration(file, environment={"PATH": "/usr/bin:/bin"})
    telegram = MemoryGateway(platform=Platform("telegram"))
    stop = asyncio.Event()
    message = InboundMessage(
        id=MessageId("telegram-1"),
        key=ConversationKey(telegram.platform, "12"),
        author=Author(id="12", name="Choi"),
        text="/agents",
        received_at=START,
        origin=Origin(channel="12", direct=True),
    )

    started: asyncio.Future[Running] = asyncio.get_running_loop().create_future()
    async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as group:
        gateways = {telegram.platform: telegram}
        group.create_task(
            serve(configuration, stop=stop, script=ScriptedQueue(), gateways=gateways, ready=started.set_result)
        )
        try:
            running = await started
            with pytest.raises(AccessRefused, match="not listed") as refused:
                await telegram.deliver(message)
            notice = await until(lambda: telegram.posts[0] if telegram.posts else None)
            assert isinstance(notice, Notice)
            assert (notice.key.channel, notice.approval in refused.value.to(Language.ENGLISH)) == ("direct-7", True)
            await running.store.pairings.settle(notice.approval, approve=True, by="the owner")
            assert await telegram.deliver(message)
        finally:
            stop.set()
