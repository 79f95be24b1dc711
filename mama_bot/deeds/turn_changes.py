"""What each turn changes in the work tree that it works in: looked at when it begins and when it has ended."""

import asyncio
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import structlog

from mama_bot.checkouts.checkouts import Checkouts, slug
from mama_bot.checkouts.tree_history import TreeHistory, TreeLook
from mama_bot.checkouts.work_places import store_directory
from mama_bot.errors import MamaBotError
from mama_bot.metrics import Metrics
from mama_bot.model import ChangeId, Turn, WorkChange
from mama_bot.protocols import Clock, DeedRecords

log = structlog.get_logger(__name__)

MOST_CHANGES = 1_000  # of a conversation are looked through


class TurnChanges:
    """Notes the changes of turns; what cannot be looked at has none, and the turn goes on."""

    def __init__(
        self, *, records: DeedRecords, checkouts: Checkouts, history: TreeHistory, clock: Clock, metrics: Metrics
    ) -> None:
        self._records = records
        self._checkouts = checkouts
        self._history = history
        self._clock = clock
        self._metrics = metrics
        self._at_work: Counter[Path] = Counter()
        self._roots: dict[ChangeId, Path] = {}
        self._begun: dict[ChangeId, WorkChange] = {}
        self._shared: set[ChangeId] = set()
        self._waiting: Counter[ChangeId] = Counter()

    def busy(self, workspace: Path) -> bool:
        """Return whether a turn is at work in a directory."""
        return self._at_work[workspace.resolve()] > 0

    @contextmanager
    def waits(self, turn: Turn) -> Iterator[None]:
        """Note that a turn does nothing during the block: what others change in its work tree then is theirs."""
        name = ChangeId(turn.id)
        self._waiting[name] += 1
        try:
            yield
        finally:
            self._waiting[name] -= 1
            self._waiting += Counter()  # those that wait no longer are left out

    async def before(self, turn: Turn) -> str:
        """Return the git tree of the work tree as a turn found it; "" where that is not known."""
        change = await self._records.begun(ChangeId(turn.id))
        return change.before.files if change is not None else ""

    async def found_after(self, turn: Turn, beside: Container[str]) -> str:
        """Return the git tree that the first change after a turn began from; "" where there is none.

        Changes of the turns `beside` it are the same work.
        """
        begun = await self._records.begun(ChangeId(turn.id))
        if begun is None:
            return ""
        later = [
            change.before.files
            for change in await self._records.changes(turn.key, MOST_CHANGES)
            if change.repository == begun.repository and change.at > begun.at and change.id not in beside
        ]
        return later[-1] if later else ""

    def can_merge(self, repository: str) -> bool:
        """Return whether work in a repository is on a branch that can be merged."""
        return self._checkouts.store(repository) is not None

    def publishes(self, repository: str) -> Literal["", "push", "pr"]:
        """Return how work in a repository leaves: by a pull request where it has a forge, else as a branch."""
        settings = self._checkouts.settings(repository)
        if settings is None or not self.can_merge(repository):
            return ""
        return "push" if settings.forge is None else "pr"

    async def begin(self, turn: Turn, repository: str, workspace: Path, *, asker: str) -> None:
        """Note how the work tree stands in which a turn begins; after a crash what was noted before stays."""
        name, root = ChangeId(turn.id), await asyncio.to_thread(workspace.resolve)
        if name in self._roots:  # its agent was lost, and asked again
            return
        self._enter(name, root)
        try:
            look = await self._history.look(workspace)
            if look is not None:
                change = WorkChange(
                    id=name, key=turn.key, repository=repository, before=look.mark, at=self._clock.now(), asker=asker
                )
                self._begun[name] = await self._records.begin(change)
        except (MamaBotError, OSError) as error:
            log.warning("change_not_begun", turn=turn.id, reason=str(error))

    async def end(self, turn: Turn, workspace: Path) -> WorkChange | None:
        """Note what a turn changed; None where it changed no file, or that cannot be told."""
        name = ChangeId(turn.id)
        self._leave(name)
        begun = self._begun.pop(name, None)
        try:
            if begun is None:  # by an earlier life, or by nobody
                begun = await self._records.begun(name)
            change = None if begun is None else await self._ended(begun, workspace)
            if begun is not None and change is None:
                await self._records.forget(name)
        except (MamaBotError, OSError, ValueError) as error:
            log.warning("change_not_kept", turn=turn.id, reason=str(error))
            return None
        return change

    async def _ended(self, begun: WorkChange, workspace: Path) -> WorkChange | None:
        look = await self._history.look(workspace)
        if look is None or look.mark.files == begun.before.files:
            return None
        change = await self.kept(replace(begun, after=look.mark, shared=begun.id in self._shared), look)
        await self._records.end(change)
        self._metrics.count("work_changes", repository=begun.repository)
        return change

    async def kept(self, change: WorkChange, look: TreeLook) -> WorkChange:
        """Return a change with its figures, both of its trees kept; raises GitFailed, OSError."""
        name, lent = change.repository, self.lent(change.repository, look)
        before, after = change.before.files, (change.after or change.before).files
        known = await self._checkouts.known(change.key, name)
        base = look.mark.commit if self._is_in_place(name) else known.base if known is not None else ""
        await self._history.keep(name, slug(change.key), look, before, after, lent=lent, base=base)
        lines = await self._history.lines(name, before, after, lent)
        return replace(
            change,
            files=len(lines),
            added=sum(file.added or 0 for file in lines),
            removed=sum(file.removed or 0 for file in lines),
        )

    def lent(self, name: str, look: TreeLook | None = None) -> Sequence[Path]:
        """Return the objects that the kept trees of a repository lean on."""
        store = self._checkouts.store(name)
        if store is not None:
            return (store.objects,)
        return look.theirs if look is not None and self._is_in_place(name) else ()

    async def lent_now(self, name: str) -> Sequence[Path]:
        """Return them as they are now, also of a repository that is configured no more; raises GitFailed, OSError."""
        if self._is_in_place(name):
            settings = self._checkouts.settings(name)
            look = await self._history.look(Path(settings.source)) if settings is not None else None
            return self.lent(name, look)
        objects = store_directory(self._checkouts.directory, name) / "objects"
        return (objects,) if await asyncio.to_thread(objects.is_dir) else ()

    def _is_in_place(self, name: str) -> bool:
        settings = self._checkouts.settings(name)
        return settings is not None and settings.in_place

    def _enter(self, name: ChangeId, root: Path) -> None:
        others = [other for other, place in self._roots.items() if place == root]
        self._roots[name] = root
        self._at_work[root] += 1
        self._shared |= {*others}
        if set(others) - self._waiting.keys():  # who waits for this turn changes nothing meanwhile
            self._shared.add(name)

    def _leave(self, name: ChangeId) -> None:
        root = self._roots.pop(name, None)
        if root is None:
            return
        self._at_work[root] -= 1
        if not self._at_work[root]:
            del self._at_work[root]
