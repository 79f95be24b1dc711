"""Refuse a work tree whose `.git` leads elsewhere: agents own it, and the service runs git over it."""

import os
import stat
from pathlib import Path

from mama_bot.confinement.plain_files import plain_bytes
from mama_bot.repositories.git import GitFailed
from mama_bot.repositories.kept import quoted_directory

MOST_ENTRIES = 2_000_000  # more than a repository that anybody works in; it bounds how long the walk takes
MOST_INDEX_BYTES = 1 << 30
MOST_ALTERNATES_BYTES = 1 << 16
MOST_LOG_BYTES = 1 << 24


def alternates_of(objects: Path | None) -> bytes:
    """Return what the service writes into a work tree that borrows these objects."""
    return b"" if objects is None else f"{quoted_directory(str(objects))}\n".encode()


def refuse_planted(tree: Path, objects: Path | None) -> None:
    """Raise GitFailed, or OSError, unless all that git reads of a work tree lies in it, but objects that it borrows.

    Nobody works in a tree that is put away or handed over, so that what was seen here is what git then finds: there is
    no race to win. Where git merely looks while an agent works, the kernel has to hold it.
    """
    directory = tree / ".git"
    for place in (tree, directory):
        if not stat.S_ISDIR(os.lstat(place).st_mode):
            raise _refused(tree, f"{place.name} is no directory")
    _walk(tree, directory)
    if os.path.lexists(directory / "commondir"):
        raise _refused(tree, ".git/commondir names another repository")
    index = directory / "index"
    if index.exists() and index.stat().st_size > MOST_INDEX_BYTES:
        raise _refused(tree, ".git/index is too large")
    if read_plain(tree, directory / "objects" / "info" / "alternates", MOST_ALTERNATES_BYTES) != alternates_of(objects):
        raise _refused(tree, ".git/objects/info/alternates is not what the service wrote there")


def read_plain(tree: Path, file: Path, most: int) -> bytes:
    """Return what a file of a work tree holds, b"" without one; raises GitFailed, OSError.

    No link is followed, and nothing that has no end is read.
    """
    held = plain_bytes(file, most + 1)
    if held is not None and len(held) > most:
        raise _refused(tree, f"{file.relative_to(tree)} is too large")
    return held or b""


def _walk(tree: Path, directory: Path) -> None:
    """Raise GitFailed where an entry is neither a file nor a directory; links are not followed."""
    seen, left = 0, [str(directory)]
    hooks = str(directory / "hooks")
    while left:
        with os.scandir(place := left.pop()) as entries:
            for entry in entries:
                seen += 1
                if seen > MOST_ENTRIES:
                    raise _refused(tree, ".git holds too many files")
                if entry.is_dir(follow_symlinks=False):
                    left.append(entry.path)
                # People link their hooks to files of the repository, and the service's git reads no hooks.
                elif not (entry.is_file(follow_symlinks=False) or (place == hooks and entry.is_symlink())):
                    shown = os.path.relpath(entry.path, tree)
                    raise _refused(tree, f"{shown} is neither a file nor a directory")


def _refused(tree: Path, reason: str) -> GitFailed:
    return GitFailed(directory=tree, command="work tree", reason=reason)
