"""What has to be read of each channel, because nobody told of it: kept until it was dealt with, over restarts."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from mama_bot.gateways.chat.sentences import BEHIND, NO_REASON
from mama_bot.protocols import Clock, GatewayState
from mama_bot.wording import Said

_PREFIX = "gap/"
BEHIND_SECONDS = 60.0


class Gaps:
    """From which mark on each channel has to be read; what is open is written with the marks, in one transaction.

    A gap that opens while its channel is being read is one for the next time.
    """

    def __init__(self, *, state: GatewayState, clock: Clock) -> None:
        self._state = state
        self._clock = clock
        self._waiting: dict[str, int] = {}
        self._being_read: dict[str, int] = {}
        self._wanted: dict[str, None] = {}
        self._dirty: set[str] = set()
        self._stored: set[str] = set()
        self._since: float | None = None
        self._held: set[str] = set()
        self._held_until = 0.0
        self._changed = asyncio.Event()

    def channels(self) -> Sequence[str]:
        """Return the channels that have to be read."""
        return list({**self._being_read, **self._waiting})

    async def load(self) -> None:
        """Read what an earlier life left, or another node; nothing is being read then. Raises StoreUnavailable.

        What this process knew counts only where it could not be written: another node may have dealt with the rest.
        """
        entries = await self._state.entries(_PREFIX)
        for channel in [*self._being_read]:
            self.put_back(channel)
        self._waiting = {channel: after for channel, after in self._waiting.items() if channel in self._dirty}
        self._wanted.clear()
        self._since = self._since if self._waiting else None
        stored = {name.removeprefix(_PREFIX): int(value) for name, value in entries.items() if value.isdecimal()}
        self._stored = {*stored}
        for channel, after in stored.items():
            self._open(channel, after)

    def of(self, channel: str) -> int | None:
        """Return the mark from which a channel has to be read; None where nothing is missing."""
        marks = [marks[channel] for marks in (self._waiting, self._being_read) if channel in marks]
        return min(marks, default=None)

    def open(self, channel: str, after: int) -> None:
        """Have a channel read after a mark."""
        if self._open(channel, after):
            self._dirty.add(channel)

    def _open(self, channel: str, after: int) -> bool:
        news = after < self._waiting.get(channel, after + 1)
        if news:
            self._waiting[channel] = after
            self._since = self._clock.monotonic() if self._since is None else self._since
            self._tell()
        return news

    def open_seconds(self) -> float:
        """Return for how long there has been a gap; 0 where there is none."""
        return 0.0 if self._since is None else self._clock.monotonic() - self._since

    def _tell(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def look(self, seconds: float) -> None:
        """Wait until something changes, but no longer than so."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    def next(self, ready: Callable[[str], bool]) -> str | None:
        """Return a channel that nobody reads and that is `ready`: first one in which somebody waits."""
        for channel in (*self._wanted, *self._waiting):
            if channel in self._waiting and channel not in self._being_read and ready(channel):
                return channel
        return None

    def begin(self, channel: str) -> int | None:
        """Note that a channel is being read; return from where on, None where it has no gap."""
        after = self._waiting.pop(channel, None)
        if after is not None:
            self._being_read[channel] = min(after, self._being_read.get(channel, after))
        return self._being_read.get(channel)

    def close(self, channel: str) -> None:
        """Note that what was missed in a channel before it was begun is dealt with."""
        self._being_read.pop(channel, None)
        self._held.discard(channel)
        self._dirty.add(channel)
        if not self._waiting and not self._being_read:
            self._since = None
        self._tell()

    def put_back(self, channel: str) -> None:
        """Note that a channel could not be read: it is read again."""
        after = self._being_read.pop(channel, None)
        if after is not None:
            self._waiting[channel] = min(after, self._waiting.pop(channel, after))

    def hold(self, seconds: float) -> None:
        """Let what is told of the channels that have a gap now wait for what was missed there, for so long."""
        self._held = set(self.channels())
        self._held_until = self._clock.monotonic() + seconds
        self._tell()

    async def filled(self, channel: str) -> bool:
        """Wait until what was missed in a channel is dealt with, or nothing is held any more; return which."""
        while channel in self._held and (left := self._held_until - self._clock.monotonic()) > 0:
            self._wanted[channel] = None
            await self.look(left)
        self._wanted.pop(channel, None)
        return channel not in self._held

    async def write(self, marks: Mapping[str, str]) -> None:
        """Write marks, and with them what changed of the gaps; raises StoreUnavailable, and is called again then."""
        changed, self._dirty = self._dirty, set()
        open_now = {channel: after for channel in changed if (after := self.of(channel)) is not None}
        try:
            values = {**marks, **{f"{_PREFIX}{channel}": str(after) for channel, after in open_now.items()}}
            if values:
                await self._state.put(values)
            self._stored |= open_now.keys()
            if closed := [channel for channel in changed - open_now.keys() if channel in self._stored]:
                await self._state.drop(*(f"{_PREFIX}{channel}" for channel in closed))
                self._stored.difference_update(closed)
        except BaseException:
            self._dirty |= changed
            raise


def behind(gaps: Gaps, platform: str, *, reason: Said = NO_REASON, seconds: float = BEHIND_SECONDS) -> tuple[Said, ...]:
    """Return what owners should know of gaps that stay open for longer than so."""
    if gaps.open_seconds() <= seconds:
        return ()
    return (BEHIND.of(platform=platform, count=len(gaps.channels()), reason=reason),)
