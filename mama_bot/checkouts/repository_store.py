"""The service's own copy of a repository: bare, fetched by the service, read by everybody who works in it."""

import asyncio
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog

from mama_bot.checkouts import sentences as says
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.config import RepositorySettings, is_url
from mama_bot.errors import RepositoryUnavailable
from mama_bot.model import MissingContents
from mama_bot.provisions import GitWay
from mama_bot.recent import Recent
from mama_bot.repositories.committed_files import MOST_BYTES, committed_files, oversized_files
from mama_bot.repositories.git import GitFailed
from mama_bot.wording import Said

log = structlog.get_logger(__name__)

FRESH_SECONDS = 10.0  # so long what was fetched counts as what is there now
PATIENCE_SECONDS = 20.0  # what the beginning of a conversation waits for news where there is something to begin with
# What other people collect must not go while a work tree borrows it: nothing is ever collected here.
SETTINGS = (("gc.auto", "0"), ("gc.pruneExpire", "never"), ("maintenance.auto", "false"))
SUBMODULE = "160000"  # the mode of its entry in a tree
ATTRIBUTES, LARGE_FILES = ".gitattributes", "filter=lfs"
REMEMBERED = 8
MOST_EARLIER = 30
MOST_ASKED = 500
MOST_PACKS, MOST_LOOSE = 50, 5_000  # more of them make every git that reads here slow
BRANCHES = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
# Who keeps their own checkout of the source sees the new commit in it, or the push is refused where that would lose
# something; and what git writes there is for them to read.
RECEIVE_LOCALLY = "umask 022; git -c receive.denyCurrentBranch=updateInstead receive-pack"
HEAD_LINE = "ref: refs/heads/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """Where the work of a conversation begins."""

    branch: str
    commit: str


class RepositoryStore:
    """A bare repository with the branches and tags of its source, and nothing of anybody's work.

    `seconds` bounds each fetch, `now` is in seconds, `way` is how its source is reached.
    """

    def __init__(
        self,
        *,
        name: str,
        settings: RepositorySettings,
        directory: Path,
        git: OwnGit,
        seconds: float,
        now: Callable[[], float],
        way: GitWay | None = None,
    ) -> None:
        self.name = name
        self.settings = settings
        self.directory = directory
        self._git = git
        self._seconds = seconds
        self._now = now
        self._way = way
        self._fetched_at: float | None = None
        self._lock = asyncio.Lock()
        self._missing: Recent[str, MissingContents] = Recent(REMEMBERED)

    @property
    def objects(self) -> Path:
        """Where the objects are that work trees borrow."""
        return self.directory / "objects"

    async def base(self) -> Base:
        """Return where work begins now; raises RepositoryUnavailable.

        What was fetched last is good enough where the source does not answer in time.
        """
        there = self.directory.is_dir()
        try:
            await self.fetch(seconds=PATIENCE_SECONDS if there else self._seconds)
        except RepositoryUnavailable as error:
            if not there:
                raise
            log.warning("repository_not_fetched", repository=self.name, reason=str(error))
        return await self.last_base()

    async def last_base(self) -> Base:
        """Return where work begins by what was fetched last; raises RepositoryUnavailable."""
        try:
            branch = self.settings.branch or await self._default_branch()
            asked = ("rev-parse", "--quiet", "--verify", f"refs/heads/{branch}^{{commit}}")
            commit = (await self._git.output(self.directory, *asked)).strip()
        except GitFailed as error:
            if await self._is_empty():
                raise self._unavailable(says.NO_COMMIT) from error
            branch = self.settings.branch or "HEAD"
            raise self._unavailable(says.NO_BRANCH.of(branch=branch)) from error
        return Base(branch=branch, commit=commit)

    async def fetch(self, *, seconds: float | None = None, head: bool = False, anew: bool = False) -> None:
        """Bring the store up to date unless it just was (`anew`: even then); raises RepositoryUnavailable.

        With `head` the source is asked as well which branch it has checked out.
        """
        async with self._lock:
            if not anew and self._fetched_at is not None and self._now() - self._fetched_at < FRESH_SECONDS:
                return
            try:
                if self.directory.is_dir():
                    await self._fetch(self.directory, seconds or self._seconds, head=head)
                else:
                    await self._clone(seconds or self._seconds)
            except GitFailed as error:
                raise self._unavailable(says.UNREACHABLE.of(reason=_told(error))) from error
            except OSError as error:
                raise self._unavailable(says.NOT_MADE.of(reason=error.strerror or str(error))) from error
            self._fetched_at = self._now()

    async def push(self, directory: Path, commit: str, branch: str) -> str:
        """Let a branch of the source be at a commit, which a bare repository holds; return why it was not taken.

        Nothing is forced: where the source is ahead of what the commit is made of, it refuses. Raises GitFailed.
        """
        status, _, errors = await self.pushed(directory, commit, branch, "--quiet", seconds=self._seconds, variables={})
        return "" if status == 0 else errors.strip() or "?"

    async def pushed(
        self,
        directory: Path,
        commit: str,
        branch: str,
        *options: str,
        seconds: float,
        variables: Mapping[str, str],
    ) -> tuple[int, str, str]:
        """Return exit status, output and errors of a push; a source on this machine stays its owner's."""
        source = self.settings.source
        further = () if is_url(source) else (f"--receive-pack={RECEIVE_LOCALLY}",)
        arguments = ("push", *options, *further, "--", source, f"{commit}:refs/heads/{branch}")
        return await self._git.reached(directory, *arguments, seconds=seconds, variables=variables, way=self._way)

    async def tidy(self) -> None:
        """Put what many fetches brought into one pack; nothing goes, what no branch holds any more neither."""
        told = await self._git.output(self.directory, "count-objects", "-v")
        counts = {name: int(value) for name, _, value in (line.partition(": ") for line in told.splitlines())}
        if counts.get("packs", 0) > MOST_PACKS or counts.get("count", 0) > MOST_LOOSE:
            await self._git.output(self.directory, "repack", "-a", "-d", "-q", "--keep-unreachable")
            log.info("store_tidied", repository=self.name, packs=counts.get("packs"), loose=counts.get("count"))

    async def references(self) -> str:
        """Return the branches and tags, a line each: the object and the full name."""
        listed = ("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags")
        return await self._git.output(self.directory, *listed)

    async def files(self, *paths: str, most_bytes: int = MOST_BYTES) -> Mapping[str, str]:
        """Return files at or below these paths as work begins with them; raises RepositoryUnavailable, GitFailed."""
        base = await self.last_base()
        return await committed_files(
            partial(self._git.output, self.directory), base.commit, paths, most_bytes=most_bytes
        )

    async def missing(self, commit: str) -> MissingContents:
        """Return what a commit names and no work tree of it will hold; raises GitFailed."""
        if commit not in self._missing:
            listed = await self._git.output(self.directory, "ls-tree", "-r", "-z", "--full-tree", commit)
            entries = (entry.partition("\t") for entry in listed.split("\0") if entry.startswith(SUBMODULE))
            attributes = await committed_files(partial(self._git.output, self.directory), commit, (ATTRIBUTES,))
            self._missing[commit] = MissingContents(
                submodules=tuple(path for _, _, path in entries),
                large_files=LARGE_FILES in attributes.get(ATTRIBUTES, ""),
            )
        return self._missing[commit]

    async def is_in(self, commit: str, base: Base) -> bool:
        """Return whether a commit is part of the history where work begins; raises GitFailed."""
        return await self._git.succeeds(self.directory, "merge-base", "--is-ancestor", commit, base.commit)

    async def holds_any(self, commit: str, paths: Sequence[str]) -> bool:
        """Return whether a commit holds something at or below one of these paths; raises GitFailed."""
        listed = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", *paths[:MOST_ASKED])
        return bool(await self._git.output(self.directory, *listed))

    async def oversized(self, *paths: str) -> tuple[str, ...]:
        """Return which of these files `files` leaves out for their size; raises RepositoryUnavailable, GitFailed."""
        base = await self.last_base()
        return await oversized_files(partial(self._git.output, self.directory), base.commit, paths)

    async def earlier(self, path: str) -> Sequence[str]:
        """Return a file as it was before, the latest first; raises RepositoryUnavailable, GitFailed."""
        base = await self.last_base()
        listed = ("log", "--format=%H", f"--max-count={MOST_EARLIER}", base.commit, "--", path)
        output = partial(self._git.output, self.directory)
        commits = (await output(*listed)).split()
        return [text for each in commits for text in (await committed_files(output, each, (path,))).values()]

    async def object_format(self) -> str:
        """Return "sha1" or "sha256"."""
        return (await self._git.output(self.directory, "rev-parse", "--show-object-format")).strip()

    async def _clone(self, seconds: float) -> None:
        # Under another name first: a directory that exists is complete. What a crash left is thrown away.
        making = self.directory.with_name(self.directory.name + ".making")
        await asyncio.to_thread(shutil.rmtree, making, ignore_errors=True)
        making.mkdir(parents=True)
        await self._git.output(making, "init", "--quiet", "--bare", "--template=", ".")
        for name, value in SETTINGS:
            await self._git.output(making, "config", name, value)
        await self._fetch(making, seconds, head=True)
        making.rename(self.directory)
        log.info("repository_cloned", repository=self.name, source=self.settings.source)

    async def _fetch(self, directory: Path, seconds: float, *, head: bool) -> None:
        source = self.settings.source
        quiet = ("--quiet", "--no-auto-gc", "--no-write-fetch-head", "--prune", "--force")
        await self._git.reaching(directory, "fetch", *quiet, "--", source, *BRANCHES, seconds=seconds, way=self._way)
        if not head or self.settings.branch:
            return
        asked = ("ls-remote", "--symref", "--", source, "HEAD")
        told = await self._git.reaching(directory, *asked, seconds=seconds, way=self._way)
        branch = next((line.removeprefix(HEAD_LINE) for line in told.splitlines() if line.startswith(HEAD_LINE)), "")
        if branch:
            await self._git.output(directory, "symbolic-ref", "HEAD", f"refs/heads/{branch.partition(chr(9))[0]}")

    async def _default_branch(self) -> str:
        name = (await self._git.output(self.directory, "symbolic-ref", "--short", "HEAD")).strip()
        if await self._git.succeeds(self.directory, "show-ref", "--quiet", "--verify", f"refs/heads/{name}"):
            return name
        return next(iter(await self.branches()), name)

    async def branches(self) -> tuple[str, ...]:
        """Return the names of the branches."""
        listed = ("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
        return tuple((await self._git.output(self.directory, *listed)).split())

    async def _is_empty(self) -> bool:
        return not (await self.references()).strip()

    def _unavailable(self, sentence: Said) -> RepositoryUnavailable:
        return RepositoryUnavailable(sentence.of(name=self.name, source=self.settings.source))


def _told(error: GitFailed) -> str:
    """Return what git said last, which is the reason: the lines before it tell of the same."""
    lines = [line.strip() for line in error.reason.splitlines() if line.strip()]
    told = next((line for line in lines if line.startswith("fatal:")), lines[-1] if lines else "")
    return told.removeprefix("fatal:").strip().rstrip(".")
