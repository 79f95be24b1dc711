"""What runs when the engine stops, dies or finds its database locked is run to its end later."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from mama_bot.model import MessageId
from mama_bot.store import Store
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database
from mama_bot.store.sqlite import open_sqlite
from tests.store.exchanges import ROOMY, Exchanges, conversation, engine, left
from tests.store.making import TickingClock, message
from tests.waiting import SECONDS, until


async def test_stopping_lets_what_runs_end_and_starts_nothing_more(roomy: Store) -> None:
    gate = asyncio.Event()
    exchanges = Exchanges(lambda _message_id: _wait(gate))
    for number in range(5):
        await roomy.inbox.accept(message(number, key=conversation(number)))
    async with engine(roomy, exchanges, concurrency=2):
        await until(lambda: exchanges.running == 2)
        roomy.engine.stop()
        gate.set()
    assert exchanges.ended == ["m0", "m1"]
    assert await left(roomy) == (3, 0)


async def _wait(gate: asyncio.Event) -> None:
    await gate.wait()


async def test_what_does_not_end_in_time_is_cancelled_and_run_after_the_restart(roomy: Store, restarted: Store) -> None:
    stuck = Exchanges(lambda _message_id: _wait(asyncio.Event()))
    await roomy.inbox.accept(message(1))
    await roomy.inbox.accept(message(2))
    async with engine(roomy, stuck, drain_seconds=0.01):
        await until(lambda: stuck.running == 1)
    assert (stuck.started, stuck.ended, stuck.abandoned) == (["m1"], [], [])
    assert await left(roomy) == (2, 0)
    exchanges = Exchanges()
    async with engine(restarted, exchanges):
        await until(lambda: exchanges.ended == ["m1", "m2"])


async def test_shutdowns_do_not_use_up_the_retries(database: Database, clock: TickingClock) -> None:
    for _ in range(5):
        store = Store(database=database, clock=clock, queue=ROOMY, crash_retries=1, backoff_seconds=0)
        stuck = Exchanges(lambda _message_id: _wait(asyncio.Event()))
        await store.inbox.accept(message(1))
        async with engine(store, stuck, drain_seconds=0):
            await until(lambda stuck=stuck: stuck.running == 1)  # type: ignore[misc]
        assert stuck.abandoned == []
    assert await left(store) == (1, 0)


async def test_a_message_is_unfinished_while_it_waits_and_while_its_exchange_runs(roomy: Store) -> None:
    goes_on = asyncio.Event()
    exchanges = Exchanges(lambda _message_id: _wait(goes_on))
    first, second = message(1), message(2)
    await roomy.inbox.accept(first)
    await roomy.inbox.accept(second)
    async with engine(roomy, exchanges):
        await until(lambda: exchanges.running == 1)
        for each in (first, second):
            assert await roomy.inbox.unfinished(each.key, each.id)
        assert not await roomy.inbox.unfinished(first.key, MessageId("another"))
        goes_on.set()
        async with asyncio.timeout(SECONDS):
            while await roomy.inbox.unfinished(second.key, second.id):
                await asyncio.sleep(0.01)
        assert not await roomy.inbox.unfinished(first.key, first.id)


async def test_being_cancelled_is_being_stopped(roomy: Store) -> None:
    exchanges = Exchanges(lambda _message_id: _wait(asyncio.Event()))
    await roomy.inbox.accept(message(1))
    async with asyncio.TaskGroup() as group:
        running = group.create_task(
            roomy.engine.run(exchanges.run, abandoned=exchanges.give_up, concurrency=2, drain_seconds=0.01)
        )
        await until(lambda: exchanges.running == 1)
        running.cancel()
    assert running.cancelled()
    assert exchanges.running == 0
    assert await left(roomy) == (1, 0)


async def test_what_a_dead_process_left_running_runs_again_but_not_for_ever(
    roomy: Store, restarted: Store, database: Database
) -> None:
    await roomy.inbox.accept(message(1))
    died = Exchanges()
    await database.write(lambda c: leave_running(c, deaths=3))
    assert await left(roomy) == (0, 1)
    async with engine(restarted, died):
        await until(lambda: died.ended == ["m1"])
    await roomy.inbox.accept(message(2))
    await database.write(lambda c: leave_running(c, deaths=100))
    async with engine(Store(database=database, clock=TickingClock(), queue=ROOMY), died):
        await until(lambda: len(died.abandoned) == 1)
    assert died.ended == ["m1"]
    assert died.abandoned == [("m2", "The service died 101 times in this exchange.")]


def leave_running(connection: Connection, deaths: int) -> None:
    facts = f'"deaths": {deaths}}}'
    connection.execute(
        Statement("UPDATE jobs SET status = 'doing', args = replace(args, '}', :f)"), {"f": ", " + facts}
    )


async def test_a_database_that_is_locked_for_a_while_does_not_end_the_engine(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    gate = asyncio.Event()
    async with open_sqlite(path, busy_seconds=0.01) as database:
        store = Store(database=database, clock=TickingClock(), queue=ROOMY, poll_seconds=0.01)
        exchanges = Exchanges(lambda _message_id: _wait(gate))
        await store.inbox.accept(message(1))
        await store.inbox.accept(message(2))
        async with engine(store, exchanges):
            await until(lambda: exchanges.running == 1)
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN EXCLUSIVE")
                gate.set()
                await until(lambda: exchanges.ended == ["m1"])
                await asyncio.sleep(0.1)
                other.execute("ROLLBACK")
            await until(lambda: exchanges.ended == ["m1", "m2"])
        assert await left(store) == (0, 0)
