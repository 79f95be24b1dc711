"""What rules know of a path: where it lies, and what its name tells."""

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import Any

from mama_bot.facts.edits import is_test_file
from mama_bot.shell.flow import joined_path

TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/dev/shm")  # noqa: S108 - names: nothing is looked up
DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "-"})
LONGEST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an agent works, as far as a rule asks: `roots` are the names of the workspace, links followed or not.

    `existing`, `shown` and `written` are absolute paths; `branch` is what is checked out.
    """

    roots: tuple[str, ...]
    branch: str = ""
    empty: bool = False
    existing: frozenset[str] = field(default_factory=frozenset)
    shown: frozenset[str] = field(default_factory=frozenset)
    written: frozenset[str] = field(default_factory=frozenset)

    @property
    def root(self) -> str:
        """The first name of the workspace."""
        return self.roots[0]


def absolute(text: str, directory: str) -> str:
    """Return a path from where a program runs, without looking at the disk; of the home directory only `~` is known."""
    return text if text.startswith("~") else joined_path(directory, text)


def path_value(text: str, directory: str, place: Place) -> Mapping[str, Any]:
    """Return a path as a condition sees it."""
    where = absolute(text[:LONGEST], directory)
    inside = any(_below(where, root) for root in place.roots)
    whole = where.removesuffix("/*") if where.endswith("/*") else where
    above = any(whole == root or _below(root, whole) for root in place.roots)
    return {
        "text": text[:LONGEST],
        "absolute": where,
        "name": posixpath.basename(where),
        "inside": inside,
        "is_workspace": above,
        "temporary": where in DEVICES or (not above and any(_is_temporary(where, top, place) for top in TEMPORARY)),
        "unknown": "$" in where or "`" in where or where.startswith(("<(", ">(")),
        "secret": is_secret(where),
        "repository": _is_of_git(where),
        "test": is_test_file(where),
        "exists": where in place.existing,
        "shown": where in place.shown,
        "written": where in place.written,
    }


def path_values(texts: Iterable[str], directory: str, place: Place) -> list[Mapping[str, Any]]:
    """Return paths as a condition sees them."""
    return [path_value(text, directory, place) for text in texts]


@lru_cache(maxsize=2_000)
def is_secret(path: str) -> bool:
    """Return whether a path is one of a file that holds secrets, by its name."""
    folded = path.lower()
    if any(blank in folded for blank in " \n\t"):
        return False  # a sentence
    if any(_named(folded, pattern) for pattern in _listed("!")):
        return False
    return any(_named(folded, pattern) or _may_become(folded, pattern) for pattern in _listed(""))


def _named(path: str, pattern: str) -> bool:
    if "/" not in pattern:
        return fnmatchcase(path.rpartition("/")[2], pattern)
    return fnmatchcase(path, pattern if pattern.startswith("/") else f"*/{pattern}") or fnmatchcase(path, pattern)


def _may_become(path: str, secret: str) -> bool:
    """Return whether a shell that finds a file of that name puts it in the place of a path: `.env*`."""
    name = path.rpartition("/")[2]
    begun = min((name.find(sign) for sign in "*?[" if sign in name), default=0)
    return begun > 1 and "*" not in secret and fnmatchcase(secret.rpartition("/")[2], name)


def _is_of_git(path: str) -> bool:
    """Return whether a path is git's own directory, lies in it, or is a glob that a shell replaces by it: `.git*`."""
    name = posixpath.basename(path)
    return "/.git/" in path or (name.startswith(".") and fnmatchcase(".git", name))


@lru_cache(maxsize=2)
def _listed(mark: str) -> tuple[str, ...]:
    text = (files("mama_bot.rules") / "words" / "secret_files.txt").read_text(encoding="utf-8")
    lines = [line.strip().lower() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return tuple(line.removeprefix(mark) for line in lines if line.startswith("!") is (mark == "!"))


def _is_temporary(path: str, top: str, place: Place) -> bool:
    """Return whether a path lies in a directory for temporary files, apart from the one that holds the workspace."""
    if not _below(path, top):
        return False
    entry = path[len(top) + 1 :].partition("/")[0]
    return not any(root.startswith(f"{top}/{entry}/") for root in place.roots)


def _below(path: str, root: str) -> bool:
    return path != root and path.startswith(root.rstrip("/") + "/")
