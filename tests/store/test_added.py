"""What is added to an exchange that runs: stored before anybody is told, taken once, and never lost."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from mama_bot.model import Audience, Author, MessageId, SessionId, StopScope, TurnState
from mama_bot.store import Store
from tests.store.exchanges import Exchanges, engine
from tests.store.making import HERE, message, turn
from tests.store.test_stops import line
from tests.waiting import SECONDS

FIRST, SECOND, THIRD = message(1), message(2), message(3)
LEE = Author(id="lee", name="Lee")


@asynccontextmanager
async def at_work(store: Store, *, audience: Audience = Audience.PERSON) -> AsyncIterator[Callable[[], None]]:
    """The exchange of the first message runs, until the function that is given is called."""
    end = asyncio.Event()

    async def work(message_id: MessageId) -> None:
        exchange = await store.turns.load(message_id)
        running = replace(turn(exchange.message), audience=audience)
        await store.turns.add_turns([running])
        await store.turns.begin_attempt(running, 0, SessionId("s"))
        if message_id == FIRST.id:
            await end.wait()
        await store.turns.finish(running, TurnState.ANSWERED)
        await store.turns.end_added(exchange.message, most=9)

    await store.inbox.accept(FIRST)
    async with engine(store, Exchanges(work)):
        async with asyncio.timeout(SECONDS):
            while not (await store.turns.load(FIRST.id)).turns or (await store.turns.load(FIRST.id)).turns[0].asked < 0:
                await asyncio.sleep(0.005)
        yield end.set


async def over(store: Store, look: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(SECONDS):
        while not await look():
            await asyncio.sleep(0.005)


async def test_what_is_added_leaves_the_line_and_is_taken_once(store: Store, next_life: Store) -> None:
    async with at_work(store) as end:
        await store.inbox.accept(SECOND)
        assert await store.inbox.add_to_running(HERE, by=SECOND.author.id) == (SECOND,)
        assert (await store.inbox.line(HERE, most=10)).waiting == ()
        running = (await next_life.turns.load(FIRST.id)).turns[0].turn
        taken, messages = await store.turns.take_added(running)
        assert messages == [SECOND]
        assert SECOND.text in taken.prompt
        assert await next_life.turns.take_added(running) == (running, ())
        exchange = await next_life.turns.load(FIRST.id)
        assert (exchange.turns[0].turn.prompt, exchange.added) == (taken.prompt, (SECOND,))
        assert exchange.request.text == f"{FIRST.text}\n\n{SECOND.text}"
        assert (await next_life.history.view(HERE, 10)).added == (SECOND.id,)
        end()
    assert (await store.turns.load(SECOND.id)).turns == ()
    assert (await store.history.queue()).waiting == 0


async def test_what_no_agent_took_has_its_own_exchange_after_all(store: Store) -> None:
    async with at_work(store) as end:
        await store.inbox.accept(SECOND)
        assert await store.inbox.add_to_running(HERE)
        end()

        async def answered() -> bool:
            return bool((await store.turns.load(SECOND.id)).turns)

        await over(store, answered)
    assert (await store.turns.load(FIRST.id)).added == ()


async def test_nothing_is_added_to_the_task_of_another_agent(store: Store) -> None:
    async with at_work(store, audience=Audience.AGENT) as end:
        await store.inbox.accept(SECOND)
        assert await store.inbox.add_to_running(HERE) == ()
        assert (await store.inbox.line(HERE, most=10)).waiting == (SECOND,)
        end()


async def test_nothing_is_added_to_what_is_to_stop_or_where_nothing_runs(store: Store) -> None:
    assert await store.inbox.add_to_running(HERE) == ()
    async with at_work(store) as end:
        await store.inbox.accept(SECOND)
        await store.stops.ask(HERE, "Kim", line, StopScope.USUAL)
        assert await store.inbox.add_to_running(HERE) == ()
        end()


async def test_only_their_own_words_and_only_to_their_own_exchange(store: Store) -> None:
    async with at_work(store) as end:
        await store.inbox.accept(replace(SECOND, author=LEE))
        await store.inbox.accept(THIRD)
        assert await store.inbox.add_to_running(HERE, by=LEE.id) == ()
        assert await store.inbox.add_to_running(HERE, by=THIRD.author.id, message_id=THIRD.id) == (), "not the first"
        assert await store.inbox.add_to_running(HERE, by=THIRD.author.id) == (THIRD,)
        end()


@pytest.mark.parametrize("taken", [True, False])
async def test_the_shared_context_has_it_where_it_was_answered(store: Store, *, taken: bool) -> None:
    async with at_work(store) as end:
        await store.inbox.accept(SECOND)
        await store.inbox.add_to_running(HERE)
        if taken:
            await store.turns.take_added((await store.turns.load(FIRST.id)).turns[0].turn)
        end()

        async def settled() -> bool:
            state = await store.history.queue()
            return state.waiting + state.running == 0

        await over(store, settled)
    window = await store.context.window(HERE, before=None, max_entries=9, max_characters=9_999)
    assert [entry.text for entry in window] == [FIRST.text, SECOND.text]
    before = await store.context.window(HERE, before=SECOND.id, max_entries=9, max_characters=9_999)
    assert [entry.text for entry in before] == ([FIRST.text, SECOND.text] if taken else [FIRST.text])


async def test_of_a_long_line_the_first_are_read_and_all_are_counted(store: Store) -> None:
    for number in range(1, 4):
        await store.inbox.accept(message(number))
    first_two = await store.inbox.line(HERE, most=2)
    assert (first_two.waiting, first_two.length, first_two.running) == ((FIRST, SECOND), 3, 0)
    assert (await store.inbox.line(HERE, most=9)).length == 3
