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
from mama_bot.store import open_store, sqlite_url
from mama_bot.wording import Language
from tests.store.making import TickingClock

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
        assert await store.pull_requests.latest(KEY) == watched(3, ended_at=AT)
        assert await store.pull_requests.known("app", 1) == watched(1, title="인사말")
        assert await store.pull_requests.known("other", 1) is None
        assert await store.pull_requests.latest(ConversationKey(Platform("slack"), "C1")) is None
