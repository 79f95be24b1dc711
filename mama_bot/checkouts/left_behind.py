"""What runs leave in a work tree (caches, installed packages): no part of what is merged or pushed."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from mama_bot.checkouts.own_git import OwnGit

DIRECTORIES = frozenset(
    (
        *("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".eggs"),
        *("htmlcov", ".ipynb_checkpoints", "node_modules", ".nyc_output", ".turbo", ".gradle"),
    )
)
DIRECTORY_ENDINGS = (".egg-info",)
FILES = frozenset((".coverage", ".DS_Store"))
FILE_BEGINNINGS = (".coverage.",)  # of what runs beside each other write
FILE_ENDINGS = (".pyc", ".pyo")
# A directory with such a file says of itself that it is a cache (Rust's `target`), or holds installed packages.
MARKS = frozenset(("CACHEDIR.TAG", "pyvenv.cfg"))
ANY_NAME = "surrogateescape"  # names on a disk are bytes


async def left_behind_in(git: OwnGit, tree: Path, variables: Mapping[str, str]) -> tuple[str, ...]:
    """Return what runs left in a work tree and its commit holds nothing of: `shop/__pycache__`, `.coverage`.

    `variables` name a repository and an index with that commit. What git ignores is left out. Raises GitFailed.
    """
    listed = ("ls-files", "--others", "--exclude-standard", "-z")
    untracked = await git.output(tree, *listed, variables=variables, undecodable=ANY_NAME)
    left = left_behind(name for name in untracked.split("\x00") if name)
    if not left:
        return ()
    tracked = await git.output(tree, "ls-files", "-z", variables=variables, undecodable=ANY_NAME)
    held = {parent for name in tracked.split("\x00") for parent in _parents(name)}
    return tuple(name for name in left if name not in held)


def left_behind(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the outermost directories and files among these that runs leave, in order."""
    names = [*paths]
    marked = {place for name in names for place, _, last in (name.rpartition("/"),) if place and last in MARKS}
    return tuple(sorted({left for name in names if (left := _left(name, marked))}))


def _left(path: str, marked: set[str]) -> str:
    """Return the outermost part of a path that a run left; "" for none."""
    *_, last = path.split("/")
    for place in _parents(path):
        name = place.rpartition("/")[2]
        if place in marked or name in DIRECTORIES or name.endswith(DIRECTORY_ENDINGS):
            return place
    is_left = last in FILES or last.startswith(FILE_BEGINNINGS) or last.endswith(FILE_ENDINGS)
    return path if is_left else ""


def _parents(path: str) -> Iterable[str]:
    """Yield the directories in which a file lies, the outermost first."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)
