"""What changed in a git work tree since a moment, read from git."""

import asyncio
import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import WeakValueDictionary

from mama_bot.model import Turn, WorkDiff
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

__all__ = ["GitChanges", "GitFailed", "snapshot"]

_NO_COMMIT = re.compile(r"error: '([^\n]+)/' does not have a commit")
# The file that git names in such a line stays as it was in the index; all others are added.
_UNREADABLE = re.compile(r"error: (?:open\([^\n]*\): Permission denied|unable to index file [^\n]*)")
SOME_NOT_ADDED = 1  # what `git add --ignore-errors` answers when it has added all the others
WAITS = 8  # calls of git that a snapshot consists of, and waits for
TRUSTED_SECONDS = 3600.0  # how long a tree that nothing refers to is sure not to be collected
# Larger files count as binary: neither git nor this process reads them line by line.
BIG_FILES = {"GIT_CONFIG_PARAMETERS": "'core.bigfilethreshold=4m'"}
ATTRIBUTE_PATHS = 500
DIFF_PATHS = 500
MOST_FILES_INSIDE = 20_000
LEAST_LINE = 10  # characters; a diff of more lines than fit at this length is not asked for
DIFF_OPTIONS = ("--patch", "--no-color", "--no-ext-diff", "--no-textconv")
SUBMODULE = b"\x00\x00\xe0\x00"  # the mode of a submodule, as it stands in an index
SPLIT = b"link"  # the extension of an index whose entries stand in another file


@dataclass(frozen=True, slots=True)
class Trees:
    """The git trees of a repository as it is now: its files on disk, its commit ("" before the first).

    `root` is where its work tree begins, `objects` where the objects of these trees and of earlier ones are.
    """

    root: Path
    on_disk: str
    committed: str
    objects: tuple[Path, ...]


class GitChanges:
    """The files that a turn changed in its workspace: committed, uncommitted, untracked, and both names of a rename.

    What was already changed when the turn began is not counted. `seconds` bounds each call of git; raises GitFailed
    when git is late or cannot read the repository. `indexes`, when given, is a directory that keeps an index for each
    repository between turns, and the objects that only this index knows: unchanged files are not read again, and
    nothing is written into the repository. A workspace below `own` belongs to no repository that begins above `own`.
    """

    def __init__(
        self,
        *,
        workspace_of: Callable[[Turn], Path],
        seconds: float = 8,
        indexes: Path | None = None,
        own: Path | None = None,
    ) -> None:
        self._workspace_of = workspace_of
        self._git = Git(seconds, own)
        self._seconds = seconds
        self._indexes = indexes
        self._trees: dict[Path, tuple[str, str, float]] = {}
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    def going_by(self, workspace_of: Callable[[Turn], Path]) -> "GitChanges":
        """Return the same, with the same indexes, for turns that work somewhere else."""
        changes = copy(self)
        changes._workspace_of = workspace_of
        return changes

    async def tree(self, workspace: Path) -> str:
        """Return what `snapshot` returns; one call at a time for each repository."""
        repository = await self._git.find(workspace)
        return "" if repository is None else await self._tree(repository)

    async def trees(self, workspace: Path) -> Trees | None:
        """Return the trees of the repository that a directory belongs to; None without one. Raises GitFailed."""
        repository = await self._git.find(workspace)
        if repository is None:
            return None
        committed = await self._committed(repository)
        on_disk = await self._tree(repository)
        objects = [repository.objects]
        if self._indexes is not None:
            kept = self._kept(repository)
            objects += [objects_of(kept), earlier_objects_of(kept)]
        return Trees(repository.root, on_disk, committed, tuple(objects))

    async def _committed(self, repository: Repository) -> str:
        """Return the tree of the commit that is checked out; "" before the first."""
        asked = ("rev-parse", "--quiet", "--verify", "HEAD^{tree}")
        status, tree, _ = await self._git.run(repository.root, *asked, variables=repository.variables)
        return tree.strip() if status == 0 else ""

    async def _tree(self, repository: Repository) -> str:
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

    def _kept(self, repository: Repository) -> Path:
        name = hashlib.sha256(os.fsencode(repository.root)).hexdigest()[:24]
        return ((self._indexes or Path()) / name).absolute()

    async def _kept_tree(self, repository: Repository, kept: Path) -> str:
        """Return the tree of the work tree; it is written anew only when git has written the index anew."""
        await asyncio.to_thread(fresh_objects, kept)
        aside = places_of_objects(kept, repository.objects)
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

    async def since(self, turn: Turn) -> frozenset[str] | None:
        """Return the changed paths, relative to the repository's root; None without a baseline.

        Raises GitFailed also when the repository of the baseline is gone.
        """
        output = await self._compared(turn, "--name-only")
        return None if output is None else frozenset(name for name in output.split("\x00") if name)

    async def work(self, turn: Turn, max_characters: int) -> WorkDiff | None:
        """Return what a turn changed, with a diff of at most so many characters; None without a baseline.

        The smallest changes come first. Raises GitFailed.
        """
        output = await self._compared(turn, "--numstat")
        if output is None:
            return None
        counts = dict(_counted(line) for line in output.split("\x00") if line)
        small = sorted((count, path) for path, count in counts.items() if count is not None)
        shown, room = [], max_characters // LEAST_LINE
        for count, path in small[:DIFF_PATHS]:
            room -= count
            if room < 0:
                break
            shown.append(path)
        text = ""
        if shown:
            text = await self._compared(turn, *DIFF_OPTIONS, paths=shown) or ""
        if len(text) > max_characters:
            text = f"{text[:max_characters]}\n[the diff is cut here: it has {len(text):,} characters]\n"
        return WorkDiff(
            files=tuple(sorted(counts)),
            lines=sum(count or 0 for count in counts.values()),
            text=text,
            left_out=tuple(sorted(counts.keys() - set(shown))),
        )

    async def _compared(self, turn: Turn, *options: str, paths: Sequence[str] = ()) -> str | None:
        """Return git's difference between the turn's baseline and now; None without a baseline."""
        if not turn.baseline:
            return None
        workspace = self._workspace_of(turn)
        repository = await self._git.find(workspace)
        if repository is None:
            reason = "the repository that was here when the turn began is gone"
            raise GitFailed(directory=workspace, command="rev-parse", reason=reason)
        now = await self._tree(repository)
        if now == turn.baseline:
            return ""
        named = (f":(top,literal){path}" for path in paths)
        compare = ("diff-tree", "-r", *(options if paths else (*options, "-z")), "--no-renames", turn.baseline, now)
        if self._indexes is None:
            variables = repository.variables
        else:
            kept = self._kept(repository)
            aside = places_of_objects(kept, repository.objects, all_=True)
            variables = self._own(repository, kept, aside)
        return await self._git.output(repository.root, *compare, "--", *named, variables=variables | BIG_FILES)

    async def generated(self, turn: Turn, paths: Sequence[str]) -> frozenset[str]:
        """Return which of the first 500 paths .gitattributes declares as `linguist-generated`."""
        repository = await self._git.find(self._workspace_of(turn))
        if repository is None or not paths:
            return frozenset()
        # Names on the command line: a batch is bounded by the system, and beyond it the verdict is clear anyway.
        asked = ("check-attr", "-z", "linguist-generated", "--", *paths[:ATTRIBUTE_PATHS])
        output = await self._git.output(repository.root, *asked, variables=repository.variables)
        fields = output.split("\x00")
        triples = zip(fields[::3], fields[2::3], strict=False)
        return frozenset(path for path, value in triples if value in ("set", "true"))

    async def places(self, turn: Turn) -> tuple[str, ...]:
        """Return the directories that a file of the turn may be named from: the repository's root, the workspace."""
        workspace = self._workspace_of(turn)
        repository = await self._git.find(workspace)
        roots = (repository.root, workspace.absolute()) if repository else (workspace.absolute(),)
        return tuple(dict.fromkeys(str(root) for root in roots))

    def _own(self, repository: Repository, index: Path, aside: Mapping[str, str]) -> dict[str, str]:
        """Return the variables by which git looks at the work tree with an index and a git directory of ours."""
        directory = make_git_directory(index, repository.object_format)
        return {
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": quoted_directory(str(repository.objects)),
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
        committed = await self._committed(repository)
        begun, known = await asyncio.to_thread(made_from, index)
        if committed != begun or not known:
            # What is on disk is looked at afterwards: here only what the commit holds counts ("-i").
            tree = ("-i", "-m", committed) if committed and known else (committed or "--empty",)
            await self._git.output(repository.root, "read-tree", *tree, variables=variables)
            await asyncio.to_thread(note_made_from, index, committed)
        modules = await self._submodules(repository, index, variables)
        add = ["add", "--all", "--ignore-errors", "--sparse", "--", "."]
        add += [f":(exclude,literal){name}" for name in modules]
        root = repository.root
        status, _, errors = await self._git.run(root, *add, variables=variables)
        empty = [match.group(1) for match in _NO_COMMIT.finditer(errors)] if status else []
        if empty:
            add += [f":(exclude,literal){name}" for name in empty]
            status, _, errors = await self._git.run(root, *add, variables=variables)
        if status and not (status == SOME_NOT_ADDED and _only_unreadable(errors)):
            raise git_failure(root, "add", status, errors)
        inside = {*empty, *(set(await self._submodules_in(repository, index, variables)) - set(modules))}
        if inside:
            await self._add_files_inside(repository, sorted(inside), variables)

    async def _submodules(self, repository: Repository, index: Path, variables: Mapping[str, str]) -> list[str]:
        """Update the commits of the submodules in an index; returns the names of the submodules.

        To look for changes inside one, `git add` would run `git status` there, with the filters configured there.
        """
        names = await self._submodules_in(repository, index, variables)
        if names:
            update = ("update-index", "--add", "--remove", "--", *names)
            await self._git.output(repository.root, *update, variables=variables)
        return names

    async def _submodules_in(self, repository: Repository, index: Path, variables: Mapping[str, str]) -> list[str]:
        if not await asyncio.to_thread(may_hold_submodules, index):
            return []
        listed = await self._git.output(repository.root, "ls-files", "--stage", "-z", variables=variables)
        lines = (line.split("\t", 1) for line in listed.split("\x00") if line.startswith("160000 "))
        return list(dict.fromkeys(line[1] for line in lines))

    async def _add_files_inside(
        self, repository: Repository, names: Sequence[str], variables: Mapping[str, str]
    ) -> None:
        """Add the files of repositories inside that nobody committed as such to an index of ours; raises GitFailed."""
        root = repository.root
        await self._git.run(root, "update-index", "--force-remove", "--", *names, variables=variables)
        paths = await asyncio.to_thread(_files_inside, root, names)
        given = b"\x00".join(map(os.fsencode, paths))
        asked = ("update-index", "--add", "-z", "--stdin")
        whole = environment(()) | dict(variables)
        status, _, errors = await run_git(root, *asked, variables=whole, seconds=self._seconds, given=given)
        if status:
            raise git_failure(root, "update-index", status, errors)

    async def _written(self, repository: Repository, index: Path, aside: Mapping[str, str]) -> str:
        """Write the tree of an index of ours and return its id."""
        variables = await asyncio.to_thread(self._own, repository, index, aside)
        return (await self._git.output(repository.root, "write-tree", variables=variables)).strip()


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


def _counted(line: str) -> tuple[str, int | None]:
    """Return a path with its count of added and removed lines; None for a binary file."""
    added, removed, path = line.split("\t", 2)
    return path, int(added) + int(removed) if added.isdigit() and removed.isdigit() else None


def may_hold_submodules(index: Path) -> bool:
    """Whether an index may hold a submodule: where it cannot, listing all its entries is saved."""
    try:
        holding = index.read_bytes()
    except FileNotFoundError:
        return False
    return SUBMODULE in holding or SPLIT in holding


def _only_unreadable(errors: str) -> bool:
    lines = [line for line in errors.splitlines() if line.startswith(("error:", "fatal:"))]
    return bool(lines) and all(_UNREADABLE.match(line) for line in lines) and "Permission denied" in errors


async def snapshot(path: Path, *, seconds: float = 8) -> str:
    """Return the git tree of a work tree as it is on disk: uncommitted and untracked files, but no ignored ones.

    "" without a repository. The index of the repository is not touched; git collects the objects later. Raises
    GitFailed.
    """
    return await GitChanges(workspace_of=lambda _: path, seconds=seconds).tree(path)
