"""Read small files that an agent may have written, or put something else in the place of."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 64 * 1024


def plain_bytes(file: Path, most: int = MOST_BYTES) -> bytes | None:
    """Return the beginning of a plain file; None where nothing is. Raises OSError for a link, a pipe or a device.

    It never waits: nobody may ever write into a pipe, and a device may never end.
    """
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with os.fdopen(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "this is no plain file", str(file))
        return opened.read(most)


def small_text(file: Path) -> str | None:
    """Return a small plain file as text; None where nothing is. Raises OSError also for one that is not small."""
    read = plain_bytes(file)
    if read is not None and len(read) == MOST_BYTES:
        raise OSError(errno.EFBIG, "this is larger than such a file ever is", str(file))
    return None if read is None else os.fsdecode(read)


@contextlib.contextmanager
def opened_below(root: Path, directory: Path) -> Iterator[int]:
    """Give a directory below another one, as a descriptor, reached by no link; raises OSError.

    Whoever puts a link in the place of one on the way, even meanwhile, leads nobody elsewhere.
    """
    opened = [os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
    try:
        for part in directory.parts:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            opened.append(os.open(part, flags, dir_fd=opened[-1]))
        yield opened[-1]
    finally:
        for descriptor in opened:
            os.close(descriptor)
