"""What becomes of a pull request is told in its thread, once, whatever the forge and the service go through."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mama_bot.config import ForgePlace, PullRequestSettings, QueueSettings
from mama_bot.forges.github import GitHub
from mama_bot.forges.http_api import ForgeToken
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, ForgeKind, Platform, WatchedPullRequest
from mama_bot.pull_requests.watch import PullRequestWatch
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.wording import Language
from tests.agents.conftest import SystemClock
from tests.platforms.forge_server import GitHubServer
from tests.waiting import until

KEY = ConversationKey(Platform("slack"), "C1", "1")
BRANCH = "mama/x"


@dataclass
class Watched:
    store: Store
    server: GitHubServer
    watch: PullRequestWatch

    async def told(self) -> list[str]:
        return [entry.post.text for entry in await self.store.outbox.pending(KEY)]

    async def until_told(self, words: str, times: int = 1) -> list[str]:
        """All that was told, once these words are among it."""
        async with asyncio.timeout(60):
            while sum(words in text for text in await self.told()) < times:
                await asyncio.sleep(0.02)
        return await self.told()


@asynccontextmanager
async def watched_by(tmp_path: Path, server: GitHubServer, *, runs: bool = True) -> AsyncIterator[Watched]:
    clock = SystemClock()
    place = ForgePlace(kind=ForgeKind.GITHUB, base_url=server.base_url, project=server.project)
    forge = GitHub(place=place, token=ForgeToken(variable="T", value="forge-token-of-the-test"), clock=clock)
    async with open_store(sqlite_url(tmp_path / "db"), clock=clock, queue=QueueSettings()) as store:
        watch = PullRequestWatch(
            records=store.pull_requests,
            forge_of=lambda _: forge,
            outbox=store.outbox,
            settings=PullRequestSettings(poll_seconds=0.02, watch_days=30),
            clock=clock,
            metrics=Metrics(),
        )
        async with asyncio.TaskGroup() as group:
            task = group.create_task(watch.run()) if runs else None
            try:
                yield Watched(store, server, watch)
            finally:
                if task is not None:
                    task.cancel()
        await forge.api.close()


def opened_on(server: GitHubServer, *, opened_at: datetime | None = None, told: int = 0) -> WatchedPullRequest:
    server.push(BRANCH)
    if not server.requests:
        server.new_request(title="Greet", body="", branch=BRANCH, target="main")
    (request,) = server.requests.values()
    now = opened_at or datetime.now(UTC)
    return WatchedPullRequest(
        key=KEY,
        repository="app",
        number=request.number,
        url="https://forge.example.org/7",
        title="Greet",
        branch=BRANCH,
        target="main",
        kind=ForgeKind.GITHUB,
        language=Language.ENGLISH,
        opened_at=now,
        seen_since=now - timedelta(minutes=1),
        told=told,
    )


async def test_a_further_check_that_fails_is_news_and_one_that_passes_is_none(tmp_path: Path) -> None:
    async with GitHubServer() as server, watched_by(tmp_path, server) as play:
        opened = opened_on(server)
        head = server.heads[BRANCH]
        server.check(head, "lint", "failed")
        server.check(head, "tests", "pending")
        await play.store.pull_requests.keep(opened)
        play.watch.wake()
        (first,) = await play.until_told("CI failed on")
        assert "1 check still runs." in first
        server.check(head, "docs", "passed")
        server.check(head, "tests", "failed")
        _, second = await play.until_told("CI failed on", times=2)
        assert "[lint](" in second
        assert "[tests](" in second


async def test_a_new_commit_has_its_own_ci(tmp_path: Path) -> None:
    async with GitHubServer() as server, watched_by(tmp_path, server) as play:
        opened = opened_on(server)
        server.check(server.heads[BRANCH], "tests", "passed")
        await play.store.pull_requests.keep(opened)
        play.watch.wake()
        await play.until_told("CI passed on")
        server.check(server.push(BRANCH), "tests", "passed")
        lines = await play.until_told("CI passed on", times=2)
        assert server.heads[BRANCH][:7] in lines[-1]


async def test_trouble_and_odd_answers_end_nothing(tmp_path: Path) -> None:
    async with GitHubServer() as server, watched_by(tmp_path, server) as play:
        await play.store.pull_requests.keep(opened_on(server))
        bodies: list[object] = [[], {"number": True}, {"number": 7, "head": [1], "merged_at": 3}, "text", None]
        for body in bodies:
            server.fail("pulls/7", 200, body=body)
        server.fail("pulls/7", 500, times=3, body={})
        play.watch.wake()
        await until(lambda: not server.faults)
        server.requests[7].state = "merged"
        assert any("was merged into `main`" in text for text in await play.until_told("was merged into"))


async def test_what_is_refused_is_told_once_and_that_it_answers_again_is_seen(tmp_path: Path) -> None:
    async with GitHubServer() as server, watched_by(tmp_path, server) as play:
        await play.store.pull_requests.keep(opened_on(server))
        server.forbidden.add("pulls")
        play.watch.wake()
        await play.until_told("cannot be looked at now")
        asked = len(server.asked)
        await until(lambda: len(server.asked) > asked + 2)
        assert len(await play.told()) == 1
        server.forbidden.clear()
        server.requests[7].state = "closed"
        await play.until_told("closed without a merge")


async def test_an_old_one_is_left(tmp_path: Path) -> None:
    async with GitHubServer() as server, watched_by(tmp_path, server) as play:
        await play.store.pull_requests.keep(opened_on(server, opened_at=datetime.now(UTC) - timedelta(days=31)))
        play.watch.wake()
        await play.until_told("has been open for 30 days")
        assert await play.store.pull_requests.watched(10) == []
        assert server.asked == []


async def test_what_was_told_before_a_crash_is_not_told_again(tmp_path: Path) -> None:
    """The line is in the outbox, and that it is was not stored any more."""
    async with GitHubServer() as server:
        opened = opened_on(server)
        server.requests[7].conflicts = True
        async with watched_by(tmp_path, server) as play:
            await play.store.pull_requests.keep(opened)
            play.watch.wake()
            await play.until_told("has conflicts with `main`")
        async with watched_by(tmp_path, server, runs=False) as play:
            await play.store.pull_requests.keep(opened)
        async with watched_by(tmp_path, server) as play:
            server.requests[7].state = "merged"
            lines = await play.until_told("was merged into")
        assert sum("has conflicts" in text for text in lines) == 1


async def test_words_of_others_are_a_quotation_that_reaches_nobody(tmp_path: Path) -> None:
    async with GitHubServer() as server, watched_by(tmp_path, server) as play:
        opened = opened_on(server)
        words = "[click](https://evil.example) @everyone <!channel>\n\n" + "x" * 5_000
        server.comment(7, "mallory", words, path="x", line=1)
        for number in range(7):
            server.comment(7, "kim", f"snake_case {number}", path="src/a_b.py", line=number + 1)
        await play.store.pull_requests.keep(replace(opened, language=Language.KOREAN))
        play.watch.wake()
        (text,) = await play.until_told("다른 사람들이 쓴 글")
    assert "> click (https://evil.example) everyone !channel" in text
    assert "**kim, `src/a_b.py:1`**\n> snake_case 0" in text
    assert "댓글 3개 더" in text
    assert len(text) < 3_000
