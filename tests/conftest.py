"""What all tests share: how Hypothesis searches, and where they are: what is said of a time is said in UTC."""

import os
import time
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.postgresql_server import PostgresqlServer, postgresql_server

os.environ["TZ"] = "UTC"
time.tzset()

# The same tree gives the same answer: examples follow from the test, not from chance or from what a database remembers
# of earlier runs. To search for new ones: `pytest --hypothesis-profile=searching`, a few times over.
# No test measures time: another machine, or the first call of a lazily compiled part, must not make one fail.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("searching", deadline=None, print_blob=True)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    """A PostgreSQL server of this worker, begun when the first test asks for one."""
    with postgresql_server() as server:
        yield server


@pytest.fixture
def postgresql_url(postgresql: PostgresqlServer) -> Iterator[str]:
    """An empty database."""
    with postgresql.database() as url:
        yield url
