"""What a store holds is moved whole from one database to another, and back."""

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.errors import StoreUnavailable
from mama_bot.model import MessageId
from mama_bot.store import open_store, sqlite_url
from mama_bot.store.nodes import Node
from mama_bot.store.transfer import transfer
from mama_bot.store.transfer_back import OF_NODES, transfer_back
from tests.postgresql_server import postgresql_server
from tests.store.exchanges import Exchanges, engine
from tests.store.making import HERE, TickingClock, attempt, message, notice, turn
from tests.waiting import until

QUEUE = QueueSettings()


async def test_what_a_file_holds_is_moved_whole_and_into_nothing_but_an_empty_database(
    postgresql_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mama_bot.store.transfer._ROWS_AT_A_TIME", 2)
    file = tmp_path / "store.sqlite"
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QUEUE) as store:
        for number in range(1, 6):
            await store.inbox.accept(message(number, "한국어 'quoted' \\ \x00" * 50))
        await store.turns.add_turns([turn(message(1))])
        await store.turns.add_attempt(attempt(turn(message(1))))
        await store.inbox.withdraw(HERE, MessageId("m5"))
        # While it is in use.
        counts = await transfer(file, postgresql_url)
        assert {name: count for name, count in counts.items() if count} == {
            "messages": 5,
            "jobs": 4,
            "context": 4,
            "conversations": 1,
            "turns": 1,
            "attempts": 1,
            "measured_attempts": 1,
        }
        before = await store.history.view(HERE, 10)
    async with open_store(postgresql_url, clock=TickingClock(), queue=QUEUE) as moved:
        assert await moved.history.view(HERE, 10) == before
        await moved.inbox.accept(message(6))
        assert [entry.id for entry in (await moved.history.view(HERE, 10)).messages][-1] == "m6"
        exchanges = Exchanges()
        async with engine(moved, exchanges):
            await until(lambda: exchanges.ended == ["m1", "m2", "m3", "m4", "m6"])
    with pytest.raises(StoreUnavailable, match="it holds something already"):
        await transfer(file, postgresql_url)


async def test_what_a_database_holds_is_moved_back_whole_and_into_a_new_file_alone(
    postgresql_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mama_bot.store.transfer._ROWS_AT_A_TIME", 2)
    file, later = tmp_path / "back.sqlite", tmp_path / "later.sqlite"
    async with open_store(
        postgresql_url, clock=TickingClock(), queue=QUEUE, node=Node(id="n1", role="worker")
    ) as nodes:
        for number in range(1, 6):
            await nodes.inbox.accept(message(number, "한국어 'quoted' \\ " * 50))
        await nodes.turns.add_turns([turn(message(1))])
        await nodes.turns.add_attempt(attempt(turn(message(1))))
        await nodes.outbox.add(notice(1))
        await nodes.inbox.withdraw(HERE, MessageId("m5"))
        copied = await transfer_back(postgresql_url, file)  # while it is in use
        before = await nodes.history.view(HERE, 10)
    counts = {name: count for name, count in copied.counts.items() if count}
    assert (counts.pop("gateway_state"), copied.in_use) == (1, True)
    assert counts == {
        "messages": 5,
        "jobs": 4,
        "context": 4,
        "conversations": 1,
        "turns": 1,
        "attempts": 1,
        "measured_attempts": 1,
        "outbox": 1,
    }
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QUEUE) as alone:
        assert await alone.history.view(HERE, 10) == before
        await alone.inbox.accept(message(6))
        exchanges = Exchanges()
        async with engine(alone, exchanges):
            await until(lambda: exchanges.ended == ["m1", "m2", "m3", "m4", "m6"])
    with pytest.raises(StoreUnavailable, match="it is there already"):
        await transfer_back(postgresql_url, file)
    assert not (await transfer_back(postgresql_url, later)).in_use
    # There and back again it is the same.
    async with AsyncExitStack() as stack:
        other = stack.enter_context(postgresql_server()).url("postgres")
        assert dict(await transfer(later, other)) == {**dict.fromkeys(OF_NODES, 0), **copied.counts}
        monkeypatch.setattr("mama_bot.store.transfer_back.rows_of", lambda _file, _table: iter(()))
        with pytest.raises(StoreUnavailable, match="conversations is not the same there"):
            await transfer_back(other, tmp_path / "never.sqlite")
    assert [each.name for each in tmp_path.iterdir() if "never" in each.name] == []


async def test_what_a_copy_that_was_cut_off_left_goes_with_the_next_try(tmp_path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        (tmp_path / f"back.sqlite.part{suffix}").write_text("cut off")
    with pytest.raises(StoreUnavailable):
        await transfer_back("postgresql://127.0.0.1:1/nobody", tmp_path / "back.sqlite")
    assert [*tmp_path.iterdir()] == []
