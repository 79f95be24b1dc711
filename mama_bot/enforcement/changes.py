"""What changed in a git work tree since a moment, asked of git itself."""

import asyncio
import contextlib
import os
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from mama_bot.errors import MamaBotError
from mama_bot.model import Turn

# A repository that an agent works in is not trusted: nothing configured in it may run.
SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")


_NO_COMMIT = re.compile(r"error: '([^'\n]+)/' does not have a commit")
NO_REPOSITORY = 128  # what git itself answers there


class GitFailed(MamaBotError):
    """git could not say what changed."""

    def __init__(self, *, directory: Path, command: str, reason: str) -> None:
        super().__init__(f"git {command} in {directory} failed: {reason}")
        self.directory = directory
        self.command = command
        self.reason = reason


class GitChanges:
    """The files that a turn changed in its workspace: committed, uncommitted, untracked, and both names of a rename.

    What was already changed when the turn began is not counted. `seconds` bounds each call of git; raises GitFailed
    when git is late or cannot read the repository.
    """

    def __init__(self, *, workspace_of: Callable[[Turn], Path], seconds: float = 8) -> None:
        self._workspace_of = workspace_of
        self._seconds = seconds

    async def since(self, turn: Turn) -> frozenset[str] | None:
        """The changed paths, relative to the repository's root; None without a baseline or a repository."""
        workspace = self._workspace_of(turn)
        now = await snapshot(workspace, seconds=self._seconds) if turn.baseline else ""
        if not now:
            return None
        compare = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", turn.baseline, now, "--")
        output = await git(workspace, *compare, seconds=self._seconds)
        return frozenset(name for name in output.split("\x00") if name)


async def snapshot(path: Path, *, seconds: float = 8) -> str:
    """The git tree of a work tree as it is on disk now, uncommitted and untracked files included, ignored ones not.

    "" without a repository. The index of the repository is not touched; the objects become garbage that git collects.
    Raises GitFailed.
    """
    status, output, _ = await run_git(path, "rev-parse", "--show-toplevel", "--git-path", "index", seconds=seconds)
    if status != 0:
        return ""
    root, index = output.removesuffix("\n").rsplit("\n", 1)
    with TemporaryDirectory(prefix="mama-bot-index-") as scratch:
        copy = Path(scratch) / "index"
        if (path / index).exists():
            # A copy keeps what git knows of unchanged files, so that only changed ones are read.
            await asyncio.to_thread(shutil.copy2, path / index, copy)
        aside = {"GIT_INDEX_FILE": str(copy)}
        await _add_all(Path(root), aside, seconds)
        return (await git(Path(root), "write-tree", seconds=seconds, variables=aside)).strip()


async def _add_all(root: Path, aside: Mapping[str, str], seconds: float) -> None:
    """Add the whole work tree; a repository inside it that has no commit yet cannot be added, and is left out."""
    add = ("add", "--all", "--ignore-errors", "--", ".")
    status, _, errors = await run_git(root, *add, seconds=seconds, variables=aside)
    if status != 0:
        empty = [match.group(1) for match in _NO_COMMIT.finditer(errors)]
        await git(root, *add, *(f":(exclude){name}" for name in empty), seconds=seconds, variables=aside)


async def git(directory: Path, *arguments: str, seconds: float, variables: Mapping[str, str] | None = None) -> str:
    """The output of a git command; raises GitFailed."""
    status, output, errors = await run_git(directory, *arguments, seconds=seconds, variables=variables)
    if status != 0:
        reason = errors.strip()[-300:] or f"exit status {status}"
        raise GitFailed(directory=directory, command=arguments[0], reason=reason)
    return output


async def run_git(
    directory: Path, *arguments: str, seconds: float, variables: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """Exit status, output and errors of a git command, which never outlives this call; raises GitFailed."""
    try:
        process = await asyncio.create_subprocess_exec(
            *("git", "--no-optional-locks", *SAFE, *arguments),
            cwd=directory,
            env=environment() | dict(variables or {}),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        if str(error.filename) == str(directory):
            return NO_REPOSITORY, "", str(error)
        raise GitFailed(directory=directory, command=arguments[0], reason=str(error)) from error
    except OSError as error:
        raise GitFailed(directory=directory, command=arguments[0], reason=str(error)) from error
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate()
    except TimeoutError as error:
        reason = f"no answer within {seconds:g} seconds"
        raise GitFailed(directory=directory, command=arguments[0], reason=reason) from error
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return process.returncode or 0, output.decode(errors="replace"), errors.decode(errors="replace")


def environment() -> dict[str, str]:
    """The environment for git: this process's, without what would point it elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "LC_ALL": "C.UTF-8"}
