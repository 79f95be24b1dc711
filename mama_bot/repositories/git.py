"""Run git in work trees that are not trusted: bounded in time, and nothing that is configured there runs."""

import asyncio
import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mama_bot.errors import MamaBotError

# A repository that an agent works in is not trusted: nothing configured in it may run. A file that git would write
# otherwise at the next checkout is no reason to refuse it.
SAFE = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.quotePath": "false",
    "core.safecrlf": "false",
}
NOTHING_CONFIGURED = 1  # what `git config --get-regexp` answers where nothing matches
NO_REPOSITORY = "not a git repository (or any"  # what git says where it found none; a broken one reads otherwise
UNREADABLE = "\ufffd"
FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"


class GitFailed(MamaBotError):
    """git could not say what changed."""

    def __init__(self, *, directory: Path, command: str, reason: str) -> None:
        super().__init__(f"git {command} in {directory} failed: {reason}")
        self.directory = directory
        self.command = command
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a work tree begins, where its index and its objects are, and which filters are configured."""

    root: Path
    index: Path
    objects: Path
    filters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git: `seconds` bounds each call, and no repository is looked for in `ceiling` or above it."""

    seconds: float
    ceiling: Path | None = None

    async def find(self, path: Path) -> Repository | None:
        """Return the repository that a directory belongs to; raises GitFailed when there is one that cannot be used."""
        if not await asyncio.to_thread(path.is_dir):
            return None
        asked = ("rev-parse", "--show-toplevel", "--git-path", "index", "--git-path", "objects")
        status, output, errors = await self.run(path, *asked)
        if status != 0:
            if NO_REPOSITORY in errors:
                return None
            raise git_failure(path, "rev-parse", status, errors)
        root, index, objects = output.removesuffix("\n").rsplit("\n", 2)
        return Repository(Path(root), path / index, (path / objects).absolute(), await self._filters(path))

    async def _filters(self, path: Path) -> tuple[str, ...]:
        """Return the names of the settings of configured filters: each is a command that `git add` would run."""
        asked = ("config", "--null", "--name-only", "--get-regexp", FILTERS)
        status, output, errors = await self.run(path, *asked)
        if status not in (0, NOTHING_CONFIGURED):
            raise git_failure(path, "config", status, errors)
        if UNREADABLE in output:
            reason = "a filter is configured under a name that is not UTF-8, and could not be switched off"
            raise GitFailed(directory=path, command="config", reason=reason)
        return tuple(dict.fromkeys(name for name in output.split("\x00") if name))

    async def output(
        self,
        directory: Path,
        *arguments: str,
        variables: Mapping[str, str] | None = None,
        filters: tuple[str, ...] = (),
    ) -> str:
        """Return the output of a git command; raises GitFailed."""
        status, output, errors = await self.run(directory, *arguments, variables=variables, filters=filters)
        if status != 0:
            raise git_failure(directory, arguments[0], status, errors)
        return output

    async def run(
        self,
        directory: Path,
        *arguments: str,
        variables: Mapping[str, str] | None = None,
        filters: tuple[str, ...] = (),
    ) -> tuple[int, str, str]:
        """Return exit status, output and errors of a git command, which never outlives this call; raises GitFailed."""
        inherited = environment(filters) | self._bounds() | dict(variables or {})
        status, output, errors = await run_git(directory, *arguments, variables=inherited, seconds=self.seconds)
        return status, output.decode(errors="replace"), errors

    def _bounds(self) -> dict[str, str]:
        return {"GIT_CEILING_DIRECTORIES": str(self.ceiling.absolute())} if self.ceiling else {}


async def run_git(
    directory: Path, *arguments: str, variables: Mapping[str, str], seconds: float, given: bytes = b""
) -> tuple[int, bytes, str]:
    """Return exit status, output and errors of git, which never outlives this call; raises GitFailed.

    `variables` are its whole environment, `given` is its input.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *("git", *arguments),
            cwd=directory,
            env=variables,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        raise GitFailed(directory=directory, command=arguments[0], reason=str(error)) from error
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate(given)
    except TimeoutError as error:
        reason = f"no answer within {seconds:g} seconds"
        raise GitFailed(directory=directory, command=arguments[0], reason=reason) from error
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return process.returncode or 0, output, errors.decode(errors="replace")


def git_failure(directory: Path, command: str, status: int, errors: str) -> GitFailed:
    """Return the error for a command that did not end well."""
    return GitFailed(directory=directory, command=command, reason=errors.strip()[-300:] or f"exit status {status}")


def environment(filters: tuple[str, ...]) -> dict[str, str]:
    """Return the environment for git: this process's, without variables that redirect it, and with safe settings.

    The settings travel in the environment: there a name may hold "=", and git passes them on to submodules.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    settings = SAFE | {name: "false" if name.endswith(".required") else "" for name in filters}
    for number, (name, value) in enumerate(settings.items()):
        kept |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    fixed = {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "LC_ALL": "C.UTF-8",
        "LANGUAGE": "",
    }
    return kept | fixed | {"GIT_CONFIG_COUNT": str(len(settings))}
