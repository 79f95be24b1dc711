"""What gateways ask of the core, and the core of them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from mama_bot.model import (
    Answer,
    Attempt,
    Author,
    ClaimReceipt,
    Command,
    ConversationKey,
    ConversationSummary,
    ConversationView,
    Hearing,
    InboundMessage,
    Measures,
    MessageId,
    MessageStanding,
    Notice,
    Part,
    Platform,
    Post,
    PostId,
    Progress,
    QueueState,
    Report,
    StoredTurn,
    TurnId,
)


class Inlet(Protocol):
    """What a gateway is given: the one way in.

    Each method raises AccessRefused for whoever is not served: the gateway tells them `tell`, or nothing.
    """

    async def admit(self, message: InboundMessage) -> None:
        """Return when the author is served, before anything is fetched for them; raises also StoreUnavailable."""
        ...

    async def deliver(self, message: InboundMessage) -> bool:
        """Store a message; returning means stored. False: it was already there (a redelivery), nothing was done.

        Raises MessageRefused, QueueFull or StoreUnavailable: nothing was stored, and the person is to be told.
        """
        ...

    async def revise(self, message: InboundMessage) -> bool:
        """Take the new text of a message that still waits; returns False when its work has begun, or it is unknown."""
        ...

    async def withdraw(self, key: ConversationKey, message_id: MessageId) -> bool:
        """Forget a message that its author deleted; returns False when its work has begun, or it is unknown."""
        ...

    async def stop(self, key: ConversationKey, by: str) -> bool:
        """Stop the running exchange of a conversation, else the waiting ones; returns False when there is neither."""
        ...

    async def command(self, command: Command) -> Answer:
        """Answer a command or a pressed button at once, outside the conversation's queue; raises AccessRefused only."""
        ...


class Gateway(Protocol):
    """One account on one chat platform."""

    @property
    def platform(self) -> Platform: ...

    async def run(self, inlet: Inlet) -> None:
        """Receive until cancelled; outlives disconnects, outages and a token that is revoked."""
        ...

    def hearing(self) -> Hearing:
        """Return whether messages reach the gateway now; cheap, for the health check."""
        ...

    def parts(self, post: Post) -> Sequence[Part]:
        """Return a post as this platform's messages, in order; the same post always gives the same parts."""
        ...

    async def post(self, post: Post, part: Part, *, repeated: bool = False) -> str:
        """Post a part once and return the platform's id of it; `repeated` labels it as a possible duplicate.

        Raises DeliveryFailed (certainly not posted) or DeliveryUnknown.
        """
        ...

    async def find(self, post: Post, part: Part) -> str | None:
        """Look for a part that an earlier attempt may have left; None when the platform certainly lacks it.

        Raises DeliveryUnknown where the platform does not let us look.
        """
        ...

    async def settle(self, question: Notice, answer: Notice, platform_id: str) -> bool:
        """Show at the end of a posted question, in the place of its buttons, what settled it; once more is the same.

        `platform_id` is that of its last part. Returns False where that cannot be shown there. Raises DeliveryFailed or
        DeliveryUnknown.
        """
        ...

    async def offer(self, post: Post, ids: Mapping[int, str], *, undone: bool) -> None:
        """Show below a posted post what can be done with its change, now that it was undone or stands again.

        `ids` are the platform's of its parts, by their number; once more is the same. Raises DeliveryFailed or
        DeliveryUnknown.
        """
        ...

    async def show(self, progress: Progress) -> None:
        """Show that someone is at work; best effort, never raises, never waits for long."""
        ...

    async def mark(self, standing: MessageStanding) -> None:
        """Show how a message stands; best effort, never raises, never waits for long."""
        ...

    async def direct(self, person: str) -> ConversationKey | None:
        """Return the conversation in which the service can write to a person; None where it cannot."""
        ...


class GatewayState(Protocol):
    """Small facts that a gateway keeps over restarts (an offset, the id of a webhook), by name.

    Each method is one transaction and raises StoreUnavailable.
    """

    async def get(self, name: str) -> str | None:
        """Return the value, or None."""
        ...

    async def put(self, values: Mapping[str, str]) -> None:
        """Keep values, all of them or none."""
        ...

    async def drop(self, *names: str) -> None:
        """Forget values; names that are not there are ignored."""
        ...

    async def entries(self, prefix: str) -> Mapping[str, str]:
        """Return all values whose name begins with a prefix."""
        ...


class ConversationHistory(Protocol):
    """Earlier conversations, as the page reads them."""

    async def conversations(self, platform: Platform, limit: int) -> Sequence[ConversationSummary]:
        """Return the conversations of a platform, the latest first."""
        ...

    async def search(self, platform: Platform, words: str, limit: int) -> Sequence[ConversationSummary]:
        """Return the conversations of a platform whose title, messages or posts hold these words, the latest first."""
        ...

    async def view(self, key: ConversationKey, limit: int) -> ConversationView:
        """Return the last `limit` messages of a conversation with all that belongs to them."""
        ...

    async def message(self, key: ConversationKey, message_id: MessageId) -> InboundMessage | None:
        """Return a message of a conversation; None when it has none of this id."""
        ...

    async def posted(self, key: ConversationKey, post_id: PostId) -> Post | None:
        """Return a post of a conversation; None when it has none of this id."""
        ...

    async def turn(self, key: ConversationKey, turn_id: TurnId) -> StoredTurn | None:
        """Return a turn of a conversation with its attempts; None when it has none of this id."""
        ...

    async def attempt(self, key: ConversationKey, turn_id: TurnId, number: int) -> Attempt | None:
        """Return an attempt of a turn, with its draft's words; None when that conversation has none of this number.

        For whoever owns the page, and asks for just this one: nothing else shows the words of a rejected draft.
        """
        ...

    async def queue(self) -> QueueState:
        """Count what waits and what runs in the whole service."""
        ...


class KeptConversations(Protocol):
    """What whoever owns conversations may do to them; both raise StoreUnavailable."""

    async def rename(self, key: ConversationKey, title: str) -> bool:
        """Give a conversation a title; returns False when there is none of this key."""
        ...

    async def delete(self, key: ConversationKey) -> bool:
        """Delete what was said in a conversation, and what agents know of it; False: somebody is at work there."""
        ...


class VerdictReports(Protocol):
    """Where a person, on any platform, reports a wrong verdict; each attempt is reported once.

    What passed with no objection was missed; with `missed` that is said of what carries objections too. A note on what
    has an open report already is added to it. Both methods raise ReportRefused with a sentence for the person: there is
    no such verdict in that conversation, it was reported before, the note is too long, or too many reports are open.
    They also raise StoreUnavailable.
    """

    async def report_attempt(
        self,
        key: ConversationKey,
        turn_id: TurnId,
        attempt: int,
        *,
        reporter: Author,
        note: str = "",
        missed: bool = False,
    ) -> Report:
        """Store that an attempt of a turn was judged wrongly; returning means stored."""
        ...

    async def report_post(
        self, key: ConversationKey, post_id: PostId, *, reporter: Author, note: str = "", missed: bool = False
    ) -> Report:
        """Store it for the attempt that a reply is, or for the last one of a withheld turn that a notice is about.

        Where a reply passed after drafts that were sent back, the last of these is meant, unless `missed` says that
        it should not have passed.
        """
        ...


class Receipts(Protocol):
    """Where a person, on any platform, reads what stands behind a reply."""

    async def of_post(self, key: ConversationKey, post_id: PostId) -> ClaimReceipt | None:
        """Return the receipt of a reply; None when it claims nothing, or belongs to another conversation."""
        ...

    async def numbered(self, key: ConversationKey, number: int) -> ClaimReceipt | None:
        """Return a receipt of a conversation by its number; None when it has none of that number."""
        ...

    async def latest(self, key: ConversationKey, limit: int) -> Sequence[ClaimReceipt]:
        """Return the newest receipts of a conversation, newest first."""
        ...


class Measurements(Protocol):
    """The figures that the store has about the work of the chain."""

    async def measure(self, *, since: datetime, until: datetime) -> Measures:
        """Return the figures of a period, for each persona and in total."""
        ...
