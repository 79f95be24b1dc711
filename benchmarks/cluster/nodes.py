"""Nodes that are ended, stopped and begun anew again and again."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.end_to_end.team import write_configuration

READY_SECONDS = 120.0


@dataclass(kw_only=True)
class Node:
    """One node over its lives; `events` are the log lines of all of them.

    Its agent is in memory and takes so many seconds; with None it is the CLI of the settings.
    """

    name: str
    role: str
    file: Path
    environment: Mapping[str, str]
    agent_seconds: float | None
    lives: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)
    process: asyncio.subprocess.Process | None = None
    reading: "asyncio.Task[None] | None" = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def begin(self, group: asyncio.TaskGroup) -> None:
        """Start it; returns at once."""
        self.ready.clear()
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", *self._program()),
            env={"PATH": os.environ["PATH"], "MAMA_LOG__FORMAT": "json", "MAMA_LOG__LEVEL": "info", **self.environment},
            stderr=asyncio.subprocess.PIPE,
            limit=2**22,
        )
        self.lives += 1
        self.reading = group.create_task(self._read(self.process))

    def _program(self) -> tuple[str, ...]:
        if self.agent_seconds is None:
            return ("mama_bot", "run", "--config", str(self.file), "--role", self.role)
        return ("benchmarks.cluster.node", str(self.file), self.role, str(self.agent_seconds))

    async def begun(self) -> bool:
        """Wait until it is ready; False where it ended before."""
        assert self.process is not None
        async with asyncio.timeout(READY_SECONDS):
            while not self.ready.is_set() and self.process.returncode is None:
                await asyncio.sleep(0.05)
        return self.ready.is_set()

    def signal(self, sign: signal.Signals) -> None:
        """Send it a signal, where it runs."""
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.send_signal(sign)

    async def ended(self, seconds: float) -> bool:
        """Whether it ends within so many seconds."""
        assert self.process is not None
        try:
            async with asyncio.timeout(seconds):
                await self.process.wait()
        except TimeoutError:
            return False
        return True

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            if line.startswith(b"{"):
                event = json.loads(line)
                self.events.append({"node": self.name, "life": self.lives, **event})
                if event["event"] == "ready":
                    self.ready.set()
            else:
                self.events.append({"node": self.name, "life": self.lives, "event": "said", "words": line.decode()})


@asynccontextmanager
async def running_nodes(
    directory: Path,
    roles: Sequence[str],
    environment: Mapping[str, str],
    *,
    agent_seconds: float | None,
    **settings: Any,
) -> AsyncIterator[tuple[Sequence[Node], asyncio.TaskGroup]]:
    """Run a node for each role, all ready; every process ends with the block."""
    nodes = []
    for number, role in enumerate(roles):
        place = directory / f"{role}{number}"
        place.mkdir(parents=True)
        file = write_configuration(place, router={"default_persona": "developer"}, **settings)
        nodes.append(Node(name=place.name, role=role, file=file, environment=environment, agent_seconds=agent_seconds))
    async with asyncio.TaskGroup() as group:
        try:
            for node in nodes:
                await node.begin(group)
            for node in nodes:
                if not await node.begun():
                    raise RuntimeError(f"{node.name} did not start: {node.events[-3:]}")
            yield nodes, group
        finally:
            for node in nodes:
                node.signal(signal.SIGKILL)
                if node.process is not None:
                    await node.process.wait()
            with (directory / "log.jsonl").open("w", encoding="utf-8") as log:
                log.writelines(json.dumps(event) + "\n" for node in nodes for event in node.events)
