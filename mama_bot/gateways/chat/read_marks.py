"""How far each channel was read: what a gap is filled from."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.chat.gaps import Gaps
from mama_bot.protocols import GatewayState

log = structlog.get_logger(__name__)
_PREFIX = "seen/"
MAX_MARKS = 1000
FIRST_SECONDS = 0.1


@dataclass(slots=True)
class InHand:
    """The messages of a channel that are being dealt with, and the newest of those that were meanwhile."""

    begun: list[int] = field(default_factory=list)
    done: int = 0


class Marks:
    """The id of the last message that was dealt with in each channel; it only ever grows.

    Written at most every `seconds`, and at the end; beyond 1,000 channels the ones longest silent are forgotten. With
    `gaps` these are written in the same transaction, and a message that could not be dealt with opens one.
    """

    def __init__(
        self,
        state: GatewayState,
        *,
        seconds: float,
        gaps: Gaps | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._gaps = gaps
        self._state = state
        self._seconds = seconds
        self._sleep = sleep
        self._marks: dict[str, int] = {}
        self._dirty: set[str] = set()
        self._forgotten: set[str] = set()
        self._floor = 0
        self._in_hand: dict[str, InHand] = {}
        self._writing = asyncio.Lock()
        self.written = False

    async def load(self) -> None:
        """Read what an earlier life left; raises StoreUnavailable."""
        for name, value in (await self._state.entries(_PREFIX)).items():
            if value.isdecimal():
                self._advance(name.removeprefix(_PREFIX), int(value))
        self._dirty.clear()
        self.written = bool(self._marks)
        if self._gaps is not None:
            await self._gaps.load()

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

    @contextmanager
    def dealing_with(self, channel: str, message: str) -> Iterator[None]:
        """Deal with a message during the block; no later one moves the mark beyond it before it is over.

        Where the block raises, the channel has to be read from before it.
        """
        self.expect(channel, message)
        here = self._in_hand.setdefault(channel, InHand())
        here.begun.append(int(message))
        try:
            yield
            here.done = max(here.done, int(message))
        except BaseException:
            if self._gaps is not None:
                self._gaps.open(channel, int(message) - 1)
            raise
        finally:
            here.begun.remove(int(message))
            self._advance(channel, min([here.done, *(begun - 1 for begun in here.begun)]))
            if not here.begun:
                self._in_hand.pop(channel, None)

    def advance(self, channel: str, message: str) -> None:
        """Note that a message was dealt with, and all before it in its channel."""
        self._advance(channel, int(message))

    def forget(self, channel: str) -> None:
        """Know a channel no more: nothing of it is read until something is heard there again."""
        if self._marks.pop(channel, None) is not None:
            self._forgotten.add(channel)

    def _advance(self, channel: str, message: int) -> None:
        if message > self._marks.get(channel, 0):
            self._marks[channel] = message
            self._dirty.add(channel)
            self._forgotten.discard(channel)

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
        async with self._writing:  # what closes a gap is not written before what opened it
            await self._write()

    async def _write(self) -> None:
        changed, self._dirty = self._dirty, set()
        try:
            marks = {f"{_PREFIX}{channel}": str(self._marks[channel]) for channel in changed & self._marks.keys()}
            if self._gaps is not None:
                await self._gaps.write(marks)
            elif marks:
                await self._state.put(marks)
            self.written = self.written or bool(marks)
            for channel in sorted(self._marks, key=self._marks.__getitem__)[:-MAX_MARKS]:
                self.forget(channel)
            for channel in [*self._forgotten]:
                await self._state.drop(f"{_PREFIX}{channel}")
                self._forgotten.discard(channel)
        except asyncio.CancelledError:  # the last write has it
            self._dirty |= changed
            raise
        except StoreUnavailable as error:
            self._dirty |= changed
            log.warning("marks_not_written", channels=len(changed), reason=str(error))
