"""What is to stop and what may not begin: seen by every process that opens the store."""

import asyncio
from dataclasses import replace

from mama_bot.model import InboundMessage, MessageId, Notice, PostId, SessionId, StopAsked
from mama_bot.store import Store
from mama_bot.store.stops import HELD_SECONDS
from tests.store.exchanges import Exchanges, engine
from tests.store.making import ELSEWHERE, HERE, TickingClock, message, notice, turn
from tests.waiting import SECONDS, until

MESSAGE = message(1)


def line(of: InboundMessage) -> Notice:
    return replace(notice(), id=PostId(f"{of.id}.stopped"), key=of.key)


def at_work(store: Store, *, end: asyncio.Event) -> Exchanges:
    """Exchanges that have a turn that runs, until they may end."""

    async def work(message_id: MessageId) -> None:
        exchange = await store.turns.load(message_id)
        await store.turns.add_turns([turn(exchange.message)])
        await store.turns.begin_attempt(turn(exchange.message), 0, SessionId("s"))
        await end.wait()

    return Exchanges(work)


async def test_a_stop_of_what_runs_is_seen_by_its_owner_and_by_its_next_life(store: Store, next_life: Store) -> None:
    end = asyncio.Event()
    exchanges = at_work(store, end=end)
    await store.inbox.accept(MESSAGE)
    async with engine(store, exchanges):
        await until_turns(store)
        assert await next_life.stops.runs(HERE)
        assert await next_life.stops.ask(HERE, "Kim", line) == StopAsked(running=MESSAGE.id)
        assert await store.stops.ask(HERE, "Lee", line) == StopAsked(already=True), "once is enough"
        assert await store.stops.asked([MESSAGE.id, MessageId("other")]) == {MESSAGE.id: "Kim"}
        exchange = await next_life.turns.load(MESSAGE.id)
        assert (exchange.stop_asked_by, exchange.stopped) == ("Kim", False)
        end.set()
    assert await store.outbox.pending(HERE) == [], "its owner says what became of it"
    assert not await store.stops.runs(HERE)


async def until_turns(store: Store) -> None:
    async with asyncio.timeout(SECONDS):
        while not (await store.turns.load(MESSAGE.id)).turns:
            await asyncio.sleep(0.005)


async def test_what_was_taken_and_has_not_begun_is_stopped_with_a_line(store: Store) -> None:
    end = asyncio.Event()

    async def hesitate(_message_id: MessageId) -> None:
        await end.wait()

    exchanges = Exchanges(hesitate)
    await store.inbox.accept(MESSAGE)
    async with engine(store, exchanges):
        await until(lambda: exchanges.started == [MESSAGE.id])
        stop = await store.stops.ask(HERE, "Kim", line)
        assert [exchange.message for exchange in stop.ended] == [MESSAGE]
        assert await store.stops.ask(HERE, "Kim", line) == StopAsked(already=True)
        end.set()
    assert [entry.post for entry in await store.outbox.pending(HERE)] == [line(MESSAGE)]


async def test_nothing_begins_in_a_conversation_that_any_process_holds(store: Store, next_life: Store) -> None:
    elsewhere = message(2, key=ELSEWHERE)
    exchanges = Exchanges()
    async with engine(store, exchanges):
        async with next_life.stops.held(HERE) as held:
            assert held
            await store.inbox.accept(MESSAGE)
            await store.inbox.accept(elsewhere)
            await until(lambda: exchanges.ended == [elsewhere.id])
            async with store.stops.held(HERE) as again:
                assert not again
            assert exchanges.started == [elsewhere.id]
        await until(lambda: exchanges.ended == [elsewhere.id, MESSAGE.id])


async def test_a_conversation_in_which_an_exchange_runs_cannot_be_held(store: Store) -> None:
    end = asyncio.Event()
    exchanges = at_work(store, end=end)
    await store.inbox.accept(MESSAGE)
    async with engine(store, exchanges):
        await until_turns(store)
        async with store.stops.held(HERE) as held:
            assert not held
        end.set()


async def test_a_hold_that_came_to_its_end_lets_go_of_no_later_one(
    store: Store, next_life: Store, clock: TickingClock
) -> None:
    async with store.stops.held(HERE) as first:
        assert first
        clock.advance(HELD_SECONDS + 1)
        later_hold = next_life.stops.held(HERE)
        assert await later_hold.__aenter__(), "the first has come to its end"
    async with store.stops.held(HERE) as again:
        assert not again, "the end of the first block is not the end of the later hold"
    await later_hold.__aexit__(None, None, None)
    async with store.stops.held(HERE) as again:
        assert again


async def test_a_hold_of_a_process_that_died_is_over_by_and_by(store: Store, clock: TickingClock) -> None:
    await store.stops.held(HERE).__aenter__()  # and it dies
    async with store.stops.held(HERE) as held:
        assert not held
    clock.advance(HELD_SECONDS + 1)
    async with store.stops.held(HERE) as held:
        assert held
