"""One command of ours: bounded in time and output, and nothing of it lives on."""

import asyncio
import contextlib
import hashlib
import os
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mama_bot.confinement import launcher
from mama_bot.confinement.plans import Excess, Plan

PIECE_BYTES = 64 * 1024
HEAD_BYTES = 4 * 1024
TAIL_BYTES = 32 * 1024
REAP_SECONDS = 5.0
DRAIN_SECONDS = 2.0


class CommandOutput:
    """What a command wrote, standard error included: the first 4 KiB, the last 32 KiB, and the SHA-256 of all."""

    def __init__(self) -> None:
        self._head = b""
        self._tail: deque[bytes] = deque()
        self._held = 0
        self._hash = hashlib.sha256()
        self.size = 0

    def add(self, piece: bytes) -> None:
        """Take the next bytes."""
        self._hash.update(piece)
        self.size += len(piece)
        room = HEAD_BYTES - len(self._head)
        self._head += piece[:room] if room > 0 else b""
        rest = piece[max(0, room) :]
        if rest:
            self._tail.append(rest)
            self._held += len(rest)
        while self._tail and self._held - len(self._tail[0]) >= TAIL_BYTES:
            self._held -= len(self._tail.popleft())

    @property
    def text(self) -> str:
        """The kept bytes as text; a line says how much was left out between."""
        tail = b"".join(self._tail)[-TAIL_BYTES:]
        left_out = self.size - len(self._head) - len(tail)
        between = f"\n[... {left_out} bytes left out ...]\n".encode() if left_out else b""
        return (self._head + between + tail).decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")

    @property
    def sha256(self) -> str:
        """The hash of everything that was written."""
        return self._hash.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedCommand:
    """How a command ended: exit status (negative: the signal), None when its time was up, and its output.

    `excess` is the limit that it was ended for.
    """

    exit_status: int | None
    output: str
    output_sha256: str
    excess: Excess | None = None


async def run_argv(
    argv: Sequence[str],
    *,
    directory: Path,
    environment: Mapping[str, str],
    seconds: float,
    plan: Plan,
    plan_file: Path,
    end_strays: Callable[[], Awaitable[object]],
) -> FinishedCommand:
    """Run a command without a shell, in a session of its own, with nothing on its standard input, by a plan.

    However this ends (also by cancellation) nothing of it lives on: on Linux everything that it started, wherever it
    hid, stays below a process of ours and is killed with it; elsewhere its process group is. Then `end_strays` ends
    what can still be known by its environment. Raises OSError when it cannot be started.
    """
    if sys.platform != "linux":
        return await _run(argv, directory, environment, seconds, end_strays)
    plan.write(plan_file)
    told, telling = os.pipe()
    with os.fdopen(told, "rb") as failure:
        try:
            command = (sys.executable, "-I", "-S", str(Path(launcher.__file__)), *argv)
            own = {
                launcher.PLAN_VARIABLE: str(plan_file),
                launcher.TELL_VARIABLE: str(telling),
                launcher.PARENT_VARIABLE: str(os.getpid()),
            }
            done = await _run(command, directory, {**environment, **own}, seconds, end_strays, keep=telling)
        finally:
            os.close(telling)
        number = failure.read()
    if number:
        raise OSError(int(number), os.strerror(int(number)), argv[0])
    return replace(done, excess=plan.excess())


async def _run(
    argv: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    seconds: float,
    end_strays: Callable[[], Awaitable[object]],
    *,
    keep: int | None = None,
) -> FinishedCommand:
    output = CommandOutput()
    reading_end, writing_end = os.pipe()
    with os.fdopen(reading_end, "rb", buffering=0) as reading:
        try:
            # A pipe of our own: with asyncio's, `wait` also waits for whoever inherited it.
            process = await asyncio.create_subprocess_exec(
                *argv,
                cwd=directory,
                env=dict(environment),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing_end,
                stderr=writing_end,
                start_new_session=True,
                pass_fds=() if keep is None else (keep,),
            )
        finally:
            os.close(writing_end)
        strays_ended = False
        try:
            async with asyncio.TaskGroup() as group:
                reader = group.create_task(_read(reading.fileno(), output))
                late = await _waited(process, seconds)
                await _end(process, gently=keep is not None)
                await end_strays()
                strays_ended = True
                await asyncio.wait({reader}, timeout=DRAIN_SECONDS)
                reader.cancel()
        finally:
            if not strays_ended:
                await _end(process, gently=keep is not None)
                await end_strays()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(REAP_SECONDS):
                    await process.wait()
    status = None if late else process.returncode
    return FinishedCommand(exit_status=status, output=output.text, output_sha256=output.sha256)


async def _end(process: asyncio.subprocess.Process, *, gently: bool) -> None:
    """End a command with its group; `gently` gives it time to end its descendants itself."""
    if gently and process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await _waited(process, REAP_SECONDS)
    kill_group(process.pid)


async def _waited(process: asyncio.subprocess.Process, seconds: float) -> bool:
    """Wait for the end; returns True when its time was up."""
    try:
        async with asyncio.timeout(seconds):
            await process.wait()
    except TimeoutError:
        return True
    return False


async def _read(descriptor: int, output: CommandOutput) -> None:
    reader = asyncio.StreamReader(limit=PIECE_BYTES)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(descriptor), "rb", buffering=0)
    )
    try:
        while piece := await reader.read(PIECE_BYTES):
            output.add(piece)
    finally:
        transport.close()


def kill_group(leader: int) -> None:
    """Kill every process of a group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
