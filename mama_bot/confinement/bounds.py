"""How much one command may take with all that it starts: processes, memory, file sizes, the last of a disk.

Stand-alone and of the standard library only: the launcher loads it from its file. Looking is cheap: the processes are
counted when those of the whole machine, or its free memory, have changed by much, and every few seconds.
"""

import json
import os
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:  # the module that says so costs a third of the start
    from mama_bot.confinement.supervision import Process

PROC = "/proc"
MEGABYTE = 1 << 20
THREADS_OF_A_PROCESS = 8  # so many threads count as one process more
MORE_TASKS = 32
LESS_MEMORY = 64 * MEGABYTE
COUNTED_EVERY_SECONDS = 5.0
WRITES_MUCH = 8 * MEGABYTE
WORKS = 1  # ticks of a processor between two looks
KILLED_FIRST = 500  # of the kernel's 1000, when the machine has no memory left


class Bounds:
    """The bounds of one command: `processes` lists it and what it started.

    `limits` may hold processes, memory_megabytes, file_megabytes and free_disk_megabytes; `disks` are places
    where it may write; what it went beyond is written to `told`, which is open.
    """

    def __init__(
        self,
        limits: Mapping[str, int],
        *,
        processes: "Callable[[], Sequence[Process]]",
        disks: Sequence[str],
        told: int,
    ) -> None:
        self._limits = dict(limits)
        self._processes = processes
        self._told = told
        self._floors = _floors(disks, self._limits.get("free_disk_megabytes", 0) * MEGABYTE)
        self._tasks, self._available = _tasks(), _available()
        self._next_count = 0.0
        self._nearly_full: tuple[int, int, int] | None = None  # room, bytes written, ticks worked

    def apply(self) -> None:
        """Set what the kernel holds for this process and all that it starts."""
        _lower(resource.RLIMIT_CORE, 0)
        if "file_megabytes" in self._limits:
            _lower(resource.RLIMIT_FSIZE, self._limits["file_megabytes"] * MEGABYTE)
        if "processes" in self._limits:
            # Of all of the user's, and not of root's: it only slows down what multiplies between two looks.
            _lower(resource.RLIMIT_NPROC, self._tasks + self._limits["processes"] * THREADS_OF_A_PROCESS)
        with suppress(OSError), open(f"{PROC}/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write(str(KILLED_FIRST))

    def exceeded(self) -> bool:
        """Return whether a bound is passed, and tell which."""
        limit, measured = self._beyond_a_floor() or self._beyond_a_count() or ("", 0)
        if limit:
            with suppress(OSError), open(self._told, "w", encoding="ascii") as file:
                json.dump({"limit": limit, "allowed": self._limits[limit], "measured": measured}, file)
        return bool(limit)

    def _beyond_a_count(self) -> tuple[str, int] | None:
        tasks, available, now = _tasks(), _available(), time.monotonic()
        grown = tasks > self._tasks + MORE_TASKS or available < self._available - LESS_MEMORY
        if not grown and now < self._next_count:
            return None
        self._tasks, self._available = tasks, available
        processes = self._processes()
        weight = max(len(processes), sum(process.threads for process in processes) // THREADS_OF_A_PROCESS)
        memory = sum(_memory(process.pid) for process in processes) // MEGABYTE
        parts = [("processes", weight), ("memory_megabytes", memory)]
        bounded = [(name, measured) for name, measured in parts if name in self._limits]
        # What is near its bound is looked at every time.
        near = any(2 * measured > self._limits[name] for name, measured in bounded)
        self._next_count = now if near else now + COUNTED_EVERY_SECONDS
        return next(((name, measured) for name, measured in bounded if measured > self._limits[name]), None)

    def _beyond_a_floor(self) -> tuple[str, int] | None:
        """Return the disk that is nearly full while this command goes on to fill it; another may have filled it."""
        rooms = [(_free(place), floor) for place, floor in self._floors]
        below = min(((room, floor) for room, floor in rooms if room < floor), default=None)
        if below is None:
            self._nearly_full = None
            return None
        (room, floor), processes = below, self._processes()
        now = (room, sum(_written(process.pid) for process in processes), sum(process.ticks for process in processes))
        before, self._nearly_full = self._nearly_full, now
        if before is None:
            return None
        # Nobody knows what those wrote that ended since: only that somebody here works, and the room shrinks.
        writes = now[1] > before[1] + WRITES_MUCH
        works = now[2] > before[2] + WORKS
        shrinks = works and room < floor // 2 and room < before[0] - MEGABYTE
        full = works and max(room, before[0]) < MEGABYTE
        return ("free_disk_megabytes", room // MEGABYTE) if writes or shrinks or full else None


def _floors(places: Sequence[str], floor: int) -> list[tuple[str, int]]:
    """Return one place of each file system with the room that is to be left there; less where there is little now."""
    floors: dict[int, tuple[str, int]] = {}
    for place in places:
        with suppress(OSError):
            if os.path.isdir(place) and (room := min(floor, _free(place) // 4)):
                floors.setdefault(os.stat(place).st_dev, (place, room))
    return list(floors.values())


def _free(place: str) -> int:
    try:
        system = os.statvfs(place)
    except OSError:
        return 1 << 62
    return system.f_bavail * system.f_frsize


def _tasks() -> int:
    """Return how many threads the machine has."""
    try:
        with open(f"{PROC}/loadavg", "rb", buffering=0) as file:
            return int(file.read().split()[3].split(b"/")[1])
    except (OSError, IndexError, ValueError):
        return 0


def _available() -> int:
    try:
        with open(f"{PROC}/meminfo", "rb", buffering=0) as file:
            lines = dict(line.split(b":", 1) for line in file.read().splitlines() if b":" in line)
        return int(lines[b"MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return 0


def _memory(pid: int) -> int:
    """Return the memory that a process has for itself alone."""
    try:
        with open(f"{PROC}/{pid}/statm", "rb", buffering=0) as file:
            _, resident, shared = file.read().split()[:3]
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * resource.getpagesize()


def _written(pid: int) -> int:
    """Return how many bytes a process has written so far, into whatever."""
    try:
        with open(f"{PROC}/{pid}/io", "rb", buffering=0) as file:
            return int(dict(line.split(b":") for line in file.read().splitlines())[b"wchar"])
    except (OSError, KeyError, ValueError):
        return 0


def _lower(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    with suppress(OSError, ValueError):
        resource.setrlimit(limit, (value, value))
