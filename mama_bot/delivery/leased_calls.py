"""A call of a platform that is cut off where another node may have begun meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from mama_bot.errors import StoreUnavailable

R = TypeVar("R")

LOOK_SECONDS = 0.25
STOOD_STILL = "nothing was heard of it for so long that another node may post"


def stood_still() -> StoreUnavailable:
    """Return that another node may post by now: nothing is shown on the platform any more."""
    return StoreUnavailable(url="store", reason=STOOD_STILL, remedy="It is looked at again.")


async def while_leased(call: Awaitable[R], leased: Callable[[], bool]) -> R:
    """Return what a call returns; raises StoreUnavailable once it is not `leased` any more.

    A process that stood still goes on in the middle of a call, as where that waits for its turn. A timer looks, not a
    task: timers that are overdue after a standstill run before any task goes on, so nothing is sent before the look.
    """
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    others = task.cancelling()
    is_late = False
    timer: asyncio.TimerHandle | None = None

    def look() -> None:
        nonlocal is_late, timer
        if leased():
            timer = loop.call_later(LOOK_SECONDS, look)
        else:
            is_late = True
            task.cancel()

    timer = loop.call_later(LOOK_SECONDS, look)
    try:
        return await call
    except asyncio.CancelledError:
        if is_late and task.uncancel() <= others:
            raise stood_still() from None
        raise
    finally:
        if timer is not None:
            timer.cancel()
