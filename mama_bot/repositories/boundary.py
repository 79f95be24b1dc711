"""Where the parts of a repository lie: what an agent wrote leads to nothing that is not the repository's own."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mama_bot.confinement.plain_files import small_text
from mama_bot.repositories.kept import quoted_directory

MOST_ALTERNATES = 20


def nothing_borrowed(root: Path) -> Sequence[Path]:
    """Return nothing: no work tree borrows from the service."""
    del root
    return ()


@dataclass(frozen=True, slots=True)
class Places:
    """Where a work tree begins, its git directory, the one that its repository shares, and where objects are.

    The first of the objects are the repository's own, the others are borrowed. No link is in any of them.
    """

    root: Path
    directory: Path
    common: Path
    objects: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Boundary:
    """Says what belongs to a repository. Of what lies below `own`, the service's data, nothing does but its work tree.

    `borrowed` says where the service itself made a work tree borrow objects from.
    """

    own: Path | None = None
    borrowed: Callable[[Path], Sequence[Path]] = nothing_borrowed

    def root_and_directory(self, path: Path) -> tuple[Path, Path] | None:
        """Return where the work tree that a directory belongs to begins, and its git directory; None without one.

        Only `.git` counts, a directory or a file that names one, and nothing in or above `own`: git itself would also
        go by what is configured, and take a directory that only looks like a repository. Raises OSError.
        """
        if not path.is_dir():
            return None
        real = path.resolve()
        top = None if self.own is None else self.own.resolve()
        for root in (real, *real.parents):
            if root == top:
                return None
            entry = root / ".git"
            try:
                mode = entry.lstat().st_mode
            except (FileNotFoundError, NotADirectoryError):
                continue
            return root, self._belonging(root, entry) if stat.S_ISLNK(mode) else self._directory(root, entry, mode)
        return None

    def places(self, path: Path) -> Places | None:
        """Return the places of the repository that a directory belongs to; None without one. Raises OSError."""
        place = self.root_and_directory(path)
        if place is None:
            return None
        root, directory = place
        common = self._common(root, directory)
        objects = _real(common / "objects")
        if not objects.is_relative_to(common):
            self._belonging(root, objects)
        return Places(root, directory, common, (objects, *self._alternates(root, common, objects)))

    def _directory(self, root: Path, entry: Path, mode: int) -> Path:
        if stat.S_ISDIR(mode):
            return entry
        named = small_text(entry) or ""
        if not named.startswith("gitdir:"):
            raise OSError(f"{entry} names no repository")
        directory = _real(root / named.removeprefix("gitdir:").strip())
        if self._belongs(root, directory):
            return directory
        # The repository itself has to know the work tree: an agent can write the link, and not what it leads to.
        if self._is_ours(directory) or not _knows(directory, root):
            raise OSError(f"{entry} names a repository that knows nothing of this work tree")
        return directory

    def _common(self, root: Path, directory: Path) -> Path:
        named = small_text(directory / "commondir")
        common = directory if named is None else _real(directory / named.strip())
        is_linked = directory.parent.name == "worktrees" and not directory.is_relative_to(root)
        linked = directory.parent.parent if is_linked else directory
        return common if common in (directory, linked) else self._belonging(root, common)

    def _alternates(self, root: Path, common: Path, objects: Path) -> Iterator[Path]:
        """Yield where a repository borrows objects; what the service's own places borrow, no agent wrote."""
        recorded = [_real(place) for place in self.borrowed(root)]
        quoted = {quoted_directory(str(place)): _real(place) for place in self.borrowed(root)}
        waiting, seen = [(objects, False)], {objects}
        while waiting:
            borrower, trusted = waiting.pop()
            for line in (small_text(borrower / "info/alternates") or "").split("\n"):
                place = quoted.get(line) or _real(borrower / line)
                if not line or line.startswith("#") or place in seen:
                    continue
                known = trusted or place in recorded
                if line.startswith('"') and line not in quoted:  # git would read another place out of it
                    raise OSError(f"{borrower} borrows objects from a place that is written in an odd way")
                if not known and not place.is_relative_to(common) and not self._may_lend(root, place):
                    raise OSError(f"{borrower} borrows objects that are not for this work tree")
                seen.add(place)
                if len(seen) > MOST_ALTERNATES:
                    raise OSError(f"{objects} borrows from more than {MOST_ALTERNATES} places")
                waiting.append((place, known))
                yield place

    def _may_lend(self, root: Path, place: Path) -> bool:
        """Return whether a work tree may borrow there: who works in place may have done so before any agent came."""
        return self._belongs(root, place) or not (self._is_ours(root) or self._is_ours(place))

    def _belonging(self, root: Path, place: Path) -> Path:
        real = _real(place)
        if not self._belongs(root, real):
            raise OSError(f"{place} leads out of the repository")
        return real

    def _belongs(self, root: Path, place: Path) -> bool:
        return place.is_relative_to(root) and (self._is_ours(root) or not self._is_ours(place))

    def _is_ours(self, place: Path) -> bool:
        return self.own is not None and place.is_relative_to(self.own.resolve())


def _knows(directory: Path, root: Path) -> bool:
    """Return whether a git directory leads back to a work tree: as a linked one, or as a submodule."""
    if directory.parent.name == "worktrees":
        back = small_text(directory / "gitdir")
        return back is not None and _real(directory / back.strip()) == root / ".git"
    for line in (small_text(directory / "config") or "").splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "worktree":
            return _real(directory / value.strip().strip('"')) == root
    return False


def _real(place: Path) -> Path:
    return Path(os.path.realpath(place))
