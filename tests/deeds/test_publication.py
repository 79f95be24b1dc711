"""What a person asked to be pushed or opened is done once, answered in time, told, and ended by the next life."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mama_bot.config import ForgePlace
from mama_bot.deeds.sentences import deed_told
from mama_bot.forges.github import GitHub
from mama_bot.forges.http_api import ForgeToken
from mama_bot.model import (
    Deed,
    DeedOutcome,
    DeedRequest,
    ForgeKind,
    NotDone,
    Opened,
    OpenPullRequest,
    PullRequest,
    PullRequestProposal,
    PushBranch,
    Pushed,
    Refusal,
)
from mama_bot.wording import Language
from tests.agents.conftest import SystemClock
from tests.deeds.making import KEY, Bench, Site, made_site
from tests.end_to_end.evidence import git
from tests.platforms.forge_server import GitHubServer

IN_TIME, AT_ONCE = 60.0, 0.0


class Dies(BaseException):
    """The end of a life of the service."""


class MortalForge(GitHub):
    """A forge whose service dies once a pull request is open, if it is told to."""

    dies = False

    async def open(self, proposal: PullRequestProposal) -> tuple[PullRequest, bool]:
        opened = await super().open(proposal)
        if self.dies:
            self.dies = False
            raise Dies
        return opened


@dataclass
class Play:
    bench: Bench
    site: Site
    server: GitHubServer
    forge: MortalForge

    async def ask(self, deed: Deed, seconds: float = IN_TIME) -> tuple[DeedRequest, DeedOutcome | None]:
        request = self.bench.request(deed)
        return request, await self.bench.deeds.ask(request, seconds=seconds)

    async def told(self, count: int) -> list[str]:
        async with asyncio.timeout(IN_TIME):
            while len(entries := await self.bench.store.outbox.pending(KEY)) < count:
                await asyncio.sleep(0.02)
        return [entry.post.text for entry in entries]

    def branches(self) -> list[str]:
        return git(self.site.source, "branch", "--format=%(refname:short)").split()


@asynccontextmanager
async def site_in(tmp_path: Path) -> AsyncIterator[tuple[Site, GitHubServer, MortalForge]]:
    site = made_site(tmp_path)
    async with GitHubServer() as server:
        server.head_of = lambda branch: git(
            site.source, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}"
        )
        place = ForgePlace(kind=ForgeKind.GITHUB, base_url=server.base_url, project=server.project)
        token = ForgeToken(variable="T", value=server.token)
        forge = MortalForge(place=place, token=token, clock=SystemClock())
        site.forge_of = lambda _: forge
        try:
            yield site, server, forge
        finally:
            await forge.api.close()


@asynccontextmanager
async def play_in(tmp_path: Path) -> AsyncIterator[Play]:
    async with site_in(tmp_path) as (site, server, forge), site.life() as bench, asyncio.TaskGroup() as group:
        await bench.turn({"greeting": "bonjour\n"})
        task = group.create_task(bench.deeds.run())
        try:
            yield Play(bench, site, server, forge)
        finally:
            task.cancel()


async def test_a_branch_is_pushed_and_told_once(tmp_path: Path) -> None:
    async with play_in(tmp_path) as play:
        request, outcome = await play.ask(PushBranch())
        _, again = await play.ask(PushBranch())
        assert isinstance(outcome, Pushed)
        assert isinstance(again, Pushed)
        (line,) = await play.told(1)
        assert line == deed_told(outcome, request)
        assert line.startswith("1 commit was pushed to `mama/slack-C1-1-")
        assert "1 file was in no commit" in line
        assert not again.is_new
        assert "ends with" in deed_told(again, request)
        assert "푸시했습니다" in deed_told(outcome, replace(request, language=Language.KOREAN))


async def test_what_takes_longer_is_told_in_the_conversation(tmp_path: Path) -> None:
    async with play_in(tmp_path) as play:
        assert (await play.ask(OpenPullRequest(title="Greet in French"), AT_ONCE))[1] is None
        (line,) = await play.told(1)
        assert line.startswith("[pull request #7](")
        assert "was opened by Kim" in line
        assert "Greet in French" in line
        assert (await play.ask(OpenPullRequest(), AT_ONCE))[1] is None
        _, again = await play.told(2)
        assert "is open" in again
        assert len(play.server.requests) == 1
        tree = await play.bench.tree()
        (tree / ".git" / "MERGE_HEAD").write_text(git(tree, "rev-parse", "HEAD"))
        assert (await play.ask(PushBranch(), AT_ONCE))[1] is None
        *_, refused = await play.told(3)
        assert "is unfinished" in refused


async def test_two_presses_at_the_same_time_open_one(tmp_path: Path) -> None:
    async with play_in(tmp_path) as play:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(play.ask(OpenPullRequest())) for _ in range(3)]
        outcomes = [task.result()[1] for task in tasks]
        assert sum(isinstance(outcome, Opened) for outcome in outcomes) == 1
        assert outcomes.count(NotDone(why=Refusal.BUSY)) == 2
        assert len(play.server.requests) == 1
        assert len(await play.told(1)) == 1


async def test_a_life_that_ends_once_it_is_open_opens_no_second_one(tmp_path: Path) -> None:
    async with site_in(tmp_path) as (site, server, forge):
        async with site.life() as bench:
            await bench.turn({"greeting": "bonjour\n"})
            request = await bench.asked(OpenPullRequest())
            forge.dies = True
            with pytest.RaisesGroup(Dies):
                await bench.deeds.resume()
        async with site.life() as bench:
            await bench.deeds.resume()
            outcome = await bench.outcome(request)
            assert isinstance(outcome, Opened)
            assert outcome.number in server.requests
            assert outcome.pushed.committed == 1
            assert len(server.requests) == 1
            (entry,) = await bench.store.outbox.pending(KEY)
            assert "#7" in entry.post.text
            assert await bench.store.pull_requests.known("app", outcome.number)


async def test_where_somebody_works_nothing_is_pushed(tmp_path: Path) -> None:
    async with play_in(tmp_path) as play, play.bench.store.stops.held(KEY) as held:
        assert held
        assert (await play.ask(PushBranch()))[1] == NotDone(why=Refusal.BUSY)
        assert play.branches() == ["main", "other"]


async def test_nothing_new_and_no_forge_are_told(tmp_path: Path) -> None:
    site = made_site(tmp_path)
    async with site.life() as bench:
        await bench.turn({"greeting": "bonjour\n"})
        outcome = await bench.done(OpenPullRequest())
        assert isinstance(outcome, NotDone)
        assert "set repositories.app.forge" in deed_told(outcome, bench.request(PushBranch()))
        git(await bench.tree(), "checkout", "-q", "--", "greeting")
        outcome = await bench.done(PushBranch())
        assert outcome == NotDone(why=Refusal.REFUSED, detail="There is nothing here that `main` lacks.")
