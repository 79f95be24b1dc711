"""A deed is done by one node, and by another only when that one is dead."""

import asyncio
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime

from mama_bot.app.node_parts import deeds_taken_over
from mama_bot.config import QueueSettings
from mama_bot.deeds import Deeds, DoneDeed
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Author,
    ConversationKey,
    DeedId,
    DeedPlan,
    DeedRequest,
    MergeBranch,
    NotDone,
    Platform,
    Refusal,
)
from mama_bot.store import Store, open_store
from mama_bot.store.nodes import Node
from tests.postgresql_server import run_in
from tests.store.making import TickingClock
from tests.waiting import until

KEY = ConversationKey(Platform("memory"), "general")


def opened(url: str, name: str) -> AbstractAsyncContextManager[Store]:
    node = Node(id=name, role="worker", shared_files=True)
    return open_store(url, clock=TickingClock(), queue=QueueSettings(), node=node)


def request(number: int) -> DeedRequest:
    return DeedRequest(
        id=DeedId(f"d{number}"),
        key=KEY,
        repository="app",
        deed=MergeBranch(),
        by=Author(id="kim", name="Kim"),
        at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def deeds_of(store: Store, begun: list[str], ends: asyncio.Event) -> Deeds:
    async def do(asked: DeedRequest, _plan: DeedPlan | None) -> DoneDeed:
        begun.append(f"{asked.id} at {store.nodes.id}")
        await ends.wait()
        return DoneDeed(outcome=NotDone(why=Refusal.NOTHING))

    return Deeds(
        records=store.deeds,
        holds=store.stops,
        undo=do,
        merge=do,
        discard=do,
        restore=do,
        push=do,
        open_request=do,
        metrics=Metrics(),
        node=store.nodes.id,
    )


async def test_a_deed_of_a_node_that_lives_is_left_to_it_and_of_a_dead_one_is_done(postgresql_url: str) -> None:
    begun, ends = list[str](), asyncio.Event()
    async with opened(postgresql_url, "first") as first, opened(postgresql_url, "second") as second:
        here, there = deeds_of(first, begun, asyncio.Event()), deeds_of(second, begun, ends)
        async with asyncio.TaskGroup() as group:
            doing = group.create_task(here.run())
            assert await here.ask(request(1), seconds=0.1) is None
            await until(lambda: begun)
            await there.resume(deeds_taken_over(second.nodes))
            assert begun == ["d1 at first"]
            doing.cancel()
        run_in(postgresql_url, "DELETE FROM nodes WHERE id = 'first'")
        ends.set()
        async with asyncio.TaskGroup() as group:
            taking = group.create_task(there.take_over(deeds_taken_over(second.nodes), every_seconds=0.01))
            doing = group.create_task(there.run())
            await until(lambda: len(begun) > 1)
            outcome: object = None
            while not isinstance(outcome, NotDone) or outcome.why is Refusal.BUSY:
                outcome = await there.ask(request(2))
            taking.cancel()
            doing.cancel()
        assert outcome == NotDone(why=Refusal.NOTHING)
        assert begun == ["d1 at first", "d1 at second", "d2 at second"]
