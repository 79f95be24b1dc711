"""A chat platform in memory, for the tests of everything above the gateways."""

import asyncio
from collections import deque
from datetime import UTC, datetime

from mama_bot.errors import DeliveryError
from mama_bot.model import ConversationKey, InboundMessage, Platform, Post, PostId, Progress, Receipt
from mama_bot.protocols import Inlet

MEMORY = Platform("memory")


class Crashed(Exception):
    """Stands for the death of the process right after the platform took a post."""


class MemoryGateway:
    """A Gateway in memory.

    `posts` is what the platform holds, `shown` what it was told of progress. `failures` are raised by the next calls
    of `post`, one each: DeliveryFailed leaves nothing on the platform, DeliveryUnknown and Crashed leave the post.
    """

    def __init__(self, *, platform: Platform = MEMORY) -> None:
        self._platform = platform
        self._inlet: Inlet | None = None
        self.ready = asyncio.Event()
        self.posts: list[Post] = []
        self.shown: list[Progress] = []
        self.failures: deque[tuple[DeliveryError | Crashed, bool]] = deque()

    @property
    def platform(self) -> Platform:
        """As given; "memory" by default."""
        return self._platform

    def fail_next(self, error: DeliveryError | Crashed, *, taken: bool) -> None:
        """Make a coming `post` raise; `taken` says whether the platform has the post all the same."""
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
        """Play a person who writes; waits until the gateway runs, and raises what the inlet raises."""
        await self.ready.wait()
        assert self._inlet is not None
        return await self._inlet.deliver(message)

    async def stop(self, key: ConversationKey, by: str) -> bool:
        """Play a person who presses stop."""
        await self.ready.wait()
        assert self._inlet is not None
        return await self._inlet.stop(key, by)

    async def post(self, post: Post) -> Receipt:
        """Hold a post, or fail as told."""
        error, taken = self.failures.popleft() if self.failures else (None, True)
        if taken:
            self.posts.append(post)
        if error is not None:
            raise error
        return _receipt(post.id)

    async def find(self, post: Post) -> Receipt | None:
        """A receipt when the platform holds a post of this id."""
        return _receipt(post.id) if any(held.id == post.id for held in self.posts) else None

    async def show(self, progress: Progress) -> None:
        """Note it."""
        self.shown.append(progress)


def _receipt(post_id: PostId) -> Receipt:
    return Receipt(post_id=post_id, platform_ids=(f"memory-{post_id}",), posted_at=datetime(2026, 1, 1, tzinfo=UTC))
