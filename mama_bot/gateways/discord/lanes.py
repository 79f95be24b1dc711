"""Events of one channel one after the other, channels side by side."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import structlog

from mama_bot.metrics import Metrics

log = structlog.get_logger(__name__)
MAX_WAITING = 500
MAX_LANES = 20_000
AT_ONCE = 32

Work = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class _Lane:
    waiting: deque[Work] = field(default_factory=deque)
    gap: bool = False
    full: bool = False


class Lanes:
    """A lane for each channel, while its TaskGroup lives; a gap in a channel is filled before what came after it.

    A lane holds 500 events. From the next one on nothing is taken until those are done: the rest is a gap, and is read
    from the channel's history.
    """

    def __init__(self, *, fill: Callable[[str], Awaitable[None]], metrics: Metrics) -> None:
        self._fill = fill
        self._metrics = metrics
        self._lanes: dict[str, _Lane] = {}
        self._room = asyncio.Semaphore(AT_ONCE)
        self._group: asyncio.TaskGroup | None = None

    def open(self, group: asyncio.TaskGroup) -> None:
        """Work from now on in the tasks of a group."""
        self._group = group

    def close(self) -> None:
        """Take nothing more."""
        self._group = None

    def put(self, channel: str, work: Work) -> None:
        """Do something when all that was put before it for this channel is done."""
        lane = self._lane(channel)
        if lane is None:
            return
        if not lane.full and len(lane.waiting) < MAX_WAITING:
            lane.waiting.append(work)
            return
        if not lane.full:
            log.warning("discord_channel_deferred", channel=channel, waiting=len(lane.waiting))
        lane.full = True
        self._metrics.count("discord_events_deferred")

    def gap(self, channel: str) -> None:
        """Messages of a channel may have been missed."""
        lane = self._lane(channel)
        if lane is not None:
            lane.gap = True

    def _lane(self, channel: str) -> _Lane | None:
        if self._group is None:
            return None
        lane = self._lanes.get(channel)
        if lane is None:
            if len(self._lanes) >= MAX_LANES:
                self._metrics.count("discord_events_dropped")
                log.error("discord_event_dropped", channel=channel, lanes=len(self._lanes))
                return None
            lane = self._lanes[channel] = _Lane()
            self._group.create_task(self._drain(channel, lane))
        return lane

    async def _drain(self, channel: str, lane: _Lane) -> None:
        try:
            while lane.gap or lane.waiting or lane.full:
                if lane.gap or not lane.waiting:
                    lane.gap, lane.full = False, lane.full and bool(lane.waiting)
                    await self._try(channel, lambda: self._fill(channel))
                else:
                    await self._try(channel, lane.waiting.popleft())
        finally:
            del self._lanes[channel]

    async def _try(self, channel: str, work: Work) -> None:
        """Do it; one event that fails must not end the gateway."""
        try:
            async with self._room:
                await work()
        except Exception:
            self._metrics.count("discord_events_failed")
            log.exception("discord_event_failed", channel=channel)
