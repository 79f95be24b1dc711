"""What the core keeps durably."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol

from mama_bot.model import (
    Added,
    Attempt,
    Author,
    ChangeId,
    Checklist,
    ContextEntry,
    ConversationKey,
    Exchange,
    Facts,
    InboundMessage,
    InLine,
    MessageId,
    Notice,
    OutboxEntry,
    Pairing,
    Platform,
    Post,
    PostId,
    Receipt,
    Reminders,
    Review,
    ReviewMove,
    SessionId,
    StopAsked,
    StopScope,
    ToldBefore,
    Turn,
    TurnState,
    WaitingLine,
)
from mama_bot.wording import Language


class Inbox(Protocol):
    """Where messages wait, durably."""

    async def accept(self, message: InboundMessage) -> InLine | None:
        """Store a message and queue its exchange, in one transaction; None: it was already there.

        Raises QueueFull or StoreUnavailable: nothing was stored.
        """
        ...

    async def waiting(self, key: ConversationKey, message_id: MessageId) -> InboundMessage | None:
        """Return a message whose work has not begun, None for any other; its thread may be another than the key's."""
        ...

    async def unfinished(self, key: ConversationKey, message_id: MessageId) -> bool:
        """Return whether a message of a conversation waits, or its exchange runs."""
        ...

    async def revise(self, message: InboundMessage) -> bool:
        """Replace the text of a message that waits, and what the context has of it; False: none of that id waits."""
        ...

    async def withdraw(self, key: ConversationKey, message_id: MessageId) -> bool:
        """Take a message that waits out of the queue and the shared context; False: none of that id waits."""
        ...

    async def add_to_running(
        self, key: ConversationKey, *, by: str | None = None, message_id: MessageId | None = None
    ) -> Sequence[InboundMessage]:
        """Make what waits in a conversation part of the exchange whose agent is at work for a person there.

        With `by`, only messages of that author's id, and only where the exchange is theirs; with `message_id`, only
        that one, and only where it is the first in line. Return what was added.
        """
        ...

    async def line(self, key: ConversationKey, *, most: int) -> WaitingLine:
        """Return the first messages that wait in a conversation, `most` at most, and how many there are in all."""
        ...

    async def waited_in(self) -> Sequence[ConversationKey]:
        """Return the conversations in which messages wait."""
        ...


class TurnStore(Protocol):
    """The durable state of exchanges: each method is one transaction, and safe to repeat after a crash."""

    async def load(self, message_id: MessageId) -> Exchange:
        """Return a message with all its turns; those that are not final with what was `earlier`."""
        ...

    async def add_turns(self, turns: Sequence[Turn]) -> None:
        """Add turns as PENDING; those that are already there (same id) are left alone."""
        ...

    async def keep_turn(self, turn: Turn) -> None:
        """Keep what a turn carries besides its attempts: baseline, base and checklist at its beginning, `undrafted`."""
        ...

    async def begin_exchange(self, message_id: MessageId, turns: Sequence[Turn]) -> Exchange:
        """Add the first turns of an exchange as `add_turns` does; return the exchange as it then is."""
        ...

    async def begin_attempt(self, turn: Turn, attempt: int, session_id: SessionId, *, backend: str = "") -> Reminders:
        """Note that the agent is about to be asked, in which session, by which backend; the turn becomes RUNNING.

        Return the reminders for this persona in this conversation, bound to this turn: the same on a repeat. Those that
        were left before a person spoke in the conversation are dropped.
        """
        ...

    async def add_attempt(self, attempt: Attempt) -> None:
        """Keep a draft that was sent back, with its judgement; it never enters the shared context."""
        ...

    async def finish(
        self,
        turn: Turn,
        state: TurnState,
        *,
        attempt: Attempt | None = None,
        posts: Sequence[Post] = (),
        turns: Sequence[Turn] = (),
        reminders: Sequence[str] = (),
        checklist: Checklist | None = None,
        reviews: Sequence[ReviewMove] = (),
        facts: Facts | None = None,
    ) -> None:
        """End a turn: its last attempt, its posts into the outbox, the replies among them into the shared context,
        further turns, reminders for the persona's next prompt, how far it is with its task, steps of reviews (one that
        is not legal is left out and logged: that review is then not approved), and the facts for its next turns.

        Refuses a Reply whose judgement is not Cleared or is of another text (raises ValueError).
        """
        ...

    async def take_added(self, turn: Turn) -> tuple[Turn, Sequence[InboundMessage]]:
        """Take the messages that were added to the exchange of a turn, and that none took, for the agent of this one.

        Return the turn as it is then stored, with them in its prompt; each is taken once.
        """
        ...

    async def end_added(self, message: InboundMessage, *, most: int) -> Added:
        """Put what was added to an exchange that is over, and that no agent took, in line again, each for itself.

        Of the line that then waits the first `most` are told.
        """
        ...

    async def session(self, key: ConversationKey, persona: str, *, backend: str | None = None) -> SessionId | None:
        """Return the session in which a persona last worked in a conversation, if that was with this backend.

        None stands for whichever it was.
        """
        ...

    async def forget_session(self, key: ConversationKey, persona: str) -> None:
        """Let the next turn of this persona start a new session."""
        ...

    async def checklist(self, turn: Turn, *, goes_on: bool = False) -> Checklist | None:
        """Return how far the persona is with the task of a turn, in this exchange.

        For a turn that `goes_on` with what was asked before it is that of its latest task with open items.
        """
        ...

    async def stop_exchange(self, message_id: MessageId) -> None:
        """Mark an exchange as stopped: its unfinished turns become STOPPED."""
        ...


class Stops(Protocol):
    """Which exchanges are to stop, and in which conversations none may begin; whatever process runs them."""

    async def runs(self, key: ConversationKey) -> bool:
        """Return whether an exchange of a conversation runs."""
        ...

    async def ask(
        self,
        key: ConversationKey,
        by: str,
        line: Callable[[InboundMessage], Notice],
        scope: StopScope = StopScope.USUAL,
    ) -> StopAsked:
        """Ask for the stop of the exchange that runs in a conversation, once; its owner ends it.

        Those that wait are stopped at once, with a line for each, when the scope has them, and by the usual one when
        none has begun to work.
        """
        ...

    async def asked(self, messages: Collection[MessageId]) -> Mapping[MessageId, str]:
        """Return which of these exchanges are to stop, and who asked for it."""
        ...

    def held(
        self, key: ConversationKey, *, seconds: float = 30.0, anew: bool = False
    ) -> AbstractAsyncContextManager[bool]:
        """Let no exchange of a conversation begin during the block, for so many seconds at most.

        False: one runs, or somebody else holds it, and nothing is held. `anew` takes over what a dead life held.
        """
        ...


class ContextStore(Protocol):
    """The shared context of each conversation: only what people said and what passed enforcement."""

    async def window(
        self,
        key: ConversationKey,
        *,
        before: MessageId | None,
        max_entries: int,
        max_characters: int,
        unread_by: str | None = None,
    ) -> Sequence[ContextEntry]:
        """Return the newest entries that fit the budget, oldest first; one that alone exceeds it is cut in the middle.

        With `before`, that message and later ones of people are left out; so is everything before `begin_anew`. With
        `unread_by`, the name of an agent's session, the last entry of that is left out, and all before it.
        """
        ...

    async def told(
        self,
        key: ConversationKey,
        *,
        before: MessageId | None,
        max_tokens: int,
        unread_by: str | None = None,
        most_full: int,
        long_characters: int,
    ) -> ToldBefore:
        """Return what an agent is told of a conversation before it is asked, in one snapshot.

        With `unread_by`, the name of its session, that is what came after its last word there. An agent that knows
        nothing is shown the conversation within so many tokens: what is old stays where it is while new entries come,
        until the window moves by half of its size. In `full` come the newest earlier messages of people, so many at
        most, that came with files or are long, oldest first, of those since `begin_anew`; those that are still to be
        answered are left out.
        """
        ...

    async def begin_anew(self, key: ConversationKey, *, by: Author, at: datetime) -> None:
        """Leave everything so far out of later windows; forget the sessions and the facts of the conversation."""
        ...


class ReviewStates(Protocol):
    """Where reviews stand; each method is one transaction, and safe to repeat after a crash."""

    async def review(self, session_id: str) -> Review | None:
        """Return the review of a session; None when none was asked for."""
        ...

    async def latest(self, limit: int) -> Sequence[Review]:
        """Return the reviews that were changed last, newest first."""
        ...

    async def move(self, move: ReviewMove) -> Review:
        """Take a step: pending -> in_review -> approved or rejected; each of these -> pending when the worker asks
        (again). A step that was taken already changes nothing.

        Raises ReviewRefused: the step is not legal from there, or not this agent's, or it would be one's own work.
        """
        ...


class ReviewDecisions(Protocol):
    """Where people decide about reviews."""

    async def settle(self, key: ConversationKey, approval: str, *, approve: bool, by: str) -> Review:
        """Record what a person decided about work of a conversation (in any thread of its channel), once.

        Raises ReviewRefused, with a sentence: there is none, or it was approved or settled by a person before.
        """
        ...


class Outbox(Protocol):
    """What waits to be posted, durably and in order."""

    async def add(self, post: Notice) -> None:
        """Queue a line of the service itself, outside any turn."""
        ...

    async def pending(self, key: ConversationKey) -> Sequence[OutboxEntry]:
        """Return what is still to be sent to a conversation, oldest first."""
        ...

    async def entry(self, post_id: PostId) -> OutboxEntry | None:
        """Return a post with the platform's ids of its parts, whatever became of it; None when there is none."""
        ...

    async def telling(self, key: ConversationKey, change: ChangeId) -> Sequence[OutboxEntry]:
        """Return the posts of a conversation that tell of a change and were posted, as `entry` does each."""
        ...

    async def conversations_with_pending(self) -> Sequence[ConversationKey]:
        """Return the conversations for which something waits, after a restart for example."""
        ...

    async def mark_sending(self, post: Post, part: int, *, sent: Mapping[int, str] | None = None) -> None:
        """Mark a part as about to be sent; `sent` is kept as by `mark_sent`."""
        ...

    async def mark_sent(self, post: Post, sent: Mapping[int, str]) -> None:
        """Keep the platform's ids of parts that were sent."""
        ...

    async def mark_unsent(self, post: Post, part: int) -> None:
        """Mark a part as certainly not taken by the platform."""
        ...

    async def mark_posted(self, receipt: Receipt) -> None:
        """Mark a post as posted with all its parts."""
        ...

    async def withdraw(self, post_id: PostId) -> None:
        """Take a post back that was not posted, as if it had never been queued."""
        ...

    async def mark_failed(self, post_id: PostId, reason: str) -> None:
        """Give a post up, with the reason; it is not pending any more."""
        ...


class OutboxBell(Protocol):
    """Tells whoever posts that something was queued: it may be another process than the one that queued it.

    A ring may be lost with its process; what waits in the outbox is found all the same, a minute or two later.
    """

    def ring(self, key: ConversationKey) -> None:
        """Say that a post of a conversation was queued; called once it is stored."""
        ...

    async def heard(self) -> frozenset[ConversationKey]:
        """Wait for a ring; return the conversations for which it was rung since the last time."""
        ...


class Posted(Protocol):
    """Finds the post that a message on a platform belongs to."""

    async def post_of(self, key: ConversationKey, platform_id: str) -> PostId | None:
        """Return the post that has a part of this id, in any thread of the channel; None when it is not one of ours."""
        ...


class Pairings(Protocol):
    """People who asked to be served, and what owners decided; each method may raise StoreUnavailable.

    A request is open for a day; somebody who was denied can ask again a day later.
    """

    async def ask(
        self, platform: Platform, person: str, name: str, *, code: str, language: Language = Language.ENGLISH
    ) -> Pairing:
        """Return the request of a person: the standing one (with its own code), or a new one with this code.

        Raises PairingRefused: too many requests of the platform are open, or the code is taken.
        """
        ...

    async def settle(self, code: str, *, approve: bool, by: str) -> Pairing:
        """Decide an open request.

        Raises PairingRefused, with a sentence: there is no such code, it expired, or it was settled before.
        """
        ...

    async def remove(self, platform: Platform, person: str) -> Pairing:
        """End a pairing, or forget a request; returns what it was. Raises PairingRefused: there is none."""
        ...

    async def is_paired(self, platform: Platform, person: str) -> bool:
        """Return whether an owner confirmed the person; what another process changed is seen some seconds later."""
        ...

    async def paired_since(self, moment: datetime) -> Sequence[Pairing]:
        """Return who was confirmed after a moment, by whatever process, the earliest first."""
        ...

    async def all(self, limit: int) -> Sequence[Pairing]:
        """Return the requests and pairings, newest first."""
        ...
