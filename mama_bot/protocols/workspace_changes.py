"""What the stages ask of the workspace of a turn."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from mama_bot.model import Turn


class ChangedFiles(Protocol):
    """Knows what a turn changed in its workspace."""

    async def since(self, turn: Turn) -> frozenset[str] | None:
        """Return the paths changed since the turn's baseline, relative to the repository; None without one."""
        ...

    async def generated(self, turn: Turn, paths: Sequence[str]) -> frozenset[str]:
        """Return those of the paths that the repository itself declares as generated."""
        ...

    async def places(self, turn: Turn) -> tuple[str, ...]:
        """Return the directories that an absolute name of a changed file may begin with."""
        ...


class PresentFiles(Protocol):
    """Knows which files are there."""

    async def present(self, turn: Turn, paths: Iterable[str]) -> frozenset[str]:
        """Return those of the changed paths that are there now."""
        ...
