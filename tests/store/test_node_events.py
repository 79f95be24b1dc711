"""What nodes tell each other over a real PostgreSQL: whole, in order, whatever its size, and only what is wanted."""

import asyncio
from contextlib import AbstractAsyncContextManager

from mama_bot.config import QueueSettings
from mama_bot.model import (
    ConversationKey,
    MessageId,
    MessageStanding,
    NodeEvent,
    Platform,
    QuestionSettled,
    StandingMarked,
    StandingState,
)
from mama_bot.store import Store, open_store
from mama_bot.store.nodes import Node
from tests.store.making import TickingClock
from tests.waiting import SECONDS

KEY = ConversationKey(Platform("memory"), "general")


def opened(url: str, name: str) -> AbstractAsyncContextManager[Store]:
    return open_store(url, clock=TickingClock(), queue=QueueSettings(), node=Node(id=name, role="page"))


def marked(number: int, words: str) -> StandingMarked:
    standing = MessageStanding(message_id=MessageId(f"m{number}"), key=KEY, state=StandingState.WAITING, words=words)
    return StandingMarked(standing=standing)


async def heard(store: Store, count: int) -> list[object]:
    assert store.events is not None
    async with asyncio.timeout(SECONDS):
        return [await store.events.heard() for _ in range(count)]


async def test_events_come_to_every_node_whole_and_in_their_order_whatever_their_size(postgresql_url: str) -> None:
    digits = [number**7 for number in range(4_000)]  # what packing makes little smaller
    told: list[NodeEvent] = [marked(0, "한 줄"), marked(1, str(digits)), marked(2, ""), QuestionSettled(number=7)]
    async with (
        open_store(
            postgresql_url, clock=TickingClock(), queue=QueueSettings(), node=Node(id="a", role="worker")
        ) as one,
        open_store(
            postgresql_url, clock=TickingClock(), queue=QueueSettings(), node=Node(id="b", role="page")
        ) as other,
        asyncio.TaskGroup() as group,
    ):
        assert one.events is not None
        assert other.events is not None
        telling = group.create_task(one.events.run())
        await listening(one, other)
        for event in told:
            one.events.publish(event)
        assert await heard(other, 4) == told
        assert await heard(one, 4) == told
        other.events.unwanted = frozenset({"standing_marked"})
        for event in told:
            one.events.publish(event)
        assert await heard(other, 1) == [QuestionSettled(number=7)]
        telling.cancel()


async def listening(one: Store, other: Store) -> None:
    """Wait until both hear: what is told before that is told to nobody."""
    assert one.events is not None
    for store in (one, other):
        assert store.events is not None
        while True:
            one.events.publish(QuestionSettled(number=0))
            try:
                async with asyncio.timeout(0.5):
                    await store.events.heard()
                    break
            except TimeoutError:
                continue
    await asyncio.sleep(0.5)
    for store in (one, other):
        assert store.events is not None
        while True:
            try:
                async with asyncio.timeout(0.2):
                    await store.events.heard()
            except TimeoutError:
                break
