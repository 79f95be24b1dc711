"""Waiting for a store or a platform that does not answer just now."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

import structlog

from mama_bot.backoff import Backoff
from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.discord.places import PLATFORM
from mama_bot.gateways.discord.rest import Limited, Unreachable
from mama_bot.metrics import Metrics
from mama_bot.protocols import Clock

R = TypeVar("R")
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long something that fails waits from attempt to attempt, and after how many seconds it is given up."""

    pauses: Backoff = field(default_factory=lambda: Backoff(first=0.2, longest=10.0))
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
    """Return what the work returns, tried again while the store or Discord is away; None when it was given up."""
    began, failures = clock.monotonic(), 0
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
        failures += 1
        await sleep(patience.pauses.pause(failures))
