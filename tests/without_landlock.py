"""Runs a command as on a kernel without Landlock: its calls are refused as if they were not there.

python -I -S without_landlock.py <program> <arguments>
"""

import ctypes
import errno
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from mama_bot.confinement import landlock, seccomp

CALLS = (landlock.CREATE_RULESET, landlock.ADD_RULE, landlock.RESTRICT_SELF)


def forget_landlock() -> None:
    """Take Landlock from this process, and from all that it starts."""
    lines = [(seccomp.LOAD, 0, 0, seccomp.NUMBER)]
    for number in CALLS:
        lines += [(seccomp.EQUAL, 0, 1, number), (seccomp.RETURN, 0, 0, seccomp.REFUSE | errno.ENOSYS)]
    ctypes.CDLL(None).prctl(landlock.NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    seccomp.install([*lines, seccomp.ALLOWED])


if __name__ == "__main__":
    forget_landlock()
    os.execvp(sys.argv[1], sys.argv[1:])
