"""One post on its way: tried in quick succession, then given up, told of by a line, or left for later."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count

import structlog

from mama_bot.backoff import Backoff
from mama_bot.delivery.departures import Sending, departing, instead_of_files, post_parts, redacted, trouble_line
from mama_bot.delivery.part_sender import PartSender
from mama_bot.errors import DeliveryError, DeliveryFailed
from mama_bot.metrics import Metrics
from mama_bot.model import Notice, OutboxEntry, Post, PostId
from mama_bot.protocols import Clock, Gateway, Outbox
from mama_bot.recent import Recent

log = structlog.get_logger(__name__)

QUICK_SECONDS = 16.0  # for so long a conversation is tried in quick succession
QUICK = Backoff(first=0.5, longest=QUICK_SECONDS)
GIVEN_UP_AFTER = timedelta(hours=24)
TOLD_LATELY = timedelta(minutes=2)
# Whatever its age: the service may have been away for days and its platforms not back, or the clock set forward.
AT_LEAST_TRIED_SECONDS = 3600.0
REMEMBERED = 10_000

# A post whose outcome stays unknown on a platform that does not let us look: how often it may be there twice.
REPEATS = 5
REPEATED = Backoff(first=60.0, longest=960.0)


class PostSender:
    """Sends one post of the outbox, as often as it is worth it, and says what came of it."""

    def __init__(
        self,
        *,
        outbox: Outbox,
        metrics: Metrics,
        clock: Clock,
        redact: Callable[[str], str],
        may_post: Callable[[Gateway], bool],
        leased: Callable[[Gateway], bool],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._outbox = outbox
        self._metrics = metrics
        self._clock = clock
        self._redact = redact
        self._sleep = sleep
        self._parts = PartSender(
            outbox=outbox, metrics=metrics, clock=clock, may_post=may_post, leased=leased, redact=redact
        )
        self._failing: Recent[PostId, float] = Recent(REMEMBERED)  # since when (monotonic)

    async def send(
        self, gateway: Gateway, entry: OutboxEntry, attempts: int, deadline: float, *, seems_stuck: bool
    ) -> float | None:
        """Post it or give it up: None; else after how many seconds, at least, to try again."""
        post = await departing(self._redact, entry.post)
        try:
            parts = await post_parts(gateway, post)
        except Exception:
            # It would fail again, and hold up all that comes after it.
            log.exception("post_not_rendered", post=post.id, platform=gateway.platform)
            await self._give_up(gateway, entry, "It cannot be rendered for this platform.")
            return None
        sending = Sending(post, parts, dict(entry.tried), await self._settled_by(post))
        asked_for = 0.0
        for attempt in range(attempts):
            if attempt:
                await self._sleep(asked_for or QUICK.pause(attempt))
            error = await self._attempt(gateway, sending)
            if error is None:
                return None
            log.warning("post_failed", post=post.id, platform=gateway.platform, attempt=attempt, reason=str(error))
            if self._is_hopeless(entry, error):
                await self._give_up(gateway, entry, str(error))
                return None
            asked_for = self._asked_for(post, error)
            if self._clock.monotonic() + (asked_for or QUICK.pause(attempt + 1)) > deadline:
                break
        if seems_stuck and await self._passed_by(gateway, entry, sending, error):
            return None
        log.warning("post_left_for_later", post=post.id, platform=gateway.platform, reason=str(error))
        self._metrics.count("posts_left_for_later", platform=gateway.platform)
        return asked_for

    async def _settled_by(self, post: Post) -> OutboxEntry | None:
        """Return the question that a post settles, as it leaves the house, where the platform has it."""
        if not isinstance(post, Notice) or post.settles is None:
            return None
        entry = await self._outbox.entry(post.settles)
        if entry is None or entry.posted_at is None or not entry.tried:
            return None
        return replace(entry, post=redacted(self._redact, entry.post))

    async def _passed_by(
        self, gateway: Gateway, entry: OutboxEntry, sending: Sending, error: DeliveryError | None
    ) -> bool:
        """Whether a post is done with: without its files, or told of by a line; else it is the platform's trouble."""
        if isinstance(error, DeliveryFailed) and error.retry_after_seconds:
            return False
        sending.instead = instead_of_files(gateway, sending)
        if sending.instead and await self._attempt(gateway, sending) is None:
            log.warning("file_not_posted", post=entry.post.id, platform=gateway.platform, reason=str(error))
            self._metrics.count("files_not_posted", platform=gateway.platform)
            return True
        if not await self._is_told_of(gateway, sending.post):
            return False
        if (again := await self._attempt(gateway, sending)) is not None:  # the platform may be back since the line
            await self._give_up(gateway, entry, str(again))
        return True

    async def _is_told_of(self, gateway: Gateway, post: Post) -> bool:
        """Whether a line passes, or has passed lately, that tells of a post which does not."""
        line = await self._line_about(post)
        await self._outbox.add(line)
        entry = await self._outbox.entry(line.id)
        if entry is None or entry.posted_at is not None:
            return entry is not None
        sending = Sending(line, await post_parts(gateway, line), dict(entry.tried))
        try:
            for part in sending.parts:
                if sending.tried.get(part.index) == "" and (await self._parts.find(gateway, line, part))[1]:
                    return False  # it may be there, and nobody can look
        except DeliveryError:
            return False
        return await self._attempt(gateway, sending) is None

    async def _line_about(self, post: Post) -> Notice:
        """The line about a post; a new one when somebody had the post sent again since."""
        for number in count():
            line = trouble_line(post, number)
            entry = await self._outbox.entry(line.id)
            if entry is None or entry.posted_at is None or self._clock.now() - entry.posted_at < TOLD_LATELY:
                break
        return line

    def _is_hopeless(self, entry: OutboxEntry, error: DeliveryError) -> bool:
        if isinstance(error, DeliveryFailed):
            if error.permanent:
                return True
        elif self._parts.repeats(entry.post.id) >= REPEATS:
            return True
        now = self._clock.monotonic()
        if entry.post.id not in self._failing:
            self._failing[entry.post.id] = now
        tried = now - self._failing[entry.post.id]
        return tried > AT_LEAST_TRIED_SECONDS and self._clock.now() - entry.created_at > GIVEN_UP_AFTER

    def _asked_for(self, post: Post, error: DeliveryError) -> float:
        """For how many seconds the platform is to be left alone; 0: we choose."""
        if isinstance(error, DeliveryFailed):
            return error.retry_after_seconds or 0.0
        repeats = self._parts.repeats(post.id)
        return REPEATED.pause(repeats) if repeats else 0.0

    async def send_unstored(self, gateway: Gateway, post: Post) -> None:
        """Send a post that the outbox does not know, once. Raises DeliveryError, or TimeoutError."""
        await self._parts.send_unstored(gateway, post)

    async def _attempt(self, gateway: Gateway, sending: Sending) -> DeliveryError | None:
        """Send what the platform does not have of a post; what went wrong, or None."""
        error = await self._parts.send(gateway, sending)
        if error is None:
            self._failing.pop(sending.post.id, None)
        return error

    async def _give_up(self, gateway: Gateway, entry: OutboxEntry, reason: str) -> None:
        await self._outbox.mark_failed(entry.post.id, reason)
        self._parts.forget(entry.post.id)
        self._failing.pop(entry.post.id, None)
        self._metrics.count("posts_given_up", platform=gateway.platform)
        log.error("post_given_up", post=entry.post.id, platform=gateway.platform, reason=reason)
