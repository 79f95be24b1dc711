"""How many lines a turn added to files and took out of them, as git counts them."""

import asyncio
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog

from mama_bot.repositories.git import FILTERS, NOTHING_CONFIGURED, UNREADABLE, Git, GitFailed

log = structlog.get_logger(__name__)

SECONDS = 1.0
MOST_PATHS = 200
MOST_BYTES = 1_000_000
BINARY_BYTES = 8_000  # where git looks for a NUL, which no text has


class GitLineCounts:
    """The `LineCounts` of git: two short calls, by which nothing that is configured in the repository runs."""

    def __init__(self, *, seconds: float = SECONDS, own: Path | None = None) -> None:
        """`own` is where this service keeps workspaces: no repository is looked for above it."""
        self._git = Git(seconds=seconds, ceiling=own)

    async def since(self, workspace: Path, commit: str, paths: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """See `LineCounts.since`."""
        if not commit or not paths or len(paths) > MOST_PATHS:
            return {}
        try:
            counted = await self._counted(workspace, commit, paths)
            if missing := [path for path in paths if path not in counted]:
                counted |= await self._new(workspace, missing)
        except (GitFailed, OSError, ValueError) as error:
            log.info("lines_not_counted", directory=str(workspace), reason=str(error))
            return {}
        return counted

    async def _counted(self, workspace: Path, commit: str, paths: Sequence[str]) -> dict[str, tuple[int, int]]:
        asked = ("config", "--null", "--name-only", "--get-regexp", FILTERS)
        status, output, errors = await self._git.run(workspace, *asked)
        if status not in (0, NOTHING_CONFIGURED) or UNREADABLE in output:
            raise GitFailed(directory=workspace, command="config", reason=errors.strip()[-300:] or "unreadable filters")
        filters = tuple(dict.fromkeys(name for name in output.split("\x00") if name))
        counting = ("diff", "--numstat", "-z", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv")
        where = ("--ignore-submodules=all", "--end-of-options", commit, "--", *_literally(paths))
        output = await self._git.output(workspace, *counting, *where, filters=filters)
        return dict(filter(None, (_lines_of(line) for line in output.split("\x00") if line)))

    async def _new(self, workspace: Path, paths: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return the lines of those files that git does not track, and does not ignore."""
        listed = ("ls-files", "-z", "--others", "--exclude-standard", "--")
        output = await self._git.output(workspace, *listed, *_literally(paths))
        names = [name for name in output.split("\x00") if name in paths]
        return await asyncio.to_thread(_read, workspace, names)


def _literally(paths: Sequence[str]) -> list[str]:
    return [f":(literal){path}" for path in paths]


def _lines_of(line: str) -> tuple[str, tuple[int, int]] | None:
    """Return a path with the lines that were added and taken out; None for a binary file."""
    added, removed, path = line.split("\t", 2)
    return (path, (int(added), int(removed))) if added.isdigit() and removed.isdigit() else None


def _read(workspace: Path, names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the lines of files as git would count them; those that are no small plain text are left out."""
    counted = {}
    for name in names:
        content = _content(workspace / name)
        if content is not None and b"\x00" not in content[:BINARY_BYTES]:
            counted[name] = (content.count(b"\n") + (bool(content) and not content.endswith(b"\n")), 0)
    return counted


def _content(path: Path) -> bytes | None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode) or state.st_size > MOST_BYTES:
            return None
        return file.read(MOST_BYTES)
