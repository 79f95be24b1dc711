"""A git tree in a directory of ours, with some of its files as they were before.

git runs in a repository of our own that only reads the objects of the other: nothing that is configured there counts,
no hook or filter runs, and its index, its references and its list of work trees are not touched.
"""

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from mama_bot.repositories.confined import reach_of
from mama_bot.repositories.git import git_failure, run_git
from mama_bot.repositories.kept import quoted_directory
from mama_bot.text.paths import glob, plain_path
from mama_bot.text.patterns import Pattern, compiled_at_once

SHA256_DIGITS = 64

# How files are laid out is read from these: whoever may not change a file may not change how it comes out.
ATTRIBUTES = "(?:.*/)?\\.gitattributes"


def protected(names: Sequence[str], below: str) -> Pattern:
    """Compile the paths that names mean, from `below` ("" the root) on: each with all below it, `*` and `**` as globs.

    `.gitattributes` are always among them. Raises ConfigurationError for a name that makes no expression.
    """
    return _compiled([*(_expression(name, below) for name in names), ATTRIBUTES])


def meant_paths(names: Sequence[str], below: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Return those of the paths that names mean, as `protected` reads them, in order."""
    meant = _compiled([_expression(name, below) for name in names])
    return tuple(sorted(path for path in paths if meant.fullmatch(plain_path(path)) is not None))


def _compiled(expressions: Sequence[str]) -> Pattern:
    return compiled_at_once(f"(?s)(?:{'|'.join(expressions)})", ignore_case=False, groups=False)


def _expression(name: str, below: str) -> str:
    start = glob(below) + "/" if below else ""
    return start + glob(str(PurePosixPath(name))) + "(?:/.*)?"


def matching(names: Sequence[str], below: str, paths: Iterable[str]) -> frozenset[str]:
    """Return the names that mean at least one of the paths."""
    means = {
        name: compiled_at_once(f"(?s){_expression(name, below)}", ignore_case=False, groups=False) for name in names
    }
    plain = [plain_path(path) for path in paths]
    return frozenset(
        name for name, expression in means.items() if any(expression.fullmatch(path) is not None for path in plain)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """The tree to check, and the paths in which it differs from what the agent left."""

    tree: str
    restored: tuple[str, ...] = ()


class Layout:
    """One clean work tree, below `place`; `seconds` bounds each call of git. Every method raises GitFailed."""

    def __init__(self, *, place: Path, objects: Sequence[Path], seconds: float) -> None:
        self._place = place
        self._objects = objects
        self._seconds = seconds
        self.directory = place / "tree"

    async def compose(self, tree: str, *, base: str, names: Pattern | None) -> Composed:
        """Compose the tree with the protected files as `base` has them; those that `base` lacks are left out.

        "" as the base is a tree without files.
        """
        await asyncio.to_thread(self.directory.mkdir)
        form = "sha256" if len(tree) == SHA256_DIGITS else "sha1"
        await self._git("init", "--quiet", "--bare", "--template=", f"--object-format={form}", ".")
        await self._git("read-tree", tree)
        if names is None:
            return Composed(tree=tree)
        before = base or (await self._git("hash-object", "-t", "tree", "-w", "--stdin")).decode().strip()
        if before == tree:
            return Composed(tree=tree)
        changes = await self._git("diff-tree", "-r", "-z", "--raw", "--no-renames", before, tree, "--")
        restored = [change for change in _changes(changes) if names.fullmatch(plain_path(_text(change[2]))) is not None]
        if not restored:
            return Composed(tree=tree)
        # First what has to go: a link may stand where a directory has to be.
        lines = [
            b"%s %s\t%s\0" % change for change in sorted(restored, key=lambda change: change[0].strip(b"0") != b"")
        ]
        await self._git("update-index", "-z", "--index-info", given=b"".join(lines))
        written = (await self._git("write-tree")).decode().strip()
        return Composed(tree=written, restored=tuple(_shown(change[2]) for change in restored))

    async def paths(self, *trees: str) -> frozenset[str]:
        """Return the files of some trees, from the root on; "" is a tree without files. Only after `compose`."""
        listed = [await self._git("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree) for tree in trees if tree]
        return frozenset(_text(path) for paths in listed for path in paths.split(b"\0") if path)

    async def changed(self, before: str, after: str) -> frozenset[str]:
        """Return the files in which two trees differ; "" is a tree without files. Only after `compose`."""
        if not before or not after:
            return await self.paths(before, after)
        listed = await self._git("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after, "--")
        return frozenset(_text(path) for path in listed.split(b"\0") if path)

    async def lay_out(self) -> Path:
        """Write the composed tree into the directory; a submodule is an empty directory."""
        await self._git("checkout-index", "--all", "--force", "--quiet", within=True)
        return self.directory

    async def _git(self, *arguments: str, given: bytes = b"", within: bool = False) -> bytes:
        store = self._place / "git"
        store.mkdir(exist_ok=True)
        variables = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self._place),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_DIR": str(store),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": ":".join(quoted_directory(str(place)) for place in self._objects),
        } | ({"GIT_WORK_TREE": str(self.directory)} if within else {})
        directory = self.directory if within else store
        reach = await asyncio.to_thread(reach_of, directory, variables)
        reach = replace(reach, writable=(str(self._place),))
        status, output, errors = await run_git(
            directory, *arguments, variables=variables, seconds=self._seconds, given=given, reach=reach
        )
        if status:
            raise git_failure(store, arguments[0], status, errors)
        return output


def _changes(raw: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Mode and object before, and path, of each change that `diff-tree --raw -z` lists; mode 0: it was not there."""
    fields = raw.split(b"\0")
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        mode, _, before, _, _ = head.removeprefix(b":").split(b" ")
        yield mode, before, path


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _shown(path: bytes) -> str:
    return path.decode("utf-8", "replace")
