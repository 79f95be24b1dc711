"""Put the files of a work tree, as they are on the disk, into a commit: nothing that it configures runs or counts."""

import asyncio
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mama_bot.checkouts.left_behind import ANY_NAME, left_behind_in
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.work_tree import AUTHOR
from mama_bot.confinement.plain_files import plain_bytes
from mama_bot.repositories.git import GitFailed, git_failure
from mama_bot.repositories.snapshots import NO_COMMIT

SUBMODULE = "160000"
LARGE_FILES_FILTER = "lfs"
POINTER = b"version https://git-lfs.github.com/spec/"


class RepositoryInside(GitFailed):
    """Repositories lie inside of a work tree: what is in them no commit of it would hold."""

    def __init__(self, *, directory: Path, paths: Collection[str]) -> None:
        super().__init__(
            directory=directory, command="add", reason=f"a repository lies inside of it: {min(paths, default='?')}"
        )
        self.paths = tuple(sorted(paths))


class LargeFilesInside(GitFailed):
    """Files of a work tree belong to git LFS and are there with their contents, which no commit may hold."""

    def __init__(self, *, directory: Path, paths: Sequence[str]) -> None:
        super().__init__(directory=directory, command="add", reason=f"a file of git LFS is no pointer: {paths[0]}")
        self.paths = tuple(os.fsencode(path).decode(errors="replace") for path in paths)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesCommit:
    """The commit that holds the files of a work tree ("": there are none), but for those that were left out of it."""

    commit: str
    left_out: tuple[str, ...] = ()


async def commit_of_files(
    git: OwnGit,
    tree: Path,
    parent: str,
    variables: Mapping[str, str],
    *,
    message: str,
    at: str = "",
    for_others: bool = False,
) -> FilesCommit:
    """Return a commit with the files of a work tree: `parent` where they are just those; "" without parent and file.

    `variables` name a repository of ours, which reads the objects of the work tree; `at` is when it is made ("": now).
    Made `for_others` it holds nothing that runs leave behind, and raises LargeFilesInside. Raises RepositoryInside,
    GitFailed.
    """
    with tempfile.TemporaryDirectory(prefix="mama-bot-kept-") as scratch:
        aside = {**variables, "GIT_WORK_TREE": str(tree), "GIT_INDEX_FILE": str(Path(scratch) / "index")}
        if parent:
            await git.output(tree, "read-tree", parent, variables=aside)
        before = await _submodules(git, tree, aside)
        left_out = await left_behind_in(git, tree, aside) if for_others else ()
        await _add(git, tree, aside, left_out)
        inside = await _submodules(git, tree, aside) - before
        filled = await asyncio.to_thread(_filled, tree, before | inside)
        if inside or filled:
            raise RepositoryInside(directory=tree, paths=inside | filled)
        if for_others and (large := await _no_pointers(git, tree, parent, aside)):
            raise LargeFilesInside(directory=tree, paths=large)
        written = (await git.output(tree, "write-tree", variables=aside)).strip()
        if parent:
            committed = (await git.output(tree, "rev-parse", f"{parent}^{{tree}}", variables=aside)).strip()
            if committed == written:
                return FilesCommit(commit=parent, left_out=left_out)
        elif not (await git.output(tree, "ls-tree", written, variables=aside)).strip():
            return FilesCommit(commit="", left_out=left_out)
        parents = ("-p", parent) if parent else ()
        made = ("commit-tree", written, *parents, "-m", message)
        commit = (await git.output(tree, *made, variables=aside | AUTHOR | dated(at))).strip()
        return FilesCommit(commit=commit, left_out=left_out)


async def _add(git: OwnGit, tree: Path, aside: Mapping[str, str], left_out: Sequence[str]) -> None:
    given = os.fsencode("\0".join((".", *(f":(exclude,top,literal){name}" for name in left_out))))
    added = ("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul")
    status, _, errors = await git.answer(tree, *added, variables=aside, given=given)
    if status and (empty := [match.group(1) for match in NO_COMMIT.finditer(errors)]):
        raise RepositoryInside(directory=tree, paths=empty)
    if status:
        raise git_failure(tree, "add", status, errors)


async def _no_pointers(git: OwnGit, tree: Path, parent: str, aside: Mapping[str, str]) -> list[str]:
    """Return what the commit would add or change of git LFS that is no pointer: no filter of git LFS runs here."""
    names = (
        ("diff-index", "--cached", "--name-only", "--diff-filter=AMT", "-z", parent) if parent else ("ls-files", "-z")
    )
    changed = await git.output(tree, *names, variables=aside, undecodable=ANY_NAME)
    asked = ("check-attr", "--cached", "--stdin", "-z", "filter")
    told = await git.output(tree, *asked, variables=aside, given=os.fsencode(changed), undecodable=ANY_NAME)
    fields = told.split("\x00")
    large = [path for path, value in zip(fields[::3], fields[2::3], strict=False) if value == LARGE_FILES_FILTER]
    return [path for path in large if not await asyncio.to_thread(_is_pointer, tree / path)]


def _is_pointer(file: Path) -> bool:
    if file.is_symlink():
        return True
    begins = plain_bytes(file, len(POINTER))
    return not begins or begins == POINTER  # git LFS leaves an empty file as it is


def dated(at: str) -> dict[str, str]:
    """Return the variables that give a commit its time, "" for now: the same commit made twice is one."""
    return {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}


async def _submodules(git: OwnGit, tree: Path, aside: Mapping[str, str]) -> set[str]:
    listed = await git.output(tree, "ls-files", "--stage", "-z", variables=aside)
    entries = (entry.split("\t", 1) for entry in listed.split("\x00") if entry.startswith(SUBMODULE))
    return {entry[1] for entry in entries}


def _filled(tree: Path, places: set[str]) -> set[str]:
    """Return which submodules hold anything: what was changed in there, git would not tell."""
    return {place for place in places if (tree / place).is_dir() and any((tree / place).iterdir())}
