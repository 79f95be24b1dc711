"""Nodes side by side on one PostgreSQL: each conversation at one of them, and nothing written by who was taken over."""

import asyncio
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import pytest

from mama_bot.config import QueueSettings
from mama_bot.errors import QueueFull, StoreInUse, StoreUnsuitable
from mama_bot.model import ConversationKey, Platform
from mama_bot.store import Store, open_store
from mama_bot.store.migrations import CURRENT_VERSION
from mama_bot.store.nodes import Node, NodeLease
from tests.postgresql_server import run_in
from tests.store.exchanges import Exchanges, engine
from tests.store.making import ELSEWHERE, TickingClock, message
from tests.store.test_migrations import AS_VERSION_24
from tests.waiting import until

SLACK = Platform("slack")


def opened(url: str, name: str, *, silence_seconds: float) -> AbstractAsyncContextManager[Store]:
    lease = NodeLease(silence_seconds=silence_seconds)
    node = Node(id=name, role="worker", lease=lease, platforms=("discord", SLACK))
    return open_store(url, clock=TickingClock(), queue=QueueSettings(), node=node)


async def test_a_node_goes_on_with_its_conversations_and_another_with_what_a_dead_one_ran(
    postgresql_url: str,
) -> None:
    async with (
        # It says so seldom that it lives that it can be taken for dead meanwhile.
        opened(postgresql_url, "first", silence_seconds=300) as first,
        opened(postgresql_url, "second", silence_seconds=2) as second,
    ):
        with pytest.raises(StoreInUse, match="another mama-bot works on it"):
            async with open_store(postgresql_url, clock=TickingClock(), queue=QueueSettings()):
                pass
        here, there = Exchanges(), Exchanges()
        async with engine(first, here):
            await second.inbox.accept(message(1))
            await until(lambda: here.ended == ["m1"])
        async with engine(second, there):
            # Its files are with the first one, which lives.
            await second.inbox.accept(message(2))
            await second.inbox.accept(message(3, key=ELSEWHERE))
            await until(lambda: there.ended == ["m3"])
            await asyncio.wait_for(first.nodes.duty("alarms"), 10)
            async with asyncio.TaskGroup() as group:
                duty = group.create_task(second.nodes.duty("alarms"))
                watch = group.create_task(second.nodes.watch())
                run_in(postgresql_url, "UPDATE nodes SET until = 0 WHERE id = 'first'")
                await asyncio.wait_for(duty, 30)
                watch.cancel()
            await until(lambda: there.ended == ["m3", "m2"])
            assert not await second.nodes.has_others(SLACK)
        with pytest.raises(StoreInUse, match="another mama-bot has taken it over"):
            await first.inbox.accept(message(4))
        with pytest.raises(StoreInUse):
            await asyncio.wait_for(first.watch_owner(), 10)


async def test_what_is_about_files_is_asked_of_the_node_that_has_them_also_while_it_starts_again(
    postgresql_url: str,
) -> None:
    async with opened(postgresql_url, "second", silence_seconds=20) as second:
        async with opened(postgresql_url, "first", silence_seconds=20) as first:
            here = Exchanges()
            async with engine(first, here):
                await second.inbox.accept(message(1))
                await until(lambda: here.ended == ["m1"])
            assert await second.nodes.home(message(1).key) == "first"
            assert await second.nodes.home(ELSEWHERE) is None
            assert await second.nodes.worker() == await first.nodes.worker() == "first"
        assert await second.nodes.home(message(1).key) == "first"
        assert await second.nodes.worker() == "second"


async def test_what_a_node_releases_is_anothers_to_do(postgresql_url: str) -> None:
    async with (
        opened(postgresql_url, "first", silence_seconds=20) as first,
        opened(postgresql_url, "second", silence_seconds=20) as second,
    ):
        await asyncio.wait_for(first.nodes.duty("platform.chat"), 10)
        await second.nodes.release("platform.chat")  # what it has not it cannot give away
        assert await first.nodes.has_others(SLACK)
        assert not await first.nodes.has_others(Platform("telegram"))  # it has no token of it
        async with asyncio.TaskGroup() as group:
            duty = group.create_task(second.nodes.duty("platform.chat"))
            await asyncio.sleep(0.1)
            assert not duty.done()
            await first.nodes.release("platform.chat")
            await asyncio.wait_for(duty, 30)


async def test_of_many_nodes_at_once_each_job_is_taken_by_one_and_the_queue_takes_no_message_too_many(
    postgresql_url: str,
) -> None:
    """No unit sees what another one is about to change: one writes at a time, over all nodes (`WRITING`)."""
    names = [f"n{number}" for number in range(4)]
    async with AsyncExitStack() as stack:
        stores = [
            await stack.enter_async_context(
                open_store(
                    postgresql_url,
                    clock=TickingClock(),
                    queue=QueueSettings(limit=30, per_conversation=1),
                    node=Node(id=name, role="worker", shared_files=True),
                )
            )
            for name in names
        ]
        refused: list[QueueFull] = []

        async def accepted(number: int) -> None:
            try:
                key = ConversationKey(Platform("memory"), f"c{number}")
                await stores[number % 4].inbox.accept(message(number, key=key))
            except QueueFull as full:
                refused.append(full)

        async with asyncio.TaskGroup() as group:
            for number in range(60):
                group.create_task(accepted(number))
        assert len(refused) == 30
        run = [Exchanges() for _ in stores]
        for store, exchanges in zip(stores, run, strict=True):
            await stack.enter_async_context(engine(store, exchanges))
        await until(lambda: sum(len(each.ended) for each in run) >= 30)
        ended = [name for each in run for name in each.ended]
        assert len(set(ended)) == len(ended) == 30


async def test_a_node_of_a_newer_release_changes_no_table_before_the_last_older_node_has_ended(
    postgresql_url: str,
) -> None:
    stop = asyncio.Event()
    async with opened(postgresql_url, "old", silence_seconds=20) as old:
        run_in(postgresql_url, AS_VERSION_24)
        with pytest.raises(StoreInUse, match="nodes of an older mama-bot work on it"):
            async with opened(postgresql_url, "impatient", silence_seconds=20):
                pass
        began = asyncio.Event()

        async def newer() -> None:
            node = Node(id="new", role="worker", lease=NodeLease(silence_seconds=20))
            async with open_store(
                postgresql_url, clock=TickingClock(), queue=QueueSettings(), node=node, standby=stop
            ) as store:
                began.set()
                there = Exchanges()
                async with engine(store, there):
                    await until(lambda: there.ended == ["m1"])

        async with asyncio.TaskGroup() as group:
            waits = group.create_task(newer())
            await old.inbox.accept(message(1))  # it works on meanwhile
            await asyncio.sleep(1.5)
            assert not began.is_set()
            assert run_in(postgresql_url, "SELECT version FROM schema_version") == [(24,)]
            run_in(postgresql_url, "UPDATE nodes SET number = 0 WHERE id = 'old'")  # as when it ends
            await asyncio.wait_for(waits, 60)
    assert run_in(postgresql_url, "SELECT version FROM schema_version") == [(CURRENT_VERSION,)]


async def test_nodes_of_two_releases_work_side_by_side_where_the_tables_are_the_same_and_an_older_one_opens_no_newer(
    postgresql_url: str,
) -> None:
    async with opened(postgresql_url, "old", silence_seconds=20) as old:
        async with opened(postgresql_url, "new", silence_seconds=20) as new:
            there = Exchanges()
            async with engine(new, there):
                await old.inbox.accept(message(1))
                await until(lambda: there.ended == ["m1"])
        run_in(postgresql_url, f"UPDATE schema_version SET version = {CURRENT_VERSION + 1}")
        with pytest.raises(StoreUnsuitable, match="a newer mama-bot wrote it"):
            async with opened(postgresql_url, "older", silence_seconds=20):
                pass
        await old.inbox.accept(message(2))  # who works already goes on
