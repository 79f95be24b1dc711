"""What waits for a bot until it says that it has it."""

import asyncio
import itertools

from tests.platforms.telegram_server.wire import ApiError, Json

TAKEN_OVER = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
HOOKED = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
MOST = 100


class UpdateQueue:
    """The updates of one bot; `served` counts how often each was given out, `confirmed` is the last offset,
    `last` the newest number."""

    def __init__(self, first: int) -> None:
        self._numbers = itertools.count(first)
        self._waiting: list[Json] = []
        self._changed = asyncio.Event()
        self._poll = 0
        self.allowed: list[str] = []
        self.served: dict[int, int] = {}
        self.confirmed = first
        self.polls = 0
        self.last = 0

    @property
    def waiting(self) -> int:
        """How many were not confirmed."""
        return len(self._waiting)

    def push(self, update: Json) -> int:
        """Add an update and return its number; 0 when the bot did not ask for its kind."""
        if self.allowed and not any(kind in update for kind in self.allowed):
            return 0
        number = self.last = next(self._numbers)
        self._waiting.append({"update_id": number, **update})
        self._changed.set()
        return number

    def interrupt(self) -> None:
        """Make the running poll end with a conflict, as another poller does."""
        self._poll += 1
        self._changed.set()

    async def take(self, offset: int, *, limit: int, seconds: float) -> list[Json]:
        """A long poll; an offset confirms everything below it, a newer poll ends an older one with 409."""
        self.interrupt()
        mine = self._poll
        self.polls += 1
        if offset < 0:
            self._waiting = self._waiting[offset:]
        elif offset:
            self._waiting = [update for update in self._waiting if update["update_id"] >= offset]
            self.confirmed = max(self.confirmed, offset)
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while not self._waiting and (left := until - loop.time()) > 0:
            self._changed.clear()
            try:
                async with asyncio.timeout(left):
                    await self._changed.wait()
            except TimeoutError:
                break
            if self._poll != mine:
                raise ApiError(409, TAKEN_OVER)
        given = self._waiting[: limit or MOST]
        for update in given:
            self.served[update["update_id"]] = self.served.get(update["update_id"], 0) + 1
        return given
