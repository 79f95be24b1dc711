"""How many units a second nodes write side by side through the one lock of those that write, in how many commits."""

import asyncio
import sys
import time

import psycopg

from benchmarks.cluster.spoken import store_messages
from mama_bot.app.system_clock import SystemClock
from mama_bot.config import QueueSettings
from mama_bot.store import open_store
from mama_bot.store.nodes import Node
from tests.postgresql_server import postgresql_server

MESSAGES = 2_000  # of each node; a message with its job is one unit
QUEUE = QueueSettings(limit=1_000_000)


async def measured(nodes: int) -> str:
    """Return a line with what so many nodes, each a process, wrote together."""
    with postgresql_server() as database:
        url = database.url("postgres")
        async with open_store(url, clock=SystemClock(), queue=QUEUE, node=Node(id="first", role="gateway")):
            processes = [
                await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "benchmarks.cluster.writers", url, f"n{number}"),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                )
                for number in range(nodes)
            ]
            for process in processes:
                assert process.stdout is not None
                await process.stdout.readline()
            before, began = _commits(url), time.monotonic()
            for process in processes:
                assert process.stdin is not None
                process.stdin.close()
            for process in processes:
                assert await process.wait() == 0
            seconds = time.monotonic() - began
            await asyncio.sleep(2)  # the server counts a little later
            commits = _commits(url) - before
    units = nodes * MESSAGES
    return f"{nodes} nodes: {units / seconds:.0f} units a second, {units / commits:.1f} units in a commit"


def _commits(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone()
    return int(row[0]) if row else 0


async def written(url: str, name: str) -> None:
    """Write messages as one node, once it is told to."""
    clock = SystemClock()
    async with open_store(url, clock=clock, queue=QUEUE, node=Node(id=name, role="gateway")) as store:
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        await store_messages(store, clock, name, MESSAGES)


if __name__ == "__main__":
    asyncio.run(written(sys.argv[1], sys.argv[2]))
