"""The parts of a post, sent one by one: "sending" is stored before the platform is called, its id after it."""

import asyncio
from collections.abc import Callable
from functools import partial

import structlog

from mama_bot.delivery.departures import Sending, called, post_parts
from mama_bot.delivery.earlier_offers import EarlierOffers
from mama_bot.delivery.leased_calls import stood_still, while_leased
from mama_bot.errors import DeliveryError, DeliveryFailed, DeliveryUnknown, StoreUnavailable
from mama_bot.metrics import Metrics
from mama_bot.model import Notice, Part, Post, PostId, Receipt
from mama_bot.protocols import Clock, Gateway, Outbox

log = structlog.get_logger(__name__)

POST_SECONDS = 60.0


class PartSender:
    """Sends the parts of a post that its platform lacks, each once where the platform lets us look.

    Nothing is begun by a gateway that `may_post` says no of, and what it began is cut off once it is not `leased`.
    """

    def __init__(
        self,
        *,
        outbox: Outbox,
        metrics: Metrics,
        clock: Clock,
        may_post: Callable[[Gateway], bool],
        leased: Callable[[Gateway], bool],
        redact: Callable[[str], str],
    ) -> None:
        self._earlier = EarlierOffers(outbox, redact)
        self._is_leased = leased
        self._outbox = outbox
        self._metrics = metrics
        self._clock = clock
        self._may_post = may_post
        self._repeats: dict[PostId, int] = {}

    async def send(self, gateway: Gateway, sending: Sending) -> DeliveryError | None:
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
        await self._offer_anew(gateway, post)
        await self._mark_posted(gateway, post, tuple(sending.tried[part.index] for part in sending.parts))
        return None

    async def send_unstored(self, gateway: Gateway, post: Post) -> None:
        """Send a post that the outbox does not know, once. Raises DeliveryError, or TimeoutError."""
        for part in await post_parts(gateway, post):
            async with asyncio.timeout(POST_SECONDS):
                await called(gateway, gateway.post(post, part))

    def repeats(self, post_id: PostId) -> int:
        """Return how often a post was sent anew although it may be there."""
        return self._repeats.get(post_id, 0)

    def forget(self, post_id: PostId) -> None:
        """Forget a post that is done with."""
        self._repeats.pop(post_id, None)

    async def find(self, gateway: Gateway, post: Post, part: Part) -> tuple[str | None, bool]:
        """Return the platform's id of a part, and whether it may be there although it cannot be seen."""
        try:
            return await called(gateway, gateway.find(post, part)), False
        except DeliveryUnknown:
            return None, True
        except DeliveryFailed as error:
            if error.permanent:  # we may not look, now or later
                return None, True
            raise

    async def _mark_posted(self, gateway: Gateway, post: Post, ids: tuple[str, ...]) -> None:
        await self._outbox.mark_posted(Receipt(post_id=post.id, platform_ids=ids, posted_at=self._clock.now()))
        self.forget(post.id)
        self._metrics.count("posts", platform=gateway.platform)
        log.info("posted", post=post.id, platform=gateway.platform, kind=post.kind, parts=len(ids))

    async def _shown_below(self, gateway: Gateway, sending: Sending) -> bool:
        """Whether what settles a question stands at its end now; else it is posted as a line of its own."""
        entry, answer = sending.question, sending.post
        if entry is None or sending.tried or not isinstance(entry.post, Notice) or not isinstance(answer, Notice):
            return False
        self._refuse_late(gateway)
        try:
            async with asyncio.timeout(POST_SECONDS):
                call = called(gateway, gateway.settle(entry.post, answer, entry.tried[max(entry.tried)]))
                shown = await while_leased(call, partial(self._is_leased, gateway))
        except DeliveryFailed as error:
            if not error.permanent:
                raise
            shown = False
        if not shown:
            sending.question = None
        return shown

    async def _offer_anew(self, gateway: Gateway, post: Post) -> None:
        """Where a line tells that something was undone: show below earlier posts what can be done with it now.

        Tried once: where a button stays as it was, whoever presses it is told, and offered the other one.
        """
        try:
            for entry, undone in await self._earlier.of(post):
                if not self._may_post(gateway):
                    return
                async with asyncio.timeout(POST_SECONDS):
                    await while_leased(
                        called(gateway, gateway.offer(entry.post, entry.tried, undone=undone)),
                        partial(self._is_leased, gateway),
                    )
        except (DeliveryError, StoreUnavailable, TimeoutError) as error:
            self._metrics.count("offers_not_renewed", platform=gateway.platform)
            log.info("offers_not_renewed", post=post.id, platform=gateway.platform, reason=str(error))

    def _refuse_late(self, gateway: Gateway) -> None:
        """Raise StoreUnavailable where another node may post by now: nothing is shown on the platform any more."""
        if not self._may_post(gateway):
            raise stood_still()

    async def _keep_ids(self, sending: Sending) -> None:
        """Store what `mark_sending` and `mark_posted` would have, had they come."""
        if sending.unwritten:
            await self._outbox.mark_sent(sending.post, sending.unwritten)
            sending.unwritten = {}

    async def _send_part(self, gateway: Gateway, sending: Sending, part: Part) -> None:
        post, index = sending.post, part.index
        repeated = False
        if index in sending.tried:
            receipt, repeated = await self.find(gateway, post, part)
            if receipt is None and index in sending.instead:
                receipt, repeated = await self.find(gateway, post, sending.instead[index])
            if receipt is not None:
                sending.keep(index, receipt)
                return
        else:
            self._refuse_late(gateway)  # what is not begun is not noted as begun
            # Before the call: only so does the next life know that it may have been made.
            await self._outbox.mark_sending(post, index, sent=sending.unwritten)
            sending.unwritten = {}
            sending.tried[index] = ""
        self._refuse_late(gateway)
        try:
            what = sending.instead.get(index, part)
            call = called(gateway, gateway.post(post, what, repeated=repeated))
            platform_id = await while_leased(call, partial(self._is_leased, gateway))
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

    def _count_repeat(self, gateway: Gateway, post: Post, *, repeated: bool) -> None:
        # The platform does not let us look: better twice, and labelled, than never.
        if repeated:
            self._repeats[post.id] = self._repeats.get(post.id, 0) + 1
            log.warning("possible_duplicate", post=post.id, platform=gateway.platform)
            self._metrics.count("possible_duplicates", platform=gateway.platform)
