"""One node has the connection of a platform: how it is taken, and given up by a node that hears nothing there."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog

from mama_bot.app.assembly import Parts
from mama_bot.backoff import Backoff
from mama_bot.boot_clock import since_boot
from mama_bot.errors import StoreUnavailable
from mama_bot.model import Platform
from mama_bot.protocols import Gateway

log = structlog.get_logger(__name__)

LOOK_SECONDS = 1.0
# How long a node that hears nothing keeps a connection that another one waits for. Where nobody hears (the platform is
# away) it changes hands more and more seldom: some platforms count how often somebody begins.
DEAF = Backoff(first=8.0, longest=600.0)
# So long it hears at least before that is forgotten.
STEADY_SECONDS = 60.0
HEARING_SECONDS = 60.0  # so long a gateway may take to begin, before owners are told what they are to know
# For whoever waited to take what was given up, before it is asked for again.
ASIDE_SECONDS = 10.0


async def hold_connection(parts: Parts, platform: Platform, gateway: Gateway) -> None:
    """Have the connection of a platform once no other node has it, with what waits there to be posted.

    A node that hears nothing there leaves it to another that lives, and waits for it again.
    """
    deafness = Deafness(gateway)
    while True:
        await parts.store.nodes.duty(_duty(platform))
        parts.served.posting[platform] = gateway
        async with asyncio.TaskGroup() as group:
            running = group.create_task(gateway.run(parts.intake))
            deaf = group.create_task(_deaf_for_long(parts, platform, deafness))
            tasks = [running, deaf, group.create_task(_taken_up(parts, platform))]
            await asyncio.wait((running, deaf), return_when=asyncio.FIRST_COMPLETED)
            if running.done():  # which no gateway does: the service ends and says so
                for task in tasks:
                    task.cancel()
                return
            # Before the connection ends: nothing is posted by it any more once another node may post.
            del parts.served.posting[platform]
            await parts.delivery.end(platform)
            for task in tasks:
                task.cancel()
        await _released(parts, platform)
        await asyncio.sleep(ASIDE_SECONDS)


async def post_on_page(parts: Parts, page: Gateway) -> None:
    """Post on the page once no other node does."""
    await parts.store.nodes.duty(_duty(page.platform))
    parts.served.posting[page.platform] = page
    await _taken_up(parts, page.platform)
    await asyncio.Event().wait()


class Deafness:
    """Tells when a gateway has heard nothing for longer than whoever waits for its connection should have to wait."""

    def __init__(self, gateway: Gateway, *, now: Callable[[], float] = since_boot) -> None:
        self._gateway = gateway
        self._now = now
        self._given_up = 0
        self._since = self._heard_since = now()

    def begin(self) -> None:
        """Note that the gateway has just got the connection."""
        self._since = self._now()

    def lasts(self) -> bool:
        """Return whether it has been deaf for too long, as of this look."""
        now = self._now()
        if not self._gateway.hearing().ok:
            self._heard_since = now
            return now - self._since >= DEAF.pause(self._given_up + 1)
        self._since = now
        if now - self._heard_since >= STEADY_SECONDS:
            self._given_up = 0
        return False

    def give_up(self) -> None:
        """Note that the connection was left to another node for it."""
        self._given_up += 1


async def _deaf_for_long(parts: Parts, platform: Platform, deafness: Deafness) -> None:
    """Return once the gateway was deaf for long while another node waits for its connection."""
    deafness.begin()
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if deafness.lasts():
            with suppress(StoreUnavailable):  # then nobody could take it over
                if await parts.store.nodes.has_others(platform):
                    deafness.give_up()
                    return


async def _released(parts: Parts, platform: Platform) -> None:
    log.warning("platform_given_up", platform=platform, reason="nothing is heard there, and another node waits for it")
    try:
        await parts.store.nodes.release(_duty(platform))
    except StoreUnavailable as error:  # it is ours still, and taken again
        log.warning("duty_not_released", platform=platform, reason=str(error))


async def _taken_up(parts: Parts, platform: Platform) -> None:
    log.info("platform_taken", platform=platform)
    try:
        await parts.delivery.begin(platform)
    except StoreUnavailable as error:
        log.warning("leftovers_wait", platform=platform, reason=str(error))
    await parts.standings.all_waiting(platform)
    await _owners_told(parts, platform)


async def _owners_told(parts: Parts, platform: Platform) -> None:
    """Tell owners what whoever had the connection before may have died with, once the gateway has begun."""
    with suppress(TimeoutError):
        async with asyncio.timeout(HEARING_SECONDS):
            while not _hears(parts, platform):  # noqa: ASYNC110 - a gateway says so when it is asked
                await asyncio.sleep(LOOK_SECONDS)
    try:
        await parts.owner_lines.tell_again(platform)
    except StoreUnavailable as error:
        log.warning("owners_not_told", platform=platform, reason=str(error))


def _hears(parts: Parts, platform: Platform) -> bool:
    gateway = parts.served.posting.get(platform)
    return gateway is not None and gateway.hearing().ok


def _duty(platform: Platform) -> str:
    return f"platform.{platform}"
