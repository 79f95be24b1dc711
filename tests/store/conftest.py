"""One store for each test, in each database that can hold one."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.store import Store
from mama_bot.store.database import Database
from mama_bot.store.postgresql import open_postgresql
from mama_bot.store.sqlite import open_sqlite
from tests.postgresql_server import PostgresqlServer, emptied
from tests.store.exchanges import ROOMY
from tests.store.making import TickingClock


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


@pytest.fixture(scope="session")
def tables_url(postgresql: PostgresqlServer) -> Iterator[str]:
    """A database of this worker, with the tables of the service once a test opened it."""
    with postgresql.database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """Each test of this directory that takes a database states its facts of both."""
    if request.param == "sqlite":
        async with open_sqlite(tmp_path / "store.sqlite") as file:
            yield file
    else:
        async with open_postgresql(emptied(request.getfixturevalue("tables_url"))) as server:
            yield server


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


@pytest.fixture
def roomy(database: Database, clock: TickingClock) -> Store:
    return Store(database=database, clock=clock, queue=ROOMY, crash_retries=2, backoff_seconds=0)


@pytest.fixture
def restarted(database: Database, clock: TickingClock) -> Store:
    return Store(database=database, clock=clock, queue=ROOMY, crash_retries=2, backoff_seconds=0)
