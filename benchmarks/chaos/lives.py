"""The service as a process that is ended and begun anew again and again, and the processes that it starts."""

import asyncio
import json
import os
import signal
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from tests.end_to_end.service_process import ServiceProcess, service_process


def environment_of(pid: int) -> bytes:
    """Return the environment of a process, or nothing where it is gone."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def state_of(pid: int) -> str:
    """Return the state of a process, such as `S` or `Z`; "" where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return ""


def processes_of(directory: Path) -> list[int]:
    """Return the living processes that have anything below a directory in their command line or environment."""
    mark = os.fsencode(directory)
    pids = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) in {os.getpid(), os.getppid()}:
            continue
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if (mark in command or mark in environment_of(int(entry.name))) and state_of(int(entry.name)) not in {"", "Z"}:
            pids.append(int(entry.name))
    return sorted(pids)


def database(directory: Path) -> Path:
    """Return the file of the service's store."""
    return directory / "data" / "real" / "mama-bot.sqlite"


def agents_of(directory: Path) -> list[int]:
    """Return the processes of the agents' CLI that work below a directory."""
    return [pid for pid in processes_of(directory) if b"CLAUDE_CONFIG_DIR=" in environment_of(pid) and _is_cli(pid)]


def _is_cli(pid: int) -> bool:
    try:
        return "claude" in str(Path(f"/proc/{pid}/exe").readlink())
    except OSError:
        return False


class Lives:
    """One service after the other over one data directory. `count` tells how many there were; `log.jsonl` keeps what
    they logged.
    """

    def __init__(self, file: Path, environment: Mapping[str, str]) -> None:
        self._file = file
        self._environment = environment
        self._stack = AsyncExitStack()
        self.service: ServiceProcess | None = None
        self.count = 0

    async def begin(self) -> None:
        """Start the service, and wait until it is ready."""
        self.service = await self._stack.enter_async_context(service_process(self._file, self._environment))
        self.count += 1

    async def end(self, sign: signal.Signals, pause_seconds: float = 0.0) -> int:
        """End the service by a signal, wait, and return its exit status."""
        service, self.service = self.service, None
        if service is None:
            return 0
        process = service.process
        if process.returncode is None:
            process.send_signal(sign)
        async with asyncio.timeout(60):
            status = await process.wait()
        await self._stack.aclose()
        with (self._file.parent / "log.jsonl").open("a", encoding="utf-8") as log:
            log.writelines(json.dumps({"life": self.count, **event}) + "\n" for event in service.events)
        await asyncio.sleep(pause_seconds)
        return status

    def pids(self) -> set[int]:
        """Return the process of the service, as long as it runs."""
        running = self.service is not None and self.service.process.returncode is None
        return {self.service.process.pid} if running and self.service is not None else set()

    def signal(self, sign: signal.Signals) -> None:
        """Send the service a signal that does not end it."""
        if self.service is not None and self.service.process.returncode is None:
            self.service.process.send_signal(sign)
