"""How fast Slack lets us write into a channel: as fast as we like, until it says otherwise."""

import asyncio
from collections.abc import Awaitable, Callable

from mama_bot.protocols import Clock

SPACED_SECONDS = 1.0
# After a refusal posts keep their distance for so long.
CAREFUL_SECONDS = 60.0
LONGEST_WAIT_SECONDS = 10.0


class Pace:
    """Remembers for each channel what Slack's last refusal asked for."""

    def __init__(self, *, clock: Clock, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._next: dict[str, float] = {}
        self._careful: dict[str, float] = {}

    def refused(self, channel: str, seconds: float) -> None:
        """Slack asked to wait."""
        now = self._clock.monotonic()
        self._next[channel] = max(self._next.get(channel, 0.0), now + seconds)
        self._careful[channel] = now + seconds + CAREFUL_SECONDS
        for known in [place for place, until in self._careful.items() if until < now]:
            self._careful.pop(known)
            self._next.pop(known, None)

    def seconds_until(self, channel: str) -> float:
        """Return how long the next post there has to wait."""
        return max(self._next.get(channel, 0.0) - self._clock.monotonic(), 0.0)

    async def wait(self, channel: str) -> float:
        """Wait for a short while if need be, and take the place; returns the seconds that are still missing."""
        seconds = self.seconds_until(channel)
        if seconds > LONGEST_WAIT_SECONDS:
            return seconds
        now = self._clock.monotonic()
        if self._careful.get(channel, 0.0) > now:
            self._next[channel] = now + seconds + SPACED_SECONDS
        if seconds:
            await self._sleep(seconds)
        return 0.0
