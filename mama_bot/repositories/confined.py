"""Run a program behind walls of its own: it reads a repository and the system, and writes what is named."""

import asyncio
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mama_bot.confinement import bubblewrap, landlock
from mama_bot.confinement.machine import working_bubblewrap

# What programs are made of: no home, no data of the service, no other process.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix", "/run/current-system")
# No device that never ends: a link to one, in the place of a file of git's, would fill the memory.
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")
KILLED_SECONDS = 5.0
NOWHERE = os.devnull


@dataclass(frozen=True, slots=True, kw_only=True)
class GitReach:
    """What a program may read, beside the system, and what it may write."""

    readable: tuple[str, ...]
    writable: tuple[str, ...] = ()


def reach_of(directory: Path, variables: Mapping[str, str], further: Sequence[Path] = ()) -> GitReach:
    """Return what git needs for a call in a directory with these variables, and `further` places.

    Nothing is read here: what a repository itself says of other places widens nothing.
    """
    lent = variables.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "")
    named = [variables.get(name, "") for name in ("GIT_WORK_TREE", "GIT_DIR", "GIT_OBJECT_DIRECTORY")]
    named += [name.strip('"') for name in lent.split(":")]
    index, written = variables.get("GIT_INDEX_FILE", ""), variables.get("GIT_OBJECT_DIRECTORY", "")
    return GitReach(
        readable=tuple(dict.fromkeys((str(directory), *filter(None, named), *map(str, further)))),
        writable=(*([str(Path(index).parent)] if index else []), *([written] if written else [])),
    )


@cache
def _system(git: str | None) -> tuple[str, ...]:
    """Return where programs are, that of git included, wherever it is installed."""
    own = [] if git is None else [str(Path(git).parent), str(Path(git).resolve().parent.parent)]
    further = (os.environ.get("GIT_EXEC_PATH", ""), *os.environ.get("LD_LIBRARY_PATH", "").split(":"))
    return (*SYSTEM, *DEVICES, *own, *filter(None, further))


@cache
def _has_walls() -> bool:
    return landlock.version() > 0 or working_bubblewrap() is not None


class ConfinedCall:
    """One call of a program by a thread that confines itself first: what it starts is behind the same walls.

    The kernel confines a thread and what comes of it, so nothing else of this process loses anything.
    """

    def __init__(
        self, argv: Sequence[str], *, directory: Path, variables: Mapping[str, str], reach: GitReach | None
    ) -> None:
        self._argv = argv
        self._directory = directory
        self._variables = variables
        self._reach = reach if _has_walls() else None
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    async def run(self, given: bytes, seconds: float) -> tuple[int, bytes, bytes]:
        """Return exit status, output and errors; the program never outlives this. Raises OSError or TimeoutError."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[tuple[int, bytes, bytes]] = loop.create_future()
        system = _system(shutil.which("git"))

        def settle(result: tuple[int, bytes, bytes] | Exception) -> None:
            if done.done():
                return
            if isinstance(result, Exception):
                done.set_exception(result)
            else:
                done.set_result(result)

        def work() -> None:
            try:
                result: tuple[int, bytes, bytes] | Exception = self._carried_out(system, given)
            except Exception as error:  # noqa: BLE001 - raised again where it is waited for
                result = error
            with suppress(RuntimeError):  # the loop is gone, and nobody waits
                loop.call_soon_threadsafe(settle, result)

        threading.Thread(target=work, name="git", daemon=True).start()
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(done)
        finally:
            self._end()
            if not done.done():
                with suppress(Exception):
                    async with asyncio.timeout(KILLED_SECONDS):
                        await asyncio.shield(done)

    def _carried_out(self, system: Sequence[str], given: bytes) -> tuple[int, bytes, bytes]:
        argv = list(self._argv)
        if self._reach is not None:
            readable = (*system, *self._reach.readable)
            if landlock.version():
                landlock.confine(readable=readable, writable=(NOWHERE, *self._reach.writable))
                landlock.drop_capabilities()
            else:
                argv = self._below_bubblewrap(readable, self._reach.writable)
        with self._lock:
            if self._ended:
                raise TimeoutError
            self._process = subprocess.Popen(
                argv,
                cwd=self._directory,
                env=dict(self._variables),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        with self._process as process:
            output, errors = process.communicate(given)
        return process.returncode, output, errors

    def _below_bubblewrap(self, readable: Sequence[str], writable: Sequence[str]) -> list[str]:
        told = bubblewrap.mounted_views(
            readable=map(os.path.realpath, readable),
            writable=map(os.path.realpath, writable),
            directory=os.path.realpath(self._directory),
        )
        return [str(working_bubblewrap()), *told, "--unshare-net", "--", *self._argv]

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            if self._process is not None and self._process.poll() is None:
                # With what it started itself, which would keep its output open.
                with suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
