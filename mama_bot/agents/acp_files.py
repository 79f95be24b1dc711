"""Files that an agent has the service read and write for it: those of its workspace, and nothing beside."""

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from mama_bot.agents.acp_connection import NotAnswered

MOST_BYTES = 16 * 2**20
NO_FILE = "There is no file {path}."
OUTSIDE = "{path} is outside of your workspace, so nobody reads or writes it for you."
ONLY_LOOKS = "You may only look here, so nothing is written."


class AcpFiles:
    """Reads and writes text below `workspace`, and reads below `readable`; follows no link on the way."""

    def __init__(self, *, workspace: Path, readable: Sequence[Path], read_only: bool) -> None:
        self._workspace = workspace
        self._readable = readable
        self._read_only = read_only

    def absolute(self, path: str) -> str:
        """Return a path as it is meant: OpenCode leaves the first slash of the files that it wrote out."""
        return f"/{path}" if Path(f"/{path}").is_relative_to(self._workspace.absolute()) else path

    def read(self, given: Mapping[str, Any]) -> str:
        """Return a text, or the lines of it that are asked for; raises NotAnswered and OSError."""
        root, parts = self._place(given, (self._workspace, *self._readable))
        with _opened(root, parts, os.O_RDONLY | os.O_NONBLOCK, str(given.get("path"))) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise NotAnswered(reason=f"{given.get('path')} is no file.")
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise NotAnswered(reason=f"{given.get('path')} is too large to be read as a whole.")
        text = content.decode("utf-8", "replace")
        first, count = given.get("line"), given.get("limit")
        if not isinstance(first, int) and not isinstance(count, int):
            return text
        begin = max(0, first - 1) if isinstance(first, int) else 0
        lines = text.splitlines(keepends=True)[begin:]
        return "".join(lines[:count] if isinstance(count, int) else lines)

    def write(self, given: Mapping[str, Any]) -> None:
        """Put a text in place of a file; raises NotAnswered and OSError."""
        if self._read_only:
            raise NotAnswered(reason=ONLY_LOOKS)
        root, parts = self._place(given, (self._workspace,))
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK
        with _opened(root, parts, flags, str(given.get("path")), makes=True) as file:
            file.write(str(given.get("content") or "").encode("utf-8", "replace"))

    def _place(self, given: Mapping[str, Any], roots: Sequence[Path]) -> tuple[Path, tuple[str, ...]]:
        """Return in which of the places a path lies, and its parts below it."""
        path = os.path.normpath(os.path.join(self._workspace, str(given.get("path") or "")))  # noqa: PTH118 - lexical
        for root in roots:
            for name in (root.absolute(), Path(os.path.realpath(root))):
                if Path(path) != name and Path(path).is_relative_to(name):
                    return root, Path(path).relative_to(name).parts
        raise NotAnswered(reason=OUTSIDE.format(path=path))


def _opened(root: Path, parts: tuple[str, ...], flags: int, shown: str, *, makes: bool = False) -> IO[bytes]:
    """Open a file from directory to directory: whoever moves one meanwhile leads nobody elsewhere."""
    directory = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            if makes:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=directory)
            further = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=directory)
            os.close(directory)
            directory = further
        file = os.open(parts[-1], flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=directory)
    except FileNotFoundError:
        raise NotAnswered(reason=NO_FILE.format(path=shown), missing=True) from None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise NotAnswered(reason=f"{shown} leads through a link, which nobody follows for you.") from None
        raise
    finally:
        os.close(directory)
    return os.fdopen(file, "wb" if makes else "rb")
