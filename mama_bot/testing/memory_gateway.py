"""A chat platform in memory, for the tests of everything above the gateways."""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence

from mama_bot.errors import DeliveryError
from mama_bot.model import (
    Answer,
    Command,
    ConversationKey,
    Hearing,
    InboundMessage,
    MessageStanding,
    Notice,
    Part,
    Platform,
    Post,
    PostId,
    Progress,
)
from mama_bot.protocols import Inlet

MEMORY = Platform("memory")


class Crashed(Exception):
    """Stands for the death of the process right after the platform took a post."""


class MemoryGateway:
    """A Gateway in memory.

    `posts` is what the platform holds, `settled` the answers of questions by their posts, `repeated` the ids that were
    labelled as possible duplicates, `shown` the progress that was reported, `marked` how messages stood. `failures` are
    raised by the next calls of `post`, one each: DeliveryFailed leaves nothing on the platform, DeliveryUnknown and
    Crashed leave the post.
    """

    def __init__(self, *, platform: Platform = MEMORY) -> None:
        self._platform = platform
        self._inlet: Inlet | None = None
        self.ready = asyncio.Event()
        self.posts: list[Post] = []
        self.repeated: list[PostId] = []
        self.shown: list[Progress] = []
        self.settled: dict[PostId, Notice] = {}
        self.undone: dict[PostId, bool] = {}
        self.marked: list[MessageStanding] = []
        self.failures: deque[tuple[DeliveryError | Crashed, bool]] = deque()

    @property
    def platform(self) -> Platform:
        """The platform that was given; "memory" by default."""
        return self._platform

    def fail_next(self, error: DeliveryError | Crashed, *, taken: bool) -> None:
        """Let a coming `post` raise; `taken` says whether the platform has the post nevertheless."""
        self.failures.append((error, taken))

    async def run(self, inlet: Inlet) -> None:
        """Receive until cancelled."""
        self._inlet = inlet
        self.ready.set()
        try:
            await asyncio.Event().wait()
        finally:
            self._inlet = None
            self.ready.clear()

    async def deliver(self, message: InboundMessage) -> bool:
        """Deliver a message as a person writes it; waits until the gateway runs, raises what the inlet raises."""
        await self.ready.wait()
        assert self._inlet is not None
        return await self._inlet.deliver(message)

    async def command(self, command: Command) -> Answer:
        """Give a command or press a button as a person does."""
        await self.ready.wait()
        assert self._inlet is not None
        return await self._inlet.command(command)

    async def revise(self, message: InboundMessage) -> bool:
        """Edit a message as its author does."""
        await self.ready.wait()
        assert self._inlet is not None
        return await self._inlet.revise(message)

    async def withdraw(self, message: InboundMessage) -> bool:
        """Delete a message as its author does."""
        await self.ready.wait()
        assert self._inlet is not None
        return await self._inlet.withdraw(message.key, message.id)

    async def stop(self, key: ConversationKey, by: str) -> bool:
        """Press stop as a person does."""
        await self.ready.wait()
        assert self._inlet is not None
        return await self._inlet.stop(key, by)

    def hearing(self) -> Hearing:
        """Return that it hears while it runs, and only then."""
        return Hearing(ok=self.ready.is_set())

    def parts(self, post: Post) -> Sequence[Part]:
        """Return the whole post as one part."""
        return (Part(index=0, text=post.text, plain=post.text, last=True),)

    async def post(self, post: Post, part: Part, *, repeated: bool = False) -> str:
        """Hold a part of a post, or raise the next failure."""
        error, taken = self.failures.popleft() if self.failures else (None, True)
        if taken:
            self.posts.append(post)
        if repeated:
            self.repeated.append(post.id)
        if error is not None:
            raise error
        return f"memory-{post.id}"

    async def find(self, post: Post, part: Part) -> str | None:
        """Return the id of a part when the platform holds it, else None."""
        return f"memory-{post.id}" if any(held.id == post.id for held in self.posts) else None

    async def settle(self, question: Notice, answer: Notice, platform_id: str) -> bool:
        """Keep the answer in `settled`, by its question, where the platform holds that."""
        if platform_id != f"memory-{question.id}":
            return False
        self.settled[question.id] = answer
        return True

    async def offer(self, post: Post, ids: Mapping[int, str], *, undone: bool) -> None:
        """Keep whether what a post tells of was undone in `undone`."""
        self.undone[post.id] = undone

    async def mark(self, standing: MessageStanding) -> None:
        """Keep the standing in `marked`."""
        self.marked.append(standing)

    async def show(self, progress: Progress) -> None:
        """Keep the progress in `shown`."""
        self.shown.append(progress)

    async def direct(self, person: str) -> ConversationKey | None:
        """Return a conversation named after the person."""
        return ConversationKey(self._platform, f"direct-{person}")
