"""Which updates were seen, and up to where all of them are settled."""

import asyncio

from mama_bot.recent import Recent

_REMEMBERED = 1000


class Window:
    """Numbers above what is confirmed: seen or settled."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self._seen: dict[int, bool] = {}
        self._contents: Recent[int, int] = Recent(_REMEMBERED)
        self._all_settled = asyncio.Event()

    @property
    def unsettled(self) -> bool:
        """Whether anything is still worked on."""
        return not all(self._seen.values())

    def take(self, number: int, content: int = 0) -> bool:
        """Return whether a number is new; it counts as worked on from now.

        A number may be used again, for something else; `content` (a hash) tells the one from the other.
        """
        if number in self._seen or self._contents.get(number) == content:
            return False
        self._contents[number] = content
        self._seen[number] = False
        self._all_settled.clear()
        return True

    def settle(self, number: int) -> None:
        """Note that this update is done."""
        if number in self._seen:
            self._seen[number] = True
        if not self.unsettled:
            self._all_settled.set()

    async def settled(self, seconds: float) -> None:
        """Wait until nothing is worked on, or for so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._all_settled.wait()
        except TimeoutError:
            return

    def reached(self) -> int:
        """Return the number below which everything is settled."""
        return min(self.waiting(), default=self.end())

    def waiting(self) -> frozenset[int]:
        """Return what is worked on."""
        return frozenset(number for number, done in self._seen.items() if not done)

    def end(self) -> int:
        """Return the number behind all that was seen."""
        return max(self._seen, default=self.offset - 1) + 1

    def confirm(self, offset: int) -> None:
        """Note that the platform may forget what is below."""
        self.offset = offset
        self._seen = {number: done for number, done in self._seen.items() if number >= offset}
