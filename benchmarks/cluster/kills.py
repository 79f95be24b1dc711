"""Nodes under kills, pauses and restarts of their database by a seed, then quiet, and what became of every message."""

import asyncio
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.chaos.speech import Conversation, PlatformConversation
from benchmarks.chaos.tally import ASKED, Tally, tally
from benchmarks.cluster.nodes import Node, running_nodes
from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.model_server import ModelServer
from tests.end_to_end.places import slack_place, telegram_place
from tests.postgresql_server import PostgresqlServer, postgresql_server

ROLES = ("gateway", "gateway", "worker", "worker")
SILENCE_SECONDS = 3.0
AGENT_SECONDS = 0.4
SETTLE_SECONDS = 180.0
KINDS = {"killed": 4, "stood still": 3, "paused": 2, "ended": 1}
DATABASE_EVERY = 12  # faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run showed: `waited` are the numbers that had no answer when patience ended."""

    seed: int
    faults: Counter[str]
    lives: int
    taken_over: int
    fenced: int
    tallies: Sequence[Tally]
    stored: Mapping[str, Sequence[int]]
    """The numbers of each platform in the order in which they were stored: that of the platform, which may bring again
    what was not acknowledged after what was said later."""

    @property
    def overtaken(self) -> Mapping[str, Sequence[int]]:
        """The numbers that were answered before one that was stored earlier."""
        return {
            each.name: [number for number in each.disordered if not _came_late(number, self.stored[each.name])]
            for each in self.tallies
        }

    @property
    def bad(self) -> int:
        """How many messages were lost, doubled without a label or out of order."""
        lost = sum(len(each.lost) + len(each.doubled) for each in self.tallies)
        return lost + sum(map(len, self.overtaken.values()))

    def lines(self) -> list[str]:
        """Return the outcome as lines to read."""
        total = sum(self.faults.values())
        head = f"seed {self.seed}: {total} faults ({dict(self.faults)}), {self.lives} lives of {len(ROLES)} nodes"
        told = f"{self.taken_over} taken over, of which {self.fenced} came back and ended by themselves"
        order = f"answered out of the order in which they were stored: {dict(self.overtaken)}"
        return [f"{head}, {told}", *(each.line() for each in self.tallies), order]


def _came_late(number: int, stored: Sequence[int]) -> bool:
    """Whether a number was stored after a later one: then it is answered after it, and that is its order."""
    before = stored[: stored.index(number)] if number in stored else ()
    return any(earlier > number for earlier in before)


@dataclass(slots=True, kw_only=True)
class _Weather:
    """The faults that are to come, and those that came."""

    left: int
    chance: random.Random
    met: Counter[str]

    def next(self) -> str | None:
        """Return the next fault; None once it is quiet."""
        if self.left <= 0:
            return None
        self.left -= 1
        return self.chance.choices(list(KINDS), list(KINDS.values()))[0]


def _model(request: ModelRequest) -> ModelReply:
    number = (ASKED.findall(" ".join(request.user_texts)) or ["0"])[-1]
    return ModelReply(text=f"Item {number} has 3 functions: `f`, `g`, `h`.", delay_seconds=AGENT_SECONDS)


@asynccontextmanager
async def _agents(*, cli: bool) -> AsyncIterator[Mapping[str, str]]:
    """Yield what nodes need for their agents: of the CLI a model, of those in memory nothing."""
    if not cli:
        yield {}
        return
    async with ModelServer(script=_model) as model:
        yield {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "test"}


async def run(directory: Path, *, faults: int, seed: int, cli: bool = False) -> Outcome:
    """Put nodes under so many faults, let all settle, and count; with the `cli`, agents are processes of it."""
    weather = _Weather(left=faults, chance=random.Random(seed), met=Counter())
    with postgresql_server() as database:
        async with slack_place() as slack, telegram_place() as telegram, _agents(cli=cli) as of_agents:
            places = (slack, telegram)
            environment = {"MAMA_STORE__URL": database.url("postgres"), **of_agents}
            for place in places:
                environment |= place.environment
            settings: dict[str, Any] = {place.platform: place.settings for place in places}
            async with running_nodes(
                directory,
                ROLES,
                environment,
                agent_seconds=None if cli else AGENT_SECONDS,
                claude={"source": "real"},
                nodes={"silence_seconds": SILENCE_SECONDS},
                turns={"steer": "on_request", "drain_seconds": 2},
                **settings,
            ) as (nodes, group):
                conversations = [PlatformConversation(place, lambda _: None) for place in places]
                await _stormed(conversations, nodes, group, database, weather)
                await _settled(conversations)
                texts = [list(await conversation.texts()) for conversation in conversations]
                taken_over = sum(
                    len(event["nodes"])
                    for node in nodes
                    for event in node.events
                    if event["event"] == "nodes_taken_over"
                )
                return Outcome(
                    seed=seed,
                    faults=weather.met,
                    lives=sum(node.lives for node in nodes),
                    taken_over=taken_over,
                    fenced=sum("taken it over" in event.get("words", "") for node in nodes for event in node.events),
                    stored={place.platform: _stored(database.url("postgres"), place.platform) for place in places},
                    tallies=[tally(each, shown, {}) for each, shown in zip(conversations, texts, strict=True)],
                )


def _stored(url: str, platform: str) -> list[int]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT body FROM messages WHERE platform = %s ORDER BY sequence", (platform,))
        return [int(found[1]) for (body,) in rows if (found := ASKED.search(body)) is not None]


async def _stormed(
    conversations: Sequence[Conversation],
    nodes: Sequence[Node],
    lives: asyncio.TaskGroup,
    database: PostgresqlServer,
    weather: _Weather,
) -> None:
    """Let everybody speak while faults come, on each node and on the database."""
    quiet = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for conversation in conversations:
            group.create_task(conversation.speak(random.Random(weather.chance.random()), quiet))
        async with asyncio.TaskGroup() as faulty:
            for node in nodes:
                faulty.create_task(_shaken(node, lives, weather))
            faulty.create_task(_restarted(database, weather))
        quiet.set()


async def _shaken(node: Node, group: asyncio.TaskGroup, weather: _Weather) -> None:
    """Let one fault after the other come to a node; at the end it runs."""
    chance = random.Random(weather.chance.random())
    while (kind := weather.next()) is not None:
        await asyncio.sleep(chance.uniform(0.2, 2.5))
        match kind:
            case "killed":
                node.signal(signal.SIGKILL)
            case "ended":
                node.signal(signal.SIGTERM)
            case "paused":  # for less than anybody is taken over after
                node.signal(signal.SIGSTOP)
                await asyncio.sleep(chance.uniform(0.1, 0.4 * SILENCE_SECONDS))
                node.signal(signal.SIGCONT)
            case _:
                node.signal(signal.SIGSTOP)
                await asyncio.sleep(SILENCE_SECONDS * chance.uniform(0.7, 2.2))
                node.signal(signal.SIGCONT)
        weather.met[kind] += 1
        if kind in ("killed", "ended"):
            if not await node.ended(60):
                node.signal(signal.SIGKILL)
                await node.ended(60)
        elif not await node.ended(1.5):  # else it found that it was taken over
            continue
        await _again(node, group, chance)


async def _again(node: Node, group: asyncio.TaskGroup, chance: random.Random) -> None:
    """Start a node once more, as whoever looks after it would, until it runs."""
    while True:
        await asyncio.sleep(chance.uniform(0, 0.5))
        await node.begin(group)
        if await node.begun():
            return


async def _restarted(database: PostgresqlServer, weather: _Weather) -> None:
    """Let the machine of the database die and come back, each so many faults."""
    at = weather.left
    while weather.left > 0:
        if at - weather.left >= DATABASE_EVERY:
            at = weather.left
            await asyncio.to_thread(database.stop)
            await asyncio.sleep(weather.chance.uniform(0.1, 2.0))
            await asyncio.to_thread(database.start)
            weather.met["database restarted"] += 1
        await asyncio.sleep(0.2)


async def _settled(conversations: Sequence[Conversation]) -> None:
    """Wait until every number has its answer, and for whatever would come twice."""
    deadline = asyncio.get_running_loop().time() + SETTLE_SECONDS
    while asyncio.get_running_loop().time() < deadline:
        shown = [tally(each, list(await each.texts()), {}) for each in conversations]
        if not any(each.lost for each in shown):
            break
        await asyncio.sleep(0.5)
    await asyncio.sleep(2 * SILENCE_SECONDS)
