"""The branch of a conversation: what is in no commit yet is committed on it, and it is merged where work began."""

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from mama_bot.checkouts.file_commits import commit_of_files
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.own_repository import OwnRepository, own_repository
from mama_bot.checkouts.planted import refuse_planted
from mama_bot.checkouts.work_tree import of_tree

# What git writes while a merge, a rebase or the like waits for somebody to end it.
UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchHead:
    """What is checked out in a work tree: the name of its branch ("": none), and its commit ("" before the first)."""

    branch: str
    commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtIn:
    """How many files that no commit held are in one now, and what of the work tree was left out of it."""

    files: int
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadBranch:
    """The branch of a work tree in which nobody works; `objects` are those that it borrows.

    Every method raises GitFailed and OSError, also where its `.git` leads elsewhere.
    """

    git: OwnGit
    tree: Path
    objects: Path | None

    async def check(self) -> None:
        """Return unless the `.git` of the work tree leads elsewhere."""
        await asyncio.to_thread(refuse_planted, self.tree, self.objects)

    async def is_unfinished(self) -> bool:
        """Return whether a merge or a rebase waits in the work tree for somebody to end it."""
        return await asyncio.to_thread(lambda: any((self.tree / ".git" / name).exists() for name in UNFINISHED))

    async def head(self) -> BranchHead:
        """Return what is checked out."""
        own = of_tree(self.tree)
        _, name, _ = await self.git.answer(self.tree, "symbolic-ref", "--quiet", "HEAD", variables=own)
        asked = ("rev-parse", "--quiet", "--verify", "HEAD^{commit}")
        _, commit, _ = await self.git.answer(self.tree, *asked, variables=own)
        return BranchHead(branch=name.strip().removeprefix("refs/heads/"), commit=commit.strip())

    async def object_format(self) -> str:
        """Return "sha1" or "sha256"."""
        asked = ("rev-parse", "--show-object-format")
        return (await self.git.output(self.tree, *asked, variables=of_tree(self.tree))).strip()

    async def commit_files(self, message: str, at: str, *, for_others: bool = False) -> BroughtIn:
        """Put what no commit holds into one on the branch that is checked out.

        It tells the same where a commit of just this `message` was made before, and the service was killed; what runs
        leave behind is no part of it where it is made `for_others`.
        """
        await self.check()
        head = await self.head()
        async with own_repository(self.git, await self.object_format(), self.lent) as own:
            made = await commit_of_files(
                *(self.git, self.tree, head.commit, own.variables),
                message=message,
                at=at,
                for_others=for_others,
            )
            if made.commit == head.commit:
                count = await self._committed_before(own, made.commit, message)
                return BroughtIn(files=count, left_out=made.left_out)
            count = await _files_between(own, head.commit, made.commit)
        await self.move(head, made.commit)
        return BroughtIn(files=count, left_out=made.left_out)

    async def _committed_before(self, own: OwnRepository, commit: str, message: str) -> int:
        words = await own.asked("log", "-1", "--format=%B", commit) if commit else ""
        if words != message:
            return 0
        return await _files_between(own, await own.asked("rev-parse", "--quiet", "--verify", f"{commit}^"), commit)

    async def move(self, head: BranchHead, commit: str) -> None:
        """Let the branch that is checked out be at a commit, with that in the index; the files stay as they are."""
        own = of_tree(self.tree)
        where = ("--no-deref", "HEAD") if not head.branch else (f"refs/heads/{head.branch}",)
        await self.git.output(self.tree, "update-ref", *where, commit, head.commit, variables=own)
        await self.reset_index(commit)

    async def reset_index(self, commit: str) -> None:
        """Let the index hold what a commit holds; the files stay as they are."""
        directory = self.tree / ".git"
        # Over its own git directory git would look at files, by filters that an agent configured.
        async with own_repository(self.git, await self.object_format(), self.lent) as own:
            # Beside the index first: a lock that a killed agent's git left there holds nobody.
            with tempfile.TemporaryDirectory(prefix="mama-bot-index-", dir=directory) as place:
                index = Path(place) / "index"
                await own.output("read-tree", commit, further={"GIT_INDEX_FILE": str(index)})
                index.replace(directory / "index")

    @property
    def lent(self) -> list[Path]:
        """Where its objects are: its own, into which new ones are written, and those that it borrows."""
        return [self.tree / ".git" / "objects", *([self.objects] if self.objects else [])]


async def _files_between(own: OwnRepository, before: str, after: str) -> int:
    if not before:
        listed = await own.output("ls-tree", "-r", "--name-only", "-z", after)
    else:
        listed = await own.output("diff-tree", "-r", "--name-only", "--no-renames", "-z", before, after)
    return sum(bool(name) for name in listed.split("\x00"))
