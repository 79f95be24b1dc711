"""Git trees of work trees as they are on disk, by an index and a git directory of the service's own."""

import asyncio
import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import WeakValueDictionary

from mama_bot.repositories.boundary import nothing_borrowed
from mama_bot.repositories.confined import reach_of
from mama_bot.repositories.git import Git, GitFailed, Repository, environment, git_failure, run_git
from mama_bot.repositories.kept import (
    earlier_objects_of,
    file_mark,
    fresh_objects,
    made_from,
    make_git_directory,
    make_room,
    note_made_from,
    objects_of,
    places_of_objects,
    quoted_directory,
)

NO_COMMIT = re.compile(r"error: '([^\n]+)/' does not have a commit")
# The file that git names in such a line stays as it was in the index, until it is dropped; all others are added.
_UNREADABLE = re.compile(r"error: (?:open\([^\n]*\): Permission denied|unable to index file [^\n]*)")
SOME_NOT_ADDED = 1  # what `git add --ignore-errors` answers when it has added all the others
WAITS = 8  # calls of git that a snapshot consists of, and waits for
TRUSTED_SECONDS = 3600.0  # how long a tree that nothing refers to is sure not to be collected
MOST_FILES_INSIDE = 20_000
MOST_UNREAD = 1_000
SUBMODULE = b"\x00\x00\xe0\x00"  # the mode of a submodule, as it stands in an index
SPLIT = b"link"  # the extension of an index whose entries stand in another file


@dataclass(frozen=True, slots=True)
class Trees:
    """The git trees of a repository as it is now: its files on disk, its commit ("" before the first).

    `root` is where its work tree begins, `objects` where the objects of these trees and of earlier ones are, `theirs`
    those of the repository among them, `commit` the commit itself.
    """

    root: Path
    on_disk: str
    committed: str
    objects: tuple[Path, ...]
    commit: str = ""
    theirs: tuple[Path, ...] = ()


class Snapshots:
    """Takes the git tree of a work tree: uncommitted and untracked files too, but no ignored ones.

    `seconds` bounds each call of git; every method raises GitFailed when git is late or cannot read the repository.
    `indexes`, when given, is a directory that keeps an index for each repository, and the objects that only this index
    knows: unchanged files are not read again, and nothing is written into the repository. A directory below `own`
    belongs to no repository that begins above `own`; `borrowed` says where the service made a work tree there borrow
    objects from. One snapshot of a repository is taken at a time.
    """

    def __init__(
        self,
        *,
        seconds: float = 8,
        indexes: Path | None = None,
        own: Path | None = None,
        borrowed: Callable[[Path], Sequence[Path]] = nothing_borrowed,
    ) -> None:
        self.git = Git(seconds, own, borrowed)
        self._seconds = seconds
        self._indexes = indexes
        self._trees: dict[Path, tuple[str, str, float]] = {}
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    async def find(self, path: Path) -> Repository | None:
        """Return the repository that a directory belongs to, None without one."""
        return await self.git.find(path)

    async def trees(self, path: Path) -> Trees | None:
        """Return the trees of the repository that a directory belongs to; None without one."""
        repository = await self.find(path)
        if repository is None:
            return None
        on_disk = await self.tree(repository)
        theirs = (repository.objects, *repository.lent)
        objects = [*theirs]
        if self._indexes is not None:
            kept = self._kept(repository)
            objects += [objects_of(kept), earlier_objects_of(kept)]
        return Trees(repository.root, on_disk, repository.tree, tuple(objects), repository.commit, theirs)

    async def tree(self, repository: Repository) -> str:
        """Return the tree of a repository's files as they are on disk."""
        if self._indexes is None:
            with TemporaryDirectory(prefix="mama-bot-index-") as scratch:
                index = Path(scratch) / "index"
                aside = {"GIT_OBJECT_DIRECTORY": str(repository.objects)}
                await self._fill(repository, index, aside)
                return await self._written(repository, index, aside)
        kept = self._kept(repository)
        lock = self._locks.setdefault(repository.root, asyncio.Lock())
        try:
            async with asyncio.timeout(WAITS * self._seconds), lock:
                await asyncio.to_thread(make_room, kept)
                return await self._kept_tree(repository, kept)
        except TimeoutError as error:
            reason = f"another turn's snapshot did not end within {WAITS * self._seconds:g} seconds"
            raise GitFailed(directory=repository.root, command="add", reason=reason) from error

    def comparing(self, repository: Repository) -> dict[str, str]:
        """Return the variables by which git reads trees that were taken; no setting of the repository counts there."""
        if self._indexes is None:
            return repository.variables
        kept = self._kept(repository)
        return self._own(repository, kept, places_of_objects(kept, (repository.objects, *repository.lent), all_=True))

    def _kept(self, repository: Repository) -> Path:
        name = hashlib.sha256(os.fsencode(repository.root)).hexdigest()[:24]
        return ((self._indexes or Path()) / name).absolute()

    async def _kept_tree(self, repository: Repository, kept: Path) -> str:
        """Return the tree of the work tree; it is written anew only when git has written the index anew."""
        await asyncio.to_thread(fresh_objects, kept)
        aside = places_of_objects(kept, (repository.objects, *repository.lent))
        await self._fill(repository, kept, aside)
        now = asyncio.get_running_loop().time()
        tree, mark, written_at = self._trees.get(kept, ("", "", 0.0))
        if tree and mark == file_mark(kept) and now - written_at < TRUSTED_SECONDS:
            return tree
        try:
            tree = await self._written(repository, kept, aside)
        except GitFailed:
            # git collects objects that only our index knows, after two weeks: begin anew from the repository's own.
            await asyncio.to_thread(kept.unlink, missing_ok=True)
            await self._fill(repository, kept, aside)
            tree = await self._written(repository, kept, aside)
        self._trees[kept] = (tree, file_mark(kept), now)
        return tree

    def _own(self, repository: Repository, index: Path, aside: Mapping[str, str]) -> dict[str, str]:
        """Return the variables by which git looks at the work tree with an index and a git directory of ours."""
        directory = make_git_directory(index, repository.object_format)
        return {
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": ":".join(
                quoted_directory(str(place)) for place in (repository.objects, *repository.lent)
            ),
            **aside,
            "GIT_DIR": str(directory),
            "GIT_WORK_TREE": str(repository.root),
            "GIT_INDEX_FILE": str(index),
        }

    async def _fill(self, repository: Repository, index: Path, aside: Mapping[str, str]) -> None:
        """Update an index of ours to what the work tree holds, begun with the commit that is checked out.

        It never comes from the repository's own index, whose flags and times an agent may have set. A file that cannot
        be read is left out; a repository inside that the commit does not know counts as the files that it holds.
        """
        variables = await asyncio.to_thread(self._own, repository, index, aside)
        committed = repository.tree
        begun, known = await asyncio.to_thread(made_from, index)
        if committed != begun or not known:
            # What is on disk is looked at afterwards: here only what the commit holds counts ("-i").
            tree = ("-i", "-m", committed) if committed and known else (committed or "--empty",)
            await self.git.output(repository.root, "read-tree", *tree, variables=variables)
            await asyncio.to_thread(note_made_from, index, committed)
        modules = await self._submodules(repository, index, variables)
        add = ["add", "--all", "--ignore-errors", "--sparse", "--", "."]
        add += [f":(exclude,literal){name}" for name in modules]
        root = repository.root
        status, _, errors = await self.git.run(root, *add, variables=variables)
        empty = [match.group(1) for match in NO_COMMIT.finditer(errors)] if status else []
        if empty:
            add += [f":(exclude,literal){name}" for name in empty]
            status, _, errors = await self.git.run(root, *add, variables=variables)
        if status and not (status == SOME_NOT_ADDED and _only_unreadable(errors)):
            raise git_failure(root, "add", status, errors)
        if errors.strip():
            await self._drop_unread(repository, index, variables, modules)
        inside = {*empty, *(set(await self._submodules_in(repository, index, variables)) - set(modules))}
        if inside:
            await self._add_files_inside(repository, sorted(inside), variables)

    async def _drop_unread(
        self, repository: Repository, index: Path, variables: Mapping[str, str], modules: Sequence[str]
    ) -> None:
        """Drop what git could not read from an index of ours: what the commit has there is not what is on the disk."""
        root = repository.root
        listed = await self.git.output(root, "ls-files", "--modified", "--deleted", "-z", variables=variables)
        unread = sorted({*filter(None, listed.split("\x00"))} - {*modules})
        if len(unread) > MOST_UNREAD:
            reason = f"more than {MOST_UNREAD:,} files cannot be read"
            raise GitFailed(directory=root, command="add", reason=reason)
        if unread:
            await self.git.output(root, "update-index", "--force-remove", "--", *unread, variables=variables)
            # The next snapshot begins anew: by then they may be readable, and `git add` leaves out what is ignored.
            await asyncio.to_thread(note_made_from, index, "")

    async def _submodules(self, repository: Repository, index: Path, variables: Mapping[str, str]) -> list[str]:
        """Update the commits of the submodules in an index; returns the names of the submodules.

        To look for changes inside one, `git add` would run `git status` there, with the filters configured there.
        """
        names = await self._submodules_in(repository, index, variables)
        if names:
            update = ("update-index", "--add", "--remove", "--", *names)
            await self.git.output(repository.root, *update, variables=variables)
        return names

    async def _submodules_in(self, repository: Repository, index: Path, variables: Mapping[str, str]) -> list[str]:
        if not await asyncio.to_thread(may_hold_submodules, index):
            return []
        listed = await self.git.output(repository.root, "ls-files", "--stage", "-z", variables=variables)
        lines = (line.split("\t", 1) for line in listed.split("\x00") if line.startswith("160000 "))
        return list(dict.fromkeys(line[1] for line in lines))

    async def _add_files_inside(
        self, repository: Repository, names: Sequence[str], variables: Mapping[str, str]
    ) -> None:
        """Add the files of repositories inside that nobody committed as such to an index of ours; raises GitFailed."""
        root = repository.root
        await self.git.run(root, "update-index", "--force-remove", "--", *names, variables=variables)
        paths = await asyncio.to_thread(_files_inside, root, names)
        given = b"\x00".join(map(os.fsencode, paths))
        asked = ("update-index", "--add", "-z", "--stdin")
        whole = environment(()) | dict(variables)
        reach = await asyncio.to_thread(reach_of, root, whole)
        status, _, errors = await run_git(
            root, *asked, variables=whole, seconds=self._seconds, given=given, reach=reach
        )
        if status:
            raise git_failure(root, "update-index", status, errors)

    async def _written(self, repository: Repository, index: Path, aside: Mapping[str, str]) -> str:
        """Write the tree of an index of ours and return its id."""
        variables = await asyncio.to_thread(self._own, repository, index, aside)
        return (await self.git.output(repository.root, "write-tree", variables=variables)).strip()


def _files_inside(root: Path, names: Sequence[str]) -> list[str]:
    """Return the files below some directories, without what belongs to git; raises GitFailed for too many."""
    paths: list[str] = []
    for name in names:
        for directory, directories, files in os.walk(root / name):
            directories[:] = [inner for inner in directories if inner != ".git"]
            here = os.path.relpath(directory, root)
            paths += [f"{here}/{file}" for file in files if file != ".git"]
            if len(paths) > MOST_FILES_INSIDE:
                reason = f"a repository inside, {name}, has more than {MOST_FILES_INSIDE:,} files"
                raise GitFailed(directory=root, command="update-index", reason=reason)
    return paths


def may_hold_submodules(index: Path) -> bool:
    """Return whether an index may hold a submodule: where it cannot, listing all its entries is saved."""
    try:
        holding = index.read_bytes()
    except FileNotFoundError:
        return False
    return SUBMODULE in holding or SPLIT in holding


def _only_unreadable(errors: str) -> bool:
    lines = [line for line in errors.splitlines() if line.startswith(("error:", "fatal:"))]
    return bool(lines) and all(_UNREADABLE.match(line) for line in lines) and "Permission denied" in errors
