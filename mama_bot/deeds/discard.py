"""Put the work of a conversation away on request, and bring it back: like what is put away by age, but for good."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from mama_bot.checkouts.checkouts import Checkouts, slug
from mama_bot.deeds.deed_runner import DoneDeed
from mama_bot.model import (
    Checkout,
    ConversationKey,
    DeedId,
    DeedPlan,
    DeedRequest,
    Discarded,
    DiscardPlan,
    NotDone,
    Refusal,
    Restored,
)
from mama_bot.protocols import DeedRecords

MOST_DEEDS = 200


class Discard:
    """Discards: the work tree is kept under the name of the deed, and the conversation has none any more."""

    def __init__(
        self,
        *,
        checkouts: Checkouts,
        records: DeedRecords,
        forget_sessions: Callable[[ConversationKey], Awaitable[None]],
    ) -> None:
        """`forget_sessions` ends the sessions of agents, which know where the work tree was."""
        self._checkouts = checkouts
        self._records = records
        self._forget_sessions = forget_sessions

    async def __call__(self, request: DeedRequest, plan: DeedPlan | None) -> DoneDeed:
        """Do the deed, or end one that was cut off; raises GitFailed, OSError, RepositoryUnavailable."""
        settings = self._checkouts.settings(request.repository)
        if settings is not None and settings.in_place:
            return DoneDeed(outcome=NotDone(why=Refusal.IN_PLACE))
        checkout, left = await self.put_away(request, plan)
        outcome = NotDone(why=Refusal.NOTHING) if checkout is None else Discarded(checkout=checkout)
        return DoneDeed(outcome=outcome, left=left)

    async def put_away(self, request: DeedRequest, plan: DeedPlan | None) -> tuple[Checkout | None, Path | None]:
        """Keep and move away the work tree of a conversation; return what it was, None where there is none.

        And with it what is left to be removed.
        """
        if not isinstance(plan, DiscardPlan):
            known = await self._checkouts.known(request.key, request.repository)
            if known is None:
                return None, None
            # What was put away by age comes back first: it is kept under another name now.
            tree = await self._checkouts.prepare(request.key, request.repository)
            await self._checkouts.kept(request.repository).keep(tree, kept_as(request.key, request.id))
            plan = DiscardPlan(checkout=known)
            await self._records.plan(request.id, plan)
        await self._forget_sessions(request.key)
        return plan.checkout, await self._checkouts.discard(plan.checkout)


class Restore:
    """Brings back what was discarded last and is not back yet; what is there instead is put away in the same way."""

    def __init__(self, *, checkouts: Checkouts, records: DeedRecords, discard: Discard) -> None:
        self._checkouts = checkouts
        self._records = records
        self._discard = discard

    async def __call__(self, request: DeedRequest, plan: DeedPlan | None) -> DoneDeed:
        """Do the deed, or end one that was cut off; raises GitFailed, OSError, RepositoryUnavailable."""
        away = await self._latest(request)
        if away is None:
            return DoneDeed(outcome=NotDone(why=Refusal.NOTHING))
        deed, checkout = away
        if not await self._checkouts.kept(request.repository).holds(kept_as(request.key, deed)):
            return DoneDeed(outcome=NotDone(why=Refusal.GONE))
        replaced, left = await self._discard.put_away(request, plan)
        await self._checkouts.bring_back(checkout, kept_as(request.key, deed))
        return DoneDeed(outcome=Restored(of=deed, replaced=replaced), left=left)

    async def _latest(self, request: DeedRequest) -> tuple[DeedId, Checkout] | None:
        """Return the deed that put something away last of what is not back, with what that was."""
        back: set[DeedId] = set()
        for stored in await self._records.deeds(request.key, MOST_DEEDS):
            outcome, checkout = stored.outcome, None
            if stored.request.repository != request.repository:
                continue
            if isinstance(outcome, Restored):
                back.add(outcome.of)
                checkout = outcome.replaced
            elif isinstance(outcome, Discarded):
                checkout = outcome.checkout
            if checkout is not None and stored.request.id not in back:
                return stored.request.id, checkout
        return None


def kept_as(key: ConversationKey, deed: DeedId) -> str:
    """Return the name under which the work is kept that a deed put away."""
    return f"{slug(key)}.{deed}"
