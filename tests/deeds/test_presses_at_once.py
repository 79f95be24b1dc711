"""What is pressed at the same time never works on one tree at the same time, nor while a turn works there."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mama_bot.checkouts.own_git import OwnGit
from mama_bot.config import QueueSettings
from mama_bot.model import (
    Deed,
    DeedOutcome,
    DiscardWork,
    MergeBranch,
    MessageId,
    NotDone,
    PushBranch,
    Pushed,
    Refusal,
    RestoreWork,
)
from mama_bot.store import open_store, sqlite_url
from tests.agents.conftest import SystemClock
from tests.deeds.making import KEY, Bench, Site, made_site
from tests.store.exchanges import Exchanges, engine
from tests.store.making import message

IN_TIME = 60.0
REFUSED = NotDone(why=Refusal.BUSY)


@dataclass(frozen=True)
class GatedGit(OwnGit):
    """Git that waits at a gate before each command, and tells that it came there."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def output(
        self,
        directory: Path,
        *arguments: str,
        given: bytes = b"",
        variables: Mapping[str, str] | None = None,
        filters: tuple[str, ...] = (),
        undecodable: str = "replace",
        writable: Sequence[Path] | None = None,
    ) -> str:
        self.came.set()
        await self.gate.wait()
        return await OwnGit.output(
            self,
            directory,
            *arguments,
            given=given,
            variables=variables,
            filters=filters,
            undecodable=undecodable,
            writable=writable,
        )

    def close(self) -> None:
        self.came.clear()
        self.gate.clear()


class LaterClock(SystemClock):
    """The clock of somebody who looks two minutes later."""

    def now(self) -> datetime:
        return super().now() + timedelta(minutes=2)


@dataclass
class Play:
    bench: Bench
    git: GatedGit
    site: Site
    group: asyncio.TaskGroup

    async def pushed(self) -> DeedOutcome | None:
        return await self.bench.deeds.ask(self.bench.request(PushBranch()), seconds=IN_TIME)


@asynccontextmanager
async def play_in(tmp_path: Path) -> AsyncIterator[Play]:
    git = GatedGit(tmp_path / "gitconfig")
    git.gate.set()
    site = made_site(tmp_path)
    site.git = git
    async with site.life() as bench, asyncio.TaskGroup() as group:
        task = group.create_task(bench.deeds.run())
        await bench.turn({"greeting": "bonjour\n"})
        try:
            yield Play(bench, git, site, group)
        finally:
            git.gate.set()
            task.cancel()


@pytest.mark.parametrize("deed", [DiscardWork(), MergeBranch()], ids=lambda deed: deed.kind)
async def test_nothing_is_pushed_while_a_deed_is_done(tmp_path: Path, deed: Deed) -> None:
    async with play_in(tmp_path) as play:
        play.git.close()
        asked = play.group.create_task(play.bench.deeds.ask(play.bench.request(deed)))
        await play.git.came.wait()
        assert await play.pushed() == REFUSED
        play.git.gate.set()
        assert not isinstance(await asked, NotDone)


@pytest.mark.parametrize("deed", [DiscardWork(), MergeBranch(), RestoreWork()], ids=lambda deed: deed.kind)
async def test_no_deed_is_done_while_the_branch_is_taken_out_however_long_that_takes(
    tmp_path: Path, deed: Deed
) -> None:
    async with play_in(tmp_path) as play:
        play.git.close()
        pushed = play.group.create_task(play.pushed())
        await play.git.came.wait()
        assert await play.bench.deeds.ask(play.bench.request(deed)) == NotDone(why=Refusal.BUSY)
        url = sqlite_url(play.site.directory / "data" / "store.sqlite")
        async with open_store(url, clock=LaterClock(), queue=QueueSettings()) as later, later.stops.held(KEY) as held:
            assert not held, "a hold that ended before the work would let a turn in"
        play.git.gate.set()
        assert isinstance(await pushed, Pushed)


async def test_where_a_turn_runs_neither_begins(tmp_path: Path) -> None:
    began, end = asyncio.Event(), asyncio.Event()

    async def work(_: MessageId) -> None:
        began.set()
        await end.wait()

    async with play_in(tmp_path) as play:
        await play.bench.store.inbox.accept(message(1, key=KEY))
        async with engine(play.bench.store, Exchanges(work)):
            await began.wait()
            assert await play.pushed() == REFUSED
            assert await play.bench.deeds.ask(play.bench.request(DiscardWork())) == NotDone(why=Refusal.BUSY)
            end.set()
