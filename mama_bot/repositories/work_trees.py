"""Ask git how a work tree stands, between the calls of an agent's tools."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import structlog

from mama_bot.model import FileFate, RuleEntry, TreeChange, WorkTreeState
from mama_bot.repositories.blobs import contents
from mama_bot.repositories.git import GitFailed, Repository
from mama_bot.repositories.rules import rules_in
from mama_bot.repositories.snapshots import Snapshots

log = structlog.get_logger(__name__)

SECONDS = 1.0
FIRST_SECONDS = 5.0  # an index of our own begins without the times of any file: each one is read once
LATE_TIMES = 3
REST_SECONDS = 60.0
PLACES = 1_000
MOST_CHANGES = 50
MOST_DECIDING = 20
MOST_BYTES = 500_000
EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
FATES = {"A": FileFate.CREATED, "D": FileFate.DELETED}


class DecidingFiles(Protocol):
    """Knows which files decide what a check does, and by which of their parts."""

    def concerns(self, path: str) -> bool:
        """Return whether a file may decide what a check does."""
        ...

    def parts(self, path: str, before: bytes | None, after: bytes | None) -> Sequence[str]:
        """Return the deciding parts that differ between two contents of a file (None: it was not there)."""
        ...


class GitWorkTrees:
    """The `WorkTrees` of git, by snapshots of the service's own: nothing of the repository decides what is seen.

    A directory where git failed or was late three times in a row is not asked about for 60 seconds: its calls would all
    wait. `deciding` knows the files that decide what checks do.
    """

    def __init__(
        self,
        *,
        snapshots: Snapshots,
        deciding: DecidingFiles | None = None,
        seconds: float = SECONDS,
        first_seconds: float = FIRST_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`seconds` bound a look, `first_seconds` the first one at a work tree; `now` is in seconds."""
        self._snapshots = snapshots
        self._deciding = deciding
        self._seconds = seconds
        self._first_seconds = first_seconds
        self._now = now
        self._seen: set[Path] = set()
        self._failures: dict[Path, tuple[int, float]] = {}

    async def state(self, directory: Path) -> WorkTreeState | None:
        """See `WorkTrees.state`."""
        times, last = self._failures.get(directory, (0, 0.0))
        if times >= LATE_TIMES and self._now() - last < REST_SECONDS:
            return None
        try:
            async with asyncio.timeout(self._seconds if directory in self._seen else self._first_seconds):
                state = await self._state(directory)
        except (GitFailed, OSError, ValueError, TimeoutError) as error:
            if directory in self._failures or len(self._failures) < PLACES:
                self._failures[directory] = (times + 1, self._now())
            log.info("work_tree_unknown", directory=str(directory), reason=str(error) or "git was late")
            return None
        self._failures.pop(directory, None)
        if len(self._seen) < PLACES:
            self._seen.add(directory)
        return state

    async def _state(self, directory: Path) -> WorkTreeState | None:
        repository = await self._snapshots.find(directory)
        if repository is None:
            return None
        tree = await self._snapshots.tree(repository)
        committed = repository.tree or EMPTY_TREES[repository.object_format]
        return WorkTreeState(
            commit=repository.commit,
            dirty=tree != committed,
            tree=tree,
            root=str(repository.root),
        )

    async def changes(self, before: WorkTreeState, after: WorkTreeState) -> tuple[TreeChange, ...] | None:
        """See `WorkTrees.changes`."""
        if not (before.tree and after.tree) or before.root != after.root:
            return None
        if before.tree == after.tree:
            return ()
        try:
            async with asyncio.timeout(self._seconds):
                return await self._changes(before, after)
        except (GitFailed, OSError, ValueError, TimeoutError) as error:
            log.info("work_tree_changes_unknown", directory=after.root, reason=str(error) or "git was late")
            return None

    async def _changes(self, before: WorkTreeState, after: WorkTreeState) -> tuple[TreeChange, ...] | None:
        repository = await self._snapshots.find(Path(after.root))
        if repository is None:
            return None
        compare = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", before.tree, after.tree, "--")
        variables = self._snapshots.comparing(repository)
        output = await self._snapshots.git.output(repository.root, *compare, variables=variables)
        fields = output.split("\x00")
        changed = [_changed(heads, path) for heads, path in zip(fields[::2], fields[1::2], strict=False)]
        changed.sort(key=lambda change: not self._concerns(change.path))  # what decides comes first: it is told
        parts = await self._parts(repository, [change for change in changed if self._concerns(change.path)])
        some = tuple(
            TreeChange(
                path=str(repository.root / change.path),
                fate=FATES.get(change.status[:1], FileFate.CHANGED),
                parts=parts.get(change.path, ()),
            )
            for change in changed[:MOST_CHANGES]
        )
        # Of more than these only that there are more is told.
        return (*some, TreeChange(path="", fate=FileFate.CHANGED)) if len(changed) > MOST_CHANGES else some

    def _concerns(self, path: str) -> bool:
        return self._deciding is not None and self._deciding.concerns(path)

    async def _parts(self, repository: Repository, changed: Sequence["_Changed"]) -> dict[str, tuple[str, ...]]:
        """Return the parts of changed files that decide what checks do."""
        if self._deciding is None or not changed:
            return {}
        known = [change for change in changed[:MOST_DECIDING] if _is_small(repository.root / change.path)]
        ids = [name for change in known for name in (change.before, change.after)]
        variables = self._snapshots.comparing(repository)
        held = await contents(repository.root, ids, variables=variables, seconds=self._seconds)
        return {
            change.path: tuple(self._deciding.parts(change.path, held.get(change.before), held.get(change.after)))
            for change in known
        }

    async def rules(self, directory: Path) -> frozenset[RuleEntry] | None:
        """See `WorkTrees.rules`."""
        try:
            async with asyncio.timeout(self._seconds):
                repository = await self._snapshots.find(directory)
                return None if repository is None else await rules_in(self._snapshots.git, repository)
        except (GitFailed, OSError, ValueError, TimeoutError) as error:
            log.info("git_rules_unknown", directory=str(directory), reason=str(error) or "git was late")
            return None


@dataclass(frozen=True, slots=True)
class _Changed:
    """A path that differs between two trees: the ids of what it held and holds, and git's letter for it."""

    before: str
    after: str
    status: str
    path: str


def _changed(heads: str, path: str) -> _Changed:
    before, after, status = heads.split(" ")[2:5]
    return _Changed(before, after, status, path)


def _is_small(file: Path) -> bool:
    try:
        return file.lstat().st_size <= MOST_BYTES
    except OSError:
        return True  # it is gone
