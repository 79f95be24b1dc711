"""What gateways ask of the core, and the core of them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from mama_bot.model import (
    Author,
    ClaimReceipt,
    ConversationKey,
    ConversationSummary,
    ConversationView,
    InboundMessage,
    Measures,
    Platform,
    Post,
    PostId,
    Progress,
    QueueState,
    Receipt,
    Report,
    TurnId,
)


class Inlet(Protocol):
    """What a gateway is given: the one way in."""

    async def deliver(self, message: InboundMessage) -> bool:
        """Store a message; returning means stored. False: it was already there (a redelivery), nothing was done.

        Raises MessageRefused, QueueFull or StoreUnavailable: nothing was stored, and the person is to be told.
        """
        ...

    async def stop(self, key: ConversationKey, by: str) -> bool:
        """Stop what runs in a conversation, or what waits when nothing runs, outside its queue; False: neither."""
        ...


class Gateway(Protocol):
    """One account on one chat platform."""

    @property
    def platform(self) -> Platform: ...

    async def run(self, inlet: Inlet) -> None:
        """Receive until cancelled."""
        ...

    async def post(self, post: Post) -> Receipt:
        """Post once; raises DeliveryFailed (certainly not posted) or DeliveryUnknown."""
        ...

    async def find(self, post: Post) -> Receipt | None:
        """Look for a post that an earlier attempt may have left; None when the platform certainly lacks it.

        Raises DeliveryUnknown where the platform does not let us look.
        """
        ...

    async def show(self, progress: Progress) -> None:
        """Show that someone is at work; best effort, never raises, never waits for long."""
        ...


class ConversationHistory(Protocol):
    """What the page reads of the past."""

    async def conversations(self, platform: Platform, limit: int) -> Sequence[ConversationSummary]:
        """The conversations of a platform, the latest first."""
        ...

    async def view(self, key: ConversationKey, limit: int) -> ConversationView:
        """The last `limit` messages of a conversation with all that belongs to them."""
        ...

    async def queue(self) -> QueueState:
        """How much waits and runs in the whole service."""
        ...


class VerdictReports(Protocol):
    """Where a person, on any platform, says that the chain was wrong; each attempt is reported once.

    Both methods raise ReportRefused (a sentence for the person): nothing in that conversation was objected to, it was
    reported before, the note is too long, or too many reports are open. Raise StoreUnavailable as well.
    """

    async def report_attempt(
        self, key: ConversationKey, turn_id: TurnId, attempt: int, *, reporter: Author, note: str = ""
    ) -> Report:
        """Store that an attempt of a turn was judged wrongly; returning means stored."""
        ...

    async def report_post(self, key: ConversationKey, post_id: PostId, *, reporter: Author, note: str = "") -> Report:
        """The same for what a post shows: the attempt that a reply is, or the last one of a turn that was withheld."""
        ...


class Receipts(Protocol):
    """Where a person, on any platform, reads what stands behind a reply."""

    async def of_post(self, key: ConversationKey, post_id: PostId) -> ClaimReceipt | None:
        """The receipt of a reply; None when it claims nothing, or is of another conversation."""
        ...

    async def latest(self, key: ConversationKey, limit: int) -> Sequence[ClaimReceipt]:
        """The newest receipts of a conversation, newest first."""
        ...


class Measurements(Protocol):
    """What the store can tell about the work of the chain."""

    async def measure(self, *, since: datetime, until: datetime) -> Measures:
        """The figures of a period, for each persona and in total."""
        ...
