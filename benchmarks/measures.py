"""The metrics over a year of attempts: how long the database adds them up, and how much memory the process takes.

Run: python -m benchmarks.measures [ATTEMPTS]
"""

import asyncio
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mama_bot.store.connection import Connection, Statement
from mama_bot.store.measures import StoredMeasures
from mama_bot.store.sqlite import open_sqlite
from mama_bot.store.tables import FIGURES

NOW = datetime(2026, 11, 1, tzinfo=UTC)
PERSONAS = ("lead", "developer", "reviewer", "tester")
BATCH = 5000


def fill(connection: Connection, first: int, last: int, total: int) -> None:
    """Turns of two attempts each, spread over a year."""
    chance = random.Random(first)
    turns, attempts, objections = [], [], []
    for number in range(first, last):
        began = NOW - timedelta(days=365) * (1 - number / total)
        ended = began + timedelta(seconds=chance.expovariate(1 / 40))
        persona = chance.choice(PERSONAS)
        turns.append({"id": f"t{number}", "persona": persona, "began": began.isoformat(), "ended": ended.isoformat()})
        for attempt in (0, 1):
            back = attempt == 0
            attempts.append(
                {
                    "id": f"t{number}",
                    "attempt": attempt,
                    "at": ended.isoformat(),
                    "persona": persona,
                    "outcome": "sent_back" if back else "cleared",
                    "chain": chance.random(),
                    **{name: float(chance.randrange(2)) for name in FIGURES},
                }
            )
        objections.append({"id": f"t{number}", "at": ended.isoformat(), "persona": persona})
    insert(
        connection,
        Statement(
            "INSERT INTO turns (id, message_id, body, state, created_at, started_at, ended_at, persona, kind, "
            "audience) VALUES (:id, 'm', '{}', 'answered', :began, :began, :ended, :persona, 'delegation', 'agent')"
        ),
        turns,
    )
    names = ", ".join(FIGURES)
    values = ", ".join(f":{name}" for name in FIGURES)
    insert(
        connection,
        Statement(
            "INSERT INTO measured_attempts (turn_id, attempt, at, persona, kind, audience, outcome, verdict, "
            f"chain_milliseconds, tokens, cost_usd, {names}) VALUES (:id, :attempt, :at, :persona, 'delegation', "
            f"'agent', :outcome, 'passed', :chain, 1500, 0.01, {values})"
        ),
        attempts,
    )
    insert(
        connection,
        Statement(
            "INSERT INTO objections (turn_id, attempt, stage, at, persona, rule, effect, observed) "
            "VALUES (:id, 0, 'response_validator', :at, :persona, 'praise_share', 'sent_back', 0)"
        ),
        objections,
    )


def insert(connection: Connection, statement: Statement, rows: Iterable[Mapping[str, Any]]) -> None:
    for row in rows:
        connection.execute(statement, row)


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def main(attempts: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "year.sqlite"
        async with open_sqlite(file) as database:

            def message(connection: Connection) -> None:
                connection.execute(
                    Statement(
                        "INSERT INTO messages (id, platform, conversation, body, stored_at) "
                        "VALUES ('m', 'web', '[]', '{}', '')"
                    )
                )

            await database.write(message)
            turns = attempts // 2
            for first in range(0, turns, BATCH):
                last = min(first + BATCH, turns)
                await database.write(lambda c, first=first, last=last: fill(c, first, last, turns))  # type: ignore[misc]
            measures = StoredMeasures(database=database)
            before = megabytes()
            for days in (7, 30, 365):
                began = time.perf_counter()
                found = await measures.measure(since=NOW - timedelta(days=days), until=NOW + timedelta(days=1))
                took = time.perf_counter() - began
                print(
                    f"{days:>4} days: {found.total.drafts:>8,} attempts in {took * 1000:8.1f} ms, "
                    f"peak memory +{megabytes() - before:.1f} MB"
                )
            print(f"file: {file.stat().st_size / 2**20:.0f} MB for {attempts:,} attempts")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000))
