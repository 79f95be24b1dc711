"""What differs between two states of a work tree, as people are shown it."""

from dataclasses import dataclass
from enum import StrEnum

from mama_bot.model.texts import keep_well_formed


class Unshown(StrEnum):
    """Why the lines of a file are not shown: it is no text or very large, its diff is long, or there are too many."""

    BINARY = "binary"
    LONG = "long"
    BEYOND = "beyond"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffFile:
    """A file that differs, its lines as a unified diff without the head; `added` and `removed` are None if unread."""

    path: str
    added: int | None
    removed: int | None
    patch: str = ""
    unshown: Unshown | None = None

    def __post_init__(self) -> None:
        keep_well_formed(self, "path", "patch")


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeDiff:
    """The files that differ, those first that are named; `total`, `added` and `removed` count all of them."""

    files: tuple[DiffFile, ...] = ()
    total: int = 0
    added: int = 0
    removed: int = 0

    @property
    def left_out(self) -> int:
        """How many files are not named."""
        return self.total - len(self.files)
