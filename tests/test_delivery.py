"""What the outbox holds is posted in order, and once where the platform lets us look."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mama_bot.app.clock import SystemClock
from mama_bot.config import QueueSettings
from mama_bot.delivery import ATTEMPTS, Delivery
from mama_bot.errors import DeliveryError, DeliveryFailed, DeliveryUnknown
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, Hearing, Notice, NoticeKind, Part, Platform, Post, PostId, Progress
from mama_bot.protocols import Inlet
from mama_bot.store.store import Store, open_store, sqlite_url
from tests.people import HERE

WEB = Platform("web")
FAILED = DeliveryFailed(platform="web", reason="no")
UNKNOWN = DeliveryUnknown(platform="web", reason="cut off")


class Wall:
    """A platform that keeps what is posted, and fails as told: each trouble before or after the post is there."""

    def __init__(self) -> None:
        self.posted: list[str] = []
        self.looked: list[str] = []
        self.before: deque[DeliveryError] = deque()
        self.after: deque[DeliveryError] = deque()
        self.blind = False
        self.busy = 0
        self.gate: asyncio.Event | None = None

    @property
    def platform(self) -> Platform:
        return WEB

    async def run(self, inlet: Inlet) -> None:
        raise NotImplementedError

    def hearing(self) -> Hearing:
        return Hearing(ok=True)

    def parts(self, post: Post) -> tuple[Part, ...]:
        return (Part(index=0, text=post.text, plain=post.text, last=True),)

    async def post(self, post: Post, part: Part, *, repeated: bool = False) -> str:
        self.busy += 1
        assert self.busy == 1, "two posts at once in one conversation"
        try:
            if self.gate is not None:
                await self.gate.wait()
            await asyncio.sleep(0)
            if self.before:
                raise self.before.popleft()
            self.posted.append(post.id)
            if self.after:
                raise self.after.popleft()
            return "1"
        finally:
            self.busy -= 1

    async def find(self, post: Post, part: Part) -> str | None:
        self.looked.append(post.id)
        if self.blind:
            raise UNKNOWN
        return "1" if post.id in self.posted else None

    async def show(self, progress: Progress) -> None:
        raise NotImplementedError

    async def direct(self, person: str) -> ConversationKey | None:
        raise NotImplementedError


def notice(name: str, key: ConversationKey = HERE) -> Notice:
    return Notice(id=PostId(name), key=key, notice=NoticeKind.REFUSED, text="No.")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    url = sqlite_url(tmp_path / "store.sqlite")
    async with open_store(url, life="one", clock=SystemClock(), queue=QueueSettings()) as opened:
        yield opened


@pytest.fixture
def wall() -> Wall:
    return Wall()


class Desk:
    """A delivery with everything around it."""

    def __init__(self, store: Store, wall: Wall, *, present: bool = True) -> None:
        self.slept: list[float] = []
        self.metrics = Metrics()
        self.store = store
        self.delivery = Delivery(
            gateways={WEB: wall} if present else {},
            outbox=store.outbox,
            metrics=self.metrics,
            clock=SystemClock(),
            sleep=self._sleep,
        )

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def counted(self, name: str) -> int:
        return self.metrics.snapshot().get((name, (("platform", "web"),)), 0)

    async def left(self) -> list[str]:
        return [entry.post.id for entry in await self.store.outbox.pending(HERE)]


@pytest.fixture
def desk(store: Store, wall: Wall) -> Desk:
    return Desk(store, wall)


async def test_everything_is_posted_in_order(store: Store, wall: Wall, desk: Desk) -> None:
    for name in "abc":
        await store.outbox.add(notice(name))
    await desk.delivery.flush(HERE)
    assert wall.posted == ["a", "b", "c"]
    assert wall.looked == []
    assert await desk.left() == []
    assert desk.counted("posts") == 3


async def test_flushes_of_one_conversation_wait_for_each_other(store: Store, wall: Wall, desk: Desk) -> None:
    for name in "abc":
        await store.outbox.add(notice(name))
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(desk.delivery.flush(HERE))
        group.create_task(desk.delivery.notice(notice("d")))
    assert wall.posted == ["a", "b", "c", "d"]


async def test_a_failed_post_is_tried_again_after_the_time_that_the_platform_asks_for(wall: Wall, desk: Desk) -> None:
    wall.before += [FAILED, DeliveryFailed(platform="web", reason="slow down", retry_after_seconds=7), FAILED]
    await desk.delivery.notice(notice("a"))
    assert wall.posted == ["a"]
    assert desk.slept == [0.5, 7, 14]
    assert wall.looked == []


async def test_when_it_is_not_known_the_platform_is_looked_at_first(wall: Wall, desk: Desk) -> None:
    wall.after.append(UNKNOWN)
    await desk.delivery.notice(notice("a"))
    assert wall.posted == ["a"]
    assert wall.looked == ["a"]
    assert await desk.left() == []


async def test_what_certainly_is_not_there_is_posted_again(wall: Wall, desk: Desk) -> None:
    wall.before.append(UNKNOWN)
    await desk.delivery.notice(notice("a"))
    assert (wall.posted, wall.looked) == (["a"], ["a"])


async def test_where_we_may_not_look_twice_is_better_than_never(wall: Wall, desk: Desk) -> None:
    wall.blind = True
    wall.after.append(UNKNOWN)
    await desk.delivery.notice(notice("a"))
    assert wall.posted == ["a", "a"]
    assert desk.counted("possible_duplicates") == 1


async def test_what_an_earlier_life_may_have_posted_is_looked_for(tmp_path: Path, wall: Wall) -> None:
    url = sqlite_url(tmp_path / "lives.sqlite")
    async with open_store(url, life="one", clock=SystemClock(), queue=QueueSettings()) as first:
        await first.outbox.add(notice("a"))
        await first.outbox.add(notice("b"))
    wall.posted.append("a")
    async with open_store(url, life="two", clock=SystemClock(), queue=QueueSettings()) as second:
        desk = Desk(second, wall)
        await desk.delivery.flush_all()
        assert await desk.left() == []
    assert wall.posted == ["a", "b"]
    assert wall.looked == ["a", "b"]


async def test_what_was_cut_off_in_this_life_is_looked_for(wall: Wall, desk: Desk) -> None:
    wall.gate = asyncio.Event()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await desk.delivery.notice(notice("a"))
    wall.gate = None
    wall.posted.append("a")
    await desk.delivery.flush(HERE)
    assert wall.posted == ["a"]
    assert await desk.left() == []


async def test_a_post_is_given_up_after_the_last_try_and_the_next_one_is_posted(wall: Wall, desk: Desk) -> None:
    wall.before += [FAILED] * ATTEMPTS
    await desk.delivery.notice(notice("a"))
    await desk.delivery.notice(notice("b"))
    assert wall.posted == ["b"]
    assert await desk.left() == []
    assert desk.counted("posts_given_up") == 1
    assert len(desk.slept) == ATTEMPTS - 1


async def test_without_its_gateway_a_post_waits(store: Store, wall: Wall) -> None:
    desk = Desk(store, wall, present=False)
    await desk.delivery.notice(notice("a"))
    assert await desk.left() == ["a"]
    await Desk(store, wall).delivery.flush_all()
    assert wall.posted == ["a"]
