"""What conversations made, kept by the service: out of a work tree that goes, and back into a new one."""

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog

from mama_bot.checkouts.file_commits import commit_of_files
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.planted import MOST_LOG_BYTES, read_plain, refuse_planted
from mama_bot.checkouts.unreachable import drop_unreachable, note_pruned
from mama_bot.checkouts.work_tree import AUTHOR, of_tree
from mama_bot.repositories.git import GitFailed
from mama_bot.repositories.kept import quoted_directory

log = structlog.get_logger(__name__)

ROOT = "refs/mama/"
STASHES = "stash-entries/"
STAGED = "refs/mama-kept/staged"  # in the work tree too, when it is back
LEFT_OUT = ("refs/remotes/", "refs/stash")  # the source has the one, and the other is kept entry by entry
DIGITS = frozenset("0123456789abcdef")
SUBJECT = "Work in progress, kept by mama-bot"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """Where the references of a work tree stand: by name, what is checked out, and the entries of its stash."""

    references: Mapping[str, str]
    branch: str  # "": no branch is checked out
    commit: str  # "": before the first
    stashes: Sequence[str]


class KeptWork:
    """A bare repository that holds the branches, stashes and uncommitted files of conversations.

    `store` is the repository that work trees borrow their objects from, if they do. Nothing that a work tree configures
    runs, and no agent reads what is kept.
    """

    def __init__(self, *, directory: Path, git: OwnGit, store: Path | None) -> None:
        self.directory = self._directory = directory
        self._git = git
        self._store = store
        self._lock = asyncio.Lock()

    async def keep(self, tree: Path, name: str) -> None:
        """Keep all that a work tree holds but ignored files; uncommitted files become a commit on its branch.

        Raises GitFailed where something in it cannot be kept, such as a repository inside of it, or where its `.git`
        leads elsewhere: then it is to stay.
        """
        async with self._lock, self._scratch() as scratch:
            await asyncio.to_thread(refuse_planted, tree, self._borrowed)
            await self._prepare(tree)
            standing = await self._standing(tree)
            apart = self._apart(tree, scratch)
            head = (await commit_of_files(self._git, tree, standing.commit, apart, message=SUBJECT)).commit
            references = dict(standing.references)
            if standing.branch:
                if head:
                    references[f"refs/heads/{standing.branch}"] = head
            elif head:
                references["HEAD"] = head
            staged = await self._staged(tree, standing, head, apart)
            if staged:
                references[STAGED] = staged
            references |= {f"refs/{STASHES}{number:05}": entry for number, entry in enumerate(standing.stashes)}
            tips = [*references.values()]
            await self._all_there(tree, tips, apart)
            await self._take_objects(tree, tips, scratch)
            await self._note(name, references, standing.branch)

    async def holds(self, name: str) -> bool:
        """Return whether anything was kept under a name."""
        return self._directory.is_dir() and bool(await self._kept(name))

    async def names(self) -> frozenset[str]:
        """Return the names under which anything is kept; raises GitFailed."""
        if not await asyncio.to_thread(self._directory.is_dir):
            return frozenset()
        listed = await self._git.output(self._directory, "for-each-ref", "--format=%(refname)", ROOT)
        return frozenset(line.removeprefix(ROOT).partition("/")[0] for line in listed.splitlines())

    async def drop(self, names: Collection[str]) -> None:
        """Keep no longer what is kept under these names; raises GitFailed, OSError."""
        if not names:
            return
        async with self._lock:
            await asyncio.to_thread(note_pruned, self._directory)
            for name in sorted(names):
                given = "".join(f"delete {ROOT}{name}/{place}\n" for place in await self._kept(name)).encode()
                await self._git.output(self._directory, "update-ref", "--no-deref", "--stdin", given=given)
                log.info("kept_work_pruned", name=name)

    async def tidy(self, *, fresh_seconds: float) -> None:
        """Free the disk of what is kept no longer; raises GitFailed, OSError."""
        if await asyncio.to_thread(self._directory.is_dir):
            await drop_unreachable(
                partial(self._git.output, self._directory), self._directory, fresh_seconds=fresh_seconds
            )

    async def give_back(self, tree: Path, name: str) -> None:
        """Bring what was kept into a work tree that was just made, on the branch that was checked out.

        Raises GitFailed, OSError.
        """
        await asyncio.to_thread(refuse_planted, tree, self._borrowed)
        kept, own = await self._kept(name), of_tree(tree)
        head = f"{ROOT}{name}/HEAD"
        branch = await self._branch(head)
        if kept:
            wanted = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--update-head-ok", "--force")
            aside = [f"+{ROOT}{name}/*:refs/kept/*"]
            await self._git.reaching(tree, *wanted, str(self._directory), *aside, seconds=300, variables=own)
        changes = [f"update refs/{place} {commit}" for place, commit in kept.items() if not place.startswith(STASHES)]
        changes += [f"delete refs/kept/{place}" for place in kept]
        changes = [change for change in changes if not change.startswith("update refs/HEAD")]
        for place in sorted(place for place in kept if place.startswith(STASHES)):
            await self._git.output(tree, "stash", "store", "--message", "kept", kept[place], variables=own | AUTHOR)
        if branch:
            await self._git.output(tree, "symbolic-ref", "HEAD", f"refs/heads/{branch}", variables=own)
        elif "HEAD" in kept:
            await self._git.output(tree, "update-ref", "--no-deref", "HEAD", kept["HEAD"], variables=own)
        given = "".join(f"{change}\n" for change in changes).encode()
        await self._git.output(tree, "update-ref", "--no-deref", "--stdin", variables=own, given=given)
        if kept.get(f"heads/{branch}") if branch else kept.get("HEAD"):
            await self._git.output(tree, "reset", "--quiet", "--hard", variables=own)

    # --- what a work tree holds -----------------------------------------------------------------------

    async def _standing(self, tree: Path) -> _Standing:
        own = of_tree(tree)
        listed = await self._git.output(tree, "for-each-ref", "--format=%(objectname) %(refname)", variables=own)
        pairs = [line.split(" ", 1) for line in listed.splitlines()]
        known = await self._stored()
        references = {
            name: commit
            for commit, name in pairs
            if not name.startswith(LEFT_OUT) and not (name.startswith("refs/tags/") and known.get(name) == commit)
        }
        head = await self._asked(tree, "symbolic-ref", "--quiet", "HEAD")
        return _Standing(
            references=references,
            branch=head.removeprefix("refs/heads/") if head.startswith("refs/heads/") else "",
            commit=await self._asked(tree, "rev-parse", "--quiet", "--verify", "HEAD^{commit}"),
            stashes=await asyncio.to_thread(stash_entries, tree),
        )

    async def _stored(self) -> dict[str, str]:
        """Return the references of the store, by name."""
        if self._store is None:
            return {}
        listed = await self._git.output(self._store, "for-each-ref", "--format=%(objectname) %(refname)")
        return {name: commit for commit, name in (line.split(" ", 1) for line in listed.splitlines())}

    async def _asked(self, tree: Path, *arguments: str) -> str:
        """Return what git answers; "" where there is none."""
        try:
            return (await self._git.output(tree, *arguments, variables=of_tree(tree))).strip()
        except GitFailed:
            return ""

    async def _staged(self, tree: Path, standing: _Standing, head: str, apart: Mapping[str, str]) -> str:
        """Return a commit of what is staged, where no other holds it; "" where one does, or a merge is under way."""
        with tempfile.TemporaryDirectory(prefix="mama-bot-kept-") as scratch:
            index = Path(scratch) / "index"
            aside = {**apart, "GIT_INDEX_FILE": str(index)}
            try:
                await asyncio.to_thread(shutil.copyfile, tree / ".git" / "index", index)
                staged = (await self._git.output(tree, "write-tree", variables=aside)).strip()
            except (GitFailed, OSError):
                return ""
            for commit in filter(None, (standing.commit, head)):
                if (await self._git.output(tree, "rev-parse", f"{commit}^{{tree}}", variables=aside)).strip() == staged:
                    return ""
            parents = ("-p", standing.commit) if standing.commit else ()
            message = ("commit-tree", staged, *parents, "-m", "What was staged, kept by mama-bot")
            return (await self._git.output(tree, *message, variables=aside | AUTHOR)).strip()

    # --- the repository that keeps it -----------------------------------------------------------------

    async def _prepare(self, tree: Path) -> None:
        if self._directory.is_dir():
            return
        making = self._directory.with_name(self._directory.name + ".making")
        object_format = await self._git.output(tree, "rev-parse", "--show-object-format", variables=of_tree(tree))
        await asyncio.to_thread(making.mkdir, parents=True, exist_ok=True)
        new = ("init", "--quiet", "--bare", "--template=", f"--object-format={object_format.strip()}", ".")
        await self._git.output(making, *new)
        for name, value in (("gc.auto", "0"), ("gc.pruneExpire", "never"), ("maintenance.auto", "false")):
            await self._git.output(making, "config", name, value)
        await asyncio.to_thread(_borrow, making, self._store)
        making.rename(self._directory)

    async def _all_there(self, tree: Path, tips: Sequence[str], apart: Mapping[str, str]) -> None:
        """Raise GitFailed where a work tree names a commit or a file that neither it nor the store holds.

        Git that sees what is kept would find there what belongs to another conversation, and hand it over.
        """
        given = "".join(f"{tip}\n" for tip in tips) + "".join(f"^{each}\n" for each in (await self._stored()).values())
        try:
            await self._git.output(
                self._directory, "rev-list", "--objects", "--quiet", "--stdin", given=given.encode(), variables=apart
            )
        except GitFailed as error:
            reason = f"not all that it names is in it: {error.reason}"
            raise GitFailed(directory=tree, command="rev-list", reason=reason) from error

    async def _take_objects(self, tree: Path, tips: Sequence[str], scratch: Path) -> None:
        """Copy what these commits need and nobody else has; the configuration of the work tree is not even read."""
        if not tips:
            return
        have = await self._git.output(self._directory, "for-each-ref", "--format=%(objectname)")
        known = dict.fromkeys([*have.splitlines(), *(await self._stored()).values()])
        given = "".join(f"{tip}\n" for tip in tips) + "".join(f"^{commit}\n" for commit in known)
        pack = ("pack-objects", "--quiet", "--revs", "--non-empty", str(self._directory / "objects" / "pack" / "pack"))
        await self._git.output(self._directory, *pack, given=given.encode(), variables=self._aside(tree, scratch))

    async def _note(self, name: str, references: Mapping[str, str], branch: str) -> None:
        """Make the references under a name those that are given, all at once."""
        now = {f"{ROOT}{name}/{place.removeprefix('refs/')}": commit for place, commit in references.items()}
        before = {f"{ROOT}{name}/{place}" for place in await self._kept(name)}
        head = f"{ROOT}{name}/HEAD"
        if branch:
            await self._git.output(self._directory, "symbolic-ref", head, f"{ROOT}{name}/heads/{branch}")
        changes = [f"update {place} {commit}" for place, commit in now.items()]
        changes += [f"delete {place}" for place in sorted(before - now.keys())]
        if branch:
            changes = [change for change in changes if change != f"delete {head}"]
        given = "".join(f"{change}\n" for change in changes).encode()
        await self._git.output(self._directory, "update-ref", "--no-deref", "--stdin", given=given)

    async def _kept(self, name: str) -> dict[str, str]:
        """Return the references under a name, without what they have in common."""
        listed = ("for-each-ref", "--format=%(objectname) %(refname)", f"{ROOT}{name}/")
        pairs = [line.split(" ", 1) for line in (await self._git.output(self._directory, *listed)).splitlines()]
        return {place.removeprefix(f"{ROOT}{name}/"): commit for commit, place in pairs}

    async def _branch(self, head: str) -> str:
        """Return the branch that was checked out; "" for none."""
        try:
            place = await self._git.output(self._directory, "symbolic-ref", "--quiet", head)
        except GitFailed:
            return ""
        return place.strip().partition("/heads/")[2]

    @property
    def _borrowed(self) -> Path | None:
        """Return the objects that work trees borrow."""
        return self._store / "objects" if self._store else None

    @contextlib.asynccontextmanager
    async def _scratch(self) -> AsyncIterator[Path]:
        """Give a directory for the objects that are made of a work tree, until all that it names was found there."""
        scratch = self._directory.with_name(self._directory.name + ".keeping")
        await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)  # of a service that was killed
        await asyncio.to_thread(scratch.mkdir, parents=True)
        try:
            yield scratch
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)

    def _apart(self, tree: Path, scratch: Path) -> dict[str, str]:
        """Return the variables by which git reads the objects of a work tree, and none of what is kept."""
        return self._objects(scratch, [tree / ".git" / "objects"])

    def _aside(self, tree: Path, scratch: Path) -> dict[str, str]:
        """Return the variables by which git writes into what is kept and reads the objects of a work tree too."""
        return self._objects(self._directory / "objects", [scratch, tree / ".git" / "objects"])

    def _objects(self, written: Path, others: Sequence[Path]) -> dict[str, str]:
        read = [*others, *([self._borrowed] if self._borrowed else [])]
        return {
            "GIT_DIR": str(self._directory),
            "GIT_OBJECT_DIRECTORY": str(written),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": ":".join(quoted_directory(str(place)) for place in read),
        }


def _borrow(directory: Path, store: Path | None) -> None:
    if store is not None:
        alternates = directory / "objects" / "info" / "alternates"
        alternates.parent.mkdir(parents=True, exist_ok=True)
        alternates.write_text(f"{quoted_directory(str(store / 'objects'))}\n", encoding="utf-8")


def stash_entries(tree: Path) -> tuple[str, ...]:
    """Return the commits of the stash, the oldest first; raises GitFailed, OSError.

    Git takes a word for whatever it may name, such as a commit that is kept of another conversation: only ids pass.
    """
    log = read_plain(tree, tree / ".git" / "logs" / "refs" / "stash", MOST_LOG_BYTES).decode(errors="replace")
    entries = tuple(fields[1] for line in log.splitlines() if len(fields := line.split(" ", 2)) == 3)
    if not all(len(entry) in (40, 64) and DIGITS.issuperset(entry) for entry in entries):
        raise GitFailed(directory=tree, command="stash", reason=".git/logs/refs/stash is not what git writes there")
    return entries
