"""Bring the commits of a conversation to the source of its repository, by the service and never by force."""

import asyncio
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from mama_bot.checkouts import sentences as says
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.repository_store import RepositoryStore
from mama_bot.checkouts.thread_branch import ThreadBranch
from mama_bot.errors import PushRefused
from mama_bot.repositories.kept import quoted_directory
from mama_bot.wording import Said, one_line

log = structlog.get_logger(__name__)

PUSH_SECONDS = 120.0
REASON_CHARACTERS = 200
OPTIONS = ("--porcelain", "--no-signed", "--no-follow-tags", "--recurse-submodules=no", "--no-thin")
REJECTED = "!"
UP_TO_DATE = "="
# What git and the forges print where nobody knows who asks, or where they may not.
NO_CREDENTIALS = (
    "could not read username",
    "authentication failed",
    "permission denied (publickey",
    "invalid username or",
)
NO_RIGHT = ("permission to", "not allowed to push", "error: 403", "write access", "denied to", "deploy key")
PROTECTED = ("protected branch", "gh006", "gh013", "rule violations")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """Commits that are to be pushed, out of reach of whoever made them: `directory` is a repository of the service.

    `ahead` counts those that `target`, the branch where work began, does not have, `committed` files that were in no
    commit before.
    """

    directory: Path
    branch: str
    target: str
    commit: str
    ahead: int
    committed: int = 0
    left_out: tuple[str, ...] = ()


class BranchPush:
    """Takes the commits of a work tree, and pushes them to the source of its repository on a branch of their own."""

    def __init__(self, *, git: OwnGit, store: RepositoryStore) -> None:
        self._git = git
        self._store = store

    async def taken(self, tree: Path, branch: str, scratch: Path, *, message: str, at: datetime) -> Outgoing:
        """Return what is checked out in a work tree in which nobody works, copied into `scratch`.

        What no commit holds is committed first, with this message. `branch` is what it will be called at the source.
        Raises PushRefused, RepositoryUnavailable, GitFailed, OSError.
        """
        base = await self._store.last_base()
        if branch == base.branch:
            raise PushRefused(says.NEVER_DIRECTLY.of(branch=branch))
        checked_out = ThreadBranch(self._git, tree, self._store.objects)
        await checked_out.check()
        if await checked_out.is_unfinished():
            raise PushRefused(says.UNFINISHED)
        moment = at.replace(microsecond=0).isoformat()
        committed = await checked_out.commit_files(message, moment, for_others=True)
        commit = (await checked_out.head()).commit
        await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
        await asyncio.to_thread(scratch.mkdir, parents=True)
        new = ("init", "--quiet", "--bare", "--template=", f"--object-format={await self._store.object_format()}", ".")
        await self._git.output(scratch, *new)
        known = [line.split(" ", 1)[0] for line in (await self._store.references()).splitlines()]
        given = "".join(f"{line}\n" for line in (commit, *(f"^{each}" for each in dict.fromkeys(known)))).encode()
        pack = ("pack-objects", "--quiet", "--revs", "--non-empty", str(scratch / "objects" / "pack" / "pack"))
        await self._git.output(scratch, *pack, given=given, variables=self._reading(tree / ".git" / "objects"))
        # Nothing is sent that is not in this work tree or at the source already, whatever a commit names.
        whole = ("rev-list", "--objects", "--quiet", "--stdin")
        await self._git.output(scratch, *whole, given=given, variables=self._reading())
        since = f"{base.commit}..{commit}"
        count = await self._git.output(scratch, "rev-list", "--count", since, variables=self._reading())
        return Outgoing(
            directory=scratch,
            branch=branch,
            target=base.branch,
            commit=commit,
            ahead=int(count),
            committed=committed.files,
            left_out=committed.left_out,
        )

    async def push(self, outgoing: Outgoing) -> bool:
        """Push what was taken; False: the source has it already. Raises PushRefused, GitFailed."""
        status, told, errors = await self._store.pushed(
            outgoing.directory,
            outgoing.commit,
            outgoing.branch,
            *OPTIONS,
            seconds=PUSH_SECONDS,
            variables=self._reading(),
        )
        line = next((line.split("\t") for line in told.splitlines() if line.count("\t") >= 2), ["", "", ""])
        if status != 0 or line[0] == REJECTED:
            log.info("push_refused", repository=self._store.name, branch=outgoing.branch, reason=errors[-300:])
            reason = says.NOT_PUSHED.of(branch=outgoing.branch, reason=_reason(line[2], errors))
            raise PushRefused(known_refusal(self._store, outgoing.branch, f"{line[2]}\n{errors}") or reason)
        is_new = line[0] != UP_TO_DATE
        log.info("branch_pushed", repository=self._store.name, branch=outgoing.branch, new=is_new)
        return is_new

    def _reading(self, *objects: Path) -> Mapping[str, str]:
        """Return the variables by which git reads the objects of the store, and of these places."""
        read = (*objects, self._store.objects)
        return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": ":".join(quoted_directory(str(place)) for place in read)}


def known_refusal(store: RepositoryStore, branch: str, told: str) -> Said | None:
    """Return why a push was refused, as git and the forges tell it in words alone; None where nobody knows these."""
    words, facts = told.lower(), {"name": store.name, "branch": branch, "source": store.settings.source}
    if "non-fast-forward" in words or "fetch first" in words:
        return says.NOT_ON_TOP.of(**facts)
    for known, sentence in ((PROTECTED, says.PROTECTED), (NO_CREDENTIALS, says.NO_CREDENTIALS)):
        if any(word in words for word in known):
            return sentence.of(**facts)
    return says.MAY_NOT_PUSH.of(**facts) if any(word in words for word in NO_RIGHT) else None


def _reason(summary: str, errors: str) -> str:
    """Return the line that tells most: what a hook of the source said, else git's own complaint."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    remote = [line.removeprefix("remote:").strip() for line in lines if line.startswith("remote:")]
    complaints = [line for line in lines if line.startswith(("fatal:", "error:"))]
    listed = [*filter(None, remote), *([summary] if summary else []), *complaints, *lines]
    return one_line(listed[0], REASON_CHARACTERS).rstrip(".") if listed else "?"
