"""Nodes hear only what a node told, whoever else may connect to their database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import psycopg

from mama_bot.config import QueueSettings
from mama_bot.model import NodeEvent, QuestionSettled
from mama_bot.store import Store, open_store
from mama_bot.store.bell import Ring
from mama_bot.store.nodes import Node
from mama_bot.store.postgresql_events import PostgresqlEvents, notifications_of
from tests.store.making import TickingClock

BEFORE = QuestionSettled(number=0)


@asynccontextmanager
async def node(url: str, name: str) -> AsyncIterator[tuple[Store, PostgresqlEvents]]:
    opened = open_store(url, clock=TickingClock(), queue=QueueSettings(), node=Node(id=name, role="worker"))
    async with opened as store, asyncio.TaskGroup() as group:
        assert store.events is not None
        telling = group.create_task(store.events.run())
        while True:  # a node hears nothing before its connection listens
            store.events.publish(BEFORE)
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await store.events.heard()
                    break
        yield store, store.events
        telling.cancel()


async def heard(events: PostgresqlEvents, most: int) -> list[NodeEvent]:
    async with asyncio.timeout(20):
        told: list[NodeEvent] = []
        while len(told) < most:
            told += [event for event in [await events.heard()] if event != BEFORE]
        return told


async def test_what_another_user_of_the_database_says_is_no_event(postgresql_url: str) -> None:
    async with node(postgresql_url, "first") as (_, first):
        with psycopg.connect(postgresql_url, autocommit=True) as stranger:
            stranger.execute(f"LISTEN {Ring.EVENTS}")
            first.publish(QuestionSettled(number=1))
            overheard = (await asyncio.to_thread(next, stranger.notifies(timeout=20))).payload
            forged = notifications_of(QuestionSettled(number=2), b"guessed")
            for words in (*forged, overheard, "", "nonsense", "a/b/c/d/e", "id/0/1/!!!", "id/5/1/AA==", "\u00e9/1"):
                stranger.execute("SELECT pg_notify(%s, %s)", (Ring.EVENTS.value, words))
        first.publish(QuestionSettled(number=3))
        assert await heard(first, 2) == [QuestionSettled(number=1), QuestionSettled(number=3)]
