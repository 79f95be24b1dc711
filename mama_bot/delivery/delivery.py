"""The one way out: what the outbox holds is posted by its gateway, in order, once where the platform lets us see."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

import structlog

from mama_bot.backoff import Backoff
from mama_bot.delivery.departures import redacted, told_subject
from mama_bot.delivery.post_sender import QUICK_SECONDS, PostSender
from mama_bot.errors import StoreUnavailable
from mama_bot.locks import KeyedLocks
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, Notice, Platform
from mama_bot.protocols import Clock, Gateway, Outbox, OutboxBell

log = structlog.get_logger(__name__)

ATTEMPTS = 6
BACKOFF = Backoff(first=5.0, longest=300.0)
PATIENT_TRIES = 3  # after so many later tries, some 50 s, a post may be what never passes, and not its platform
TICK_SECONDS = 1.0
LOOK_SECONDS = 60.0
LEAVE_SECONDS = 10.0
CUT_SECONDS = 5.0  # a call that was cut off ends at once; what is written down of it takes a moment
CONVERSATIONS_AT_ONCE = 8  # of each platform, so that one that hangs takes no other's turns


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """When a conversation is tried again whose posts were left for later (monotonic seconds), after how many tries."""

    due: float
    tries: int = 0


class Delivery:
    """Posts what the outbox holds, woken by its bell.

    A post that the platform does not take for now is tried quickly a few times; then it stays in the outbox, with what
    comes after it in its conversation, and `run` tries it later and later, for a day. Not `alone` it
    leaves the platforms that it has no gateway of to other nodes; `gateways` may come while it runs. Nothing is sent
    while `may_post` says that somebody else may have taken the posts over.
    """

    def __init__(
        self,
        *,
        gateways: Mapping[Platform, Gateway],
        outbox: Outbox,
        bell: OutboxBell,
        metrics: Metrics,
        clock: Clock,
        redact: Callable[[str], str] = str,
        may_post: Callable[[], bool] = lambda: True,
        alone: bool = True,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._gateways = gateways
        self._alone = alone
        self._outbox = outbox
        self._bell = bell
        self._clock = clock
        self._redact = redact
        self._sleep = sleep
        self._may_post = may_post
        self._sender = PostSender(
            outbox=outbox,
            metrics=metrics,
            clock=clock,
            redact=redact,
            may_post=self._may_still_post,
            leased=self._may_go_on,
            sleep=sleep,
        )
        self._queued: set[ConversationKey] = set()
        self._later: dict[ConversationKey, Later] = {}
        self._tried_again: set[ConversationKey] = set()
        self._left: set[Platform] = set()  # whose calls are cut off
        self._locks = KeyedLocks[ConversationKey]()
        self._permits: defaultdict[Platform, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(CONVERSATIONS_AT_ONCE)
        )

    async def run(self) -> None:
        """Post whatever is queued, what an earlier life left behind and what was left for later, until cancelled."""
        looked, left = None, None
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen(group))
            while True:
                now = self._clock.monotonic()
                if looked is None or now - looked >= LOOK_SECONDS:
                    looked = now
                    left = await self._look_for_leftovers(left)
                for key, later in [*self._later.items()]:
                    if later.due <= now:
                        del self._later[key]
                        self._tried_again.add(key)
                        group.create_task(self._try_again(key, later))
                await self._sleep(TICK_SECONDS)

    async def flush(self, key: ConversationKey) -> None:
        """Post all that a conversation still has to be sent, oldest first.

        Returns when each is posted, given up, or left for later. Raises StoreUnavailable.
        """
        if key not in self._later:
            await self._flush(key, ATTEMPTS)

    async def post_unstored(self, notice: Notice) -> None:
        """Post a line of the service past the outbox, while that takes nothing: once, and nobody knows of it later.

        Raises DeliveryError, or TimeoutError.
        """
        await self._sender.send_unstored(self._gateways[notice.key.platform], redacted(self._redact, notice))

    async def end(self, platform: Platform) -> None:
        """Return once nothing is being sent to a platform whose gateway is not ours any more.

        What is still being sent after a while is cut off: whoever posts there next looks whether it arrived.
        """
        if await self._quiet(platform, LEAVE_SECONDS):
            return
        log.warning("posts_cut_off", platform=platform, seconds=LEAVE_SECONDS)
        self._left.add(platform)
        try:
            if not await self._quiet(platform, CUT_SECONDS):
                log.warning("posts_still_sent", platform=platform, seconds=LEAVE_SECONDS + CUT_SECONDS)
        finally:
            self._left.discard(platform)

    async def _quiet(self, platform: Platform, seconds: float) -> bool:
        """Return whether nothing is being sent to a platform within so long."""
        permits, taken = self._permits[platform], 0
        try:
            async with asyncio.timeout(seconds):
                while taken < CONVERSATIONS_AT_ONCE:
                    await permits.acquire()
                    taken += 1
        except TimeoutError:
            return False
        finally:
            for _ in range(taken):
                permits.release()
        return True

    async def begin(self, platform: Platform) -> None:
        """Line up all that waits for a platform, whose gateway has just come."""
        for key in await self._outbox.conversations_with_pending():
            if key.platform == platform:
                self._bell.ring(key)

    async def settled(self) -> None:
        """Post all that the outbox holds now; returns when each is posted, given up, or left for later."""
        try:
            keys = await self._outbox.conversations_with_pending()
        except StoreUnavailable as error:
            log.warning("leftovers_wait", reason=str(error))
            return
        async with asyncio.TaskGroup() as group:
            for key in keys:
                group.create_task(self._flush_queued(key))

    async def _listen(self, group: asyncio.TaskGroup) -> None:
        """Begin to post in each conversation for which the bell is rung; one more round for each waits at most."""
        while True:
            for key in await self._bell.heard():
                if key not in self._queued:
                    self._queued.add(key)
                    group.create_task(self._flush_queued(key))

    async def _flush_queued(self, key: ConversationKey) -> None:
        try:
            await self.flush(key)
        except StoreUnavailable as error:
            log.warning("posts_not_tried", conversation=str(key), reason=str(error))
            self._later.setdefault(key, self._after(Later(due=0.0)))
        except Exception:  # one conversation's posts must not end the service
            log.exception("posts_not_tried", conversation=str(key))
            self._later.setdefault(key, self._after(Later(due=0.0)))
        finally:
            self._queued.discard(key)

    async def _look_for_leftovers(self, left: frozenset[ConversationKey] | None) -> frozenset[ConversationKey] | None:
        """Line up conversations with posts that nobody is at, and that were `left` at the last look; returns all."""
        try:
            keys = await self._outbox.conversations_with_pending()
        except StoreUnavailable as error:
            log.warning("leftovers_wait", reason=str(error))
            return left
        pending = frozenset(key for key in keys if key.platform in self._gateways)
        for key in keys if left is None else pending & left:
            if key in pending and key not in self._locks and key not in self._tried_again:
                self._later.setdefault(key, Later(due=self._clock.monotonic()))
        return pending

    async def _try_again(self, key: ConversationKey, later: Later) -> None:
        try:
            await self._flush(key, 1, later)
        except StoreUnavailable as error:
            log.warning("leftovers_wait", conversation=str(key), reason=str(error))
            self._later[key] = self._after(later)
        except Exception:  # one conversation's leftovers must not end the service
            log.exception("leftovers_wait", conversation=str(key))
            self._later[key] = self._after(later)
        finally:
            self._tried_again.discard(key)

    def _may_still_post(self, gateway: Gateway) -> bool:
        """Whether nobody else may post by now what this gateway was to post."""
        return self._may_post() and self._gateways.get(gateway.platform) is gateway

    def _may_go_on(self, gateway: Gateway) -> bool:
        """Whether what a gateway has begun to post need not be cut off: it is let end where there is time for it."""
        return self._may_post() and gateway.platform not in self._left

    def _after(self, later: Later, *, at_least: float = 0.0) -> Later:
        pause = max(BACKOFF.pause(later.tries + 1), at_least)
        return Later(due=self._clock.monotonic() + pause, tries=later.tries + 1)

    async def _flush(self, key: ConversationKey, attempts: int, later: Later | None = None) -> None:
        """Post what waits, in order, or leave it for later; `later` is what this is the next try of."""
        gateway = self._gateways.get(key.platform)
        if gateway is None:
            if self._alone:
                log.warning("posts_wait_for_gateway", platform=key.platform, conversation=str(key))
            return
        async with self._locks.held(key), self._permits[key.platform]:
            self._queued.discard(key)  # what is queued from now on needs another round
            deadline = self._clock.monotonic() + QUICK_SECONDS
            if later is None and key in self._later:  # whoever had the lock before left the rest for later
                return
            tries = later or Later(due=0.0)
            entries = await self._outbox.pending(key)
            waiting = {entry.post.id for entry in entries}
            for entry in entries:
                if self._gateways.get(key.platform) is not gateway:  # given up meanwhile: another node's to post
                    return
                if (subject := told_subject(entry.post)) is not None:  # goes out for its subject, or not at all
                    if subject not in waiting:
                        await self._outbox.withdraw(entry.post.id)
                    continue
                wait = await self._sender.send(
                    gateway, entry, attempts, deadline, seems_stuck=tries.tries >= PATIENT_TRIES
                )
                if wait is not None:
                    self._later[key] = self._after(tries, at_least=wait)
                    return
                waiting.discard(entry.post.id)
                tries = replace(tries, tries=0)
