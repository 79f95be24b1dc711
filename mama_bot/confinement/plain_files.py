"""Read small files that an agent may have written, or put something else in the place of."""

import errno
import os
import stat
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
