"""How long the silence of an agent is borne: without end while a person is asked about one of its calls."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class PersonPatience:
    """The silence of one `ask`, and the calls in it that wait for a person."""

    def __init__(self) -> None:
        self._waits: list[asyncio.Timeout] = []
        self._silence: asyncio.Timeout | None = None
        self._seconds = 0.0
        self._since = 0.0
        self.borne: float | None = None
        """How many seconds of silence were borne where it was over before its time."""

    @asynccontextmanager
    async def silence(self, seconds: float) -> AsyncIterator[None]:
        """Raise TimeoutError when the block takes longer, not counting the time in which a person is asked."""
        self._seconds, self._since = seconds, asyncio.get_running_loop().time()
        async with asyncio.timeout(None if self._waits else seconds) as scope:
            self._silence = scope
            try:
                yield
            finally:
                self._silence = None

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """Bear the silence during the block; TimeoutError is raised in it when the turn ends."""
        async with asyncio.timeout(None) as scope:
            self._waits.append(scope)
            self._let(None)
            try:
                yield
            finally:
                self._waits.remove(scope)
                if not self._waits:
                    self._let(asyncio.get_running_loop().time() + self._seconds)

    def over(self) -> None:
        """Bear the silence no longer, unless a person is asked."""
        now = asyncio.get_running_loop().time()
        if not self._waits:
            self.borne = round(now - self._since)
            self._let(now)

    def end(self) -> None:
        """End every wait: nobody is there any more to be told the answer."""
        for scope in self._waits:
            if not scope.expired():
                scope.reschedule(asyncio.get_running_loop().time())

    def _let(self, when: float | None) -> None:
        if self._silence is not None and not self._silence.expired():
            self._silence.reschedule(when)
