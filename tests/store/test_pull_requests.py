"""What is kept of pull requests outlives the service."""

from datetime import UTC, datetime
from pathlib import Path

from mama_bot.config import QueueSettings
from mama_bot.model import (
    CheckState,
    CommitChecks,
    ConversationKey,
    ForgeCheck,
    ForgeKind,
    Platform,
    PullRequestState,
    WatchedPullRequest,
)
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.wording import Language
from tests.store.making import TickingClock, message, turn

KEY = ConversationKey(Platform("slack"), "C1", "1")
AT = datetime(2026, 1, 1, tzinfo=UTC)


def watched(number: int, *, title: str = "인사", ended_at: datetime | None = None) -> WatchedPullRequest:
    check = ForgeCheck(name="tests", state=CheckState.FAILED, url="https://ci.example.org/1")
    return WatchedPullRequest(
        key=KEY,
        repository="app",
        number=number,
        url=f"https://github.com/team/app/pull/{number}",
        title=title,
        branch="mama/x",
        target="main",
        kind=ForgeKind.GITHUB,
        language=Language.KOREAN,
        opened_at=AT,
        seen_since=AT,
        seen=("line-1",),
        head="a" * 40,
        state=PullRequestState.OPEN,
        checks=CommitChecks(commit="a" * 40, checks=(check,)),
        ended_at=ended_at,
    )


async def test_what_is_watched_is_there_in_the_next_life(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "db.sqlite")
    async with open_store(url, clock=TickingClock(), queue=QueueSettings()) as store:
        await store.pull_requests.keep(watched(1))
        await store.pull_requests.keep(watched(2))
        await store.pull_requests.keep(watched(3, ended_at=AT))
        await store.pull_requests.keep(watched(1, title="인사말"))
    async with open_store(url, clock=TickingClock(), queue=QueueSettings()) as store:
        assert await store.pull_requests.watched(10) == [watched(2), watched(1, title="인사말")]
        assert await store.pull_requests.watched(1) == [watched(2)]
        assert await store.pull_requests.known("app", 1) == watched(1, title="인사말")
        assert await store.pull_requests.known("other", 1) is None


async def test_a_turn_begins_with_what_the_forge_says_of_the_pull_request_that_is_open(store: Store) -> None:
    begun = turn(message(key=KEY))

    async def told() -> CommitChecks | None:
        (stored,) = (await store.turns.load(begun.message_id)).turns
        assert stored.earlier is not None
        return stored.earlier.ci

    await store.inbox.accept(message(key=KEY))
    await store.turns.add_turns([begun])
    assert await told() is None
    await store.pull_requests.keep(watched(1))
    assert await told() == watched(1).checks
    await store.pull_requests.keep(watched(2, ended_at=AT))
    assert await told() is None, "what was opened last counts, and that is over"
