"""Messages that were sent while nobody listened, read from the channels' histories."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta

import structlog

from mama_bot.backoff import Backoff
from mama_bot.gateways.chat.gaps import Gaps
from mama_bot.gateways.chat.read_marks import Marks
from mama_bot.gateways.discord.places import PLATFORM
from mama_bot.gateways.discord.rest import Closed, DiscordRefused, Limited, Rest, Unreachable
from mama_bot.gateways.discord.sentences import NOT_READ
from mama_bot.gateways.discord.wire import DiscordMessage, messages_of
from mama_bot.metrics import Metrics
from mama_bot.protocols import Clock
from mama_bot.recent import Recent
from mama_bot.wording import Said

log = structlog.get_logger(__name__)

PAGE = 100
MAX_PAGES = 10
MAX_ATTEMPTS = 4
TAKES = 5
REMEMBERED = 1000
REFUSED_SHOWN_SECONDS = 3600.0
UNAUTHORIZED, FORBIDDEN = 401, 403
LOOK_SECONDS = 1.0
_EPOCH_MILLISECONDS = 1_420_070_400_000
_SMALLEST_OF_TIME = 10**17  # smaller numbers are no ids that Discord made of a time


class Backfill:
    """Reads a channel from its gap on, or after its mark, the oldest first; none older than `hours`.

    What cannot be read or taken now, or is more than 1,000 messages, is a gap: what came after it goes on, and the rest
    is read later, in another life where need be. `take` is told whether an earlier life may have dealt with a message.
    """

    def __init__(
        self,
        *,
        rest: Rest,
        marks: Marks,
        gaps: Gaps,
        clock: Clock,
        metrics: Metrics,
        hours: float,
        take: Callable[[DiscordMessage, bool], Awaitable[None]],
        give_up: Callable[[DiscordMessage], Awaitable[None]],
        retry_seconds: float = 1.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._rest = rest
        self._marks = marks
        self._gaps = gaps
        self._clock = clock
        self._metrics = metrics
        self._hours = hours
        self._take = take
        self._give_up = give_up
        self._quick = Backoff(first=retry_seconds, longest=30.0)
        self._later = Backoff(first=5 * retry_seconds, longest=300.0)
        self._sleep = sleep
        self._being_read: set[str] = set()
        self._failures: dict[str, int] = {}
        self._not_before: dict[str, float] = {}
        self._before: Mapping[str, int] = {}
        self._not_taken: Recent[str, int] = Recent(REMEMBERED)
        self._refused: Recent[str, float] = Recent(REMEMBERED)

    def resume(self) -> None:
        """Take over the gaps that an earlier life, or another node, left open: each may be in part dealt with."""
        self._before = {channel: self._marks.of(channel) for channel in self._gaps.channels()}

    def refused(self) -> tuple[Said, ...]:
        """Return what owners should know of channels that Discord did not let the bot read of late."""
        since = self._clock.monotonic() - REFUSED_SHOWN_SECONDS
        return tuple(NOT_READ.of(channel=f"<#{channel}>") for channel, at in self._refused.items() if at > since)

    async def fill(self, channel: str) -> None:
        """Take what a channel holds from its gap on, or after its mark."""
        gap = self._gaps.begin(channel)
        after = self._marks.of(channel) if gap is None else gap
        if not after:
            return
        self._being_read.add(channel)
        try:
            rest = await self._read(channel, after)
        finally:
            self._being_read.discard(channel)
        if gap is not None:
            self._gaps.close(channel)
        if rest is not None:
            self._gaps.open(channel, rest)

    async def again(self, gap: Callable[[str], None], *, hears: Callable[[], bool]) -> None:
        """Call `gap` with each channel that has one and is due, while the gateway hears, until cancelled."""
        while True:
            now = self._clock.monotonic()
            for channel in self._gaps.channels() if hears() else ():
                if channel not in self._being_read and self._not_before.get(channel, 0.0) <= now:
                    gap(channel)
            await self._gaps.look(LOOK_SECONDS)

    async def _read(self, channel: str, after: int) -> int | None:
        """Take what was written after a message; return the one after which it is to go on later, None at the end."""
        oldest = self._clock.now() - timedelta(hours=self._hours)
        after = max(after, _id_at(oldest.timestamp())) if after > _SMALLEST_OF_TIME else after
        taken, more, page = 0, True, None
        for _ in range(MAX_PAGES):
            page = await self._page(channel, after)
            new = [message for message in page or () if int(message.id) > after]
            for message in new:
                if message.at is None or message.at >= oldest:
                    if not await self._taken(message, channel):
                        self._note(channel, failed=True)
                        return after
                    taken += 1
                after = int(message.id)
            if not new:
                more = page is None
                break
        if taken:
            self._metrics.count("discord_messages_backfilled", taken)
            log.info("backfilled", channel=channel, messages=taken)
        self._note(channel, failed=page is None)
        return after if more else None

    async def _taken(self, message: DiscordMessage, channel: str) -> bool:
        """Take a message, or pass over one that failed again and again; False where it is tried again later."""
        try:
            await self._take(message, int(message.id) <= self._before.get(channel, 0))
        except Exception:  # one message must not keep back all that were missed after it
            failures = self._not_taken[message.id] = self._not_taken.get(message.id, 0) + 1
            log.exception("missed_message_not_taken", channel=channel, message=message.id, failures=failures)
            if failures < TAKES:
                return False
            self._metrics.count("chat_messages_given_up", platform=PLATFORM)
            await self._told(message)
        return True

    async def _told(self, message: DiscordMessage) -> None:
        try:
            await self._give_up(message)
        except Exception:  # nothing more can be done for it, and those after it go on
            log.exception("missed_message_given_up_untold", channel=message.channel, message=message.id)

    def _note(self, channel: str, *, failed: bool) -> None:
        if not failed:
            self._failures.pop(channel, None)
            self._not_before.pop(channel, None)
            return
        failures = self._failures[channel] = self._failures.get(channel, 0) + 1
        self._not_before[channel] = self._clock.monotonic() + self._later.pause(failures)
        self._metrics.count("discord_backfills_postponed")
        log.warning("backfill_postponed", channel=channel, failures=failures)

    async def _page(self, channel: str, after: int) -> list[DiscordMessage] | None:
        """Return the next messages; None where Discord does not tell them now."""
        for attempt in range(1, MAX_ATTEMPTS + 1):
            pause = self._quick.pause(attempt)
            try:
                listed = await self._rest.request(
                    "GET",
                    "/channels/{channel_id}/messages",
                    params={"after": str(after), "limit": str(PAGE)},
                    channel_id=channel,
                )
                return messages_of(listed)
            except DiscordRefused as refused:
                self._metrics.count("discord_backfills_refused")
                log.warning("history_refused", channel=channel, reason=str(refused))
                if refused.status == UNAUTHORIZED:  # that is of the token, and says nothing of the channel
                    return None
                self._marks.forget(channel)  # else it would be asked, and told, after each connection
                if refused.status == FORBIDDEN:  # where the channel is gone nobody waits
                    self._refused[channel] = self._clock.monotonic()
                return []
            except Limited as limited:
                pause = max(pause, limited.seconds)
            except Unreachable as error:
                log.info("history_waits", channel=channel, reason=str(error))
            except Closed:
                return None
            if attempt < MAX_ATTEMPTS:
                await self._sleep(pause)
        return None


def _id_at(seconds: float) -> int:
    """Return the smallest id of that moment by the platform's clock."""
    return max(0, int(seconds * 1000) - _EPOCH_MILLISECONDS) << 22
