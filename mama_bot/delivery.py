"""The one way out: what the outbox holds is posted by its gateway, in order, once where the platform lets us see."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

import structlog

from mama_bot.errors import DeliveryFailed, DeliveryUnknown, StoreUnavailable
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, Notice, OutboxEntry, Part, Platform, Post, PostId, Receipt
from mama_bot.protocols import Clock, Gateway, Outbox

log = structlog.get_logger(__name__)

ATTEMPTS = 6
FIRST_DELAY_SECONDS = 0.5
POST_SECONDS = 60.0


class Delivery:
    """Posts what the outbox holds."""

    def __init__(
        self,
        *,
        gateways: Mapping[Platform, Gateway],
        outbox: Outbox,
        metrics: Metrics,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._gateways = gateways
        self._outbox = outbox
        self._metrics = metrics
        self._clock = clock
        self._sleep = sleep
        self._unsettled: set[PostId] = set()
        self._locks: dict[ConversationKey, tuple[asyncio.Lock, int]] = {}

    async def notice(self, notice: Notice) -> None:
        """Post a line of the service itself, outside any turn."""
        await self._outbox.add(notice)
        await self.flush(notice.key)

    async def flush(self, key: ConversationKey) -> None:
        """Post all that a conversation still has to be sent, oldest first; returns when each is posted or given up."""
        async with self._exclusive(key):
            for entry in await self._outbox.pending(key):
                await self._send(entry)

    async def flush_all(self) -> None:
        """Post what an earlier life of the service left behind."""
        try:
            for key in await self._outbox.conversations_with_pending():
                await self._flush_leftovers(key)
        except StoreUnavailable as error:
            log.warning("leftovers_wait", reason=str(error))

    async def _flush_leftovers(self, key: ConversationKey) -> None:
        try:
            await self.flush(key)
        except Exception as error:  # noqa: BLE001 - one conversation's leftovers must not end the service
            log.warning("leftovers_wait", conversation=str(key), reason=f"{type(error).__name__}: {error}")

    @asynccontextmanager
    async def _exclusive(self, key: ConversationKey) -> AsyncIterator[None]:
        """One flush at a time for each conversation, so that nothing is posted twice or out of order."""
        lock, users = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            _, users = self._locks[key]
            if users == 1:
                del self._locks[key]
            else:
                self._locks[key] = (lock, users - 1)

    async def _send(self, entry: OutboxEntry) -> None:
        post = entry.post
        gateway = self._gateways.get(post.key.platform)
        if gateway is None:
            log.warning("post_waits_for_gateway", platform=post.key.platform, post=post.id)
            return
        # In this life too a post may have gone out without a receipt being kept (a cancelled flush, a full disk).
        look_first = entry.attempted or post.id in self._unsettled
        self._unsettled.add(post.id)
        delay = FIRST_DELAY_SECONDS
        reason = ""
        for attempt in range(ATTEMPTS):
            if attempt:
                await self._sleep(delay)
                delay *= 2
            try:
                receipt = await self._post(gateway, post, look_first=look_first)
            except DeliveryFailed as error:
                reason, delay = str(error), error.retry_after_seconds or delay
            except DeliveryUnknown as error:
                reason, look_first = str(error), True
            except TimeoutError:
                reason, look_first = f"{gateway.platform} did not answer within {POST_SECONDS:g} s", True
            else:
                await self._outbox.mark_posted(receipt)
                self._unsettled.discard(post.id)
                self._metrics.count("posts", platform=gateway.platform)
                log.info("posted", post=post.id, platform=gateway.platform, kind=post.kind)
                return
            log.warning("post_failed", post=post.id, platform=gateway.platform, attempt=attempt, reason=reason)
        await self._outbox.mark_failed(post.id, reason)
        self._unsettled.discard(post.id)
        self._metrics.count("posts_given_up", platform=gateway.platform)
        log.error("post_given_up", post=post.id, platform=gateway.platform, reason=reason)

    async def _post(self, gateway: Gateway, post: Post, *, look_first: bool) -> Receipt:
        """Send every part that the platform does not have; raises DeliveryError or TimeoutError."""
        ids = []
        for part in gateway.parts(post):
            async with asyncio.timeout(POST_SECONDS):
                found, repeated = await self._find(gateway, post, part) if look_first else (None, False)
                ids.append(found or await gateway.post(post, part, repeated=repeated))
        return Receipt(post_id=post.id, platform_ids=tuple(ids), posted_at=self._clock.now())

    async def _find(self, gateway: Gateway, post: Post, part: Part) -> tuple[str | None, bool]:
        """The platform's id of a part, and whether it may be there although it cannot be seen."""
        try:
            return await gateway.find(post, part), False
        except DeliveryUnknown:
            # The platform does not let us look: better twice, and labelled, than never.
            log.warning("possible_duplicate", post=post.id, platform=gateway.platform)
            self._metrics.count("possible_duplicates", platform=gateway.platform)
            return None, True
