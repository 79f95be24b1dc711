"""What the engine runs in tests: exchanges that note what became of them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from mama_bot.config import QueueSettings
from mama_bot.model import ConversationKey, MessageId, Platform
from mama_bot.store import Store

ROOMY = QueueSettings(limit=1000, per_conversation=1000)


class Exchanges:
    """What the engine ran and gave up, in order."""

    def __init__(self, behave: Callable[[MessageId], Awaitable[None]] | None = None) -> None:
        self.behave = behave
        self.started: list[str] = []
        self.ended: list[str] = []
        self.abandoned: list[tuple[str, str]] = []
        self.running = 0
        self.most_at_once = 0

    async def run(self, message_id: MessageId) -> None:
        self.started.append(message_id)
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        try:
            if self.behave is not None:
                await self.behave(message_id)
        finally:
            self.running -= 1
        self.ended.append(message_id)

    async def give_up(self, message_id: MessageId, error: Exception) -> None:
        self.abandoned.append((message_id, str(error)))


@asynccontextmanager
async def engine(
    store: Store, exchanges: Exchanges, concurrency: int = 8, drain_seconds: float = 5
) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        group.create_task(
            store.engine.run(
                exchanges.run, abandoned=exchanges.give_up, concurrency=concurrency, drain_seconds=drain_seconds
            )
        )
        try:
            yield
        finally:
            store.engine.stop()


def conversation(number: int) -> ConversationKey:
    """One of many conversations."""
    return ConversationKey(Platform("web"), f"c{number}")


async def left(store: Store) -> tuple[int, int]:
    """How many exchanges wait, and how many run."""
    state = await store.history.queue()
    return state.waiting, state.running
