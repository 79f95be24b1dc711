"""Descriptors of the service's process: enough of them, and one line a minute when they run out all the same."""

import asyncio
import resource
from collections.abc import Callable, Mapping
from typing import Any

import structlog

log = structlog.get_logger(__name__)

WANTED = 8_192
LOGGED_ONCE_IN = 60.0
OUT_OF_DESCRIPTORS = "socket.accept() out of system resource"


def raise_soft_limit() -> int:
    """Raise the soft limit of open files as far as it may go, to 8,192 at most; return what it is."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def telling_once_a_minute(now: Callable[[], float]) -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """Return what a loop shall do with a failure that nobody awaits; of connections not accepted, once a minute."""
    told_at = float("-inf")

    def tell(loop: asyncio.AbstractEventLoop, failure: Mapping[str, Any]) -> None:
        nonlocal told_at
        if failure.get("message") != OUT_OF_DESCRIPTORS:
            loop.default_exception_handler(dict(failure))
        elif now() - told_at >= LOGGED_ONCE_IN:
            told_at = now()
            log.error("connections_not_accepted", reason=str(failure.get("exception")))

    return tell
