"""What the core asks of the outside world, and what the outside world may ask of the core."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from mama_bot.model import (
    AgentEvent,
    AgentPersona,
    Attempt,
    Author,
    CallReading,
    Checklist,
    ClaimReceipt,
    ContextEntry,
    ConversationKey,
    ConversationSummary,
    ConversationView,
    Decision,
    Draft,
    Exchange,
    InboundMessage,
    Judgement,
    Measures,
    MessageId,
    Notice,
    OutboxEntry,
    Platform,
    Post,
    PostId,
    Progress,
    Prompt,
    QueueState,
    Receipt,
    Reminders,
    Report,
    Review,
    ReviewMove,
    SessionId,
    Stopping,
    ToolRun,
    Turn,
    TurnId,
    TurnState,
    WorkTreeState,
)


class Clock(Protocol):
    """The time, as an argument."""

    def now(self) -> datetime:
        """The current time, in UTC, with a time zone."""
        ...

    def monotonic(self) -> float:
        """Seconds since an arbitrary moment; never goes back."""
        ...


# --- gateways -------------------------------------------------------------------------------------


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


# --- agents ---------------------------------------------------------------------------------------


AtStop = Callable[[Stopping], Awaitable[str]]
"""Asked when an agent is about to stop: what it is told before it goes on, or "": it may stop.

It is an optimisation, never a guard: a backend need not ask, and a question that fails lets the agent stop.
"""


class AgentSession(Protocol):
    """One live agent holding one conversation; one `ask` at a time."""

    @property
    def session_id(self) -> SessionId:
        """What `AgentBackend.open` accepts as `resume`."""
        ...

    @property
    def usable(self) -> bool:
        """Whether `ask` may be called; false for good once the process is gone or its stream is broken."""
        ...

    def ask(self, prompt: Prompt, *, at_stop: AtStop | None = None) -> AsyncGenerator[AgentEvent, None]:
        """Ask and report what happens; the last event is TurnEnded, or AgentError is raised.

        Where `at_stop` has something to say, the agent goes on in the same turn; only its last text is in TurnEnded.
        """
        ...

    async def interrupt(self) -> None:
        """Stop the running `ask`, which then raises AgentInterrupted; does nothing when none runs."""
        ...

    async def aclose(self) -> None:
        """Close input, terminate, kill; every wait has a deadline; never raises."""
        ...


class AgentBackend(Protocol):
    """One kind of agent."""

    @property
    def name(self) -> str: ...

    async def open(
        self,
        *,
        persona: AgentPersona,
        key: ConversationKey,
        workspace: Path,
        session_id: SessionId,
        resume: bool,
    ) -> AgentSession:
        """Start an agent for a conversation under the given session id, new or resumed.

        Raises AgentUnavailable, AgentCrashed, AgentTimedOut, or SessionLost when it cannot be resumed.
        """
        ...


class CallReader(Protocol):
    """Reads what a finished tool call did."""

    def read(self, call: ToolRun, *, arguments: Mapping[str, Any], output: str) -> CallReading:
        """What the call ran and wrote; `arguments` and `output` are whole, which the call keeps only in part."""
        ...


class WorkTrees(Protocol):
    """Knows how a work tree stands."""

    async def state(self, directory: Path) -> WorkTreeState | None:
        """The commit, and whether more is in the work tree; None without a repository, and where nobody can tell.

        Never raises, never waits long.
        """
        ...


# --- enforcement ----------------------------------------------------------------------------------


class Stage(Protocol):
    """One check in the enforcement chain: it judges, and never posts, retries or calls the next stage."""

    @property
    def name(self) -> str: ...

    async def judge(self, draft: Draft, turn: Turn) -> Decision:
        """Decide about a draft."""
        ...


# --- the store ------------------------------------------------------------------------------------


class Inbox(Protocol):
    """Where messages wait, durably."""

    async def accept(self, message: InboundMessage) -> bool:
        """Store a message and queue its exchange, in one transaction; False: it was already there.

        Raises QueueFull or StoreUnavailable: nothing was stored.
        """
        ...


class TurnStore(Protocol):
    """The durable state of exchanges: each method is one transaction, and safe to repeat after a crash."""

    async def load(self, message_id: MessageId) -> Exchange:
        """A message with all its turns."""
        ...

    async def add_turns(self, turns: Sequence[Turn]) -> None:
        """Add turns as PENDING; those that are already there (same id) are left alone."""
        ...

    async def set_baseline(self, turn: Turn) -> None:
        """Keep what a turn carries besides its attempts: baseline and checklist at its beginning, `undrafted`."""
        ...

    async def begin_attempt(self, turn: Turn, attempt: int, session_id: SessionId) -> None:
        """Note that the agent is about to be asked, in which session; the turn becomes RUNNING."""
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
    ) -> None:
        """End a turn: its last attempt, its posts into the outbox, the replies among them into the shared context,
        further turns, reminders for the persona's next prompt, how far it is with its task, and steps of reviews
        (one that is not legal is left out and logged: that review is then not approved).

        Refuses a Reply whose judgement is not Cleared or is of another text (raises ValueError).
        """
        ...

    async def session(self, key: ConversationKey, persona: str) -> SessionId | None:
        """The session in which a persona last worked in a conversation."""
        ...

    async def forget_session(self, key: ConversationKey, persona: str) -> None:
        """The next turn of this persona starts a new session."""
        ...

    async def take_reminders(self, turn: Turn) -> Reminders:
        """The reminders for this persona in this conversation, bound to this turn: the same answer on a repeat.

        Those that were left before a person spoke in the conversation are dropped.
        """
        ...

    async def checklist(self, turn: Turn, *, goes_on: bool = False) -> Checklist | None:
        """How far the persona is with the task of a turn, in this exchange.

        For a turn that `goes_on` with what was asked before: with its latest task that has open items.
        """
        ...

    async def stop_waiting(self, key: ConversationKey, line: Callable[[InboundMessage], Notice]) -> Sequence[Exchange]:
        """Mark the exchanges of a conversation that are not done as stopped, and queue a line for each.

        Returns them as they were, oldest first.
        """
        ...

    async def stop_exchange(self, message_id: MessageId) -> None:
        """Mark an exchange as stopped: its unfinished turns become STOPPED."""
        ...


class ContextStore(Protocol):
    """The shared context of each conversation: only what people said and what passed enforcement."""

    async def window(
        self, key: ConversationKey, *, before: MessageId | None, max_entries: int, max_characters: int
    ) -> Sequence[ContextEntry]:
        """The newest entries that fit the budget, oldest first; an entry that alone exceeds it is cut in the middle.

        With `before`, that message and later ones of people are left out.
        """
        ...


class ReviewStates(Protocol):
    """Where reviews stand; each method is one transaction, and safe to repeat after a crash."""

    async def review(self, session_id: str) -> Review | None:
        """The review of a session; None: none was asked for."""
        ...

    async def latest(self, limit: int) -> Sequence[Review]:
        """The reviews that were changed last, newest first."""
        ...

    async def move(self, move: ReviewMove) -> Review:
        """Take a step: pending -> in_review -> approved or rejected; each of these -> pending when the worker asks
        (again). A step that was taken already changes nothing.

        Raises ReviewRefused: the step is not legal from there, or not this agent's, or it would be one's own work.
        """
        ...


class Outbox(Protocol):
    """What waits to be posted, durably and in order."""

    async def add(self, post: Notice) -> None:
        """Queue a line of the service itself, outside any turn."""
        ...

    async def pending(self, key: ConversationKey) -> Sequence[OutboxEntry]:
        """What a conversation still has to be sent, oldest first."""
        ...

    async def conversations_with_pending(self) -> Sequence[ConversationKey]:
        """Where something waits (after a restart)."""
        ...

    async def mark_posted(self, receipt: Receipt) -> None:
        """The platform has it."""
        ...

    async def mark_failed(self, post_id: PostId, reason: str) -> None:
        """It is given up, with the reason; it is not pending any more."""
        ...


# --- what the orchestrator drives -------------------------------------------------------------------


class LeasedSession(Protocol):
    """The right to use a session for one turn; `fresh` when it remembers nothing of the conversation."""

    @property
    def session(self) -> AgentSession: ...

    @property
    def fresh(self) -> bool: ...


class SessionPool(Protocol):
    """Where sessions come from."""

    def lease(
        self, *, persona: AgentPersona, key: ConversationKey, workspace: Path, session: SessionId | None
    ) -> AbstractAsyncContextManager[LeasedSession]:
        """Lease the session of this persona in this conversation: warm, resumed by id, or new.

        Raises PoolExhausted, AgentUnavailable, AgentCrashed or AgentTimedOut on entry.
        """
        ...


class Judge(Protocol):
    """The enforcement chain, as the orchestrator sees it."""

    async def judge(self, draft: Draft, turn: Turn, *, rejections: int = 0) -> Judgement:
        """Decide about a draft: cleared, sent back or withheld.

        `rejections` counts the drafts of this persona that were rejected in a row in this exchange before this one.
        """
        ...
