"""How many turns a second workers do whose agents take two seconds each, so that cores hardly decide."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import get_args, get_type_hints

import psycopg

from benchmarks.cluster.nodes import running_nodes
from benchmarks.cluster.spoken import store_messages
from benchmarks.start import processor_seconds
from mama_bot.app.system_clock import SystemClock
from mama_bot.config import QueueSettings
from mama_bot.model import NodeEvent
from mama_bot.store import open_store
from mama_bot.store.nodes import Node
from tests.postgresql_server import postgresql_server

AGENT_SECONDS = 2.0
AT_ONCE = 40  # exchanges of each worker
EVERY_KIND = frozenset(get_type_hints(kind)["kind"].__args__[0] for kind in get_args(NodeEvent))
ROUNDS = 5  # as many for each of those places


async def measured(directory: Path, *, workers: int, conversations: int | None = None) -> str:
    """Return a line with the turns a second that so many workers did, until all of them had an answer."""
    conversations = conversations or workers * AT_ONCE * ROUNDS
    with postgresql_server() as database:
        url = database.url("postgres")
        async with running_nodes(
            directory,
            ["worker"] * workers,
            {"MAMA_STORE__URL": url},
            agent_seconds=AGENT_SECONDS,
            claude={"source": "real"},
            pool={"size": AT_ONCE},
            turns={"concurrency": AT_ONCE, "drain_seconds": 0},
            queue={"limit": 100_000},
        ) as (nodes, _):
            pids = [each.process.pid for each in nodes if each.process is not None]
            clock = SystemClock()
            node = Node(id="measuring", role="gateway")
            async with open_store(url, clock=clock, queue=QueueSettings(limit=100_000), node=node) as store:
                assert store.events is not None
                store.events.unwanted = EVERY_KIND
                began, before = time.monotonic(), _busy(pids, url)
                await store_messages(store, clock, "c", conversations)
                stored = time.monotonic() - began
                while _replies(url) < conversations:
                    await asyncio.sleep(0.2)
                seconds = time.monotonic() - began
                busy = [after - earlier for earlier, after in zip(before, _busy(pids, url), strict=True)]
    most = workers * AT_ONCE / AGENT_SECONDS
    return (
        f"{workers} workers: {conversations} conversations stored in {stored:.1f} s, answered in {seconds:.1f} s: "
        f"{conversations / seconds:.1f} turns a second (at most {most:.0f} by the time of the agents); a turn took "
        f"{1000 * busy[0] / conversations:.0f} ms of processor time in workers, {1000 * busy[1] / conversations:.0f} "
        "in the database"
    )


def _busy(pids: Sequence[int], url: str) -> tuple[float, float]:
    """Return the seconds that workers and the database had a processor until now."""
    with psycopg.connect(url) as connection:
        of_database = [pid for (pid,) in connection.execute("SELECT pid FROM pg_stat_activity")]
    return sum(map(processor_seconds, pids)), sum(map(processor_seconds, of_database))


def _replies(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM outbox WHERE turn_id IS NOT NULL").fetchone()
    return int(row[0]) if row else 0
