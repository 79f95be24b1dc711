"""What changed in a git work tree since a moment, asked of git itself."""

import asyncio
import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import WeakValueDictionary

from mama_bot.errors import MamaBotError
from mama_bot.model import Turn

# A repository that an agent works in is not trusted: nothing configured in it may run.
SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")


_NO_COMMIT = re.compile(r"error: '([^'\n]+)/' does not have a commit")
NO_REPOSITORY = 128  # what git itself answers there
WAITS = 4  # calls of git that a snapshot consists of, and waits for
MOST_INDEXES = 200
TRUSTED_SECONDS = 3600.0  # how long a tree that nothing refers to is sure not to be collected
ATTRIBUTE_PATHS = 500


class GitFailed(MamaBotError):
    """git could not say what changed."""

    def __init__(self, *, directory: Path, command: str, reason: str) -> None:
        super().__init__(f"git {command} in {directory} failed: {reason}")
        self.directory = directory
        self.command = command
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a work tree begins, and where its index is."""

    root: Path
    index: Path


class GitChanges:
    """The files that a turn changed in its workspace: committed, uncommitted, untracked, and both names of a rename.

    What was already changed when the turn began is not counted. `seconds` bounds each call of git; raises GitFailed
    when git is late or cannot read the repository. In `indexes`, where given, one index for each repository is kept:
    what git knows of files that nobody committed stays warm between turns.
    """

    def __init__(
        self, *, workspace_of: Callable[[Turn], Path], seconds: float = 8, indexes: Path | None = None
    ) -> None:
        self._workspace_of = workspace_of
        self._seconds = seconds
        self._indexes = indexes
        self._trees: dict[Path, tuple[str, str, float]] = {}
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    async def tree(self, workspace: Path) -> str:
        """What `snapshot` gives, one at a time for each repository."""
        repository = await find_repository(workspace, seconds=self._seconds)
        if repository is None:
            return ""
        if self._indexes is None:
            with TemporaryDirectory(prefix="mama-bot-index-") as scratch:
                index = Path(scratch) / "index"
                await fill_index(repository, index, seconds=self._seconds)
                return await tree_of(repository, index, seconds=self._seconds)
        kept = self._indexes / hashlib.sha256(os.fsencode(repository.root)).hexdigest()[:24]
        lock = self._locks.setdefault(repository.root, asyncio.Lock())
        try:
            async with asyncio.timeout(WAITS * self._seconds), lock:
                await asyncio.to_thread(make_room, self._indexes, kept)
                return await self._kept_tree(repository, kept)
        except TimeoutError as error:
            reason = f"another turn's snapshot did not end within {WAITS * self._seconds:g} seconds"
            raise GitFailed(directory=workspace, command="add", reason=reason) from error

    async def _kept_tree(self, repository: Repository, kept: Path) -> str:
        """The tree of the work tree, written anew only when git has written the index anew."""
        await fill_index(repository, kept, seconds=self._seconds)
        now = asyncio.get_running_loop().time()
        tree, mark, written_at = self._trees.get(kept, ("", "", 0.0))
        if tree and mark == file_mark(kept) and now - written_at < TRUSTED_SECONDS:
            return tree
        try:
            tree = await tree_of(repository, kept, seconds=self._seconds)
        except GitFailed:
            # git collects objects that only our index knows, after two weeks: begin anew from the repository's own.
            await asyncio.to_thread(kept.unlink, missing_ok=True)
            await fill_index(repository, kept, seconds=self._seconds)
            tree = await tree_of(repository, kept, seconds=self._seconds)
        self._trees[kept] = (tree, file_mark(kept), now)
        return tree

    async def since(self, turn: Turn) -> frozenset[str] | None:
        """The changed paths, relative to the repository's root; None without a baseline or a repository."""
        workspace = self._workspace_of(turn)
        now = await self.tree(workspace) if turn.baseline else ""
        if not now:
            return None
        if now == turn.baseline:
            return frozenset()
        compare = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", turn.baseline, now, "--")
        output = await git(workspace, *compare, seconds=self._seconds)
        return frozenset(name for name in output.split("\x00") if name)

    async def generated(self, turn: Turn, paths: Sequence[str]) -> frozenset[str]:
        """Those of the paths that .gitattributes declares as `linguist-generated`; of the first 500."""
        repository = await find_repository(self._workspace_of(turn), seconds=self._seconds)
        if repository is None or not paths:
            return frozenset()
        # Names on the command line: a batch is bounded by the system, and beyond it the verdict is clear anyway.
        asked = ("check-attr", "-z", "linguist-generated", "--", *paths[:ATTRIBUTE_PATHS])
        output = await git(repository.root, *asked, seconds=self._seconds)
        fields = output.split("\x00")
        triples = zip(fields[::3], fields[2::3], strict=False)
        return frozenset(path for path, value in triples if value in ("set", "true"))


async def find_repository(path: Path, *, seconds: float) -> Repository | None:
    """The repository that a directory belongs to."""
    status, output, _ = await run_git(path, "rev-parse", "--show-toplevel", "--git-path", "index", seconds=seconds)
    if status != 0:
        return None
    root, index = output.removesuffix("\n").rsplit("\n", 1)
    return Repository(Path(root), path / index)


async def snapshot(path: Path, *, seconds: float = 8) -> str:
    """The git tree of a work tree as it is on disk now, uncommitted and untracked files included, ignored ones not.

    "" without a repository. The index of the repository is not touched; the objects become garbage that git collects.
    Raises GitFailed.
    """
    return await GitChanges(workspace_of=lambda _: path, seconds=seconds).tree(path)


async def fill_index(repository: Repository, index: Path, *, seconds: float) -> None:
    """Bring an index of our own to what the work tree holds."""
    await asyncio.to_thread(seed_index, repository.index, index)
    await _add_all(repository.root, {"GIT_INDEX_FILE": str(index)}, seconds)


async def tree_of(repository: Repository, index: Path, *, seconds: float) -> str:
    """The tree that an index of our own stands for."""
    aside = {"GIT_INDEX_FILE": str(index)}
    return (await git(repository.root, "write-tree", seconds=seconds, variables=aside)).strip()


def seed_index(theirs: Path, ours: Path) -> None:
    """Begin from a copy of the repository's index, unless ours was made from just this one.

    The copy keeps what git knows of unchanged files, so that only changed ones are read; and files that are ignored
    and tracked all the same stand in theirs alone.
    """
    made_from = ours.with_suffix(".from")
    ours.with_suffix(".lock").unlink(missing_ok=True)  # of a git that was killed: whoever gets here holds our own lock
    mark = file_mark(theirs)
    if ours.exists() and made_from.exists() and made_from.read_text(encoding="utf-8") == mark:
        return
    made_from.unlink(missing_ok=True)
    ours.unlink(missing_ok=True)
    if mark:
        shutil.copy2(theirs, ours)
    made_from.write_text(mark, encoding="utf-8")


def file_mark(file: Path) -> str:
    """What changes whenever a file is written anew; "" without one."""
    try:
        stat = file.stat()
    except FileNotFoundError:
        return ""
    return f"{stat.st_mtime_ns} {stat.st_size} {stat.st_ino}"


def make_room(indexes: Path, kept: Path) -> None:
    """Make the directory of indexes; when it is full, the one that was used longest ago goes."""
    indexes.mkdir(parents=True, exist_ok=True)
    if kept.exists():
        return
    others = sorted((file for file in indexes.iterdir() if not file.suffix), key=lambda file: file.stat().st_mtime)
    for file in others[: max(0, len(others) - MOST_INDEXES + 1)]:
        for one in (file, file.with_suffix(".from")):
            one.unlink(missing_ok=True)


async def _add_all(root: Path, aside: Mapping[str, str], seconds: float) -> None:
    """Add the whole work tree; a repository inside it that has no commit yet cannot be added, and is left out."""
    add = ("add", "--all", "--ignore-errors", "--", ".")
    status, _, errors = await run_git(root, *add, seconds=seconds, variables=aside)
    if status != 0:
        empty = [match.group(1) for match in _NO_COMMIT.finditer(errors)]
        await git(root, *add, *(f":(exclude){name}" for name in empty), seconds=seconds, variables=aside)


async def git(directory: Path, *arguments: str, seconds: float, variables: Mapping[str, str] | None = None) -> str:
    """The output of a git command; raises GitFailed."""
    status, output, errors = await run_git(directory, *arguments, seconds=seconds, variables=variables)
    if status != 0:
        reason = errors.strip()[-300:] or f"exit status {status}"
        raise GitFailed(directory=directory, command=arguments[0], reason=reason)
    return output


async def run_git(
    directory: Path, *arguments: str, seconds: float, variables: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """Exit status, output and errors of a git command, which never outlives this call; raises GitFailed."""
    try:
        process = await asyncio.create_subprocess_exec(
            *("git", "--no-optional-locks", *SAFE, *arguments),
            cwd=directory,
            env=environment() | dict(variables or {}),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        if str(error.filename) == str(directory):
            return NO_REPOSITORY, "", str(error)
        raise GitFailed(directory=directory, command=arguments[0], reason=str(error)) from error
    except OSError as error:
        raise GitFailed(directory=directory, command=arguments[0], reason=str(error)) from error
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate()
    except TimeoutError as error:
        reason = f"no answer within {seconds:g} seconds"
        raise GitFailed(directory=directory, command=arguments[0], reason=reason) from error
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return process.returncode or 0, output.decode(errors="replace"), errors.decode(errors="replace")


def environment() -> dict[str, str]:
    """The environment for git: this process's, without what would point it elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "LC_ALL": "C.UTF-8"}
