"""What every gateway promises; each gateway's test module runs this suite."""

import asyncio
from abc import ABC, abstractmethod
from datetime import UTC, datetime

import pytest

from mama_bot.errors import QueueFull
from mama_bot.model import (
    Audience,
    Author,
    Cleared,
    ConversationKey,
    Judgement,
    MessageId,
    Notice,
    NoticeKind,
    Post,
    PostId,
    Reply,
    Turn,
    TurnFinished,
    TurnId,
    TurnKind,
    TurnStarted,
    TurnState,
    text_hash,
)
from mama_bot.protocols import Gateway
from mama_bot.testing.memory_core import MemoryInlet


class GatewayUnderTest(ABC):
    """A running gateway, and a way to play a person on its platform."""

    gateway: Gateway
    inlet: MemoryInlet

    @abstractmethod
    async def say(self, text: str, *, message_id: str) -> bool:
        """A person writes; True when the platform was told that the message is stored."""


class GatewayContract:
    """The facts; `under_test` is the fixture that a test module gives."""

    async def test_a_message_is_delivered_whole(self, under_test: GatewayUnderTest) -> None:
        text = "첫 줄\n  second line\t👩‍💻 <b>&amp;</b> `x`"
        assert await under_test.say(text, message_id="m1")
        [message] = under_test.inlet.delivered
        assert (message.id, message.text, message.key.platform) == ("m1", text, under_test.gateway.platform)
        assert message.received_at.tzinfo is not None

    async def test_a_redelivered_message_is_stored_once(self, under_test: GatewayUnderTest) -> None:
        await under_test.say("hello", message_id="m1")
        await under_test.say("hello", message_id="m1")
        assert len(under_test.inlet.delivered) == 1

    async def test_a_message_that_was_not_stored_is_not_acknowledged(self, under_test: GatewayUnderTest) -> None:
        under_test.inlet.refusal = QueueFull(scope="this conversation", limit=3)
        assert not await under_test.say("hello", message_id="m1")
        assert under_test.inlet.delivered == []

    @pytest.mark.parametrize("kind", ["reply", "notice"])
    async def test_a_post_gives_a_receipt_and_is_found_again(self, under_test: GatewayUnderTest, kind: str) -> None:
        gateway = under_test.gateway
        post = a_post(gateway, kind)
        receipt = await gateway.post(post)
        found = await gateway.find(post)
        assert receipt.post_id == post.id
        assert receipt.platform_ids
        assert found is not None
        assert found.platform_ids == receipt.platform_ids

    async def test_showing_progress_never_raises_and_never_waits(self, under_test: GatewayUnderTest) -> None:
        turn = a_turn(under_test.gateway)
        at = datetime(2026, 1, 1, tzinfo=UTC)
        async with asyncio.timeout(5):
            await under_test.gateway.show(TurnStarted(turn=turn, at=at))
            await under_test.gateway.show(TurnFinished(turn=turn, state=TurnState.STOPPED, at=at))


def a_turn(gateway: Gateway) -> Turn:
    return Turn(
        id=TurnId("t1"),
        message_id=MessageId("m1"),
        key=ConversationKey(gateway.platform, "c1"),
        persona="developer",
        kind=TurnKind.REQUEST,
        audience=Audience.PERSON,
        asker=Author(id="p", name="Person"),
        prompt="hello",
    )


def a_post(gateway: Gateway, kind: str) -> Post:
    key, text = ConversationKey(gateway.platform, "c1"), "All 3 tests pass. 끝."
    if kind == "notice":
        return Notice(id=PostId("p1"), key=key, notice=NoticeKind.STOPPED, text="Stopped.")
    judgement = Judgement(turn_id=TurnId("t1"), attempt=0, text_sha256=text_hash(text), outcome=Cleared())
    return Reply(
        id=PostId("p1"),
        turn_id=TurnId("t1"),
        key=key,
        persona="developer",
        display_name="Developer",
        text=text,
        judgement=judgement,
    )
