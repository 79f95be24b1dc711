"""What was said long ago is forgotten, as it is configured."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from mama_bot.config import RetentionSettings
from mama_bot.errors import MamaBotError
from mama_bot.protocols import Clock
from mama_bot.store.retention import Forgotten, StoredRetention

log = structlog.get_logger(__name__)

DAY_SECONDS = 24 * 3600.0
FIRST_SECONDS = 300.0  # a start has other things to do
LEAST = timedelta(days=2)  # what platforms may tell again has to be known as told
STEP = timedelta(days=1)
MEGABYTE = 2**20


class OldConversations:
    """Forgets what is older than `days`, and the oldest while the database holds more than `megabytes`.

    `held_bytes` tells what the database holds, without the room in it that is free; None where that is not known.
    """

    def __init__(
        self,
        *,
        retention: StoredRetention,
        settings: RetentionSettings,
        held_bytes: Callable[[], int | None],
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._retention = retention
        self._settings = settings
        self._held_bytes = held_bytes
        self._clock = clock
        self._sleep = sleep

    async def run(self) -> None:
        """Forget once a day until cancelled; what fails is tried again the next day."""
        await self._sleep(FIRST_SECONDS)
        while True:
            try:
                await self.sweep()
            except MamaBotError as error:
                log.warning("old_conversations_stay", reason=str(error))
            await self._sleep(DAY_SECONDS)

    async def sweep(self) -> Forgotten:
        """Forget what is to be forgotten now, and return how much that was; raises StoreUnavailable."""
        now, gone = self._clock.now(), Forgotten()
        if self._settings.days:
            before = now - max(LEAST, timedelta(days=self._settings.days))
            gone += await self._forget(before)
        while self._settings.megabytes:
            held, oldest = await asyncio.to_thread(self._held_bytes), await self._retention.oldest()
            if held is None or oldest is None or held <= self._settings.megabytes * MEGABYTE:
                break
            before = min(oldest + STEP, now - LEAST)
            removed = await self._forget(before) if before > oldest else Forgotten()
            if not removed.messages:  # what is left is of these days, or somebody works on it
                log.warning("database_stays_large", megabytes=held // MEGABYTE)
                break
            gone += removed
        if gone.messages or gone.lines:
            log.info("old_conversations_forgotten", messages=gone.messages, lines=gone.lines)
        return gone

    async def _forget(self, before: datetime) -> Forgotten:
        gone = Forgotten()
        while True:
            batch = await self._retention.forget(before)
            gone += batch
            if not batch.more:
                return gone
