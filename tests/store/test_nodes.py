"""Nodes side by side on one PostgreSQL: each conversation at one of them, and nothing written by who was taken over."""

import asyncio
from contextlib import AbstractAsyncContextManager

import pytest

from mama_bot.config import QueueSettings
from mama_bot.errors import StoreInUse
from mama_bot.store import Store, open_store
from mama_bot.store.nodes import Node, NodeLease
from tests.postgresql_server import run_in
from tests.store.exchanges import Exchanges, engine
from tests.store.making import ELSEWHERE, TickingClock, message
from tests.waiting import until


def opened(url: str, name: str, *, silence_seconds: float) -> AbstractAsyncContextManager[Store]:
    node = Node(id=name, role="worker", lease=NodeLease(silence_seconds=silence_seconds))
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
