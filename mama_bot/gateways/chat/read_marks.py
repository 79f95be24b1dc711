"""How far each channel was read: what a gap is filled from."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from mama_bot.errors import StoreUnavailable
from mama_bot.protocols import GatewayState

log = structlog.get_logger(__name__)
_PREFIX = "seen/"
MAX_MARKS = 1000
FIRST_SECONDS = 0.1


class Marks:
    """The id of the last message that was dealt with in each channel; it only ever grows.

    Written at most every `seconds`, and at the end; beyond 1,000 channels the ones longest silent are forgotten.
    """

    def __init__(
        self, state: GatewayState, *, seconds: float, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._state = state
        self._seconds = seconds
        self._sleep = sleep
        self._marks: dict[str, int] = {}
        self._dirty: set[str] = set()
        self._floor = 0
        self.written = False

    async def load(self) -> None:
        """Read what an earlier life left; raises StoreUnavailable."""
        for name, value in (await self._state.entries(_PREFIX)).items():
            if value.isdecimal():
                self._advance(name.removeprefix(_PREFIX), int(value))
        self._dirty.clear()
        self.written = bool(self._marks)

    def latest(self, most: int) -> list[str]:
        """Return the channels that were read before, those with the newest messages."""
        return sorted(self._marks, key=self._marks.__getitem__)[-most:]

    def of(self, channel: str) -> int:
        """Return the mark of a channel, else the newest message seen anywhere before the gap, else 0."""
        return self._marks.get(channel) or self._floor

    def begin_gap(self) -> None:
        """End a gap: what channels without a mark missed began after the newest message seen anywhere."""
        self._floor = max(self._marks.values(), default=0)

    def expect(self, channel: str, message: str) -> None:
        """Mark a channel that has no mark before a message that waits, so that no restart skips it."""
        if channel not in self._marks:
            self._advance(channel, self._floor or int(message) - 1)

    def advance(self, channel: str, message: str) -> None:
        """Note that a message was dealt with, and all before it in its channel."""
        self._advance(channel, int(message))

    def _advance(self, channel: str, message: int) -> None:
        if message > self._marks.get(channel, 0):
            self._marks[channel] = message
            self._dirty.add(channel)

    async def run(self) -> None:
        """Write what changed, again and again, until cancelled."""
        try:
            while True:
                await self._sleep(self._seconds if self.written else min(FIRST_SECONDS, self._seconds))
                await self.write()
        finally:
            await self.write()

    async def write(self) -> None:
        """Write what changed now; where the store is busy, the next time."""
        changed, self._dirty = self._dirty, set()
        try:
            if changed:
                await self._state.put({f"{_PREFIX}{channel}": str(self._marks[channel]) for channel in changed})
                self.written = True
            for channel in sorted(self._marks, key=self._marks.__getitem__)[:-MAX_MARKS]:
                await self._state.drop(f"{_PREFIX}{channel}")
                del self._marks[channel]
        except StoreUnavailable as error:
            self._dirty |= changed
            log.warning("marks_not_written", channels=len(changed), reason=str(error))
