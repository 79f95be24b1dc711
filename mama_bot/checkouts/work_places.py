"""Where work trees lie on the disk, and the marks by which one knows after a crash what each of them is."""

import asyncio
import contextlib
import itertools
import os
import signal
from collections.abc import Iterator
from pathlib import Path

TREES = "work_trees"
STORES = "repositories"
SCRATCH_STORE = "scratch"
READY = "ready"  # a spare that nobody has had yet
CLAIMED = "claimed"  # somebody works, or worked, there: it is removed by nothing but being put away
FURNISHED = "furnished"  # when the work tree of a delegation stood as it was to begin
# Tools leave directories that nobody may write, and then `rm` removes nothing below them. Nobody waits for it: whoever
# works goes first, on the processor and (where there is `ionice`) on the disk, and yet it comes to its end.
REMOVAL = """
exec 2>/dev/null
ionice -c 2 -n 7 -p $$
set -- nice -n 10 rm -rf -- "$1"
"$@" || { chmod -R u+rwX -- "$7"; exec "$@"; }
"""
AWAY = ".away"  # what was put away and is about to be removed


def store_directory(directory: Path, name: str) -> Path:
    """Return where the copy of a repository is that work trees borrow their objects from."""
    return directory / STORES / name / "store.git"


def kept_directory(directory: Path, name: str) -> Path:
    """Return where the work of conversations on a repository is kept ("": that on scratch ones)."""
    return directory / STORES / (name or SCRATCH_STORE) / "kept.git"


def borrowed_objects(directory: Path, workspace: Path) -> tuple[Path, ...]:
    """Return what a work tree of this service borrows: the objects of its store, and the home that set it up.

    Nothing for any other workspace.
    """
    trees, real = (directory / TREES).resolve(), workspace.resolve()
    return (store_directory(directory, real.name) / "objects", home_of(real)) if real.parent.parent == trees else ()


def home_of(tree: Path) -> Path:
    """Return the home of the commands that set a work tree up; what they install there is read by who works there."""
    return tree.parent / "home"


def move_away(tree: Path) -> Path:
    """Move a work tree, with all that belongs to it, to where a crash leaves it for `leftovers`; return that place."""
    place = whole_place(tree)
    numbered = (place.with_name(f"{place.name}.{number}{AWAY}") for number in itertools.count())
    away = next(name for name in numbered if not name.exists())
    if place.exists():
        place.rename(away)
    return away


async def remove_tree(tree: Path) -> None:
    """Remove a work tree with all that belongs to it."""
    await remove_files(await asyncio.to_thread(move_away, tree))


async def remove_files(place: Path) -> None:
    """Remove a directory with all that is in it, as far as that works.

    By a process of its own: a thread could not be stopped, and a very large tree takes minutes.
    """
    process = await asyncio.create_subprocess_exec("sh", "-c", REMOVAL, "sh", str(place), start_new_session=True)
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


def whole_place(tree: Path) -> Path:
    """Return what is removed with a work tree: the directory that was made for it."""
    return tree.parent if tree.parent.parent.name == TREES else tree


def set_mark(tree: Path, name: str) -> None:
    """Mark a work tree; a scratch one, which lies elsewhere, has no marks."""
    if tree.parent.parent.name == TREES:
        (tree.parent / name).touch()


def marked_at(tree: Path, name: str) -> int | None:
    """Return when a work tree was marked, in nanoseconds of its file system; None where it bears no such mark."""
    try:
        return (tree.parent / name).stat().st_mtime_ns
    except OSError:
        return None


def take_mark_off(tree: Path, name: str) -> None:
    """Take a mark off a work tree."""
    if tree.parent.parent.name == TREES:
        (tree.parent / name).unlink(missing_ok=True)


def ready_spares(directory: Path, name: str) -> tuple[Path, ...]:
    """Return the work trees of a repository that are ready and that nobody has had."""
    ready = sorted((directory / TREES).glob(f"*/{READY}"))
    trees = (mark.parent / name for mark in ready if not (mark.parent / CLAIMED).exists())
    return tuple(tree for tree in trees if tree.is_dir())


def leftovers(directory: Path, live: frozenset[Path]) -> Iterator[Path]:
    """Yield what a crash left behind and nobody has ever worked in, and what was put away and not quite removed."""
    yield from (directory / "workspaces").glob(f"*/*{AWAY}")
    if not (directory / TREES).is_dir():
        return
    for place in sorted((directory / TREES).iterdir()):
        used = any(tree.is_relative_to(place) for tree in live)
        marked = (place / CLAIMED).exists() or (place / READY).exists()
        if place.name.endswith(AWAY) or not (used or marked):
            yield place
