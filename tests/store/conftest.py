"""One store for each test; whatever else can hold a store becomes a second parameter of `database`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.store import Store
from mama_bot.store.database import Database
from mama_bot.store.sqlite import open_sqlite
from tests.store.making import TickingClock


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


@pytest.fixture(params=["sqlite"])
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with open_sqlite(tmp_path / "store.sqlite") as opened:
        yield opened


@pytest.fixture
def store(database: Database, clock: TickingClock) -> Store:
    return Store(
        database=database,
        clock=clock,
        queue=QueueSettings(limit=5, per_conversation=3),
        crash_retries=2,
        backoff_seconds=0,
    )


@pytest.fixture
def next_life(database: Database, clock: TickingClock) -> Store:
    """The store as the next process sees it."""
    return Store(database=database, clock=clock, queue=QueueSettings(limit=5, per_conversation=3))
