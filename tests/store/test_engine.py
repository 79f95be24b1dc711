"""Exchanges run in order, one at a time for each conversation, and until they are done."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from mama_bot.errors import StoreUnavailable
from mama_bot.model import MessageId
from mama_bot.store import Store
from mama_bot.store.connection import Connection
from mama_bot.store.database import Database
from tests.store.exchanges import ROOMY, Exchanges, conversation, engine, left
from tests.store.making import TickingClock, message
from tests.waiting import until

T = TypeVar("T")


async def test_what_waited_before_the_start_and_what_comes_later_is_run(roomy: Store) -> None:
    exchanges = Exchanges()
    await roomy.inbox.accept(message(1))
    async with engine(roomy, exchanges):
        await until(lambda: exchanges.ended == ["m1"])
        await roomy.inbox.accept(message(2))
        await until(lambda: exchanges.ended == ["m1", "m2"])
    assert await left(roomy) == (0, 0)


async def test_conversations_run_in_parallel_and_each_in_order_and_one_at_a_time(roomy: Store) -> None:
    at_work: dict[str, int] = defaultdict(int)
    overlaps, together = 0, asyncio.Event()

    async def behave(message_id: MessageId) -> None:
        nonlocal overlaps
        lane = str(int(message_id[1:]) % 6)
        at_work[lane] += 1
        overlaps += at_work[lane] > 1
        if exchanges.running > 1:
            together.set()
        await together.wait()
        await asyncio.sleep(0.001)
        at_work[lane] -= 1

    exchanges = Exchanges(behave)
    async with engine(roomy, exchanges, concurrency=4):
        for number in range(120):
            await roomy.inbox.accept(message(number, key=conversation(number % 6)))
        await until(lambda: len(exchanges.ended) == 120)
    assert overlaps == 0
    assert 1 < exchanges.most_at_once <= 4
    for lane in range(6):
        mine = [int(name[1:]) for name in exchanges.ended if int(name[1:]) % 6 == lane]
        assert mine == sorted(mine)


async def test_a_conversation_goes_on_without_waiting_for_the_poll(database: Database, clock: TickingClock) -> None:
    # The poll would come after an hour: only a wake-up at the end of each exchange can start the next one.
    store = Store(database=database, clock=clock, queue=ROOMY, poll_seconds=3600)
    exchanges = Exchanges(lambda _message_id: asyncio.sleep(0.002))
    for number in range(50):
        await store.inbox.accept(message(number))
    async with engine(store, exchanges):
        await until(lambda: len(exchanges.ended) == 50)
    assert exchanges.ended == [f"m{number}" for number in range(50)]


class Interrupted:
    """A database after whose next write that finds no job something else happens first."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.interruption: Callable[[], Awaitable[object]] | None = None

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._database.read(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        result = await self._database.write(work)
        if result is None and self.interruption is not None:
            interruption, self.interruption = self.interruption, None
            await interruption()
        return result


async def test_a_message_that_comes_while_the_worker_looks_is_not_overlooked(
    database: Database, clock: TickingClock
) -> None:
    interrupted = Interrupted(database)
    store = Store(database=interrupted, clock=clock, queue=ROOMY, poll_seconds=3600)
    exchanges = Exchanges()

    async def comes_now() -> None:
        await store.inbox.accept(message(1))
        for _ in range(10):
            await asyncio.sleep(0)

    interrupted.interruption = comes_now
    async with engine(store, exchanges):
        await until(lambda: exchanges.ended == ["m1"])


async def test_no_wake_up_is_lost_among_many(database: Database, clock: TickingClock) -> None:
    store = Store(database=database, clock=clock, queue=ROOMY, poll_seconds=3600)
    exchanges = Exchanges()
    async with engine(store, exchanges):
        for number in range(200):
            await store.inbox.accept(message(number, key=conversation(number)))
            if number % 3 == 0:
                await until(lambda number=number: len(exchanges.ended) == number + 1)  # type: ignore[misc]
        await until(lambda: len(exchanges.ended) == 200)


async def test_a_long_queue_in_one_conversation_does_not_hold_up_another(roomy: Store) -> None:
    gate = asyncio.Event()

    async def behave(message_id: MessageId) -> None:
        if message_id == "m0":
            await gate.wait()

    exchanges = Exchanges(behave)
    for number in range(500):
        await roomy.inbox.accept(message(number, key=conversation(0)))
    async with engine(roomy, exchanges):
        await roomy.inbox.accept(message(1000, key=conversation(1)))
        await until(lambda: exchanges.ended == ["m1000"])
        gate.set()
        await until(lambda: len(exchanges.ended) == 501)


async def test_an_exchange_that_raises_runs_again_before_the_next_of_its_conversation(roomy: Store) -> None:
    failures = iter([RuntimeError("first"), RuntimeError("second")])

    async def behave(message_id: MessageId) -> None:
        if message_id == "m1" and (error := next(failures, None)):
            raise error

    exchanges = Exchanges(behave)
    await roomy.inbox.accept(message(1))
    await roomy.inbox.accept(message(2))
    async with engine(roomy, exchanges):
        await until(lambda: len(exchanges.ended) == 2)
    assert exchanges.started == ["m1", "m1", "m1", "m2"]
    assert exchanges.abandoned == []


async def test_an_exchange_that_always_raises_is_given_up_and_the_conversation_goes_on(roomy: Store) -> None:
    async def behave(message_id: MessageId) -> None:
        if message_id == "m1":
            raise RuntimeError("poison")

    exchanges = Exchanges(behave)
    await roomy.inbox.accept(message(1))
    await roomy.inbox.accept(message(2))
    async with engine(roomy, exchanges):
        await until(lambda: exchanges.ended == ["m2"])
    assert exchanges.started == ["m1", "m1", "m1", "m2"]
    assert exchanges.abandoned == [("m1", "poison")]
    assert await left(roomy) == (0, 0)


async def test_an_exchange_that_finds_the_store_unavailable_is_never_given_up(roomy: Store) -> None:
    failures = iter([StoreUnavailable(url="u", reason="the disk is full", remedy="Free some.")] * 8)

    async def behave(message_id: MessageId) -> None:
        if error := next(failures, None):
            raise error

    exchanges = Exchanges(behave)
    await roomy.inbox.accept(message(1))
    async with engine(roomy, exchanges):
        await until(lambda: exchanges.ended == ["m1"])
    assert exchanges.started == ["m1"] * 9
    assert exchanges.abandoned == []


async def test_giving_up_is_repeated_until_it_works(roomy: Store) -> None:
    tries = 0

    async def give_up(_message_id: MessageId, _error: Exception) -> None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise RuntimeError("the line to the person could not be written")

    async def behave(_message_id: MessageId) -> None:
        raise RuntimeError("poison")

    exchanges = Exchanges(behave)
    exchanges.give_up = give_up  # type: ignore[method-assign, assignment]
    await roomy.inbox.accept(message(1))
    async with engine(roomy, exchanges):
        await until(lambda: tries == 3)
    assert await left(roomy) == (0, 0)


async def test_an_exchange_that_cancels_itself_counts_as_one_that_raises(roomy: Store) -> None:
    async def behave(message_id: MessageId) -> None:
        raise asyncio.CancelledError

    exchanges = Exchanges(behave)
    await roomy.inbox.accept(message(1))
    async with engine(roomy, exchanges):
        await until(lambda: len(exchanges.abandoned) == 1)
    assert exchanges.started == ["m1", "m1", "m1"]


async def test_a_retry_waits_for_its_time(database: Database, clock: TickingClock) -> None:
    store = Store(database=database, clock=clock, queue=ROOMY, crash_retries=1, backoff_seconds=3600, poll_seconds=0.01)
    broken = True

    async def behave(message_id: MessageId) -> None:
        if message_id == "m1" and broken:
            raise RuntimeError("not yet")

    exchanges = Exchanges(behave)
    await store.inbox.accept(message(1, key=conversation(1)))
    async with engine(store, exchanges):
        await until(lambda: exchanges.started == ["m1"])
        await store.inbox.accept(message(2, key=conversation(2)))
        await until(lambda: exchanges.ended == ["m2"])
        assert exchanges.started == ["m1", "m2"]
        broken = False
        clock.advance(3600)
        await until(lambda: exchanges.ended == ["m2", "m1"])


@pytest.mark.parametrize("seconds", [-3600, 24 * 3600])
async def test_a_clock_that_is_set_runs_everything_once_and_in_order(
    database: Database, clock: TickingClock, seconds: int
) -> None:
    store = Store(database=database, clock=clock, queue=ROOMY, crash_retries=1, backoff_seconds=0, poll_seconds=0.01)
    exchanges = Exchanges(_failing_once())
    async with engine(store, exchanges):
        for number in (1, 2):
            await store.inbox.accept(message(number))
        clock.advance(seconds)
        for number in (3, 4):
            await store.inbox.accept(message(number))
        await until(lambda: exchanges.ended == ["m1", "m2", "m3", "m4"])
    assert exchanges.started == ["m1", "m1", "m2", "m3", "m4"]


async def test_a_clock_that_is_set_back_keeps_no_conversation_waiting(database: Database, clock: TickingClock) -> None:
    store = Store(database=database, clock=clock, queue=ROOMY, crash_retries=1, backoff_seconds=60, poll_seconds=0.01)
    exchanges = Exchanges(_failing_once())
    await store.inbox.accept(message(1, key=conversation(1)))
    async with engine(store, exchanges):
        await until(lambda: exchanges.started == ["m1"])
        clock.advance(-3600)
        await until(lambda: exchanges.ended == ["m1"])
        async with store.stops.held(conversation(1)) as held:  # and whoever dies here leaves it held for a while
            assert held
            clock.advance(-3600)
            await store.inbox.accept(message(2, key=conversation(1)))
            await until(lambda: exchanges.ended == ["m1", "m2"])


def _failing_once() -> Callable[[MessageId], Awaitable[None]]:
    asked: set[MessageId] = set()

    async def behave(message_id: MessageId) -> None:
        if message_id == "m1" and message_id not in asked:
            asked.add(message_id)
            raise RuntimeError("not yet")

    return behave
