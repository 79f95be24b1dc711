"""Discord's rate limits: requests go at once while their window has room, and only who finds none waits."""

import asyncio
from typing import Any

from discord.errors import RateLimited
from discord.http import HTTPClient, Ratelimit


class RequestWindow(Ratelimit):
    """One window of requests.

    discord.py's own takes a window of more than its longest wait for exhausted although requests remain in it, and
    holds back the answer to the last request of a window until the window is over.
    """

    async def acquire(self) -> None:
        """Take one of the requests that remain; raises RateLimited where the wait for one is too long."""
        self._last_request = self._loop.time()
        while True:
            if self.is_expired():
                self.reset()  # type: ignore[no-untyped-call]
            if self.remaining > 0:
                break
            await self._room()
        self.remaining -= 1
        self.outgoing += 1

    async def _room(self) -> None:
        """Wait until the window is over, or a request on its way came back."""
        wait = None if self.expires is None else max(0.0, self.expires - self._loop.time())
        longest = self._max_ratelimit_timeout
        if wait is not None and longest is not None and wait > longest:
            raise RateLimited(wait)
        back: asyncio.Future[Any] = self._loop.create_future()
        self._pending_requests.append(back)
        try:
            # A little longer: `is_expired` asks for a later moment than the last one of the window.
            await asyncio.wait([back], timeout=None if wait is None else wait + 0.001)
        finally:
            back.cancel()

    async def __aexit__(self, *ended: object) -> None:
        """Give the request back; those who wait look again."""
        self.outgoing -= 1
        if self.expires is None and self.remaining <= 0:  # no word of a limit came with the answer
            self.reset()  # type: ignore[no-untyped-call]
        self._wake(len(self._pending_requests))


class LimitedClient(HTTPClient):
    """discord.py's client, with windows of ours."""

    def get_ratelimit(self, key: str) -> Ratelimit:
        """Return the window of a bucket."""
        window = self._buckets.get(key)
        if window is None:
            window = self._buckets[key] = RequestWindow(self.max_ratelimit_timeout)
            self._try_clear_expired_ratelimits()
        return window
