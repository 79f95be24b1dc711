"""A platform that fails as told, and a delivery with everything around it."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

from mama_bot.config import QueueSettings
from mama_bot.delivery import Delivery
from mama_bot.errors import DeliveryError, DeliveryFailed, DeliveryUnknown
from mama_bot.metrics import Metrics
from mama_bot.model import (
    ConversationKey,
    Hearing,
    MessageStanding,
    Notice,
    NoticeKind,
    Part,
    Platform,
    Post,
    PostId,
    Progress,
)
from mama_bot.protocols import Gateway, Inlet, Outbox
from mama_bot.store.store import Store, open_store, sqlite_url
from tests.people import HERE, START
from tests.waiting import SECONDS

WEB = Platform("web")
ELSEWHERE = ConversationKey(WEB, "elsewhere")
FAILED = DeliveryFailed(platform="web", reason="no")
GONE = DeliveryFailed(platform="web", reason="no such channel", permanent=True)
UNKNOWN = DeliveryUnknown(platform="web", reason="cut off")


class FakeTime:
    """A clock that goes on when somebody sleeps, until `ends`; its time of day may be set `ahead`."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.ahead = timedelta()
        self.ends = float("inf")
        self.slept: list[float] = []

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds) + self.ahead

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds = max(self.seconds, min(self.seconds + seconds, self.ends))
        await asyncio.sleep(0.001)


class Wall:
    """A platform that keeps what is posted, and fails as told: each trouble before or after the post is there.

    A text is posted in as many parts as it has words; `posted` has them by post and number. What settles a question is
    shown there where the platform `edits`, and kept in `settled`; `undone` has what buttons were shown anew, and how.
    """

    def __init__(self) -> None:
        self.posted: list[str] = []
        self.texts: list[str] = []
        self.labelled: list[str] = []
        self.edits = True
        self.settled: dict[str, str] = {}
        self.settling: deque[DeliveryError] = deque()
        self.offering: deque[DeliveryError] = deque()
        self.undone: dict[str, bool] = {}
        self.looked: list[str] = []
        self.before: deque[Exception] = deque()
        self.after: deque[Exception] = deque()
        self.down: set[str] = set()
        self.every_other: DeliveryError | None = None
        self.tries = 0
        self.blind = False
        self.busy: set[ConversationKey] = set()
        self.gate: asyncio.Event | None = None

    @property
    def platform(self) -> Platform:
        return WEB

    async def run(self, inlet: Inlet) -> None:
        raise NotImplementedError

    def hearing(self) -> Hearing:
        return Hearing(ok=True)

    def parts(self, post: Post) -> tuple[Part, ...]:
        words = post.text.split()
        if not words:
            raise ValueError("nothing to show")
        return tuple(
            Part(index=index, text=word, plain=word, last=word is words[-1]) for index, word in enumerate(words)
        )

    async def post(self, post: Post, part: Part, *, repeated: bool = False) -> str:
        assert post.key not in self.busy, "two posts at once in one conversation"
        self.busy.add(post.key)
        try:
            if self.gate is not None:
                await self.gate.wait()
            await asyncio.sleep(0)
            if post.key.channel in self.down:
                raise FAILED
            self.tries += 1
            if self.every_other is not None and self.tries % 2:
                raise self.every_other
            if self.before:
                raise self.before.popleft()
            self.posted.append(name(post, part))
            self.texts.append(part.text)
            if repeated:
                self.labelled.append(name(post, part))
            if self.after:
                raise self.after.popleft()
            return f"at-{name(post, part)}"
        finally:
            self.busy.discard(post.key)

    async def find(self, post: Post, part: Part) -> str | None:
        self.looked.append(name(post, part))
        if self.blind:
            raise UNKNOWN
        return f"at-{name(post, part)}" if name(post, part) in self.posted else None

    async def settle(self, question: Notice, answer: Notice, platform_id: str) -> bool:
        if self.settling:
            raise self.settling.popleft()
        if self.edits:
            self.settled[platform_id] = answer.text
        return self.edits

    async def offer(self, post: Post, ids: Mapping[int, str], *, undone: bool) -> None:
        if self.offering:
            raise self.offering.popleft()
        self.undone[ids[max(ids)]] = undone

    async def mark(self, standing: MessageStanding) -> None:
        pass

    async def show(self, progress: Progress) -> None:
        raise NotImplementedError

    async def direct(self, person: str) -> ConversationKey | None:
        raise NotImplementedError


def name(post: Post, part: Part) -> str:
    return post.id if part.index == 0 else f"{post.id}{part.index}"


def notice(name: str, key: ConversationKey = HERE, text: str = "No.") -> Notice:
    return Notice(id=PostId(name), key=key, notice=NoticeKind.REFUSED, text=text)


@asynccontextmanager
async def a_life(file: Path, time: FakeTime) -> AsyncIterator[Store]:
    async with open_store(sqlite_url(file), clock=time, queue=QueueSettings()) as opened:
        yield opened


class Desk:
    """A delivery with everything around it; a second one over the same store is the next life of the service."""

    def __init__(
        self,
        store: Store,
        wall: Wall,
        time: FakeTime,
        *,
        present: bool = True,
        others: tuple[Wall, ...] = (),
        outbox: Outbox | None = None,
    ) -> None:
        self.metrics = Metrics()
        self.store = store
        self.may_post = True
        self.gateways: dict[Platform, Gateway] = {
            gateway.platform: gateway for gateway in ((wall, *others) if present else others)
        }
        self.delivery = Delivery(
            gateways=self.gateways,
            may_post=lambda: self.may_post,
            outbox=outbox or store.outbox,
            bell=store.post_bell,
            metrics=self.metrics,
            clock=time,
            redact=lambda text: text.replace("hunter2", "[redacted]"),
            sleep=time.sleep,
        )

    async def notice(self, post: Notice) -> None:
        """Queue a line, and return when it is posted, given up or left for later."""
        await self.store.outbox.add(post)
        await self.delivery.flush(post.key)

    def counted(self, name: str) -> int:
        return self.metrics.snapshot().get((name, (("platform", "web"),)), 0)

    async def left(self, key: ConversationKey = HERE) -> list[str]:
        return [entry.post.id for entry in await self.store.outbox.pending(key)]

    async def is_empty(self) -> bool:
        """Whether nothing is left: what a platform shows may not be written down yet."""
        return not await self.left()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(self.delivery.run())
            yield
            task.cancel()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while not condition():
            await asyncio.sleep(0.001)
