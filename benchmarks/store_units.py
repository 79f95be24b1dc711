"""How often one message asks the store, by name, and with which statements: python -m benchmarks.store_units.

A message that a warm conversation answers at once, through a gateway in memory. Counts, no times.
"""

import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.service import CLEAN
from mama_bot.log import LogFormat, LogLevel, configure_logs
from mama_bot.store.connection import Connection, Rows, Statement
from mama_bot.store.sqlite import SqliteDatabase
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.end_to_end.team import Team, running_team

T = TypeVar("T")
WARM = 3
QUIET_SECONDS = 0.3


class Counts:
    """The units and statements since it was last cleared."""

    def __init__(self) -> None:
        self.units: Counter[str] = Counter()
        self.statements: Counter[str] = Counter()

    def clear(self) -> None:
        """Count from now on."""
        self.units.clear()
        self.statements.clear()


def counted(counts: Counts) -> None:
    """Let every unit and statement of this process be counted."""
    read, write, execute = SqliteDatabase.read, SqliteDatabase.write, Connection.execute

    async def counting_read(self: SqliteDatabase, work: Callable[[Connection], T]) -> T:
        counts.units[f"read  {asker()}"] += 1
        return await read(self, work)

    async def counting_write(self: SqliteDatabase, work: Callable[[Connection], T]) -> T:
        counts.units[f"write {asker()}"] += 1
        return await write(self, work)

    def counting_execute(self: Connection, statement: Statement, values: Mapping[str, Any] | None = None) -> Rows:
        counts.statements[" ".join(statement.split())[:100]] += 1
        return execute(self, statement, values or {})

    SqliteDatabase.read, SqliteDatabase.write = counting_read, counting_write  # type: ignore[method-assign]
    Connection.execute = counting_execute  # type: ignore[method-assign]


def asker() -> str:
    """Return which method of the store asks."""
    return sys._getframe(2).f_code.co_qualname


async def one(team: Team) -> None:
    """Say a message, and return once nothing more comes of it."""
    before = len(team.gateway.posts)
    await team.say("How does `src/auth.py` compare tokens?")
    while len(team.gateway.posts) == before:
        await asyncio.sleep(0.001)
    await asyncio.sleep(QUIET_SECONDS)


async def main() -> None:
    """Print the counts."""
    configure_logs(style=LogFormat.JSON, level=LogLevel.ERROR, redact=str)
    counts = Counts()
    counted(counts)
    agent = ScriptedAgentBackend(script=lambda *_: ScriptedReply(text=CLEAN))
    with tempfile.TemporaryDirectory() as name:
        async with running_team(Path(name), backends={agent.name: agent}) as team:
            for _ in range(WARM):
                await one(team)
            counts.clear()
            await one(team)
            units, statements = counts.units.copy(), counts.statements.copy()
    for title, counter in (("units", units), ("statements", statements)):
        sys.stdout.write(f"{counter.total()} {title}\n")
        for what, count in counter.most_common():
            sys.stdout.write(f"{count:4} {what}\n")


if __name__ == "__main__":
    asyncio.run(main())
