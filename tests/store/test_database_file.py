"""A database whose file is removed while it is in use is put back; another in its place is never written to."""

import shutil
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.errors import StoreUnavailable
from mama_bot.store import Store, open_store, sqlite_url
from tests.store.making import TickingClock, message
from tests.waiting import until


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


async def stored(store: Store) -> list[str]:
    view = await store.history.view(message(1).key, 10)
    return [kept.id for kept in view.messages]


@pytest.mark.parametrize("endings", [("",), ("", "-wal", "-shm")])
async def test_what_a_removed_file_held_is_there_after_the_next_start(tmp_path: Path, endings: tuple[str, ...]) -> None:
    path = tmp_path / "mama-bot.sqlite"
    async with open_store(sqlite_url(path), clock=TickingClock(), queue=QueueSettings()) as store:
        assert await store.inbox.accept(message(1))
        for ending in endings:
            path.with_name(f"{path.name}{ending}").unlink()
        assert await store.inbox.accept(message(2))
        assert await stored(store) == [message(1).id, message(2).id]
        assert path.stat().st_mode & 0o077 == 0
    async with open_store(sqlite_url(path), clock=TickingClock(), queue=QueueSettings()) as store:
        assert await stored(store) == [message(1).id, message(2).id]
    assert names(tmp_path) == {path.name}


async def test_a_removed_file_is_put_back_although_nothing_is_stored_and_outlives_a_process_that_is_killed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mama-bot.sqlite"
    async with open_store(sqlite_url(path), clock=TickingClock(), queue=QueueSettings()) as store:
        assert await store.inbox.accept(message(1))
        for file in list(tmp_path.iterdir()):
            file.unlink()
        await until(path.exists)
        shutil.copytree(tmp_path, copy := tmp_path.with_name(f"{tmp_path.name}-killed"))
    async with open_store(sqlite_url(copy / path.name), clock=TickingClock(), queue=QueueSettings()) as store:
        assert await stored(store) == [message(1).id]


async def test_with_its_directory_gone_nothing_is_taken_until_it_is_back(tmp_path: Path) -> None:
    directory, aside = tmp_path / "data", tmp_path / "aside"
    directory.mkdir()
    path = directory / "mama-bot.sqlite"
    async with open_store(sqlite_url(path), clock=TickingClock(), queue=QueueSettings()) as store:
        await store.probe()
        directory.rename(aside)
        with pytest.raises(StoreUnavailable, match="removed and cannot be put back"):
            await store.inbox.accept(message(1))
        aside.rename(directory)
        assert await store.inbox.accept(message(1))


async def test_another_file_in_its_place_is_neither_written_nor_read(tmp_path: Path) -> None:
    path = tmp_path / "mama-bot.sqlite"
    async with open_store(sqlite_url(path), clock=TickingClock(), queue=QueueSettings()) as store:
        assert await store.inbox.accept(message(1))
        path.rename(tmp_path / "aside")
        path.write_bytes(b"")
        with pytest.raises(StoreUnavailable, match="another file was put in its place"):
            await store.probe()
        assert await stored(store) == [message(1).id]
    assert path.read_bytes() == b""
