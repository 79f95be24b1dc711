"""Messages as a gateway stores them, many on their way at once."""

import asyncio

from mama_bot.model import Author, ConversationKey, InboundMessage, MessageId, Platform
from mama_bot.protocols import Clock
from mama_bot.store import Store

AT_ONCE = 64  # as many are on their way into the database


async def store_messages(store: Store, clock: Clock, name: str, count: int) -> None:
    """Store so many messages, each in a conversation of its own: `NAME-0` and on."""
    room = asyncio.Semaphore(AT_ONCE)

    async def spoken(number: int) -> None:
        async with room:
            await store.inbox.accept(
                InboundMessage(
                    id=MessageId(f"{name}-{number}"),
                    key=ConversationKey(Platform("memory"), f"{name}-{number}"),
                    author=Author(id="kim", name="Kim"),
                    text=f"count {number}",
                    received_at=clock.now(),
                )
            )

    async with asyncio.TaskGroup() as group:
        for number in range(count):
            group.create_task(spoken(number))
