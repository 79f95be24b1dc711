"""What changed in a git repository since a commit, asked of git itself."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from mama_bot.errors import MamaBotError
from mama_bot.model import Turn

# A repository that an agent works in is not trusted: nothing configured in it may run.
SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")


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

    `seconds` bounds each call of git; raises GitFailed when git is late or cannot read the repository.
    """

    def __init__(self, *, workspace_of: Callable[[Turn], Path], seconds: float = 8) -> None:
        self._workspace_of = workspace_of
        self._seconds = seconds

    async def since(self, turn: Turn) -> frozenset[str] | None:
        """The changed paths, relative to the repository's root; None without a baseline or a repository."""
        workspace = self._workspace_of(turn)
        root = await repository_root(workspace, seconds=self._seconds) if turn.baseline else None
        if root is None:
            return None
        diff = ("diff", "--name-status", "-z", "-M", "--no-ext-diff", "--no-textconv", turn.baseline, "--")
        tracked = await git(root, *diff, seconds=self._seconds)
        others = ("ls-files", "--others", "--exclude-standard", "-z")
        untracked = await git(root, *others, seconds=self._seconds)
        return frozenset(name_status(tracked)) | frozenset(name for name in untracked.split("\x00") if name)


async def head_commit(path: Path, *, seconds: float = 8) -> str:
    """The commit that a directory's repository stands at; "" without a repository or a commit.

    Raises GitFailed when git is late.
    """
    status, output, _ = await run_git(path, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", seconds=seconds)
    return output.strip() if status == 0 else ""


async def repository_root(path: Path, *, seconds: float) -> Path | None:
    """The root of the work tree that a directory belongs to; None when there is none."""
    status, output, _ = await run_git(path, "rev-parse", "--show-toplevel", seconds=seconds)
    return Path(output.removesuffix("\n")) if status == 0 and output.strip() else None


def name_status(output: str) -> Iterator[str]:
    """The paths in the output of `git diff --name-status -z`."""
    fields = iter(output.split("\x00"))
    for status in fields:
        names = 2 if status[:1] in ("R", "C") else 1
        for _ in range(names if status else 0):
            name = next(fields, "")
            if name:
                yield name


async def git(directory: Path, *arguments: str, seconds: float) -> str:
    """The output of a git command; raises GitFailed."""
    status, output, errors = await run_git(directory, *arguments, seconds=seconds)
    if status != 0:
        reason = errors.strip()[-300:] or f"exit status {status}"
        raise GitFailed(directory=directory, command=arguments[0], reason=reason)
    return output


async def run_git(directory: Path, *arguments: str, seconds: float) -> tuple[int, str, str]:
    """Exit status, output and errors of a git command, which never outlives this call; raises GitFailed."""
    try:
        process = await asyncio.create_subprocess_exec(
            *("git", "--no-optional-locks", *SAFE, *arguments),
            cwd=directory,
            env=environment(),
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
