"""Runs one command and outlives nothing of it: on Linux, whatever it starts stays below this process and ends with it.

Stand-alone and of the standard library only: it is run as `python -I -S subreaper.py FD COMMAND ARGUMENTS`. It ends as
the command ended, by the same status or signal. A command that cannot be started is told to FD, as the number of the
error. SIGTERM, and the end of its parent, end everything.
"""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

SET_PARENT_DEATH_SIGNAL = 1
SET_CHILD_SUBREAPER = 36
END_SECONDS = 4.0
POLL_SECONDS = 0.005
PROC = Path("/proc")


def main(arguments: list[str]) -> int:
    """Run the command and return its exit status; does not return where a signal ended the command."""
    teller = int(arguments[0])
    os.set_inheritable(teller, False)
    signal.signal(signal.SIGTERM, _told_to_end)
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    library.prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    status = 0
    try:
        # A session of its own: a command that signals its group does not reach this process.
        command = subprocess.Popen(arguments[1:], env=_given(), start_new_session=True)
        os.close(teller)
        status = _waited(command.pid)
    except OSError as error:
        os.write(teller, str(error.errno or 0).encode())
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end_descendants()
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    return os.waitstatus_to_exitcode(status)


def _given() -> dict[bytes, bytes]:
    """Return the environment as it was given: the interpreter may have added to its own."""
    entries = (PROC / "self" / "environ").read_bytes().split(b"\0")
    return dict(entry.split(b"=", 1) for entry in entries if b"=" in entry)


def _told_to_end(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _waited(command: int) -> int:
    """Wait for the command and return its wait status; whatever else ends meanwhile is reaped."""
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == command:
            return status


def _end_descendants() -> None:
    """Kill and reap until nothing is left; bounded, so that what may not be killed holds nobody."""
    deadline = time.monotonic() + END_SECONDS
    while time.monotonic() < deadline:
        for pid in _descendants():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(POLL_SECONDS)


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for directory in PROC.glob("[0-9]*"):
        try:
            stat = (directory / "stat").read_bytes()
        except OSError:
            continue
        # pid (name) state parent: a name may hold anything.
        parent = int(stat.rpartition(b")")[2].split()[1])
        children.setdefault(parent, []).append(int(directory.name))
    descendants, new = [], [os.getpid()]
    while new:
        new = [child for parent in new for child in children.get(parent, ())]
        descendants += new
    return descendants


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
