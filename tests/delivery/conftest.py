"""A store, a platform and a delivery between them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mama_bot.store.store import Store
from tests.delivery.platform import Desk, FakeTime, Wall, a_life


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
async def store(tmp_path: Path, time: FakeTime) -> AsyncIterator[Store]:
    async with a_life(tmp_path / "store.sqlite", time) as opened:
        yield opened


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def desk(store: Store, wall: Wall, time: FakeTime) -> Desk:
    return Desk(store, wall, time)
