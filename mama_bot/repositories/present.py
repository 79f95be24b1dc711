"""Find which of the changed files are there now."""

import asyncio
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from mama_bot.model import Turn


class WorkspaceFiles:
    """Looks on disk for files that git named relative to its root: the workspace, or a directory above it."""

    def __init__(self, *, workspace_of: Callable[[Turn], Path]) -> None:
        self._workspace_of = workspace_of

    async def present(self, turn: Turn, paths: Iterable[str]) -> frozenset[str]:
        """Return which of the paths are there."""
        workspace = self._workspace_of(turn)
        return await asyncio.to_thread(_present, (workspace, *workspace.parents), tuple(paths))


def _present(roots: tuple[Path, ...], paths: tuple[str, ...]) -> frozenset[str]:
    return frozenset(path for path in paths if any(os.path.lexists(root / path) for root in roots))
