"""What is done about work trees while nobody waits: fetch, keep a spare, put away what was unused for long."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog

from mama_bot.checkouts.checkouts import Checkouts
from mama_bot.checkouts.work_places import leftovers, remove_files
from mama_bot.errors import StoreUnavailable
from mama_bot.model import ConversationKey
from mama_bot.protocols import CheckoutRecords, Clock

log = structlog.get_logger(__name__)

EVERY_SECONDS = 300.0  # how old what was fetched gets while nobody begins a conversation
LEAST_IDLE = timedelta(hours=1)  # `used_at` is that exact


async def _always(_key: ConversationKey) -> bool:
    """Return True: all work trees are here."""
    return True


class CheckoutUpkeep:
    """Looks after the work trees of a service; `runs` tells whether somebody works in a conversation.

    Only what `is_here` is put away. Where others make work trees in the same directory, nothing is swept.
    """

    def __init__(
        self,
        *,
        checkouts: Checkouts,
        records: CheckoutRecords,
        runs: Callable[[ConversationKey], Awaitable[bool]],
        keep_days: float,
        clock: Clock,
        is_here: Callable[[ConversationKey], Awaitable[bool]] = _always,
        sweeps: bool = True,
    ) -> None:
        self._is_here = is_here
        self._sweeps = sweeps
        self._checkouts = checkouts
        self._records = records
        self._runs = runs
        self._keep = max(timedelta(days=keep_days), LEAST_IDLE)
        self._clock = clock

    async def run(self) -> None:
        """Look after the work trees until cancelled; what fails is logged and tried again."""
        if self._sweeps:
            await self._guarded(self.sweep)
        while True:
            wanted = self._checkouts.supply.wanted
            wanted.clear()
            await self._guarded(self._checkouts.supply.refill)
            await self._guarded(self.tidy)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(EVERY_SECONDS):
                    await wanted.wait()

    async def sweep(self) -> None:
        """Remove what a crash left behind; nothing that anybody ever worked in."""
        live = frozenset(self._checkouts.place_of(checkout) for checkout in await self._records.on_disk())
        for place in await asyncio.to_thread(lambda: [*leftovers(self._checkouts.directory, live)]):
            log.info("work_tree_left_over", place=place.name)
            await remove_files(place)

    async def tidy(self) -> None:
        """Put away the work trees that nobody has used for long."""
        before = self._clock.now() - self._keep
        for checkout in await self._records.on_disk():
            if checkout.used_at >= before:
                return  # the others were used later still
            if await self._is_here(checkout.key) and not await self._runs(checkout.key):
                await self._checkouts.put_away(checkout)

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except (StoreUnavailable, OSError) as error:
            log.warning("upkeep_failed", reason=str(error))
