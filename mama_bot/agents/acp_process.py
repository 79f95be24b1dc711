"""The process of an agent that is spoken to over its standard streams: started in its walls, with a known end."""

import asyncio
import sys
from asyncio import subprocess
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from mama_bot.agents.acp_connection import MAX_LINE_BYTES, AcpConnection, Answer, Hear
from mama_bot.agents.error_lines import ErrorLines
from mama_bot.confinement import launcher
from mama_bot.confinement.launcher import PROCESS_VARIABLE
from mama_bot.confinement.processes import end_marked

CLOSE_SECONDS = 8.0
POLITE_SECONDS = 0.5  # some never end when their input does


class AcpProcess:
    """One process and the connection to it; `mark` is in its environment, so that all it starts is found."""

    def __init__(
        self,
        *,
        command: tuple[str, ...],
        environment: Mapping[str, str],
        directory: Path,
        mark: str,
        errors: ErrorLines,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
    ) -> None:
        self._command = command
        self._environment = environment
        self._directory = directory
        self._mark = mark
        self._errors = errors
        self._spawn = spawn
        self._process: subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._connection: AcpConnection | None = None

    @property
    def pid(self) -> int | None:
        """The process, once it was started."""
        return None if self._process is None else self._process.pid

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.returncode is None

    async def start(self, *, answer: Answer, hear: Hear) -> AcpConnection:
        """Start it; raises OSError."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(Path(launcher.__file__)), *self._command),
            cwd=self._directory,
            env={**self._environment, PROCESS_VARIABLE: self._mark},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            limit=MAX_LINE_BYTES,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._reading = self._spawn(self._read_errors())
        self._connection = AcpConnection(
            reader=process.stdout, writer=process.stdin, errors=self._errors, answer=answer, hear=hear
        )
        return self._connection

    async def exit_status(self) -> int | None:
        """Return how it ended; None while it runs."""
        if self._process is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(POLITE_SECONDS):
                    await self._process.wait()
            return self._process.returncode
        return None

    async def kill(self) -> tuple[str, ...]:
        """End it and all that it started; return the command lines of what was there."""
        return tuple(process.command for process in await end_marked(PROCESS_VARIABLE, self._mark))

    async def close(self) -> tuple[str, ...]:
        """End it politely, then in any case; return what had to be ended. Bounded, never raises."""
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        await self.exit_status()
        left = await self.kill()
        if self._connection is not None:
            await self._connection.close()
        if self._reading is not None:
            await asyncio.wait({self._reading}, timeout=CLOSE_SECONDS)
            self._reading.cancel()
        if self._process is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self._process.wait()
        return left

    async def _read_errors(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        while True:
            try:
                line = await self._process.stderr.readline()
            except ValueError:  # longer than anybody reads
                continue
            if not line:
                return
            self._errors.add(line.decode(errors="replace").rstrip())
