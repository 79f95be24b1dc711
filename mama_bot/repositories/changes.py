"""What changed in a git work tree since a moment, read from git."""

from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path

from mama_bot.model import Turn, WorkDiff
from mama_bot.repositories.git import GitFailed
from mama_bot.repositories.snapshots import Snapshots, Trees

__all__ = ["GitChanges", "GitFailed", "Trees", "snapshot"]

# Larger files count as binary: neither git nor this process reads them line by line.
BIG_FILES = {"GIT_CONFIG_PARAMETERS": "'core.bigfilethreshold=4m'"}
ATTRIBUTE_PATHS = 500
DIFF_PATHS = 500
LEAST_LINE = 10  # characters; a diff of more lines than fit at this length is not asked for
DIFF_OPTIONS = ("--patch", "--no-color", "--no-ext-diff", "--no-textconv")


class GitChanges:
    """The files that a turn changed in its workspace: committed, uncommitted, untracked, and both names of a rename.

    What was already changed when the turn began is not counted. Raises GitFailed when git is late or cannot read the
    repository. `snapshots` are taken anew unless they are given (`seconds`, `indexes` and `own` are theirs). What lies
    below `unshown` is named, and stands in no diff.
    """

    def __init__(
        self,
        *,
        workspace_of: Callable[[Turn], Path],
        seconds: float = 8,
        indexes: Path | None = None,
        own: Path | None = None,
        snapshots: Snapshots | None = None,
        unshown: tuple[str, ...] = (),
    ) -> None:
        self._unshown = unshown
        self._workspace_of = workspace_of
        self._snapshots = snapshots or Snapshots(seconds=seconds, indexes=indexes, own=own)

    def going_by(self, workspace_of: Callable[[Turn], Path]) -> "GitChanges":
        """Return the same, with the same indexes, for turns that work somewhere else."""
        changes = copy(self)
        changes._workspace_of = workspace_of
        return changes

    async def tree(self, workspace: Path) -> str:
        """Return what `snapshot` returns; one call at a time for each repository."""
        repository = await self._snapshots.find(workspace)
        return "" if repository is None else await self._snapshots.tree(repository)

    async def trees(self, workspace: Path) -> Trees | None:
        """Return the trees of the repository that a directory belongs to; None without one. Raises GitFailed."""
        return await self._snapshots.trees(workspace)

    async def since(self, turn: Turn) -> frozenset[str] | None:
        """Return the changed paths, relative to the repository's root; None without a baseline.

        Raises GitFailed also when the repository of the baseline is gone.
        """
        output = await self._compared(turn, "--name-only")
        return None if output is None else frozenset(name for name in output.split("\x00") if name)

    async def work(self, turn: Turn, max_characters: int, *, until: str = "") -> WorkDiff | None:
        """Return what a turn changed, with a diff of at most so many characters; None without a baseline.

        It ends with the git tree `until` ("": the files as they are now). The smallest changes come first. Raises
        GitFailed.
        """
        output = await self._compared(turn, "--numstat", until=until)
        if output is None:
            return None
        counts = dict(_counted(line) for line in output.split("\x00") if line)
        hidden = {path for path in counts if path.startswith(self._unshown)}
        small = sorted((count, path) for path, count in counts.items() if count is not None and path not in hidden)
        shown, room = [], max_characters // LEAST_LINE
        for count, path in small[:DIFF_PATHS]:
            room -= count
            if room < 0:
                break
            shown.append(path)
        text = ""
        if shown:
            text = await self._compared(turn, *DIFF_OPTIONS, paths=shown, until=until) or ""
        if len(text) > max_characters:
            text = f"{text[:max_characters]}\n[the diff is cut here: it has {len(text):,} characters]\n"
        return WorkDiff(
            files=tuple(sorted(counts)),
            lines=sum(count or 0 for count in counts.values()),
            text=text,
            left_out=tuple(sorted(counts.keys() - hidden - set(shown))),
        )

    async def _compared(self, turn: Turn, *options: str, paths: Sequence[str] = (), until: str = "") -> str | None:
        """Return git's difference between the turn's baseline and a tree, or now; None without a baseline."""
        if not turn.baseline:
            return None
        workspace = self._workspace_of(turn)
        repository = await self._snapshots.find(workspace)
        if repository is None:
            reason = "the repository that was here when the turn began is gone"
            raise GitFailed(directory=workspace, command="rev-parse", reason=reason)
        now = until or await self._snapshots.tree(repository)
        if now == turn.baseline:
            return ""
        named = (f":(top,literal){path}" for path in paths)
        compare = ("diff-tree", "-r", *(options if paths else (*options, "-z")), "--no-renames", turn.baseline, now)
        variables = self._snapshots.comparing(repository) | BIG_FILES
        return await self._snapshots.git.output(repository.root, *compare, "--", *named, variables=variables)

    async def generated(self, turn: Turn, paths: Sequence[str]) -> frozenset[str]:
        """Return which of the first 500 paths .gitattributes declares as `linguist-generated`."""
        repository = await self._snapshots.find(self._workspace_of(turn))
        if repository is None or not paths:
            return frozenset()
        # Names on the command line: a batch is bounded by the system, and beyond it the verdict is clear anyway.
        asked = ("check-attr", "-z", "linguist-generated", "--", *paths[:ATTRIBUTE_PATHS])
        variables = self._snapshots.comparing(repository)
        output = await self._snapshots.git.output(repository.root, *asked, variables=variables)
        fields = output.split("\x00")
        triples = zip(fields[::3], fields[2::3], strict=False)
        return frozenset(path for path, value in triples if value in ("set", "true"))

    async def places(self, turn: Turn) -> tuple[str, ...]:
        """Return the directories that a file of the turn may be named from: the repository's root, the workspace."""
        workspace = self._workspace_of(turn)
        repository = await self._snapshots.find(workspace)
        roots = (repository.root, workspace.absolute()) if repository else (workspace.absolute(),)
        return tuple(dict.fromkeys(str(root) for root in roots))


def _counted(line: str) -> tuple[str, int | None]:
    """Return a path with its count of added and removed lines; None for a binary file."""
    added, removed, path = line.split("\t", 2)
    return path, int(added) + int(removed) if added.isdigit() and removed.isdigit() else None


async def snapshot(path: Path, *, seconds: float = 8) -> str:
    """Return the git tree of a work tree as it is on disk: uncommitted and untracked files, but no ignored ones.

    "" without a repository. The index of the repository is not touched; git collects the objects later. Raises
    GitFailed.
    """
    return await GitChanges(workspace_of=lambda _: path, seconds=seconds).tree(path)
