"""The one way out: what the outbox holds is posted by its gateway, in order, once where the platform lets us see."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count

import structlog

from mama_bot.backoff import Backoff
from mama_bot.departures import Sending, called, instead_of_files, post_parts, redacted, told_subject, trouble_line
from mama_bot.errors import DeliveryError, DeliveryFailed, DeliveryUnknown, StoreUnavailable
from mama_bot.locks import KeyedLocks
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, Notice, OutboxEntry, Part, Platform, Post, PostId, Receipt
from mama_bot.protocols import Clock, Gateway, Outbox, OutboxBell
from mama_bot.recent import Recent

log = structlog.get_logger(__name__)

ATTEMPTS = 6
QUICK_SECONDS = 16.0  # for so long a conversation is tried in quick succession
QUICK = Backoff(first=0.5, longest=QUICK_SECONDS)
POST_SECONDS = 60.0
BACKOFF = Backoff(first=5.0, longest=300.0)
PATIENT_TRIES = 3  # after so many later tries, some 50 s, a post may be what never passes, and not its platform
GIVEN_UP_AFTER = timedelta(hours=24)
TOLD_LATELY = timedelta(minutes=2)
# Whatever its age: the service may have been away for days and its platforms not back, or the clock set forward.
AT_LEAST_TRIED_SECONDS = 3600.0
REMEMBERED = 10_000
TICK_SECONDS = 1.0
_STOOD_STILL = "nothing was heard of it for so long that another node may post"
LOOK_SECONDS = 60.0
LEAVE_SECONDS = 10.0
CONVERSATIONS_AT_ONCE = 8  # of each platform, so that one that hangs takes no other's turns

# A post whose outcome stays unknown on a platform that does not let us look: how often it may be there twice.
REPEATS = 5
REPEATED = Backoff(first=60.0, longest=960.0)


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
        self._may_post = may_post
        self._alone = alone
        self._outbox = outbox
        self._bell = bell
        self._metrics = metrics
        self._clock = clock
        self._redact = redact
        self._sleep = sleep
        self._failing: Recent[PostId, float] = Recent(REMEMBERED)  # since when (monotonic)
        self._queued: set[ConversationKey] = set()
        self._later: dict[ConversationKey, Later] = {}
        self._tried_again: set[ConversationKey] = set()
        self._repeats: dict[PostId, int] = {}
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
        gateway, post = self._gateways[notice.key.platform], redacted(self._redact, notice)
        for part in await post_parts(gateway, post):
            async with asyncio.timeout(POST_SECONDS):
                await called(gateway, gateway.post(post, part))

    async def end(self, platform: Platform) -> None:
        """Return once nothing is being sent to a platform whose gateway is not ours any more, or after a while."""
        permits, taken = self._permits[platform], 0
        try:
            async with asyncio.timeout(LEAVE_SECONDS):
                while taken < CONVERSATIONS_AT_ONCE:
                    await permits.acquire()
                    taken += 1
        except TimeoutError:
            log.warning("posts_still_sent", platform=platform, seconds=LEAVE_SECONDS)
        finally:
            for _ in range(taken):
                permits.release()

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
                wait = await self._send(gateway, entry, attempts, deadline, seems_stuck=tries.tries >= PATIENT_TRIES)
                if wait is not None:
                    self._later[key] = self._after(tries, at_least=wait)
                    return
                waiting.discard(entry.post.id)
                tries = replace(tries, tries=0)

    async def _send(
        self, gateway: Gateway, entry: OutboxEntry, attempts: int, deadline: float, *, seems_stuck: bool
    ) -> float | None:
        """Post it or give it up: None; else after how many seconds, at least, to try again."""
        post = redacted(self._redact, entry.post)
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
                if sending.tried.get(part.index) == "" and (await self._find(gateway, line, part))[1]:
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
        elif self._repeats.get(entry.post.id, 0) >= REPEATS:
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
        repeats = self._repeats.get(post.id, 0)
        return REPEATED.pause(repeats) if repeats else 0.0

    async def _attempt(self, gateway: Gateway, sending: Sending) -> DeliveryError | None:
        """Send the parts that the platform does not have; what went wrong, or None."""
        post = sending.post
        try:
            if await self._shown_below(gateway, sending):
                await self._mark_posted(gateway, post, ())
                return None
            for part in sending.parts:
                if not sending.tried.get(part.index):
                    async with asyncio.timeout(POST_SECONDS):
                        await self._send_part(gateway, sending, part)
        except DeliveryError as error:
            await self._keep_ids(sending)
            return error
        except TimeoutError:
            await self._keep_ids(sending)
            return DeliveryUnknown(platform=gateway.platform, reason=f"no answer within {POST_SECONDS:g} s")
        await self._mark_posted(gateway, post, tuple(sending.tried[part.index] for part in sending.parts))
        return None

    async def _mark_posted(self, gateway: Gateway, post: Post, ids: tuple[str, ...]) -> None:
        await self._outbox.mark_posted(Receipt(post_id=post.id, platform_ids=ids, posted_at=self._clock.now()))
        self._repeats.pop(post.id, None)
        self._failing.pop(post.id, None)
        self._metrics.count("posts", platform=gateway.platform)
        log.info("posted", post=post.id, platform=gateway.platform, kind=post.kind, parts=len(ids))

    async def _settled_by(self, post: Post) -> OutboxEntry | None:
        """Return the question that a post settles, where the platform has it."""
        if not isinstance(post, Notice) or post.settles is None:
            return None
        entry = await self._outbox.entry(post.settles)
        return entry if entry is not None and entry.posted_at is not None and entry.tried else None

    async def _shown_below(self, gateway: Gateway, sending: Sending) -> bool:
        """Whether what settles a question stands at its end now; else it is posted as a line of its own."""
        entry, answer = sending.question, sending.post
        question = None if entry is None else redacted(self._redact, entry.post)
        if entry is None or sending.tried or not isinstance(question, Notice) or not isinstance(answer, Notice):
            return False
        self._refuse_late(gateway)
        try:
            async with asyncio.timeout(POST_SECONDS):
                shown = await called(gateway, gateway.settle(question, answer, entry.tried[max(entry.tried)]))
        except DeliveryFailed as error:
            if not error.permanent:
                raise
            shown = False
        if not shown:
            sending.question = None
        return shown

    async def _keep_ids(self, sending: Sending) -> None:
        """Store what `mark_sending` and `mark_posted` would have, had they come."""
        if sending.unwritten:
            await self._outbox.mark_sent(sending.post, sending.unwritten)
            sending.unwritten = {}

    async def _send_part(self, gateway: Gateway, sending: Sending, part: Part) -> None:
        post, index = sending.post, part.index
        repeated = False
        if index in sending.tried:
            receipt, repeated = await self._find(gateway, post, part)
            if receipt is None and index in sending.instead:
                receipt, repeated = await self._find(gateway, post, sending.instead[index])
            if receipt is not None:
                sending.keep(index, receipt)
                return
        else:
            # Before the call: only so does the next life know that it may have been made.
            await self._outbox.mark_sending(post, index, sent=sending.unwritten)
            sending.unwritten = {}
            sending.tried[index] = ""
        self._refuse_late(gateway)
        try:
            what = sending.instead.get(index, part)
            platform_id = await called(gateway, gateway.post(post, what, repeated=repeated))
        except DeliveryFailed:
            if not repeated:
                await self._outbox.mark_unsent(post, index)
                del sending.tried[index]
            raise
        except BaseException:
            self._count_repeat(gateway, post, repeated=repeated)
            raise
        sending.keep(index, platform_id)
        self._count_repeat(gateway, post, repeated=repeated)

    def _refuse_late(self, gateway: Gateway) -> None:
        """Raise StoreUnavailable where another node may post by now: nothing is shown on the platform any more."""
        if not self._may_post() or self._gateways.get(gateway.platform) is not gateway:
            raise StoreUnavailable(url="store", reason=_STOOD_STILL, remedy="It is looked at again.")

    async def _find(self, gateway: Gateway, post: Post, part: Part) -> tuple[str | None, bool]:
        """The platform's id of a part, and whether it may be there although it cannot be seen."""
        try:
            return await called(gateway, gateway.find(post, part)), False
        except DeliveryUnknown:
            return None, True
        except DeliveryFailed as error:
            if error.permanent:  # we may not look, now or later
                return None, True
            raise

    def _count_repeat(self, gateway: Gateway, post: Post, *, repeated: bool) -> None:
        # The platform does not let us look: better twice, and labelled, than never.
        if repeated:
            self._repeats[post.id] = self._repeats.get(post.id, 0) + 1
            log.warning("possible_duplicate", post=post.id, platform=gateway.platform)
            self._metrics.count("possible_duplicates", platform=gateway.platform)

    async def _give_up(self, gateway: Gateway, entry: OutboxEntry, reason: str) -> None:
        await self._outbox.mark_failed(entry.post.id, reason)
        self._repeats.pop(entry.post.id, None)
        self._failing.pop(entry.post.id, None)
        self._metrics.count("posts_given_up", platform=gateway.platform)
        log.error("post_given_up", post=entry.post.id, platform=gateway.platform, reason=reason)
