"""One run: a service, four kinds of places, faults by a seed, then quiet, and the tally."""

import asyncio
import random
import shutil
import signal
import socket
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.chaos.disk import own_disk
from benchmarks.chaos.faults import FAULTS, World
from benchmarks.chaos.lives import Lives, agents_of, database, processes_of
from benchmarks.chaos.model import FailingModel
from benchmarks.chaos.speech import Conversation, PageConversation, PlatformConversation
from benchmarks.chaos.tally import Tally, tally, told_numbers
from mama_bot.demo.model_server import ModelServer
from tests.end_to_end.places import DiscordPlace, SlackPlace, TelegramPlace, discord_place, slack_place, telegram_place
from tests.end_to_end.team import write_configuration

POOL = 4
PAGES = ("red", "green")
SETTLE_SECONDS = 240.0
DEADLINES = {"silence_seconds": 8, "in_turn_seconds": 10, "start_seconds": 30}
PAUSE_SECONDS = (0.1, 1.4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run showed. `wedged` are conversations that had not settled when patience ended."""

    seed: int
    faults: Counter[str]
    model_failures: Counter[str]
    lives: int
    tallies: Sequence[Tally]
    wedged: Sequence[str]
    orphans: Sequence[str]
    most_agents: int

    @property
    def bad(self) -> int:
        """How much went wrong that must not."""
        return sum(tally.bad for tally in self.tallies) + len(self.wedged) + len(self.orphans)

    def lines(self) -> list[str]:
        """Return the outcome as lines to read."""
        total = sum(self.faults.values())
        lines = [f"seed {self.seed}: {total} faults ({dict(self.faults)}), {self.lives} lives"]
        lines.append(f"the model failed {sum(self.model_failures.values())} times: {dict(self.model_failures)}")
        lines.append(f"at most {self.most_agents} processes of agents at once, of a pool of {POOL}")
        lines += [each.line() for each in self.tallies]
        lines.append(f"WEDGED {list(self.wedged)}  ORPHANED {list(self.orphans)}")
        return lines


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


async def run(directory: Path, *, faults: int, seed: int) -> Outcome:
    """Put a service below `directory` under so many faults, let all settle, and count."""
    house = directory / "house"
    with own_disk(house) as own:
        try:
            return await _run(house, own=own, notes=directory / "faults.log", faults=faults, seed=seed)
        finally:
            shutil.copytree(house / "data", directory / "data", ignore=shutil.ignore_patterns("homes", "workspaces"))
            shutil.copy(house / "log.jsonl", directory)


async def _run(directory: Path, *, own: bool, notes: Path, faults: int, seed: int) -> Outcome:
    chance = random.Random(seed)
    model = FailingModel()
    async with (
        ModelServer(script=model) as server,
        discord_place() as discord,
        slack_place() as slack,
        telegram_place() as telegram,
    ):
        assert isinstance(discord, DiscordPlace)
        assert isinstance(slack, SlackPlace)
        assert isinstance(telegram, TelegramPlace)
        places = (discord, slack, telegram)
        settings: dict[str, Any] = {place.platform: place.settings for place in places}
        file = write_configuration(
            directory,
            claude={"source": "real", "api_retries": 1, **DEADLINES},
            router={"default_persona": "developer"},
            turns={"steer": "on_request", "drain_seconds": 2},
            web={"port": free_port()},
            pool={"size": POOL},
            **settings,
        )
        variables = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        lives = Lives(file, {key: value for place in places for key, value in place.environment.items()} | variables)
        world = World(
            directory=directory,
            own_disk=own,
            notes=notes,
            lives=lives,
            model=model,
            discord=discord.server,
            slack=slack.server,
            telegram=telegram.server,
            chance=chance,
        )
        conversations: list[Conversation] = [PlatformConversation(place, world.note) for place in places]
        conversations += [PageConversation(name, lives, world.note) for name in PAGES]
        await lives.begin()
        assert lives.service is not None
        for place in places:
            await lives.service.hears(place.platform)
        met, most_agents = await _weather(world, conversations, faults)
        model.failures.clear()
        wedged = await _settled(directory, conversations)
        texts = [list(await conversation.texts()) for conversation in conversations]
        await lives.end(signal.SIGTERM)
        await asyncio.sleep(1)
        told = told_numbers(database(directory))
        orphans = [f"{pid}: {Path(f'/proc/{pid}/cmdline').read_bytes()[:80]!r}" for pid in processes_of(directory)]
        return Outcome(
            seed=seed,
            faults=met,
            model_failures=model.met,
            lives=lives.count,
            tallies=[tally(each, shown, told) for each, shown in zip(conversations, texts, strict=True)],
            wedged=wedged,
            orphans=orphans,
            most_agents=most_agents,
        )


async def _weather(world: World, conversations: Sequence[Conversation], count: int) -> tuple[Counter[str], int]:
    """Let everybody speak while faults come; return how many of each kind came, and the most agents at once."""
    met: Counter[str] = Counter()
    most_agents = 0
    quiet = asyncio.Event()
    kinds, weights = list(FAULTS), list(FAULTS.values())
    async with asyncio.TaskGroup() as group:
        for conversation in conversations:
            group.create_task(conversation.speak(random.Random(world.chance.random()), quiet))
        for _ in range(count):
            await asyncio.sleep(world.chance.uniform(*PAUSE_SECONDS))
            (fault,) = world.chance.choices(kinds, weights)
            await fault(world)
            met[fault.__name__] += 1
            world.note(fault.__name__)
            most_agents = max(most_agents, len(agents_of(world.directory)))
        quiet.set()
    return met, most_agents


async def _settled(directory: Path, conversations: Sequence[Conversation]) -> list[str]:
    """Wait until each number is answered or spoken of; return the conversations of which that never comes true."""
    waiting = list(conversations)
    try:
        async with asyncio.timeout(SETTLE_SECONDS):
            while waiting:
                await asyncio.sleep(1)
                told = told_numbers(database(directory))
                waiting = [each for each in waiting if tally(each, await each.texts(), told).lost]
    except TimeoutError:
        return [each.name for each in waiting]
    return []
