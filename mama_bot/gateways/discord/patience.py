"""Waiting for a store or a platform that does not answer just now."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import structlog

from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.discord.places import PLATFORM
from mama_bot.gateways.discord.rest import Limited, Unreachable
from mama_bot.metrics import Metrics
from mama_bot.protocols import Clock

R = TypeVar("R")
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long something waits: from pause to pause, twice as long each time, then given up."""

    first_seconds: float = 0.2
    longest_seconds: float = 10.0
    whole_seconds: float = 600.0


async def patiently(
    work: Callable[[], Awaitable[R]],
    *,
    message: str,
    patience: Patience,
    clock: Clock,
    metrics: Metrics,
    sleep: Callable[[float], Awaitable[None]],
) -> R | None:
    """What the work returns, tried again while the store or Discord is away; None when it was given up."""
    began, pause = clock.monotonic(), patience.first_seconds
    while True:
        try:
            return await work()
        except (StoreUnavailable, Limited, Unreachable) as error:
            reason = str(error)
        if clock.monotonic() - began > patience.whole_seconds:
            metrics.count("chat_messages_given_up", platform=PLATFORM)
            log.error("message_given_up", message=message, reason=reason)
            return None
        metrics.count("chat_messages_held", platform=PLATFORM)
        log.warning("message_held", message=message, reason=reason)
        await sleep(pause)
        pause = min(pause * 2, patience.longest_seconds)
