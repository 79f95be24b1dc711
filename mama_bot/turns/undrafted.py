"""What an agent does while it is asked, stored as it comes: a service that is killed knows of it afterwards."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import structlog

from mama_bot.model import ToolFinished, ToolRecord, ToolRun, ToolStarted, Turn
from mama_bot.protocols import Clock, TurnStore
from mama_bot.turns.standing import Standing

log = structlog.get_logger(__name__)

MOST_CALLS = 1_000
EVERY_CALLS = 20
EVERY_SECONDS = 2.0
REST_PER_WRITE = 10  # a long record takes long to write: at most a tenth of the time goes into it


class Undrafted:
    """The tool calls of one `ask`, for as long as no draft holds them.

    While it is `kept`, what finished is stored at once, and then whenever 20 more calls finished or 2 seconds went by;
    one write at a time, beside the `ask`, which never waits for it. 1,000 calls are kept, those beyond are counted.
    """

    def __init__(self, *, turn: Turn, standing: Standing, turns: TurnStore, clock: Clock) -> None:
        self._turn = turn
        self._before = standing.undrafted
        self._known = standing.record
        self._turns = turns
        self._clock = clock
        self._calls: dict[str, ToolRun] = {}
        self._beyond: set[str] = set()
        self._finished = 0
        self._some = asyncio.Event()
        self._many = asyncio.Event()

    def note(self, event: ToolStarted | ToolFinished) -> None:
        """A call began or ended."""
        run = event.run
        if run.id not in self._calls and len(self._calls) >= MOST_CALLS:
            self._beyond.add(run.id)
            return
        self._calls[run.id] = run
        if isinstance(event, ToolFinished):
            self._finished += 1
            self._some.set()
            if self._finished >= EVERY_CALLS:
                self._many.set()

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Store calls as they come; whatever ends the block, cancellation too, all of them when it ends by an error."""
        failure: Exception | None = None
        drafted = False
        try:
            async with asyncio.TaskGroup() as tasks:
                writing = tasks.create_task(self._write_on())
                try:
                    yield
                except Exception as error:  # noqa: BLE001 - raised again below: a group would wrap it
                    failure = error
                finally:
                    writing.cancel()
            drafted = failure is None
        finally:
            if not drafted:  # what the agent did, it did
                await self._write()
        if failure is not None:
            raise failure

    async def _write_on(self) -> None:
        while True:
            await self._some.wait()
            began = self._clock.monotonic()
            await self._write()
            took = self._clock.monotonic() - began
            with suppress(TimeoutError):
                async with asyncio.timeout(max(EVERY_SECONDS, took * REST_PER_WRITE)):
                    await self._many.wait()

    async def _write(self) -> None:
        self._finished = 0
        self._some.clear()
        self._many.clear()
        new = ToolRecord(runs=tuple(self._calls.values())).without(self._known)
        new = replace(new, dropped=len(self._beyond))
        if not new.runs and not new.dropped:
            return
        try:
            await self._turns.keep_turn(replace(self._turn, undrafted=self._before + new))
        except Exception as error:  # noqa: BLE001 - a record that cannot be stored now must not end the turn
            log.warning("record_lost", calls=len(new.runs), reason=f"{type(error).__name__}: {error}")
