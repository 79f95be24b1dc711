"""A store of this process."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.store import Store, open_store, sqlite_url
from tests.agents.conftest import SystemClock


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(sqlite_url(tmp_path / "own.sqlite"), clock=SystemClock(), queue=QueueSettings()) as store:
        yield store
