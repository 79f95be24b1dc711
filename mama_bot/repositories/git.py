"""Run git in work trees that are not trusted: bounded in time, and nothing that is configured there runs."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from mama_bot.errors import ErrorDecision, MamaBotError
from mama_bot.repositories.boundary import Boundary, Places, nothing_borrowed
from mama_bot.repositories.confined import ConfinedCall, GitReach, reach_of

# A repository that an agent works in is not trusted: nothing configured in it may run, and nothing in it decides what
# is measured. A file that git would write otherwise at the next checkout is no reason to refuse it.
SAFE = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.quotePath": "false",
    "core.safecrlf": "false",
    # What of a file's state is looked at, and which files are left out, is not for the repository to say.
    "core.trustctime": "true",
    "core.checkStat": "default",
    "core.fileMode": "true",
    "core.symlinks": "true",
    "core.ignoreCase": "false",
    "core.excludesFile": "/dev/null",
    "core.attributesFile": "/dev/null",
    "core.sparseCheckout": "false",
    "core.untrackedCache": "false",
    "core.splitIndex": "false",
    # No signature is looked at: that would run a program that the repository names.
    "log.showSignature": "false",
    **{f"gpg.{name}program": "/bin/false" for name in ("", "openpgp.", "ssh.", "x509.")},
    # A directory that looks like a repository, with settings that came with a commit, is none.
    "safe.bareRepository": "explicit",
    # A mounted repository belongs to somebody else, and nothing of it runs.
    "safe.directory": "*",
}
# What git is given of the service's own environment: no token, no key, no setting of the person's.
INHERITED = ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "GIT_EXEC_PATH")
FIXED = {
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    # Nothing is fetched, not even an object that a partial clone lacks: fetching runs what the repository names.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # What the repository says an object is to be replaced by is no part of it.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "LC_ALL": "C.UTF-8",
    "LANGUAGE": "",
}
UNREADABLE = "\ufffd"
FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"


class GitFailed(MamaBotError):
    """git could not say what changed."""

    decision: ClassVar = ErrorDecision.NOT_KNOWN

    def __init__(self, *, directory: Path, command: str, reason: str) -> None:
        super().__init__(f"git {command} in {directory} failed: {reason}")
        self.directory = directory
        self.command = command
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository by its place on the disk alone: where its work tree begins, its git directory, its objects.

    `object_format` is "sha1" or "sha256". What it configures about any of them does not count. `commit` is the one that
    was checked out when it was looked at, `tree` that commit's tree; "" before the first, and where it cannot be read.
    `common` is the git directory that its work trees share, `lent` is where objects are that it borrows.
    """

    root: Path
    directory: Path
    common: Path
    objects: Path
    object_format: str = "sha1"
    commit: str = ""
    tree: str = ""
    lent: tuple[Path, ...] = ()

    @property
    def variables(self) -> dict[str, str]:
        """Return the variables that make git take this repository with this work tree, whatever is configured there."""
        return {"GIT_DIR": str(self.directory), "GIT_WORK_TREE": str(self.root)}


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git: `seconds` bounds each call, and no repository is looked for in `ceiling` or above it.

    `borrowed` says where the service made a work tree below `ceiling` borrow objects from: nothing else there is read.
    """

    seconds: float
    ceiling: Path | None = None
    borrowed: Callable[[Path], Sequence[Path]] = nothing_borrowed

    async def find(self, path: Path) -> Repository | None:
        """Return the repository that a directory belongs to; raises GitFailed when there is one that cannot be used."""
        places = await asyncio.to_thread(self._places, path)
        if places is None:
            return None
        root, objects = places.root, places.objects[0]
        repository = Repository(root, places.directory, places.common, objects)
        asked = ("rev-parse", "--show-object-format", "--revs-only")
        heads = ("HEAD", "HEAD^{tree}")
        status, output, errors = await self.run(root, *asked, *heads, variables=repository.variables)
        if status != 0:  # its commit cannot be read: all else may
            status, output, errors = await self.run(root, *asked, variables=repository.variables)
        if status != 0:
            raise git_failure(path, "rev-parse", status, errors)
        object_format, commit, tree = (*output.split("\n"), "", "")[:3]
        return replace(repository, object_format=object_format, commit=commit, tree=tree, lent=places.objects[1:])

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
        reach = await asyncio.to_thread(self._reach, directory, inherited)
        status, output, errors = await run_git(
            directory, *arguments, variables=inherited, seconds=self.seconds, reach=reach
        )
        return status, output.decode(errors="replace"), errors

    def _reach(self, directory: Path, variables: Mapping[str, str]) -> GitReach:
        """Return what a call needs: with no git directory of ours, the repository that the work tree belongs to."""
        given = variables.get("GIT_DIR", "")
        places = self._places(Path(variables.get("GIT_WORK_TREE", directory)))
        if places is None or given not in ("", str(places.directory)):
            return reach_of(directory, variables)
        return reach_of(directory, variables, (places.root, places.directory, places.common, *places.objects))

    def _places(self, path: Path) -> Places | None:
        try:
            return Boundary(self.ceiling, self.borrowed).places(path)
        except (OSError, ValueError) as error:
            raise GitFailed(directory=path, command="rev-parse", reason=str(error)) from error

    def _bounds(self) -> dict[str, str]:
        return {"GIT_CEILING_DIRECTORIES": str(self.ceiling.absolute())} if self.ceiling else {}


async def run_git(
    directory: Path,
    *arguments: str,
    variables: Mapping[str, str],
    seconds: float,
    given: bytes = b"",
    reach: GitReach | None = None,
) -> tuple[int, bytes, str]:
    """Return exit status, output and errors of git, which never outlives this call; raises GitFailed.

    `variables` are its whole environment, `given` is its input, `reach` what it may read and write where the kernel
    holds that (None: whatever this process may).
    """
    call = ConfinedCall(("git", *arguments), directory=directory, variables=variables, reach=reach)
    try:
        status, output, errors = await call.run(given, seconds)
    except TimeoutError as error:
        reason = f"no answer within {seconds:g} seconds"
        raise GitFailed(directory=directory, command=arguments[0], reason=reason) from error
    except OSError as error:
        raise GitFailed(directory=directory, command=arguments[0], reason=str(error)) from error
    return status, output, errors.decode(errors="replace")


def git_failure(directory: Path, command: str, status: int, errors: str) -> GitFailed:
    """Return the error for a command that did not end well."""
    return GitFailed(directory=directory, command=command, reason=errors.strip()[-300:] or f"exit status {status}")


def environment(filters: tuple[str, ...]) -> dict[str, str]:
    """Return the whole environment for git: a few variables of this process, and settings that nobody else decides.

    The settings travel in the environment: there a name may hold "=", and git passes them on to submodules.
    """
    kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
    settings = SAFE | {name: "false" if name.endswith(".required") else "" for name in filters}
    for number, (name, value) in enumerate(settings.items()):
        kept |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return kept | FIXED | {"GIT_CONFIG_COUNT": str(len(settings))}
