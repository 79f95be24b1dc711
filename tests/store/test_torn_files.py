"""A database that was cut short says so, is left as it is, and takes nothing that it could lose."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.errors import StoreUnavailable
from mama_bot.store import Store, open_store, sqlite_url
from tests.store.making import TickingClock, message

PAGE = 4096


async def filled(path: Path) -> int:
    async with open_store(sqlite_url(path), clock=TickingClock(), queue=QueueSettings()) as store:
        for number in range(20):
            await store.inbox.accept(message(number, "x" * 5_000))
    return path.stat().st_size


@pytest.mark.parametrize("left", [100, 0.5, 0.9])
async def test_a_file_that_was_cut_short_is_refused_at_start_and_left_as_it_is(tmp_path: Path, left: float) -> None:
    path = tmp_path / "mama-bot.sqlite"
    size = await filled(path)
    os.truncate(path, int(left) or int(size * left) // PAGE * PAGE)
    torn = path.read_bytes()
    with pytest.raises(StoreUnavailable, match=r"damaged.*Restore it from a backup"):
        async with open_store(sqlite_url(path), clock=TickingClock(), queue=QueueSettings()):
            pass
    assert path.read_bytes() == torn


async def test_a_file_that_is_cut_short_while_it_is_used_loses_nothing_that_was_acknowledged_unsaid(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mama-bot.sqlite"
    await filled(path)
    refused, taken = 0, []
    async with open_store(sqlite_url(path), clock=TickingClock(), queue=QueueSettings()) as store:
        with closing(sqlite3.connect(path)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        os.truncate(path, 3 * PAGE)
        for number in range(100, 110):
            try:
                await store.inbox.accept(message(number, "x" * 5_000))
                taken.append(f"m{number}")
            except StoreUnavailable:
                refused += 1
    assert refused
    assert taken == [] or await _kept(path) >= set(taken)


async def _kept(path: Path) -> set[str]:
    async with open_store(sqlite_url(path), clock=TickingClock(), queue=QueueSettings()) as store:
        return await _stored(store)


async def _stored(store: Store) -> set[str]:
    return {kept.id for kept in (await store.history.view(message(1).key, 200)).messages}
