"""What the service keeps of message after message: `python -m benchmarks.soak --messages 100000 --conversations 1000`.

Rounds of one message to each conversation, a tenth of them through the page, the others through a gateway in memory;
the store and everything between are real, the agents scripted. After each round, when nothing waits any more, it is
measured what the process and its files have; what a figure grows by 1,000 messages is the slope of the second half, by
least squares. With `--keep-rounds` all that is older than so many rounds is forgotten after each, as `retention` would
(its clock is ahead by so much).
"""

import argparse
import asyncio
import gc
import sqlite3
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from benchmarks.process_memory import MEGABYTE, made_of
from mama_bot.app.old_conversations import LEAST, OldConversations
from mama_bot.config import RetentionSettings
from mama_bot.log import LogFormat, LogLevel, configure_logs
from mama_bot.model import AgentPersona, ToolRun
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.end_to_end.team import Team, running_team

PAGE_SHARE = 10  # one conversation in so many is on the page
AT_ONCE = 50
SETTLED_SECONDS = 900
TEXT = "`src/auth.py:{line}` compares tokens with `==`; `hmac.compare_digest` avoids the leak.\n\nNothing was changed."


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What the process and its files have at one moment; sizes in megabytes."""

    memory: float
    anonymous: float
    heap_used: float
    heap_free: float
    sqlite: float
    objects: int
    tasks: int
    threads: int
    handles: int
    processes: int
    log: float
    database: float
    seconds: float


class ClockAhead:
    """A clock that is so far ahead that what was stored before `forgotten` is old enough to go."""

    def __init__(self, forgotten: datetime) -> None:
        self._forgotten = forgotten

    def now(self) -> datetime:
        """Return the time at which that is old."""
        return self._forgotten + LEAST

    def monotonic(self) -> float:
        """Return seconds since an arbitrary moment."""
        return time.monotonic()


def answer(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
    """Look at a file, and say what is there."""
    del persona, history
    line = len(prompt) % 97
    look = ToolRun(
        id="1",
        tool="Bash",
        arguments='{"command":"grep -n token src/auth.py"}',
        started_at=datetime.now(UTC),
        ended_at=datetime.now(UTC),
        ok=True,
        exit_status=0,
        output_head=f"{line}:    return token == expected\n" * 8,
    )
    return ScriptedReply(text=TEXT.format(line=line), runs=(look,))


def sample(directory: Path, log: Path, began: float) -> Sample:
    """Return what there is now."""
    gc.collect()
    own = Path("/proc/self")
    threads = list((own / "task").iterdir())
    children = " ".join((thread / "children").read_text(encoding="ascii") for thread in threads)
    return Sample(
        **asdict(made_of()),
        tasks=len(asyncio.all_tasks()),
        threads=len(threads),
        handles=len(list((own / "fd").iterdir())),
        processes=len(children.split()),
        log=log.stat().st_size / MEGABYTE,
        database=sum(file.stat().st_size for file in directory.glob("data/**/*.sqlite*")) / MEGABYTE,
        seconds=time.perf_counter() - began,
    )


def slope(samples: Sequence[float], step: float) -> float:
    """Return by least squares how much a figure grows by 1,000 messages, where one sample is `step` messages."""
    middle, mean = (len(samples) - 1) / 2, sum(samples) / len(samples)
    above = sum((number - middle) * (value - mean) for number, value in enumerate(samples))
    below = sum((number - middle) ** 2 for number in range(len(samples)))
    return above / below / step * 1000 if below else 0.0


async def spoken_to(team: Team, page: httpx.AsyncClient, round_: int, conversations: Sequence[int]) -> None:
    """Say one message in each of these conversations, in turn."""
    for number in conversations:
        text = f"How does `src/auth.py` compare tokens? (look {round_})"
        if number % PAGE_SHARE:
            await team.say(text, channel=f"c{number}")
        else:
            said = await page.post(
                f"/api/conversations/p{number}/messages", json={"id": f"p{number}-{round_}", "text": text}
            )
            said.raise_for_status()


async def settled(team: Team) -> None:
    """Wait until nothing waits, runs or is to be posted."""
    async with asyncio.timeout(SETTLED_SECONDS):
        while True:
            state = await team.store.history.queue()
            if state.waiting + state.running == 0 and not await team.store.outbox.conversations_with_pending():
                return
            await asyncio.sleep(0.2)


def let_go(team: Team, agent: ScriptedAgentBackend) -> None:
    """Forget what the gateway and the agent in memory kept for tests."""
    for kept in (team.gateway.posts, team.gateway.shown, team.gateway.marked, agent.opened):
        kept.clear()


def states_of(directory: Path) -> Mapping[str, int]:
    """Return how many turns ended how, and what was posted and not."""
    (file,) = directory.glob("data/**/mama-bot.sqlite")
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        states = dict(connection.execute("SELECT state, COUNT(*) FROM turns GROUP BY state").fetchall())
        (states["not posted"],) = connection.execute(
            "SELECT COUNT(*) FROM outbox WHERE posted_at IS NULL OR failure <> ''"
        ).fetchone()
        return states
    finally:
        connection.close()


def table_sizes(directory: Path) -> Sequence[tuple[str, float]]:
    """Return the largest tables and indexes with their megabytes; nothing where SQLite cannot tell."""
    (file,) = directory.glob("data/**/mama-bot.sqlite")
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT name, SUM(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 12")
        return [(name, size / MEGABYTE) for name, size in rows]
    except sqlite3.OperationalError:
        return []
    finally:
        connection.close()


async def run(
    directory: Path, *, messages: int, conversations: int, keep_rounds: int, traced: bool, most_seconds: float
) -> None:
    """Say so many messages, print the samples and the slopes."""
    agent = ScriptedAgentBackend(script=answer, remembered=1)
    log = directory / "log.jsonl"
    rounds, began = max(2, messages // conversations), time.perf_counter()
    samples: list[Sample] = []
    times = [datetime.now(UTC)]
    before: tracemalloc.Snapshot | None = None
    print(f"{'messages':>9} " + " ".join(f"{each.name:>10}" for each in fields(Sample)), flush=True)
    with log.open("w", encoding="utf-8") as stream:
        configure_logs(style=LogFormat.JSON, level=LogLevel.INFO, redact=str, stream=stream)
        async with running_team(
            directory,
            backends={agent.name: agent},
            queue={"limit": 1_000_000, "per_conversation": 10_000},
            turns={"concurrency": 16, "drain_seconds": 5},
            log={"level": "info"},
        ) as team:
            async with team.client() as page:
                for round_ in range(rounds):
                    async with asyncio.TaskGroup() as group:
                        for first in range(AT_ONCE):
                            part = range(first, conversations, AT_ONCE)
                            group.create_task(spoken_to(team, page, round_, part))
                    await settled(team)
                    let_go(team, agent)
                    times.append(datetime.now(UTC))
                    if keep_rounds and round_ >= keep_rounds:
                        await forgotten(team, times[round_ - keep_rounds + 1])
                    samples.append(sample(directory, log, began))
                    figures = " ".join(f"{value:10.2f}" for value in astuple(samples[-1]))
                    print(f"{(round_ + 1) * conversations:>9} {figures}", flush=True)
                    if samples[-1].seconds > most_seconds:
                        print(f"The time is over after {(round_ + 1) * conversations} of {messages} messages.")
                        break
                    if traced and round_ == rounds // 2:
                        tracemalloc.start(12)
                        before = tracemalloc.take_snapshot()
            if before is not None:
                grown = tracemalloc.take_snapshot().compare_to(before, "traceback")
                for place in grown[:8]:
                    print(place, *place.traceback.format()[-8:], sep="\n")
    half = samples[len(samples) // 2 :]
    print("by 1,000 messages, in the second half:")
    for each in fields(Sample):
        print(f"  {each.name:10} {slope([float(getattr(sample, each.name)) for sample in half], conversations):+10.3f}")
    print(f"turns: {states_of(directory)}")
    print(*(f"  {name:40} {size:8.2f} MB" for name, size in table_sizes(directory)), sep="\n")


async def forgotten(team: Team, before: datetime) -> None:
    """Forget what was stored before a moment, by the part that does it in the service."""
    sweeper = OldConversations(
        retention=team.store.retention,
        settings=RetentionSettings(days=LEAST // timedelta(days=1)),
        held_bytes=lambda: None,
        clock=ClockAhead(before),
    )
    await sweeper.sweep()


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--conversations", type=int, default=1_000)
    parser.add_argument("--minutes", type=float, default=24 * 60.0, help="begin no round after so many")
    parser.add_argument("--keep-rounds", type=int, default=0, help="0: nothing is forgotten")
    parser.add_argument("--trace", action="store_true", help="say where memory grew in the second half (slow)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        asyncio.run(
            run(
                Path(name),
                messages=arguments.messages,
                conversations=arguments.conversations,
                keep_rounds=arguments.keep_rounds,
                traced=arguments.trace,
                most_seconds=arguments.minutes * 60,
            )
        )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
