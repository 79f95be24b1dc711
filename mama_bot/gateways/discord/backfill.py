"""Messages that were sent while nobody listened, read from the channels' histories."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog

from mama_bot.backoff import Backoff
from mama_bot.gateways.chat.read_marks import Marks
from mama_bot.gateways.discord.rest import Closed, DiscordRefused, Limited, Rest, Unreachable
from mama_bot.gateways.discord.wire import DiscordMessage, messages_of
from mama_bot.metrics import Metrics
from mama_bot.protocols import Clock

log = structlog.get_logger(__name__)

PAGE = 100
MAX_PAGES = 10
MAX_ATTEMPTS = 8
_EPOCH_MILLISECONDS = 1_420_070_400_000
_SMALLEST_OF_TIME = 10**17  # smaller numbers are no ids that Discord made of a time


class Backfill:
    """Reads a channel after its mark, the oldest first: at most 1,000 messages, none older than `hours`."""

    def __init__(
        self,
        *,
        rest: Rest,
        marks: Marks,
        clock: Clock,
        metrics: Metrics,
        hours: float,
        take: Callable[[DiscordMessage], Awaitable[None]],
        retry_seconds: float = 1.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._rest = rest
        self._marks = marks
        self._clock = clock
        self._metrics = metrics
        self._hours = hours
        self._take = take
        self._backoff = Backoff(first=retry_seconds, longest=30.0)
        self._sleep = sleep

    async def fill(self, channel: str) -> None:
        """Take what a channel holds after its mark."""
        after = self._marks.of(channel)
        if not after:
            return
        oldest = self._clock.now() - timedelta(hours=self._hours)
        after = max(after, _id_at(oldest.timestamp())) if after > _SMALLEST_OF_TIME else after
        taken = 0
        for _ in range(MAX_PAGES):
            page = [message for message in await self._page(channel, after) if int(message.id) > after]
            for message in page:
                if message.at is None or message.at >= oldest:
                    taken += 1
                    await self._take(message)
            if not page:
                break
            after = int(page[-1].id)
        else:
            self._metrics.count("discord_backfills_cut")
            log.warning("backfill_cut", channel=channel, messages=taken, remedy="Ask people to write again.")
        if taken:
            self._metrics.count("discord_messages_backfilled", taken)
            log.info("backfilled", channel=channel, messages=taken)

    async def _page(self, channel: str, after: int) -> list[DiscordMessage]:
        for attempt in range(1, MAX_ATTEMPTS + 1):
            pause = self._backoff.pause(attempt)
            try:
                listed = await self._rest.request(
                    "GET",
                    "/channels/{channel_id}/messages",
                    params={"after": str(after), "limit": str(PAGE)},
                    channel_id=channel,
                )
                return messages_of(listed)
            except DiscordRefused as refused:
                log.info("history_refused", channel=channel, reason=str(refused))
                return []
            except Limited as limited:
                pause = max(pause, limited.seconds)
            except Unreachable as error:
                log.info("history_waits", channel=channel, reason=str(error))
            except Closed:
                return []
            await self._sleep(pause)
        self._metrics.count("discord_backfills_given_up")
        log.error("backfill_given_up", channel=channel)
        return []


def _id_at(seconds: float) -> int:
    """Return the smallest id of that moment by the platform's clock."""
    return max(0, int(seconds * 1000) - _EPOCH_MILLISECONDS) << 22
