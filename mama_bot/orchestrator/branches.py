"""The turns of one exchange in order, and side by side where they may be."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import Self, assert_never

from mama_bot.model import Exchange, MessageId, StoredTurn, Turn, TurnId, TurnKind, TurnState
from mama_bot.orchestrator.endings import TurnEnd
from mama_bot.protocols import TurnStore
from mama_bot.review.panels import panel_of
from mama_bot.turns.new_turns import came_of
from mama_bot.turns.schedule import OPEN, Done, ReportResults, RunTurn, next_step


class Branches:
    """Runs the turns of an exchange while its `async with` block lasts; a branch is a delegation with what comes of it.

    Delegations of one turn run side by side where each works in another workspace, and so do the reviewers of one work.
    One in the background begins once nobody works in its workspace, and whatever else is to be done comes before it.
    What an agent waits for in a tool begins at once, also where its own workspace is, but after what it asked for there
    before. `deciding` is held while somebody adds to the exchange; `delegated` says that an agent did while its turn
    ran.
    """

    def __init__(
        self,
        *,
        turns: TurnStore,
        run_turn: Callable[[StoredTurn, Exchange], Awaitable[TurnEnd]],
        reported: Callable[[ReportResults, Exchange], Awaitable[None]],
        place_of: Callable[[Turn], Hashable | None],
        message_id: MessageId,
    ) -> None:
        self._turns = turns
        self._run_turn = run_turn
        self._reported = reported
        self._place_of = place_of
        self._message_id = message_id
        self._tasks = asyncio.TaskGroup()
        self._branches: dict[TurnId, asyncio.Task[None]] = {}
        self._roots: dict[TurnId, Turn] = {}
        self.deciding = asyncio.Lock()
        self._ending = asyncio.Lock()
        self.delegated = False

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._tasks.__aexit__(kind, error, trace)
        except BaseExceptionGroup as group:  # whoever runs the exchange knows what to do about each kind of failure
            raise group.exceptions[0] from group

    async def exchange(self) -> Exchange:
        """Return the exchange as it is stored now."""
        return await self._turns.load(self._message_id)

    @asynccontextmanager
    async def ending(self, turn: Turn, exchange: Exchange) -> AsyncIterator[Exchange]:
        """Give the exchange as it is when a turn ends; of reviewers of the same work one ends after the other, so that
        the last of them knows what all have said.
        """
        if turn.panel is None:
            yield await self.exchange() if self.delegated else exchange
            return
        async with self._ending:
            yield await self.exchange()

    async def run(self, exchange: Exchange) -> None:
        """Do all that is left to do in the exchange."""
        await self._run(exchange, None)

    def begin(self, root: Turn) -> asyncio.Task[None]:
        """Run a stored delegation with all that comes of it, beside everything else; once is enough.

        It waits for those of the same sender that work in its workspace.
        """
        if (task := self._branches.get(root.id)) is None:
            ahead = self._ahead(root)
            self._roots[root.id] = root
            task = self._branches[root.id] = self._tasks.create_task(self._branch(root.id, ahead))
        return task

    def _ahead(self, root: Turn) -> Sequence[asyncio.Task[None]]:
        if root.kind is TurnKind.REVIEW:  # who only looks is in nobody's way
            return []
        # Those of other senders are not waited for: one of them may wait for this very branch.
        place = self._place_of(root)
        siblings = [other for other in self._roots.values() if other.parent == root.parent and place is not None]
        tasks = [self._branches[other.id] for other in siblings if self._place_of(other) == place]
        return [task for task in tasks if not task.done()]

    async def _branch(self, root: TurnId, ahead: Sequence[asyncio.Task[None]]) -> None:
        if ahead:
            await asyncio.wait(ahead)
        await self._run(await self.exchange(), root)

    async def add(self, turn: Turn) -> None:
        """Store a delegation that an agent makes while its turn runs."""
        await self._turns.add_turns([turn])
        self.delegated = True

    async def hear(self, child: Turn) -> None:
        """Store that the sender of a delegation hears of its outcome while its turn runs."""
        await self._turns.keep_turn(replace(child, heard=True))

    async def _run(self, exchange: Exchange, root: TurnId | None) -> None:
        while True:
            scope = _below(exchange, root)
            busy = self._busy(scope, exchange, root)
            waiting = self._waiting(scope, busy, root)
            later = {below.turn.id for stored in waiting for below in _below(exchange, stored.turn.id)}
            self._begin_background(waiting, exchange)
            step = next_step(scope, busy=busy | later)
            match step:
                case Done():
                    if waiting:
                        self.begin(waiting[0].turn)
                    if not await self._one_more(scope, root):
                        return
                case ReportResults():
                    await self._reported(step, exchange)
                case RunTurn():
                    beside = self._beside(step.stored, scope, exchange, busy) if step.stored.turn.id != root else None
                    if await self._ended(step.stored, beside, exchange, scope, root):
                        return
                case unexpected:
                    assert_never(unexpected)
            exchange = await self.exchange()

    async def _ended(
        self,
        stored: StoredTurn,
        beside: Sequence[StoredTurn] | None,
        exchange: Exchange,
        scope: Sequence[StoredTurn],
        root: TurnId | None,
    ) -> bool:
        """Run a turn, or what can begin beside others, and return whether the scope ends with it."""
        if beside is None or beside == [stored]:
            return await self._ends(stored, exchange)
        for delegated in beside:
            self.begin(delegated.turn)
        return not await self._one_more(scope, root)

    async def _ends(self, stored: StoredTurn, exchange: Exchange) -> bool:
        """Run a turn and return whether its scope ends with it."""
        end = await self._run_turn(stored, exchange)
        if end.state is TurnState.STOPPED and not end.alone:
            await self._turns.stop_exchange(self._message_id)
            return True
        # By far the most exchanges are one turn: nothing can be left.
        return not end.further and len(exchange.turns) == 1 and not self.delegated

    def _busy(self, scope: Sequence[StoredTurn], exchange: Exchange, root: TurnId | None) -> frozenset[TurnId]:
        """Return the turns of a scope that other branches run."""
        mine = {stored.turn.id for stored in scope} - {root}
        others = [branch for branch, task in self._branches.items() if branch in mine and not task.done()]
        return frozenset(stored.turn.id for other in others for stored in _below(exchange, other))

    def _waiting(
        self, scope: Sequence[StoredTurn], busy: frozenset[TurnId], root: TurnId | None
    ) -> Sequence[StoredTurn]:
        """Return the delegations in the background that are at no end, and that nobody has begun in this life."""
        return [
            stored
            for stored in scope
            if stored.turn.id not in busy | {root} and is_in_background(stored.turn) and stored.state in OPEN
        ]

    def _begin_background(self, waiting: Sequence[StoredTurn], exchange: Exchange) -> None:
        if not waiting:
            return
        others = [stored for stored in exchange.turns if stored.state in OPEN and stored not in waiting]
        taken = {self._place_of(stored.turn) for stored in others}
        for stored in waiting:
            place = self._place_of(stored.turn)
            if place is not None and place not in taken:
                taken.add(place)
                self.begin(stored.turn)

    async def _one_more(self, scope: Sequence[StoredTurn], root: TurnId | None) -> bool:
        """Wait until one more branch in the scope has ended; False: none runs."""
        ids = {stored.turn.id for stored in scope} - {root}
        running = [task for branch, task in self._branches.items() if branch in ids and not task.done()]
        if not running:
            return False
        await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        return True

    def _beside(
        self, first: StoredTurn, scope: Sequence[StoredTurn], exchange: Exchange, busy: frozenset[TurnId]
    ) -> Sequence[StoredTurn]:
        """Return what can begin beside what runs: the turn itself, more of the same sender's delegations, or nothing
        yet.
        """
        running = [stored.turn for stored in exchange.turns if stored.turn.id in busy]
        if first.turn.kind is TurnKind.REVIEW:
            panel = panel_of(first.turn, exchange.turns)
            return [stored for stored in panel if stored.state in OPEN and stored.turn.id not in busy]
        if first.turn.kind is not TurnKind.DELEGATION:
            looked_at = {self._place_of(turn) for turn in running if turn.kind is TurnKind.REVIEW} - {None}
            return [] if self._place_of(first.turn) in looked_at else [first]
        taken = {self._place_of(turn) for turn in running}
        chosen = []
        for stored in (first, *(other for other in scope if other != first)):
            turn = stored.turn
            if turn.parent != first.turn.parent or turn.kind is not TurnKind.DELEGATION or is_in_background(turn):
                continue
            place = self._place_of(turn)
            if stored.state in OPEN and turn.id not in busy and place not in taken:
                taken.add(place)
                chosen.append(stored)
        return chosen


def is_in_background(turn: Turn) -> bool:
    """Return whether a turn is a delegation that nobody waits for."""
    return turn.kind is TurnKind.DELEGATION and turn.delegation is not None and turn.delegation.background


def _below(exchange: Exchange, root: TurnId | None) -> Sequence[StoredTurn]:
    """Return the turns that came of one, that one included; all for None."""
    if root is None:
        return exchange.turns
    top = next((stored.turn for stored in exchange.turns if stored.turn.id == root), None)
    return [] if top is None else [stored for stored in exchange.turns if came_of(stored.turn, top, exchange.turns)]
