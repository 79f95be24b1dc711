"""What is asked of the workspace of a turn."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from mama_bot.model import Enquiry, Standing, Turn


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


class LineCounts(Protocol):
    """Knows how many lines a turn added to files, and took out of them."""

    async def since(self, workspace: Path, tree: str, paths: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """Return lines added and taken out since a git tree, by path in the workspace; without what cannot be told.

        Never raises, and is done within seconds.
        """
        ...


class Standings(Protocol):
    """Knows how the workspace of a turn stands now, as far as a draft speaks of it."""

    async def standing(self, turn: Turn, enquiry: Enquiry) -> Standing:
        """Return what is sure of what is asked, soon; never raises: what cannot be known in time is not known."""
        ...
