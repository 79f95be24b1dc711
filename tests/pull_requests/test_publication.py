"""What a person asked to be pushed or opened is carried out once, answered in time, and told in the conversation."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from mama_bot.checkouts import Checkouts
from mama_bot.config import ForgePlace, QueueSettings
from mama_bot.errors import ForgeRefused
from mama_bot.forges.github import GitHub
from mama_bot.forges.http_api import ForgeToken
from mama_bot.model import Author, ForgeKind
from mama_bot.protocols import Forge
from mama_bot.pull_requests import sentences as says
from mama_bot.pull_requests.publication import Publication, PublicationRequest
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.wording import Language
from tests.agents.conftest import SystemClock
from tests.checkouts.making import ONE, Life, make_source
from tests.end_to_end.evidence import git
from tests.platforms.forge_server import GitHubServer

REQUEST = PublicationRequest(key=ONE, repository="app", by=Author(id="u1", name="Kim"), language=Language.ENGLISH)
IN_TIME, AT_ONCE = 60.0, 0.0


@dataclass
class Play:
    publication: Publication
    checkouts: Checkouts
    store: Store
    server: GitHubServer
    life: Life
    tree: Path

    async def told(self, count: int) -> list[str]:
        async with asyncio.timeout(60):
            while len(entries := await self.store.outbox.pending(ONE)) < count:
                await asyncio.sleep(0.02)
        return [entry.post.text for entry in entries]


@asynccontextmanager
async def play_in(tmp_path: Path, *, has_forge: bool = True) -> AsyncIterator[Play]:
    life, clock = Life(tmp_path, make_source(tmp_path)), SystemClock()
    checkouts = life.begun()
    tree = await checkouts.prepare(ONE, "app")
    (tree / "greeting").write_text("bonjour\n")
    async with (
        GitHubServer() as server,
        open_store(sqlite_url(tmp_path / "db"), clock=clock, queue=QueueSettings()) as store,
        asyncio.TaskGroup() as group,
    ):
        server.head_of = lambda branch: git(
            life.source, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}"
        )
        place = ForgePlace(kind=ForgeKind.GITHUB, base_url=server.base_url, project=server.project)
        forge = GitHub(place=place, token=ForgeToken(variable="T", value=server.token), clock=clock)

        def forge_of(name: str) -> Forge:
            if not has_forge:
                raise ForgeRefused(says.NO_FORGE.of(name=name))
            return forge

        publication = Publication(
            checkouts=checkouts,
            repositories=lambda _: None,
            held=store.stops.held,
            forge_of=forge_of,
            records=store.pull_requests,
            history=store.history,
            outbox=store.outbox,
            clock=clock,
            watch=lambda: None,
        )
        task = group.create_task(publication.run())
        await asyncio.sleep(0)
        try:
            yield Play(publication, checkouts, store, server, life, tree)
        finally:
            task.cancel()
            await forge.api.close()


async def test_a_branch_is_pushed_and_told_once(tmp_path: Path) -> None:
    async with play_in(tmp_path) as play:
        answer = await play.publication.push(REQUEST, IN_TIME)
        again = await play.publication.push(REQUEST, IN_TIME)
        (line,) = await play.told(1)
    assert answer.done
    assert answer.text == f"{line} 1 file was in no commit, and committed first."
    assert line.startswith("Kim pushed 1 commit to `mama/slack-C1-1-")
    assert "ends with" in again.text


async def test_what_takes_longer_is_told_in_the_conversation(tmp_path: Path) -> None:
    async with play_in(tmp_path) as play:
        answer = await play.publication.open(REQUEST, AT_ONCE)
        assert answer.text == "This takes a while. What comes of it is posted here."
        (line,) = await play.told(1)
        assert "Kim opened [pull request #7](" in line
        await play.publication.open(REQUEST, AT_ONCE)
        _, again = await play.told(2)
        assert "is open" in again
        git(play.life.source, "config", "receive.denyCurrentBranch", "refuse")
        (play.tree / ".git" / "MERGE_HEAD").write_text(git(play.tree, "rev-parse", "HEAD"))
        await play.publication.push(REQUEST, AT_ONCE)
        *_, refused = await play.told(3)
        assert "is unfinished" in refused


async def test_two_presses_at_the_same_time_open_one(tmp_path: Path) -> None:
    async with play_in(tmp_path) as play:
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(play.publication.open(REQUEST, IN_TIME))
        assert len(play.server.requests) == 1
        assert len(await play.told(1)) == 1


async def test_where_somebody_works_nothing_is_pushed(tmp_path: Path) -> None:
    async with play_in(tmp_path) as play, play.store.stops.held(ONE) as held:
        assert held
        answer = await play.publication.push(REQUEST, IN_TIME)
        assert not answer.done
        assert "Somebody works here just now" in answer.text
        assert git(play.life.source, "branch", "--format=%(refname:short)").split() == ["main", "other"]


async def test_nothing_new_and_no_forge_are_told(tmp_path: Path) -> None:
    async with play_in(tmp_path, has_forge=False) as play:
        answer = await play.publication.open(REQUEST, IN_TIME)
        assert "set repositories.app.forge" in answer.text
        assert not answer.done
        git(play.tree, "checkout", "-q", "--", "greeting")
        answer = await play.publication.push(REQUEST, IN_TIME)
        assert "There is nothing here that `main` lacks." in answer.text
