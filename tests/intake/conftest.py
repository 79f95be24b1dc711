"""A place to run commands in, and a store with a clock that is set."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.store import Store, open_store, sqlite_url
from tests.commands.conftest import place
from tests.intake.admitting import SetClock

__all__ = ["place"]


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
async def store(tmp_path: Path, clock: SetClock) -> AsyncIterator[Store]:
    async with open_store(sqlite_url(tmp_path / "s"), clock=clock, queue=QueueSettings()) as opened:
        yield opened
