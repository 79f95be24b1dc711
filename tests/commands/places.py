"""Commands run in the test's own process, on what a service left in its data directory."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from mama_bot.app.configuration import DATABASE_NAME
from mama_bot.commands.command_line import run_command
from mama_bot.config import QueueSettings
from mama_bot.store import Store, open_store, sqlite_url
from tests.store.making import TickingClock


@dataclass
class Told:
    """What a command said, and its exit status."""

    status: int
    output: str
    complaint: str


@dataclass
class Place:
    """A configuration and its data directory."""

    file: Path
    capture: pytest.CaptureFixture[str]

    @property
    def database(self) -> Path:
        return self.file.parent / "data" / "scripted" / DATABASE_NAME

    @property
    def accepted(self) -> Path:
        return self.file.parent / "data" / "accepted.yaml"

    def left_behind(self, work: Callable[[Store], Awaitable[None]]) -> None:
        """Do something to the store."""

        async def opened() -> None:
            self.database.parent.mkdir(parents=True, exist_ok=True)
            url = sqlite_url(self.database)
            async with open_store(url, clock=TickingClock(), queue=QueueSettings()) as store:
                await work(store)

        asyncio.run(opened())

    def run(self, *arguments: str) -> Told:
        """Run a command; what is wrong with its arguments ends it as it ends the process."""
        self.capture.readouterr()
        try:
            status = run_command([*arguments, "--config", str(self.file)])
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 1
        said = self.capture.readouterr()
        return Told(status, said.out, said.err)
