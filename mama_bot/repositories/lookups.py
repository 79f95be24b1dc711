"""Look up what a draft claims of the disk and of git's history: nothing configured there runs, nothing is fetched."""

import asyncio
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import structlog

from mama_bot.errors import MamaBotError
from mama_bot.model import NOTHING_KNOWN, Enquiry, Standing, Turn
from mama_bot.repositories.boundary import nothing_borrowed
from mama_bot.repositories.git import Git

log = structlog.get_logger(__name__)

SECONDS = 1.0
MOST_ENTRIES = 30_000
# What git knows of a remote is what was last fetched; an object that is not there is not fetched either.
OFFLINE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
UNSEARCHED = frozenset((".git", "node_modules", ".venv", "__pycache__"))
REMOTES = "refs/remotes/"


class WorkspaceStandings:
    """The `Standings` of a disk and git: what cannot be known within `seconds` is not known."""

    def __init__(
        self,
        *,
        workspace_of: Callable[[Turn], Path],
        seconds: float = SECONDS,
        own: Path | None = None,
        borrowed: Callable[[Path], Sequence[Path]] = nothing_borrowed,
    ) -> None:
        """`own` is where this service keeps workspaces: no repository is looked for above it.

        `borrowed` says where the service made a work tree there borrow objects from.
        """
        self._workspace_of = workspace_of
        self._seconds = seconds
        self._git = Git(seconds=seconds, ceiling=own, borrowed=borrowed)

    async def standing(self, turn: Turn, enquiry: Enquiry) -> Standing:
        """See `Standings.standing`."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._standing(self._workspace_of(turn), enquiry)
        except (MamaBotError, OSError, ValueError, TimeoutError) as error:
            log.info("standing_unknown", turn_id=turn.id, reason=f"{type(error).__name__}: {error}")
            return NOTHING_KNOWN

    async def _standing(self, workspace: Path, enquiry: Enquiry) -> Standing:
        present = await asyncio.to_thread(_present, workspace, (*enquiry.files, *enquiry.names))
        missing = [path for path in (*enquiry.files, *enquiry.names) if path not in present and _is_inside(path)]
        absent = await asyncio.to_thread(_nowhere, workspace, missing) if missing else frozenset[str]()
        if absent:
            absent -= await self._committed(workspace, absent)
        lost, unpushed = await self._commits(workspace, enquiry.commits)
        unheard = [name for name in enquiry.hashes if await self._is_unheard(workspace, name)]
        return Standing(
            present=present,
            absent=absent,
            lost=lost,
            unpushed=unpushed,
            unheard=frozenset(unheard),
            committed=await self._in_commit(workspace, enquiry.unmoved),
        )

    async def _run(self, workspace: Path, *arguments: str) -> tuple[int, str, str]:
        return await self._git.run(workspace, *arguments, variables=OFFLINE)

    async def _committed(self, workspace: Path, names: Collection[str]) -> frozenset[str]:
        """Return those of the files that stand in some commit: of another branch, or of before they were removed."""
        patterns = [f":(glob,top)**/{name}" for name in names if not set(name) & set("*?[\\")]
        if not patterns:
            return frozenset()
        asked = ("log", "--all", "--max-count=20", "--format=", "--name-only", "--no-renames", "--", *patterns)
        status, output, _ = await self._run(workspace, *asked)
        known = output.splitlines() if status == 0 else []
        return frozenset(name for name in names if any(f"/{path}".endswith(f"/{name}") for path in known))

    async def _in_commit(self, workspace: Path, paths: Collection[str]) -> frozenset[str]:
        """Return those of the files that are in the commit that is checked out."""
        inside = [path for path in paths if _is_inside(path)]
        if not inside:
            return frozenset()
        status, output, _ = await self._run(workspace, "ls-tree", "--name-only", "-z", "HEAD", "--", *inside)
        return frozenset(inside) & frozenset(output.split("\0")) if status == 0 else frozenset()

    async def _commits(self, workspace: Path, commits: Collection[str]) -> tuple[frozenset[str], frozenset[str]]:
        """Return which commits no branch has any more, and which no branch of a remote has, where there is a remote."""
        lost: set[str] = set()
        unpushed: set[str] = set()
        for commit in commits:
            asked = ("for-each-ref", "--format=%(refname)", f"--contains={commit}")
            status, output, _ = await self._run(workspace, *asked)
            if status != 0:
                continue
            branches = output.split()
            if not any(branch.startswith(REMOTES) for branch in branches) and await self._has_remote(workspace):
                unpushed.add(commit)
            if not branches:
                status, _, _ = await self._run(workspace, "merge-base", "--is-ancestor", commit, "HEAD")
                lost.update({commit} if status == 1 else ())
        return frozenset(lost), frozenset(unpushed - lost)

    async def _has_remote(self, workspace: Path) -> bool:
        status, output, _ = await self._run(workspace, "for-each-ref", "--count=1", "--format=%(refname)", REMOTES)
        return status == 0 and bool(output.strip())

    async def _is_unheard(self, workspace: Path, name: str) -> bool:
        """Return whether a repository has no commit of this name; without a repository nobody knows."""
        status, _, errors = await self._run(workspace, "cat-file", "-e", f"{name}^{{commit}}")
        if status == 0 or "ambiguous" in errors:
            return False
        status, output, _ = await self._run(workspace, "rev-parse", "--is-inside-work-tree", "--is-shallow-repository")
        return status == 0 and output.split() == ["true", "false"]


def _is_inside(path: str) -> bool:
    """Return whether a path is in the part of a workspace that is searched."""
    return not path.startswith(("/", "../", "~")) and UNSEARCHED.isdisjoint(path.split("/"))


def _present(workspace: Path, paths: Collection[str]) -> frozenset[str]:
    return frozenset(path for path in paths if not path.startswith("~") and os.path.lexists(workspace / path))


def _nowhere(workspace: Path, names: Collection[str]) -> frozenset[str]:
    """Return those of the names that end no path of the workspace; none where it is too large to be searched."""
    left = {name.lower() for name in names}
    for count, path in enumerate(_paths(workspace)):
        if count > MOST_ENTRIES:
            return frozenset()
        parts = path.lower().split("/")
        left.difference_update("/".join(parts[start:]) for start in range(len(parts)))
        if not left:
            break
    return frozenset(name for name in names if name.lower() in left)


def _paths(workspace: Path) -> Iterator[str]:
    """Yield what is in a workspace, directories too, relative to it."""
    for directory, directories, files in os.walk(workspace, onerror=_raise):
        directories[:] = [name for name in directories if name not in UNSEARCHED]
        base = os.path.relpath(directory, workspace)
        yield from (name if base == "." else f"{base}/{name}" for name in (*directories, *files))


def _raise(error: OSError) -> None:
    raise error
