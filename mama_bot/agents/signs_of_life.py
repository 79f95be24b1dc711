"""Whether an agent that tells nothing, because a command of it runs, is still there."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import structlog

from mama_bot.agents.person_patience import PersonPatience

log = structlog.get_logger(__name__)

LONGEST_SIGN_SECONDS = 30.0


@asynccontextmanager
async def asked_for_signs(
    patience: PersonPatience,
    ask: Callable[[], Awaitable[object]],
    *,
    every_seconds: float,
    spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
) -> AsyncIterator[None]:
    """Ask a silent agent for a sign of life during the block, again and again; where it gives none, patience is over.

    A command may be silent for long, and its agent with it. A process that hangs is silent too: it answers nothing.
    """

    async def look() -> None:
        while True:
            await asyncio.sleep(every_seconds)
            try:
                async with asyncio.timeout(min(LONGEST_SIGN_SECONDS, every_seconds)):
                    await ask()
            except Exception as error:  # noqa: BLE001 - whatever it is, no sign came; whoever waits ends the session
                log.warning("no_sign_of_life", failure=f"{type(error).__name__}: {error}")
                patience.over()
                return

    looking = spawn(look())
    try:
        yield
    finally:
        looking.cancel()
