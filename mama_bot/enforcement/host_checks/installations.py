"""Packages that checks need and git ignores: installed once for the files that decide them, and kept."""

import asyncio
import json
import os
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import structlog

from mama_bot.config import CheckInstall, WorkspaceCheck

log = structlog.get_logger(__name__)

MOST_KEPT = 8
PRIVATE = 0o700
Failure = TypeVar("Failure")


class Installations:
    """Keeps what was installed below `directory`, which is the service's own: the `most` that were used last stay.

    One is installed at a time. What a killed service left half installed is installed anew.
    """

    def __init__(self, directory: Path, *, most: int = MOST_KEPT) -> None:
        self._directory = directory
        self._most = most
        self._installing = asyncio.Lock()
        self._used: Counter[str] = Counter()

    @asynccontextmanager
    async def provided(
        self,
        check: WorkspaceCheck,
        root: Path,
        files: Sequence[str],
        install: Callable[[Path], Awaitable[Failure | None]],
    ) -> AsyncIterator[Path | Failure]:
        """Give the tree in which the packages for `files` of `root` are, or why `install` failed to put them there.

        `install` is given a tree that holds these files and nothing else. While the block runs the tree stays.
        """
        key = await asyncio.to_thread(_key, check, root, files)
        place = self._directory / key
        with self._in_use(key):
            failure = None
            if not _is_complete(place):
                async with self._installing:
                    failure = None if _is_complete(place) else await self._installed(place, root, files, install)
            if failure is not None:
                yield failure
                return
            os.utime(_sign(place))
            yield _tree(place)

    async def _installed(
        self, place: Path, root: Path, files: Sequence[str], install: Callable[[Path], Awaitable[Failure | None]]
    ) -> Failure | None:
        await asyncio.to_thread(_begin, place, root, files)
        failure = await install(_tree(place))
        if failure is None:
            _sign(place).touch()
            log.info("check_packages_installed", installation=place.name)
        await self._make_room(place if failure is None else None)
        if failure is not None:
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)
        return failure

    async def _make_room(self, newest: Path | None) -> None:
        """Remove those that were used longest ago, and what is half installed, but none that is in use."""
        for place in await asyncio.to_thread(self._too_many, newest):
            if self._used[place.name]:  # since it was looked at
                continue
            _sign(place).unlink(missing_ok=True)  # whoever wants it from now on has it installed anew, after this
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)
            log.info("check_packages_removed", installation=place.name)

    def _too_many(self, newest: Path | None) -> Sequence[Path]:
        idle = [place for place in self._directory.iterdir() if place != newest and not self._used[place.name]]
        idle.sort(key=lambda place: _sign(place).stat().st_mtime if _is_complete(place) else 0.0, reverse=True)
        numbered = enumerate(idle, start=1 if newest else 0)
        return [place for number, place in numbered if number >= self._most or not _is_complete(place)]

    @contextmanager
    def _in_use(self, key: str) -> Iterator[None]:
        self._used[key] += 1
        try:
            yield
        finally:
            self._used[key] -= 1
            if not self._used[key]:
                del self._used[key]


def missing_of(install: CheckInstall, tree: Path, below: str) -> str:
    """Return the first of what an installation was to make and did not; "" for none."""
    return next((name for name in install.makes if not (tree / below / name).is_dir()), "")


def link_packages(install: CheckInstall, *, tree: Path, root: Path, below: str) -> None:
    """Put what was installed in `tree` into a laid-out one: directories of its own, whose entries lead to what is kept.

    So a tool may write beside the packages (`node_modules/.cache`) and changes none of them. What an agent's tree has
    there goes. Raises OSError where a link of that tree leads outside.
    """
    for name in install.makes:
        target = root / below / name
        if not target.parent.resolve().is_relative_to(root.resolve()):
            raise OSError(f"{name} leads out of the tree")
        if target.is_symlink() or target.is_file():
            target.unlink()
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        with os.scandir(tree / below / name) as entries:
            for entry in entries:
                (target / entry.name).symlink_to(entry.path)


def _key(check: WorkspaceCheck, root: Path, files: Sequence[str]) -> str:
    """Return what is the same for the same files and the same way to install them."""
    install = check.install
    told = sha256()
    if install is not None:
        told.update(json.dumps([install.model_dump(mode="json"), check.directory, dict(check.environment)]).encode())
    for path in _regular(root, files):
        content = (root / path).read_bytes()
        told.update(f"\0{path}\0{os.access(root / path, os.X_OK)}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
        told.update(content)
    return told.hexdigest()[:40]


def _begin(place: Path, root: Path, files: Sequence[str]) -> None:
    shutil.rmtree(place, ignore_errors=True)
    _tree(place).mkdir(mode=PRIVATE, parents=True)
    for path in _regular(root, files):
        copy = _tree(place) / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / path, copy)


def _regular(root: Path, files: Sequence[str]) -> Iterator[str]:
    """Yield those that are files of the tree itself: a link would lead to what the agent chose."""
    real = root.resolve()
    for path in files:
        whole = root / path
        if whole.is_file() and whole.resolve() == real / path:
            yield path


def _is_complete(place: Path) -> bool:
    return _sign(place).is_file()


def _sign(place: Path) -> Path:
    return place / "complete"


def _tree(place: Path) -> Path:
    return place / "tree"
