"""The turns of one session: asked from outside, served one after the other in the session's own task."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Generic, TypeVar

import structlog

from mama_bot.agents.asked_turns import AskedTurn
from mama_bot.agents.error_lines import ErrorLines
from mama_bot.confinement.plans import Excess
from mama_bot.errors import AgentCrashed, AgentError, AgentOutgrew
from mama_bot.model import AgentEvent, SessionId, TeamAnswer, TeamCall, TurnEnded
from mama_bot.team_tools.tool_desk import GONE

log = structlog.get_logger(__name__)

CLOSE_SECONDS = 8.0

Turn = TypeVar("Turn", bound=AskedTurn)


class SessionTurns(Generic[Turn]):
    """What a session is asked, until it is `broken`: then for good.

    `asked` is the turn that somebody waits for, `serving` the one that the session's task is at; `running` says whether
    there is a process that could be asked, `kill` ends all of it and returns the command lines of what was there.
    """

    def __init__(
        self,
        *,
        session_id: SessionId,
        errors: ErrorLines,
        excess: Callable[[], Excess | None],
        running: Callable[[], bool],
        kill: Callable[[], Awaitable[tuple[str, ...]]],
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
    ) -> None:
        self._session_id = session_id
        self._errors = errors
        self._excess = excess
        self._running = running
        self._kill = kill
        self._spawn = spawn
        self._requests: asyncio.Queue[Turn | None] = asyncio.Queue(2)
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self.asked: Turn | None = None
        self.serving: Turn | None = None
        self.broken = False

    @property
    def usable(self) -> bool:
        """Whether `ask` may be called now."""
        return not self.broken and self.asked is None and self._running()

    @property
    def closed(self) -> bool:
        """Whether nothing of the process is left."""
        return self._closing is not None and self._closing.done()

    async def start(self, run: Coroutine[Any, Any, None]) -> None:
        """Begin the session's task and wait until it is ready; raises AgentError, and leaves no process then."""
        self._task = self._spawn(run)
        try:
            await asyncio.shield(self._ready)
        except BaseException:
            await self.aclose()
            raise

    def ready(self) -> None:
        """Note that the process can be asked."""
        self._ready.set_result(None)

    def not_ready(self, reason: AgentError) -> None:
        """Note why the process cannot be asked: nothing is served then."""
        self._ready.set_exception(reason)
        self._ready.exception()  # retrieved here: `start` may have been cancelled
        self._requests.put_nowait(None)

    async def ask(self, new_turn: Callable[[], Turn]) -> AsyncGenerator[AgentEvent, None]:
        """Ask and report what happens; the last event is TurnEnded, or AgentError is raised."""
        if self.asked is not None:
            raise RuntimeError("This session is being asked already; one ask at a time.")
        if not self.usable:
            self.broken = True
            raise AgentCrashed(returncode=None, stderr_tail=str(self._errors))
        turn = self.asked = new_turn()
        self._requests.put_nowait(turn)
        try:
            while True:
                event = await turn.events.get()
                if isinstance(event, AgentError):
                    raise event
                if isinstance(event, TurnEnded):
                    # Before the last event is handed out: whoever gets it may ask again, or leave without a word.
                    self.asked = None
                    yield event
                    return
                yield event
        finally:
            if self.asked is turn:
                self.asked = None
            turn.abandon()
            self.broken = self.broken or not turn.ended.is_set()

    async def serve(self, answer: Callable[[Turn], Awaitable[None]]) -> None:
        """Answer one turn after the other, until the session is broken or closed."""
        while (turn := await self._requests.get()) is not None:
            self.serving = turn
            await answer(turn)
            self.serving = None
            if self.broken:
                return

    def end(self) -> None:
        """Tell whoever waits that the process is gone."""
        gone = self.known(AgentCrashed(returncode=None, stderr_tail=str(self._errors)))
        if not self._ready.done():
            self._ready.set_exception(gone)
            self._ready.exception()  # retrieved here: `start` may have been cancelled
        for unanswered in (self.serving, self.asked):
            if unanswered is not None and not unanswered.ended.is_set():
                unanswered.end_with(gone)

    def known(self, crash: AgentCrashed) -> AgentError:
        """Return why the process is gone: it was ended for what it took of the machine, or nobody knows."""
        excess = self._excess()
        if excess is None:
            return crash
        return AgentOutgrew(limit=excess.limit, allowed=excess.allowed, measured=excess.measured)

    async def call_team(self, call: TeamCall) -> TeamAnswer:
        """Carry out a call of a tool of ours, for as long as it takes: whoever waits in one is silent by nature."""
        turn = self.serving
        if turn is None or turn.call_team is None or turn.interrupted:
            return GONE
        try:
            async with turn.patience.waiting():
                return await turn.call_team(call)
        except TimeoutError:  # the turn has ended meanwhile
            return GONE

    async def aclose(self) -> None:
        """End the process and all that it started; bounded, goes on when the caller is cancelled, never raises."""
        self.broken = True
        if self._closing is None:
            self._closing = self._spawn(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        task = self._task
        if self.serving is not None or not self._ready.done():
            await self._kill()
        with suppress(asyncio.QueueFull):
            self._requests.put_nowait(None)
        if task is not None:
            done, _ = await asyncio.wait({task}, timeout=CLOSE_SECONDS)
            if not done:
                task.cancel()
        left = await self._kill()
        if task is not None:
            await asyncio.wait({task}, timeout=CLOSE_SECONDS)
        if left:
            log.info("agent_leftovers_ended", session=self._session_id, processes=list(left))
