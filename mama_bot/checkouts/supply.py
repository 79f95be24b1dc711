"""New work trees: one that is kept ready, or one that is made now."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import structlog

from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.planted import refuse_planted
from mama_bot.checkouts.repository_store import Base, RepositoryStore
from mama_bot.checkouts.spare_demand import SpareDemand, has_room
from mama_bot.checkouts.work_places import READY, TREES, ready_spares, remove_tree, set_mark, take_mark_off
from mama_bot.checkouts.work_tree import make_work_tree, move_to, refresh_remote
from mama_bot.errors import RepositoryUnavailable
from mama_bot.repositories.git import GitFailed

log = structlog.get_logger(__name__)

# So many are checked out at once: with more of them the disk and the processors make everybody wait for the last one.
AT_ONCE = 2

# Runs the commands of `set_up` of a repository in a work tree, and returns what went wrong ("": nothing).
SetUp = Callable[[str, Path], Awaitable[str]]


class WorkTreeSupply:
    """Makes work trees, and keeps so many `spares` of each repository ready; after a burst more, where there is `room`.

    A spare is handed over where it is, and not moved: what `set_up` installed in it may know its own path. `now` is in
    seconds.
    """

    def __init__(
        self,
        *,
        directory: Path,
        git: OwnGit,
        stores: Mapping[str, RepositoryStore],
        new_id: Callable[[], str],
        set_up: SetUp | None,
        spares: int,
        now: Callable[[], float],
        room: Callable[[Path], bool] = has_room,
    ) -> None:
        self._directory = directory
        self._git = git
        self._stores = stores
        self._new_id = new_id
        self._set_up = set_up
        self._now = now
        self._room = room
        self._checking_out = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0
        self._seconds: dict[str, float] = {}
        self._set_up_seconds: dict[str, float] = {}
        self._spares: dict[str, list[Path]] = {name: [*ready_spares(directory, name)] for name in stores}
        self._demand = SpareDemand(least=spares, now=now)
        for name, ready in self._spares.items():  # what an earlier life kept for its bursts may be wanted again
            self._demand.began(name, len(ready))
        self.wanted = asyncio.Event()
        self.failures: dict[str, str] = {}

    async def take(self, name: str, base: Base) -> Path:
        """Return a work tree at a commit, with no branch yet: a spare, or a new one. Raises GitFailed, OSError."""
        began = self._now()
        self._demand.began(name)
        ready = self._spares[name]
        while ready:
            tree = ready.pop()
            self.wanted.set()
            take_mark_off(tree, READY)
            try:
                await move_to(self._git, self._stores[name], tree, base)
                await refresh_remote(self._stores[name], tree, base)
            except (GitFailed, OSError) as error:
                log.warning("spare_not_used", repository=name, reason=str(error))
                await remove_tree(tree)
                continue
            log.info("spare_taken", repository=name, seconds=round(self._now() - began, 3))
            return tree
        self.wanted.set()
        return await self._made(name, base)

    async def make_at(self, tree: Path, base: Base) -> None:
        """Make a work tree at a commit in a place, with no branch yet, in its turn; raises GitFailed, OSError."""
        self._waiting += 1
        try:
            async with self._checking_out:
                began = self._now()
                await make_work_tree(self._git, self._stores[tree.name], tree, base)
                self._seconds[tree.name] = self._now() - began
        finally:
            self._waiting -= 1

    def expected_seconds(self, name: str) -> float:
        """Return how long the next conversation is about to wait for its work tree, by the last one that was made and
        set up.
        """
        if self._spares[name]:
            return 0.0
        making = self._seconds.get(name, 0.0) * (1 + self._waiting // AT_ONCE)
        return making + self._set_up_seconds.get(name, 0.0)

    async def set_up(self, tree: Path) -> None:
        """Run what sets a work tree up; where that fails it is logged, and work goes on without."""
        if self._set_up is None:
            return
        began = self._now()
        failure = self.failures[tree.name] = await self._set_up(tree.name, tree)
        self._set_up_seconds[tree.name] = self._now() - began
        if failure:
            log.warning("set_up_failed", repository=tree.name, reason=failure)

    async def _made(self, name: str, base: Base) -> Path:
        began = self._now()
        tree = self._directory / TREES / self._new_id() / name
        await self.make_at(tree, base)
        await self.set_up(tree)
        try:
            await asyncio.to_thread(refuse_planted, tree, self._stores[name].objects)
        except (GitFailed, OSError):
            await remove_tree(tree)
            raise
        log.info("work_tree_made", repository=name, seconds=round(self._now() - began, 3))
        return tree

    async def refill(self) -> None:
        """Fetch each repository, and have its spares at what was fetched; what fails is logged."""
        for name, store in self._stores.items():
            try:
                await store.fetch(head=True)
                await store.tidy()
                await self._refill(name, await store.last_base())
            except (RepositoryUnavailable, GitFailed, OSError) as error:
                log.warning("no_spare", repository=name, reason=str(error))

    async def _refill(self, name: str, base: Base) -> None:
        ready = self._spares[name]
        for tree in (*ready,):
            if tree not in ready:  # somebody took it while another one moved
                continue
            ready.remove(tree)  # nobody may take it while it moves
            try:
                await move_to(self._git, self._stores[name], tree, base)
            except (GitFailed, OSError) as error:
                log.warning("spare_not_used", repository=name, reason=str(error))
                take_mark_off(tree, READY)
                await remove_tree(tree)
            else:
                ready.append(tree)
        while await self._lacks(name) > 0:
            tree = await self._made(name, base)
            set_mark(tree, READY)
            ready.append(tree)
        while await self._lacks(name) < 0:
            tree = ready.pop()
            take_mark_off(tree, READY)
            await remove_tree(tree)

    async def _lacks(self, name: str) -> int:
        """Return how many spares a repository lacks (below 0: has too many), as they are now: some may be taken while
        the disk is looked at.
        """
        room = await asyncio.to_thread(self._room, self._directory)
        return self._demand.spares(name, room=room) - len(self._spares[name])
