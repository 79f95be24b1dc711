"""What goes wrong: one kind of fault to a function, each at a moment that chance chose."""

import asyncio
import random
import resource
import signal
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from os import kill
from pathlib import Path

from benchmarks.chaos.disk import filled
from benchmarks.chaos.lives import Lives, agents_of, database, processes_of
from benchmarks.chaos.model import FAILURES, FailingModel
from tests.platforms.discord_server import DiscordServer
from tests.platforms.slack_server import SlackServer
from tests.platforms.slack_server.faults import Manner
from tests.platforms.telegram_server import TelegramServer

STATUSES = (500, 502, 503)
LOCKED_SECONDS = (0.2, 2.0)
FULL_SECONDS = (0.2, 3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """All that a fault may touch; `own_disk` says whether the directory is one that may be filled."""

    directory: Path
    own_disk: bool
    notes: Path
    lives: Lives
    model: FailingModel
    discord: DiscordServer
    slack: SlackServer
    telegram: TelegramServer
    chance: random.Random

    def note(self, line: str) -> None:
        """Write down what was done, beside what the service logs."""
        at = datetime.now(UTC).isoformat()
        with self.notes.open("a", encoding="utf-8") as log:
            log.write(f"{at} life {self.lives.count} {line}\n")


Fault = Callable[[World], Awaitable[None]]


async def service_killed(world: World) -> None:
    """SIGKILL, a pause of up to a second, the next life."""
    await world.lives.end(signal.SIGKILL, world.chance.uniform(0, 1))
    await world.lives.begin()


async def service_ended(world: World) -> None:
    """SIGTERM as at an upgrade: it drains, hands over, and the next life goes on."""
    await world.lives.end(signal.SIGTERM, world.chance.uniform(0, 0.3))
    await world.lives.begin()


async def service_hung(world: World) -> None:
    """The whole process stands still, as on a machine that swaps."""
    world.lives.signal(signal.SIGSTOP)
    await asyncio.sleep(world.chance.uniform(0.2, 3))
    world.lives.signal(signal.SIGCONT)


async def agent_killed(world: World) -> None:
    """One process of the CLI is killed."""
    _signal_one(world, signal.SIGKILL)


async def agent_hung(world: World) -> None:
    """One process of the CLI stands still for ever."""
    _signal_one(world, signal.SIGSTOP)


def _signal_one(world: World, sign: signal.Signals) -> None:
    pids = agents_of(world.directory)
    if pids:
        try:
            kill(world.chance.choice(pids), sign)
        except ProcessLookupError:
            return


async def model_fails(world: World) -> None:
    """The next requests to the model fail, each in its own way."""
    kinds = list(FAILURES)
    world.model.failures.extend(world.chance.choice(kinds) for _ in range(world.chance.choice((1, 1, 1, 2, 6))))


async def database_locked(world: World) -> None:
    """Another program holds the database's write lock."""
    connection = sqlite3.connect(database(world.directory), isolation_level=None, timeout=0.5)
    try:
        connection.execute("BEGIN IMMEDIATE")
        await asyncio.sleep(world.chance.uniform(*LOCKED_SECONDS))
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError:
        pass  # the service itself holds it: no fault this time
    finally:
        connection.close()


async def database_removed(world: World) -> None:
    """Somebody removes the database while it is in use."""
    database(world.directory).unlink(missing_ok=True)
    await asyncio.sleep(world.chance.uniform(0, 1))


async def disk_full(world: World) -> None:
    """Nothing can be written by anybody below the directory: its disk is full."""
    if world.own_disk:
        with filled(world.directory):
            await asyncio.sleep(world.chance.uniform(*FULL_SECONDS))


async def disk_fails(world: World) -> None:
    """Writes to files that grow fail, of the service and of whom it starts meanwhile."""
    pids = world.lives.pids()
    _limit_files(pids, 4096)
    await asyncio.sleep(world.chance.uniform(*FULL_SECONDS))
    _limit_files({*pids, *processes_of(world.directory)}, resource.RLIM_INFINITY)


def _limit_files(pids: Iterable[int], size: int) -> None:
    for pid in pids:
        try:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        except (ProcessLookupError, PermissionError):
            continue


async def platform_hangs(world: World) -> None:
    """One of the platforms answers no request for a while, and then all of them."""
    standstill = world.chance.choice((world.discord.standstill, world.slack.standstill, world.telegram.standstill))
    standstill.begin(world.chance.choice((2, 8, 35)))


async def discord_fails(world: World) -> None:
    """Discord refuses what is posted, before or after having done it, or its gateway breaks."""
    chance, server = world.chance, world.discord
    match chance.randrange(6):
        case 0:
            server.cut()
        case 1:
            if chance.random() < 0.5:  # else its socket beats on and tells nothing
                server.cut()
            server.forget_sessions()
        case 2:
            await server.demand_reconnect()
        case 3:
            await server.invalidate(resumable=chance.random() < 0.5)
        case 4:
            server.refuse(429, "POST", retry_after=chance.uniform(0.1, 2))
        case _:
            server.refuse(chance.choice(STATUSES), "POST", times=chance.choice((1, 1, 3)), done=chance.random() < 0.5)


async def slack_fails(world: World) -> None:
    """Slack refuses what is posted, answers with nonsense or not at all, or its socket breaks."""
    chance, server = world.chance, world.slack
    match chance.randrange(5):
        case 0:
            server.cut()
        case 1:
            await server.disconnect()
        case 2:
            server.fail("chat.postMessage", "ratelimited", status=429, retry_after=1)
        case 3:
            server.fail("chat.postMessage", manner=chance.choice((Manner.GARBAGE, Manner.ANSWER_LOST)))
        case _:
            server.fail("chat.postMessage", status=chance.choice(STATUSES), times=chance.choice((1, 1, 3)))


async def telegram_fails(world: World) -> None:
    """Telegram refuses what is posted, before or after having done it, or polls break."""
    chance, server = world.chance, world.telegram
    match chance.randrange(5):
        case 0:
            server.drop_connections()
        case 1:
            server.fail_next("sendMessage", 429, "Too Many Requests: retry after 1", retry_after=1)
        case 2:
            server.fail_next("getUpdates", chance.choice(STATUSES), "Internal Server Error")
        case 3:
            server.fail_next("sendMessage", 0).carried_out = chance.random() < 0.5
        case _:
            server.fail_next("sendMessage", chance.choice(STATUSES), "Internal Server Error")


FAULTS: Mapping[Fault, int] = {
    service_killed: 4,
    service_ended: 2,
    service_hung: 3,
    agent_killed: 4,
    agent_hung: 1,
    model_fails: 4,
    database_locked: 2,
    database_removed: 1,
    disk_full: 2,
    disk_fails: 2,
    platform_hangs: 2,
    discord_fails: 4,
    slack_fails: 4,
    telegram_fails: 4,
}
