"""A git directory of the service's own, over objects of others: what those configure neither runs nor counts."""

import contextlib
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mama_bot.checkouts.file_commits import dated
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.work_tree import AUTHOR
from mama_bot.model import ConflictingFile, ConflictKind
from mama_bot.repositories.git import git_failure
from mama_bot.repositories.kept import quoted_directory

CONFLICTS = 1  # what `git merge-tree` answers where there are any
OUR, THEIR, COMMON = "2", "3", "1"
ONCE = "1970-01-01T00:00:00+00:00"


@dataclass(frozen=True, slots=True)
class OwnRepository:
    """Reads the objects at `lent`, and writes new ones into the first of them.

    `directory` is its git directory, which holds nothing else.
    """

    git: OwnGit
    directory: Path
    lent: Sequence[Path]

    @property
    def variables(self) -> dict[str, str]:
        """Return the variables that make git take it."""
        written, *read = self.lent
        return {
            "GIT_DIR": str(self.directory),
            "GIT_OBJECT_DIRECTORY": str(written),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": ":".join(quoted_directory(str(place)) for place in read),
        }

    async def output(
        self,
        *arguments: str,
        given: bytes = b"",
        further: Mapping[str, str] | None = None,
        undecodable: str = "replace",
    ) -> str:
        """Return the output of a git command, as `OwnGit.output` does; raises GitFailed."""
        variables = self.variables | dict(further or {})
        return await self.git.output(
            self.directory, *arguments, given=given, variables=variables, undecodable=undecodable
        )

    async def asked(self, *arguments: str) -> str:
        """Return what git answers on one line; "" where it has no answer."""
        status, output, _ = await self.git.answer(self.directory, *arguments, variables=self.variables)
        return output.strip() if status == 0 else ""

    async def holds(self, name: str) -> bool:
        """Return whether it has an object."""
        status, _, _ = await self.git.answer(self.directory, "cat-file", "-e", name, variables=self.variables)
        return status == 0

    async def is_ancestor(self, commit: str, other: str) -> bool:
        """Return whether one commit is part of the history of another."""
        asked = ("merge-base", "--is-ancestor", commit, other)
        status, _, _ = await self.git.answer(self.directory, *asked, variables=self.variables)
        return status == 0

    async def commit(self, tree: str, parents: Sequence[str], message: str, at: str = ONCE) -> str:
        """Return a commit of a tree, the same one for the same values; raises GitFailed."""
        named = [word for parent in parents for word in ("-p", parent)]
        made = ("commit-tree", tree, *named, "-m", message)
        return (await self.output(*made, further=AUTHOR | dated(at))).strip()

    async def merged(self, ours: str, theirs: str) -> str | tuple[ConflictingFile, ...]:
        """Return the tree that two commits make together, or the files in which they conflict; raises GitFailed."""
        asked = ("merge-tree", "--write-tree", "-z", "--no-messages", "--allow-unrelated-histories", ours, theirs)
        status, output, errors = await self.git.answer(self.directory, *asked, variables=self.variables)
        if status not in (0, CONFLICTS):
            raise git_failure(self.directory, "merge-tree", status, errors)
        tree, *entries = output.split("\x00")
        return tree.strip() if status == 0 else _conflicts(entries)

    async def brought_together(self, base: str, ours: str, theirs: str) -> str | tuple[ConflictingFile, ...]:
        """Return a tree with what differs between `base` and `theirs` done to `ours`, or the conflicts."""
        common = await self.commit(base, (), "base")
        sides = [await self.commit(tree, (common,), "side") for tree in (ours, theirs)]
        return await self.merged(*sides)


@contextlib.asynccontextmanager
async def own_repository(git: OwnGit, object_format: str, lent: Sequence[Path]) -> AsyncIterator[OwnRepository]:
    """Give a repository of ours for as long as the block runs; raises GitFailed, OSError."""
    with tempfile.TemporaryDirectory(prefix="mama-bot-git-") as scratch:
        directory = Path(scratch) / "own.git"
        directory.mkdir()
        new = ("init", "--quiet", "--bare", "--template=", f"--object-format={object_format or 'sha1'}", ".")
        await git.output(directory, *new)
        yield OwnRepository(git, directory, lent)


def _conflicts(entries: Sequence[str]) -> tuple[ConflictingFile, ...]:
    """Read the entries of files in conflict: mode, object, stage and path of each side that has it."""
    sides: dict[str, set[str]] = {}
    for entry in entries:
        head, tab, path = entry.partition("\t")
        if tab:
            sides.setdefault(path, set()).add(head.rpartition(" ")[2])
    return tuple(ConflictingFile(path=path, how=_kind(stages)) for path, stages in sides.items())


def _kind(stages: set[str]) -> ConflictKind:
    if stages == {COMMON, OUR, THEIR}:
        return ConflictKind.CONTENTS
    if stages == {OUR, THEIR}:
        return ConflictKind.BOTH_ADDED
    if COMMON in stages and len(stages) > 1:
        return ConflictKind.DELETED
    return ConflictKind.OTHER
