"""Work that goes on after Slack has its acknowledgement: bounded, owned by the gateway, and never its end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import ParamSpec

import structlog

from mama_bot.metrics import Metrics

log = structlog.get_logger(__name__)
P = ParamSpec("P")

LIMIT = 5000
SECONDS = 120.0


class Workers:
    """Spawns into the task group of the running gateway."""

    def __init__(self, *, metrics: Metrics) -> None:
        self._metrics = metrics
        self._group: asyncio.TaskGroup | None = None
        self._running = 0
        self._full = False

    def use(self, group: asyncio.TaskGroup | None) -> None:
        """Spawn into this group from now on; None: into none."""
        self._group = group

    def spawn(self, name: str, work: Callable[P, Awaitable[None]], *args: P.args, **named: P.kwargs) -> bool:
        """Begin a piece of work; False, counted and once in the log, when there is too much of it."""
        if self._group is None or self._running >= LIMIT:
            self._metrics.count("slack_work_dropped", work=name)
            if not self._full:
                self._full = True
                log.warning("slack_work_dropped", work=name, running=self._running)
            return False

        async def supervised() -> None:
            try:
                async with asyncio.timeout(SECONDS):
                    await work(*args, **named)
            except Exception as error:
                self._metrics.count("slack_work_failed", work=name)
                log.exception("slack_work_failed", work=name, reason=f"{type(error).__name__}: {error}")

        self._running += 1
        self._group.create_task(supervised()).add_done_callback(self._ended)
        return True

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running -= 1
        if self._running < LIMIT // 2:
            self._full = False
