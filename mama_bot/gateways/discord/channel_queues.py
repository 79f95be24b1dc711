"""Events of one channel one after the other, channels side by side."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import structlog

from mama_bot.metrics import Metrics

log = structlog.get_logger(__name__)
MAX_WAITING = 500
MAX_QUEUES = 20_000
AT_ONCE = 32

Work = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class _Queue:
    waiting: deque[Work] = field(default_factory=deque)
    gap: bool = False
    full: bool = False


class ChannelQueues:
    """A queue for each channel, while its TaskGroup lives; a gap in a channel is filled before what came after it.

    A queue holds 500 events. From the next one on nothing is taken until those are done: the rest is a gap, and is read
    from the channel's history.
    """

    def __init__(self, *, fill: Callable[[str], Awaitable[None]], metrics: Metrics) -> None:
        self._fill = fill
        self._metrics = metrics
        self._queues: dict[str, _Queue] = {}
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
        queue = self._queue(channel)
        if queue is None:
            return
        if not queue.full and len(queue.waiting) < MAX_WAITING:
            queue.waiting.append(work)
            return
        if not queue.full:
            log.warning("discord_channel_deferred", channel=channel, waiting=len(queue.waiting))
        queue.full = True
        self._metrics.count("discord_events_deferred")

    def gap(self, channel: str) -> None:
        """Messages of a channel may have been missed."""
        queue = self._queue(channel)
        if queue is not None:
            queue.gap = True

    def _queue(self, channel: str) -> _Queue | None:
        if self._group is None:
            return None
        queue = self._queues.get(channel)
        if queue is None:
            if len(self._queues) >= MAX_QUEUES:
                self._metrics.count("discord_events_dropped")
                log.error("discord_event_dropped", channel=channel, queues=len(self._queues))
                return None
            queue = self._queues[channel] = _Queue()
            self._group.create_task(self._drain(channel, queue))
        return queue

    async def _drain(self, channel: str, queue: _Queue) -> None:
        try:
            while queue.gap or queue.waiting or queue.full:
                if queue.gap or not queue.waiting:
                    queue.gap, queue.full = False, queue.full and bool(queue.waiting)
                    await self._try(channel, lambda: self._fill(channel))
                else:
                    await self._try(channel, queue.waiting.popleft())
        finally:
            del self._queues[channel]

    async def _try(self, channel: str, work: Work) -> None:
        """Do it; one event that fails must not end the gateway."""
        try:
            async with self._room:
                await work()
        except Exception:
            self._metrics.count("discord_events_failed")
            log.exception("discord_event_failed", channel=channel)
