"""How many lines a turn added to files and took out of them, as git counts them."""

import asyncio
import posixpath
from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog

from mama_bot.repositories.git import GitFailed
from mama_bot.repositories.snapshots import Snapshots

log = structlog.get_logger(__name__)

SECONDS = 1.0
MOST_PATHS = 200
# Larger files count as binary: git does not read them line by line.
BIG_FILES = {"GIT_CONFIG_PARAMETERS": "'core.bigfilethreshold=1m'"}


class GitLineCounts:
    """The `LineCounts` of git, between two snapshots of the service's own: no setting of the repository counts."""

    def __init__(self, *, snapshots: Snapshots, seconds: float = SECONDS) -> None:
        self._snapshots = snapshots
        self._seconds = seconds

    async def since(self, workspace: Path, tree: str, paths: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """See `LineCounts.since`."""
        if not tree or not paths or len(paths) > MOST_PATHS:
            return {}
        try:
            async with asyncio.timeout(self._seconds):
                return await self._counted(workspace, tree, paths)
        except (GitFailed, OSError, ValueError, TimeoutError) as error:
            log.info("lines_not_counted", directory=str(workspace), reason=str(error) or "git was late")
            return {}

    async def _counted(self, workspace: Path, tree: str, paths: Sequence[str]) -> dict[str, tuple[int, int]]:
        repository = await self._snapshots.find(workspace)
        if repository is None:
            return {}
        below = await asyncio.to_thread(_below, repository.root, workspace)
        names = {posixpath.normpath(posixpath.join(below, path)): path for path in paths}
        now = await self._snapshots.tree(repository)
        compare = ("diff-tree", "-r", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv")
        where = ("--end-of-options", tree, now, "--", *(f":(top,literal){name}" for name in names))
        variables = self._snapshots.comparing(repository) | BIG_FILES
        output = await self._snapshots.git.output(repository.root, *compare, *where, variables=variables)
        counted = filter(None, (_lines_of(line) for line in output.split("\x00") if line))
        return {names[name]: lines for name, lines in counted if name in names}


def _below(root: Path, workspace: Path) -> str:
    """Return where a workspace is in its repository, which is known by its real path."""
    return workspace.resolve().relative_to(root).as_posix()


def _lines_of(line: str) -> tuple[str, tuple[int, int]] | None:
    """Return a path with the lines that were added and taken out; None for a binary file."""
    added, removed, path = line.split("\t", 2)
    return (path, (int(added), int(removed))) if added.isdigit() and removed.isdigit() else None
