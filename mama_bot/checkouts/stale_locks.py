"""Remove the locks that a killed git left in a work tree: nobody else would, and no git works beside them."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import structlog

from mama_bot.confinement.plain_files import opened_below

log = structlog.get_logger(__name__)

LOCK = ".lock"
LEAST_AGE_SECONDS = 5.0  # so long a git that begins or ends may be overlooked
PROCESSES = Path("/proc")
MOST_DIRECTORIES = 10_000


def free_of_stale_locks(tree: Path) -> tuple[str, ...]:
    """Remove the locks in the git directory of a work tree whose git is dead; return those that somebody may hold.

    No link is followed, so that none of what an agent puts there leads to another place.
    """
    locks = [*_locks(tree)]
    if not locks:
        return ()
    alive = _git_runs_in(tree)
    held = []
    for name, directory in locks:
        with contextlib.suppress(OSError), opened_below(tree, Path(directory)) as descriptor:
            at = os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mtime
            shown = f"{directory}/{name}"
            if alive or time.time() - at < LEAST_AGE_SECONDS:
                held.append(shown)
                log.info("lock_held", tree=str(tree), lock=shown)
            else:
                os.unlink(name, dir_fd=descriptor)
                log.warning("stale_lock_removed", tree=str(tree), lock=shown)
    return tuple(held)


def _locks(tree: Path) -> Iterator[tuple[str, str]]:
    """Yield each lock by its name and the directory, named from the work tree, in which it lies."""
    with contextlib.suppress(OSError):
        with os.scandir(tree / ".git") as entries:
            yield from ((entry.name, ".git") for entry in entries if _is_lock(entry))
        for number, (place, _, files) in enumerate(os.walk(tree / ".git" / "refs")):
            if number > MOST_DIRECTORIES:
                return
            yield from ((name, os.path.relpath(place, tree)) for name in files if name.endswith(LOCK))


def _is_lock(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(LOCK) and entry.is_file(follow_symlinks=False)


def _git_runs_in(tree: Path) -> bool:
    """Return whether a git works in a tree, or nobody can tell."""
    try:
        processes = [each for each in PROCESSES.iterdir() if each.name.isdecimal()]
    except OSError:
        return True
    return not processes or any(_is_git_in(process, tree) for process in processes)


def _is_git_in(process: Path, tree: Path) -> bool:
    try:
        if not (process / "comm").read_text(errors="replace").startswith("git"):
            return False
        return (process / "cwd").readlink().is_relative_to(tree.resolve())
    except (FileNotFoundError, ProcessLookupError):
        return False  # it has ended
    except OSError:
        return True
