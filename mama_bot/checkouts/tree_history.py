"""How work trees stood before and after each turn: kept by the service, compared, and written back to the disk."""

import asyncio
import contextlib
import itertools
import os
import tempfile
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.own_repository import OwnRepository, own_repository
from mama_bot.checkouts.unreachable import drop_unreachable, note_pruned
from mama_bot.checkouts.work_places import kept_directory
from mama_bot.confinement.plain_files import opened_below
from mama_bot.errors import ErrorDecision
from mama_bot.locks import KeyedLocks
from mama_bot.model import TreeMark
from mama_bot.repositories.git import GitFailed
from mama_bot.repositories.snapshots import Snapshots

ROOT = "refs/trees/"
SHA1_DIGITS = 40
MOST_PACKS = 50
MOST_DROPPED = 5_000  # at a time: the next sweep takes more
LOCK = ".lock"
EXECUTABLE = "100755"
ABSENT = "000000"
REGULAR = ("100644", EXECUTABLE)
ANY_NAME = "surrogateescape"  # names on a disk are bytes
# Larger files are not read line by line.
BIG_FILES = {"GIT_CONFIG_PARAMETERS": "'core.bigfilethreshold=1m'"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeLook:
    """A work tree as it was seen: its mark, and where the objects of that are, for a day at least.

    `theirs` are those of the repository itself, which stay.
    """

    mark: TreeMark
    root: Path
    object_format: str
    objects: tuple[Path, ...]
    theirs: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLines:
    """A file that differs between two trees: lines added and removed, None for one that is not read by lines."""

    path: str
    added: int | None
    removed: int | None


class InTheWay(GitFailed):
    """Files on the disk that a tree does not hold are where it is to be written."""

    decision: ClassVar = ErrorDecision.REFUSED

    def __init__(self, *, directory: Path, paths: Sequence[str]) -> None:
        super().__init__(directory=directory, command="read-tree", reason="files are in the way")
        self.paths = tuple(os.fsencode(path).decode(errors="replace") for path in paths)


class TreeHistory:
    """Keeps git trees of the work trees of a service, whatever becomes of the work trees.

    `umask` is that of the person whose files are written. Each repository has one bare store of trees, which no agent
    reads; `lent` says which objects of others it leans on. Every method raises GitFailed and OSError.
    """

    def __init__(
        self, *, directory: Path, git: OwnGit, snapshots: Snapshots, umask: int = 0o022, most_packs: int = MOST_PACKS
    ) -> None:
        self._directory = directory.absolute()
        self._git = git
        self._snapshots = snapshots
        self._umask = umask
        self._most_packs = most_packs
        self._locks: KeyedLocks[Path] = KeyedLocks()
        self._tidied: set[Path] = set()

    async def look(self, workspace: Path) -> TreeLook | None:
        """Return how a work tree stands; None where a directory belongs to no repository."""
        trees = await self._snapshots.trees(workspace)
        if trees is None:
            return None
        return TreeLook(
            mark=TreeMark(files=trees.on_disk, commit=trees.commit),
            root=trees.root,
            object_format="sha1" if len(trees.on_disk) == SHA1_DIGITS else "sha256",
            objects=trees.objects,
            theirs=trees.theirs,
        )

    async def keep(
        self, name: str, conversation: str, look: TreeLook, *trees: str, lent: Sequence[Path] = (), base: str = ""
    ) -> None:
        """Keep trees of a work tree that was just looked at, for a conversation; those that are kept cost nothing.

        What the commit `base`, which is in what is `lent`, holds need not be kept again.
        """
        store = self._store(name)
        async with self._locks.held(store):
            await self._prepare(store, look.object_format)
            own = self._own(name, lent)
            wanted = list(dict.fromkeys(trees))
            missing = [tree for tree in wanted if not await _is_kept(own, conversation, tree)]
            await asyncio.to_thread(_refresh, store, conversation, wanted)
            if not missing:
                return
            known = [*await _some_kept(own, conversation), *([f"{base}^{{tree}}"] if base else [])]
            given = "".join(f"{tree}\n" for tree in missing) + "".join(f"^{tree}\n" for tree in known)
            pack = ("pack-objects", "--quiet", "--revs", "--non-empty", str(store / "objects" / "pack" / "pack"))
            own = OwnRepository(self._git, store, (store / "objects", *look.objects, *lent))
            await own.output(*pack, given=given.encode())
            changes = "".join(f"update {ROOT}{conversation}/{tree} {tree}\n" for tree in missing)
            await own.output("update-ref", "--stdin", given=changes.encode())
            packs = await asyncio.to_thread(lambda: [*(store / "objects" / "pack").glob("*.pack")])
            if store not in self._tidied and len(packs) > self._most_packs:
                # Without the objects of the look, which are there for a day: what is lent is not packed again.
                await self._own(name, lent).output("repack", "-d", "-q", "--geometric=2", "-l")

    async def holds(self, name: str, conversation: str, *trees: str, lent: Sequence[Path] = ()) -> bool:
        """Return whether all of these trees are kept for a conversation."""
        if not await asyncio.to_thread(self._store(name).is_dir):
            return False
        own = self._own(name, lent)
        return all([await _is_kept(own, conversation, tree) for tree in trees])

    async def without(
        self, name: str, conversation: str, *, before: str, after: str, now: str, lent: Sequence[Path] = ()
    ) -> str | tuple[str, ...]:
        """Return the tree `now` with the way from `before` to `after` taken back, or the files where that cannot be."""
        if now == after:
            return before
        own = self._own(name, lent)
        tree = await own.brought_together(after, now, before)
        if not isinstance(tree, str):
            return tuple(file.path for file in tree)
        await self._refer(name, own, conversation, tree)
        return tree

    async def towards(
        self, name: str, conversation: str, *, before: str, after: str, now: str, lent: Sequence[Path] = ()
    ) -> str:
        """Return the tree `now` with those files as in `after` that are as in `before`: what else is there stays."""
        own = self._own(name, lent)
        changed = ("diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", before)
        wanted = _entries_of(await own.output(*changed, after, undecodable=ANY_NAME))
        differing = _entries_of(await own.output(*changed, now, undecodable=ANY_NAME))
        lines = [f"{mode} {blob}\t{path}\0" for path, (mode, blob) in wanted.items() if path not in differing]
        with tempfile.TemporaryDirectory(prefix="mama-bot-written-") as place:
            further = {"GIT_INDEX_FILE": str(Path(place) / "index")}
            await own.output("read-tree", now, further=further)
            given = os.fsencode("".join(sorted(lines, key=lambda line: not line.startswith(ABSENT))))
            await own.output("update-index", "-z", "--index-info", given=given, further=further)
            tree = (await own.output("write-tree", further=further)).strip()
        await self._refer(name, own, conversation, tree)
        return tree

    async def _refer(self, name: str, own: OwnRepository, conversation: str, tree: str) -> None:
        store = self._store(name)
        async with self._locks.held(store):
            await own.output("update-ref", f"{ROOT}{conversation}/{tree}", tree)
            await asyncio.to_thread(_refresh, store, conversation, [tree])

    async def drop(self, name: str, needed: Mapping[str, Container[str]], *, before: float, gone_before: float) -> int:
        """Keep no longer the trees that are not needed, by conversation; return how many.

        Only what was last kept `before` goes, or `gone_before` where nothing of a conversation is needed.
        """
        store = self._store(name)
        async with self._locks.held(store):
            stale = [
                reference
                for conversation, tree, at in await asyncio.to_thread(lambda: [*_references(store)])
                if tree not in needed.get(conversation, ()) and at < (before if conversation in needed else gone_before)
                for reference in (f"{ROOT}{conversation}/{tree}",)
            ][:MOST_DROPPED]
            if stale:
                await asyncio.to_thread(note_pruned, store)
                given = "".join(f"delete {reference}\n" for reference in stale).encode()
                await self._own(name, ()).output("update-ref", "--stdin", given=given)
        return len(stale)

    async def tidy(self, name: str, lent: Sequence[Path], *, fresh_seconds: float) -> None:
        """Free the disk of what is kept no longer."""
        store = self._store(name)
        if not await asyncio.to_thread(store.is_dir):
            return
        self._tidied.add(store)  # two who pack again would take the packs from each other
        try:
            await drop_unreachable(self._own(name, lent).output, store, fresh_seconds=fresh_seconds)
        finally:
            self._tidied.discard(store)

    async def lines(self, name: str, before: str, after: str, lent: Sequence[Path] = ()) -> tuple[FileLines, ...]:
        """Return the files that differ between two trees, with their lines."""
        asked = ("diff-tree", "-r", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", before, after)
        listed = await self._own(name, lent).output(*asked, further=BIG_FILES)
        return tuple(_lines_of(entry) for entry in listed.split("\x00") if entry)

    async def patch(self, name: str, before: str, after: str, path: str, lent: Sequence[Path] = ()) -> str:
        """Return how one file differs between two trees, as a unified diff."""
        asked = (
            "diff-tree",
            "-r",
            "-p",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--full-index",
        )
        where = (before, after, "--", f":(top,literal){path}")
        return await self._own(name, lent).output(*asked, *where, further=BIG_FILES)

    async def write(
        self, name: str, root: Path, before: str, after: str, lent: Sequence[Path] = (), *, aside: bool = False
    ) -> None:
        """Change the files of a work tree from one tree into another; nothing that is neither is overwritten.

        Raises InTheWay before anything is written, where files that git ignores, or a change made meanwhile, are there;
        files of the one kind that are what is to be there are no obstacle, and with `aside` the others get a new name.
        """
        own = self._own(name, lent)
        async with own_repository(self._git, await _format_of(own), own.lent) as scratch:
            with tempfile.TemporaryDirectory(prefix="mama-bot-written-") as place:
                further = {"GIT_WORK_TREE": str(root), "GIT_INDEX_FILE": str(Path(place) / "index")}
                compared = ("diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", before, after)
                changes = _changes_of(await scratch.output(*compared, undecodable=ANY_NAME))
                named = ("ls-tree", "-r", "-z", "--name-only", before)
                held = await scratch.output(*named, undecodable=ANY_NAME)
                obstacles = await asyncio.to_thread(_obstacles, root, changes, {*held.split("\x00")})
                there = await self._there_already(scratch, root, changes, obstacles)
                obstacles = [path for path in obstacles if path not in there]
                if aside:
                    await asyncio.to_thread(_set_aside, root, obstacles)
                    obstacles = []
                await scratch.output("read-tree", before, further=further)
                variables = scratch.variables | further
                await self._git.answer(
                    root, "update-index", "-q", "--ignore-submodules", "--refresh", variables=variables
                )
                asked = ("diff-files", "--name-only", "-z", "--ignore-submodules=all")
                differing = await self._git.output(root, *asked, variables=variables, undecodable=ANY_NAME)
                touched = {change.path for change in changes}
                obstacles += [path for path in differing.split("\x00") if path in touched]
                if obstacles:
                    raise InTheWay(directory=root, paths=sorted({*obstacles}))
                await asyncio.to_thread(_remove, root, there)
                moved = ("read-tree", "-m", "-u", "--no-recurse-submodules", before, after)
                # An agent's process may be left there, and put a link in the place of a directory meanwhile.
                places = (root, Path(place), scratch.directory)
                await self._git.output(root, *moved, variables=variables, writable=places)
                await asyncio.to_thread(self._set_modes, root, changes)

    async def _there_already(
        self, own: OwnRepository, root: Path, changes: Sequence["_Changed"], paths: Sequence[str]
    ) -> set[str]:
        """Return the paths at which there is on the disk what is to be there."""
        wanted = {change.path: change.blob for change in changes}
        plain = [path for path in paths if path in wanted and (root / path).is_file() and "\n" not in path]
        given = os.fsencode("".join(f"{root / path}\n" for path in plain if not (root / path).is_symlink()))
        hashed = (
            (await own.output("hash-object", "--no-filters", "--stdin-paths", given=given)).split() if given else []
        )
        return {path for path, blob in zip(plain, hashed, strict=False) if wanted[path] == blob}

    def _set_modes(self, root: Path, changes: Sequence["_Changed"]) -> None:
        """Give what was written the rights that the person's own files have: the service's are for itself alone."""
        for change in changes:
            if change.mode in REGULAR:
                with opened_below(root, Path(change.path).parent) as directory:
                    name = Path(change.path).name
                    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
                with os.fdopen(file) as opened:
                    os.fchmod(opened.fileno(), (0o777 if change.mode == EXECUTABLE else 0o666) & ~self._umask)

    # --- the store of trees ---------------------------------------------------------------------------

    def _store(self, name: str) -> Path:
        return kept_directory(self._directory, name).with_name("trees.git")

    def _own(self, name: str, lent: Sequence[Path]) -> OwnRepository:
        store = self._store(name)
        return OwnRepository(self._git, store, (store / "objects", *lent))

    async def _prepare(self, store: Path, object_format: str) -> None:
        if await asyncio.to_thread(store.is_dir):
            return
        making = store.with_name(store.name + ".making")
        await asyncio.to_thread(making.mkdir, parents=True, exist_ok=True)
        new = ("init", "--quiet", "--bare", "--template=", f"--object-format={object_format}", ".")
        await self._git.output(making, *new)
        for setting, value in (("gc.auto", "0"), ("gc.pruneExpire", "never"), ("maintenance.auto", "false")):
            await self._git.output(making, "config", setting, value)
        own = OwnRepository(self._git, making, (making / "objects",))
        await own.output("hash-object", "-w", "-t", "tree", "--stdin")  # the tree of no file
        making.rename(store)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changed:
    """A path that differs between two trees: its mode and content in the second ("000000": it is not there)."""

    path: str
    mode: str
    blob: str
    is_new: bool


def _refresh(store: Path, conversation: str, trees: Sequence[str]) -> None:
    """Let those of these trees that are kept count as kept now."""
    for tree in trees:
        with contextlib.suppress(FileNotFoundError):
            os.utime(store / ROOT / conversation / tree)


def _references(store: Path) -> Iterator[tuple[str, str, float]]:
    """Yield the conversation and the name of each tree, and when it was last kept."""
    for place in (store / ROOT).glob("*/*"):
        with contextlib.suppress(FileNotFoundError):
            if not place.name.endswith(LOCK):
                yield place.parent.name, place.name, place.stat().st_mtime


async def _is_kept(own: OwnRepository, conversation: str, tree: str) -> bool:
    return bool(await own.asked("rev-parse", "--quiet", "--verify", f"{ROOT}{conversation}/{tree}^{{tree}}"))


async def _some_kept(own: OwnRepository, conversation: str) -> list[str]:
    """Return trees that are kept of a conversation: what the next one has in common with them is there."""
    asked = ("for-each-ref", "--format=%(objectname)", "--count=4", f"{ROOT}{conversation}/")
    return (await own.output(*asked)).split()


def _changes_of(listed: str) -> list[_Changed]:
    fields = listed.split("\x00")
    changes = []
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, blob, status = head.split(" ")
        changes.append(_Changed(path=path, mode=mode, blob=blob, is_new=status[:1] == "A"))
    return changes


def _entries_of(listed: str) -> dict[str, tuple[str, str]]:
    """Return the mode and the content of each path in the second of two trees."""
    return {change.path: (change.mode, change.blob) for change in _changes_of(listed)}


def _obstacles(root: Path, changes: Sequence[_Changed], held: set[str]) -> list[str]:
    """Return what is on the disk where new files are to be written, and belongs to no tree: files that git ignores."""
    paths: list[str] = []
    for change in changes:
        if not change.is_new:
            continue
        place = root / change.path
        if place.is_dir() and not place.is_symlink():
            inside = (Path(directory) / file for directory, _, files in os.walk(place) for file in files)
            paths += [name for file in inside if (name := os.path.relpath(file, root)) not in held]
        elif os.path.lexists(place):
            paths.append(change.path)
        for above in list(Path(change.path).parents)[:-1]:
            if os.path.lexists(root / above) and not (root / above).is_dir() and str(above) not in held:
                paths.append(str(above))
    return paths


def _set_aside(root: Path, paths: Sequence[str]) -> None:
    for path in paths:
        name = Path(path).name
        with opened_below(root, Path(path).parent) as directory:
            taken = {*os.listdir(directory)}  # noqa: PTH208 - of the open directory
            other = next(new for n in itertools.count(1) if (new := f"{name}.before-undo-{n}") not in taken)
            os.rename(name, other, src_dir_fd=directory, dst_dir_fd=directory)


def _remove(root: Path, paths: Iterable[str]) -> None:
    for path in paths:
        with contextlib.suppress(FileNotFoundError), opened_below(root, Path(path).parent) as directory:
            os.unlink(Path(path).name, dir_fd=directory)


def _lines_of(entry: str) -> FileLines:
    added, removed, path = entry.split("\t", 2)
    is_text = added.isdigit() and removed.isdigit()
    return FileLines(path=path, added=int(added) if is_text else None, removed=int(removed) if is_text else None)


async def _format_of(own: OwnRepository) -> str:
    return (await own.output("rev-parse", "--show-object-format")).strip()
