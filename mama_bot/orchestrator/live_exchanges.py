"""Which exchanges this process runs, and how one of them is stopped."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field

import structlog

from mama_bot.enforcement.delegations.requests import Request
from mama_bot.errors import AgentError, StoreUnavailable
from mama_bot.model import ConversationKey, MessageId, StoredTurn, Turn, TurnId
from mama_bot.protocols import AgentSession, Stops
from mama_bot.team_tools import Caller
from mama_bot.turns.new_turns import came_of

log = structlog.get_logger(__name__)

INTERRUPT_SECONDS = 5.0
LOOK_SECONDS = 1.0

Delegate = Callable[[Request, Caller], Awaitable[str]]
"""Carries a delegation out that a running turn made, and returns what its agent is told; raises ToolRefused."""


@dataclass(slots=True, eq=False)
class RunningTurn:
    """What a stop needs to know of a turn that runs here."""

    persona: str = ""
    for_person: bool = True
    scope: asyncio.Timeout | None = None
    session: AgentSession | None = None
    trouble: AgentError | None = None
    waits: int = 0
    left: float | None = None
    waited_before: float = 0.0
    waits_since: float | None = None
    stopped_by: str | None = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the deadline of the turn wait during the block; pauses may overlap."""
        loop, scope = asyncio.get_running_loop(), self.scope
        self.waits += 1
        if self.waits == 1:
            self.waits_since = loop.time()
        if self.waits == 1 and scope is not None and not scope.expired():
            when = scope.when()
            self.left = None if when is None else when - loop.time()
            scope.reschedule(None)
        try:
            yield
        finally:
            self.waits -= 1
            left, here = self.left, scope is not None and scope is self.scope and not scope.expired()
            if self.waits == 0:
                self.left = None
                self.waited_before, self.waits_since = self.waited(), None
                if left is not None and here and scope is not None and scope.when() is None:
                    scope.reschedule(loop.time() + left)

    def waited(self) -> float:
        """Return the seconds so far in which the turn waited for others, for which its deadline waits too."""
        since = self.waits_since
        return self.waited_before + (asyncio.get_running_loop().time() - since if since is not None else 0.0)

    async def stop(self) -> None:
        """End the turn."""
        now = asyncio.get_running_loop().time()
        scope = self.scope if self.scope is not None and not self.scope.expired() else None
        if self.session is not None:
            # The agent is told first, so that its session stays usable; the scope ends the turn if that takes long.
            if scope is not None:
                scope.reschedule(now + INTERRUPT_SECONDS)
            await self.session.interrupt()
        elif scope is not None:
            scope.reschedule(now)


@dataclass(slots=True, eq=False)
class RunningExchange:
    """An exchange that runs here: the turns of it that run, and how one of them asks others while it does."""

    stopped_by: str | None = None
    key: ConversationKey | None = None
    message_id: MessageId | None = None
    turns: dict[TurnId, RunningTurn] = field(default_factory=dict)
    stopped_branches: dict[TurnId, str] = field(default_factory=dict)
    delegate: Delegate | None = None

    @property
    def steered(self) -> RunningTurn | None:
        """The turn whose agent is at work for a person."""
        return next((turn for turn in self.turns.values() if turn.for_person and turn.session is not None), None)

    @contextmanager
    def begun(self, turn: Turn) -> Iterator[RunningTurn]:
        """Run a turn during the block, so that a stop reaches it."""
        running = self.turns[turn.id] = RunningTurn(persona=turn.persona, for_person=not turn.agent_to_agent)
        try:
            yield running
        finally:
            del self.turns[turn.id]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the deadlines of the turns that run wait during the block."""
        with ExitStack() as pauses:
            for turn in tuple(self.turns.values()) if self.stopped_by is None else ():
                pauses.enter_context(turn.paused())
            yield

    def branch_stopped_by(self, turn: Turn, turns: Sequence[StoredTurn]) -> str | None:
        """Return who stopped the branch that a turn is in; None where nobody did."""
        roots = [stored.turn for stored in turns if stored.turn.id in self.stopped_branches]
        return next((self.stopped_branches[root.id] for root in roots if came_of(turn, root, turns)), None)

    async def stop_branch(self, root: Turn, turns: Sequence[StoredTurn], by: str) -> None:
        """End what runs of a delegation; what would come of it ends as soon as it begins."""
        self.stopped_branches[root.id] = by
        below = {stored.turn.id for stored in turns if came_of(stored.turn, root, turns)}
        async with asyncio.TaskGroup() as group:
            for turn_id, running in tuple(self.turns.items()):
                if turn_id in below and running.stopped_by is None:
                    running.stopped_by = by
                    group.create_task(running.stop())

    async def stop(self, by: str) -> None:
        """End the turns that run; once is enough."""
        if self.stopped_by is not None:
            return
        self.stopped_by = by
        async with asyncio.TaskGroup() as group:
            for turn in tuple(self.turns.values()):
                group.create_task(turn.stop())


class RunningExchanges:
    """The exchanges that this process runs; what of them is to stop stands in the store."""

    def __init__(self, stops: Stops) -> None:
        self._stops = stops
        self._running: dict[MessageId, RunningExchange] = {}

    @contextmanager
    def begun(self, message_id: MessageId) -> Iterator[RunningExchange]:
        """Run an exchange during the block, so that a stop reaches it."""
        running = self._running[message_id] = RunningExchange(message_id=message_id)
        try:
            yield running
        finally:
            del self._running[message_id]

    def at_work(self, key: ConversationKey) -> RunningExchange | None:
        """Return the exchange that this process runs in a conversation."""
        return next((running for running in self._running.values() if running.key == key), None)

    def running_turn(self, turn: Turn) -> tuple[RunningExchange, RunningTurn] | None:
        """Return a turn that this process runs, with its exchange."""
        exchange = self._running.get(turn.message_id)
        running = exchange.turns.get(turn.id) if exchange is not None else None
        return None if exchange is None or running is None else (exchange, running)

    @contextmanager
    def paused(self, key: ConversationKey) -> Iterator[None]:
        """Let the deadlines of the turns that run in a conversation wait during the block."""
        running = self.at_work(key)
        with running.paused() if running is not None else nullcontext():
            yield

    async def stop(self, message_id: MessageId, by: str) -> None:
        """Act at once on a stop that is stored; nothing happens where another process runs the exchange."""
        running = self._running.get(message_id)
        if running is None:
            return
        try:
            await running.stop(by)
        except Exception:  # an agent that cannot be told: its turn ends by its scope
            log.exception("agent_not_told_to_stop", message=message_id)

    async def watch(self) -> None:
        """Act on stops that another process asked for, within a second or two, until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                for message_id, by in (await self._asked()).items():
                    group.create_task(self.stop(message_id, by))  # an agent may take long to hear of it

    async def _asked(self) -> Mapping[MessageId, str]:
        """Return who asked for a stop of exchanges that run here and were not told yet."""
        unstopped = [message_id for message_id, running in self._running.items() if running.stopped_by is None]
        try:
            return await self._stops.asked(unstopped) if unstopped else {}
        except StoreUnavailable as error:
            log.warning("stops_not_seen", reason=str(error))
        except Exception:  # the next look may be better, and the service goes on meanwhile
            log.exception("stops_not_seen")
        return {}
