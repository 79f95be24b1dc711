"""A server that stands still: what it is asked it answers when that is over."""

import asyncio
import time


class Standstill:
    """`begin(5)` holds up for 5 seconds every request that comes, and `over()` waits for the end of it."""

    def __init__(self) -> None:
        self._until = 0.0

    def begin(self, seconds: float) -> None:
        """Answer nothing for so long."""
        self._until = max(self._until, time.monotonic() + seconds)

    async def over(self) -> None:
        """Return once nothing is held up."""
        while (left := self._until - time.monotonic()) > 0:
            await asyncio.sleep(left)
