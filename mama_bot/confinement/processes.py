"""Finding and ending agent processes by the mark in their environment: Linux, through /proc."""

import asyncio
import os
import signal
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
POLL_SECONDS = 0.02
DEEPEST = 1000
# Longer than a launcher takes to end what does not obey: killed before, it leaves behind what has no mark.
TERM_SECONDS = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedProcess:
    """A process that carries a mark; `command` is its command line, cut to 200 characters."""

    pid: int
    command: str


def marked_processes(variable: str, value: str) -> tuple[MarkedProcess, ...]:
    """Return all other live processes that were started with `variable=value`; none where there is no /proc."""
    entry = f"{variable}={value}".encode()
    marked = []
    for directory in PROC.glob("[0-9]*"):
        pid = int(directory.name)
        if pid != os.getpid() and _carries(pid, entry):
            marked.append(MarkedProcess(pid=pid, command=_command(pid)))
    return tuple(marked)


async def end_marked(
    variable: str, value: str, *, term_seconds: float = TERM_SECONDS, kill_seconds: float = 2.0
) -> tuple[MarkedProcess, ...]:
    """End every process with this mark: SIGTERM, then SIGKILL, each with a deadline; return them."""
    now = asyncio.get_running_loop().time
    marked: dict[int, MarkedProcess] = {}
    for number, seconds in ((signal.SIGTERM, term_seconds), (signal.SIGKILL, kill_seconds)):
        deadline = now() + seconds
        signalled: set[int] = set()
        while living := await asyncio.to_thread(marked_processes, variable, value):
            marked |= {process.pid: process for process in living}
            # Again on every round: a dying CLI may just have started another tool.
            for process in living:
                if process.pid not in signalled:
                    _signal(process.pid, number)
                    signalled.add(process.pid)
            if now() > deadline:
                break
            await asyncio.sleep(POLL_SECONDS)
    return tuple(marked.values())


def alive(pid: int) -> bool:
    """Return whether a process of this id exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def descends(pid: int, ancestor: int) -> bool:
    """Return whether a process is another one or was started below it; False where there is no /proc.

    What a launcher started stays below it, also when its own parent is gone.
    """
    for _ in range(DEEPEST):
        if pid == ancestor:
            return True
        try:
            status = (PROC / str(pid) / "stat").read_text(errors="replace")
            pid = int(status.rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return False
        if pid <= 1:
            return False
    return False


def resident_megabytes(pid: int) -> float:
    """Return the resident memory of a process; 0 when it cannot be told."""
    try:
        pages = int((PROC / str(pid) / "statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _carries(pid: int, entry: bytes) -> bool:
    try:
        return entry in (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _command(pid: int) -> str:
    try:
        return (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")[:200].strip()
    except OSError:
        return ""


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return
