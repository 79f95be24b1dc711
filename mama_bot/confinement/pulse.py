"""When a node last wrote to its database: it writes that down, and the launchers of what it started read it.

A node that stands still or is cut off is taken over, and what it started must change nothing meanwhile: it stands still
as well, until the node has written again. Stand-alone and of the standard library only, for the launcher.
"""

import os
import struct
import time
from contextlib import suppress

_MOMENT = struct.Struct("<d")
_SHARE_OF_PATIENCE = 24  # so often it is looked in the time after which a pulse counts as gone


class PulseFile:
    """Where a node writes that it wrote; `beat` may be called by any thread."""

    def __init__(self, file: "str | os.PathLike[str]") -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def beat(self, at: float) -> None:
        """Note when the last transaction that was committed began, by the clock of `since_boot`.

        Where that cannot be written, what was started stands still: nobody knows who goes on.
        """
        with suppress(OSError):
            os.pwrite(self._file, _MOMENT.pack(at), 0)


class PulseWatch:
    """Tells whether a pulse is there; opened before anything is covered."""

    def __init__(self, file: str, seconds: float) -> None:
        self._file = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        self._seconds = seconds
        self.look_seconds = seconds / _SHARE_OF_PATIENCE

    def gone(self) -> bool:
        """Return whether nothing was written for so long that another node may go on."""
        written = os.pread(self._file, _MOMENT.size, 0)
        if len(written) < _MOMENT.size:
            return True
        at: float = _MOMENT.unpack(written)[0]
        return time.clock_gettime(time.CLOCK_BOOTTIME) - at >= self._seconds
