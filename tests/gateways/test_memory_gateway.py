import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from mama_bot.errors import DeliveryFailed, DeliveryUnknown, MamaBotError
from mama_bot.model import Author, Command, CommandName, ConversationKey, InboundMessage, MessageId, Origin
from mama_bot.testing.memory_core import MemoryInlet
from mama_bot.testing.memory_gateway import MEMORY, Crashed, MemoryGateway
from tests.gateways.contract import GatewayContract
from tests.gateways.under_test import GatewayUnderTest, a_post

KEY = ConversationKey(MEMORY, "c1")


class MemoryUnderTest(GatewayUnderTest):
    def __init__(self, gateway: MemoryGateway, inlet: MemoryInlet) -> None:
        self.gateway = self.memory = gateway
        self.inlet = inlet

    async def say(self, text: str, *, message_id: str) -> bool:
        message = InboundMessage(
            id=MessageId(message_id),
            key=KEY,
            author=Author(id="p", name="Person"),
            text=text,
            received_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        try:
            await self.memory.deliver(message)
        except MamaBotError:
            return False
        return True

    def conversation(self) -> ConversationKey:
        return KEY

    async def command(self, name: CommandName, argument: str = "") -> str:
        author = Author(id="p", name="Person")
        answer = await self.memory.command(
            Command(name=name, key=KEY, author=author, origin=Origin(), argument=argument)
        )
        return answer.text


class TestMemoryGateway(GatewayContract):
    @pytest.fixture
    async def under_test(self) -> AsyncIterator[GatewayUnderTest]:
        gateway, inlet = MemoryGateway(), MemoryInlet()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(gateway.run(inlet))
            yield MemoryUnderTest(gateway, inlet)
            running.cancel()


async def test_a_failed_post_is_certainly_not_there() -> None:
    gateway = MemoryGateway()
    post = a_post(KEY, "reply")
    gateway.fail_next(DeliveryFailed(platform="memory", reason="down"), taken=False)
    with pytest.raises(DeliveryFailed):
        await gateway.post(post, *gateway.parts(post))
    assert await gateway.find(post, *gateway.parts(post)) is None


@pytest.mark.parametrize("error", [DeliveryUnknown(platform="memory", reason="no answer"), Crashed()])
async def test_a_post_may_be_there_although_posting_raised(error: DeliveryUnknown | Crashed) -> None:
    gateway = MemoryGateway()
    post = a_post(KEY, "reply")
    gateway.fail_next(error, taken=True)
    with pytest.raises(type(error)):
        await gateway.post(post, *gateway.parts(post))
    assert gateway.posts == [post]
    assert await gateway.find(post, *gateway.parts(post)) is not None


async def test_failures_are_used_up_one_by_one() -> None:
    gateway = MemoryGateway()
    post = a_post(KEY, "reply")
    gateway.fail_next(DeliveryFailed(platform="memory", reason="down"), taken=False)
    with pytest.raises(DeliveryFailed):
        await gateway.post(post, *gateway.parts(post))
    assert await gateway.post(post, *gateway.parts(post)) == f"memory-{post.id}"
