"""What is done about work trees while nobody waits: fetch, keep a spare, put away what was unused for long."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

import structlog

from mama_bot.checkouts.checkouts import Checkouts
from mama_bot.checkouts.work_places import AWAY, leftovers, move_away, remove_files
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
        # Set aside before any is made: what is half made now, nobody is at work on.
        left = await self._set_aside() if self._sweeps else []
        async with asyncio.TaskGroup() as group:
            # Removing one very large work tree takes minutes under load, and nobody is to lack a spare meanwhile.
            group.create_task(self._supply())
            group.create_task(self._clear(left))

    async def _supply(self) -> None:
        while True:
            wanted = self._checkouts.supply.wanted
            wanted.clear()
            await self._guarded(self._checkouts.supply.refill)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(EVERY_SECONDS):
                    await wanted.wait()

    async def _clear(self, left: Sequence[Path]) -> None:
        """Remove one work tree after the other: what a crash left behind, then what nobody has used for long."""
        await self._guarded(partial(_removed, left))
        while True:
            await self._guarded(self.tidy)
            await asyncio.sleep(EVERY_SECONDS)

    async def sweep(self) -> None:
        """Remove what a crash left behind; nothing that anybody ever worked in."""
        await _removed(await self._set_aside())

    async def _set_aside(self) -> Sequence[Path]:
        """Move what a crash left behind to where nobody comes back to it, and return the places."""

        def moved(live: frozenset[Path]) -> list[Path]:
            left = [*leftovers(self._checkouts.directory, live)]
            return [place if place.name.endswith(AWAY) else move_away(place) for place in left]

        try:
            live = frozenset(self._checkouts.place_of(checkout) for checkout in await self._records.on_disk())
            return await asyncio.to_thread(moved, live)
        except (StoreUnavailable, OSError) as error:
            log.warning("upkeep_failed", reason=str(error))
            return []

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


async def _removed(places: Sequence[Path]) -> None:
    for place in places:
        log.info("work_tree_left_over", place=place.name)
        await remove_files(place)
