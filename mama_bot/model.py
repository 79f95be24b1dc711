"""The nouns of mama-bot: frozen values, stripped of platform, CLI and database types."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Literal, NewType

MessageId = NewType("MessageId", str)
TurnId = NewType("TurnId", str)
PostId = NewType("PostId", str)
SessionId = NewType("SessionId", str)
Platform = NewType("Platform", str)


def text_hash(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal; lone surrogates count as themselves."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# --- conversations and messages -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, order=True)
class ConversationKey:
    """Where a conversation lives; at most one turn runs at a time for each key."""

    platform: Platform
    channel: str
    thread: str = ""

    def __str__(self) -> str:
        return "/".join(part for part in (self.platform, self.channel, self.thread) if part)


class AuthorKind(StrEnum):
    """Who wrote something: a person, one of our personas, or a bot that is not ours."""

    PERSON = "person"
    AGENT = "agent"
    BOT = "bot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who wrote something; for an agent, `id` is the persona's name."""

    id: str
    name: str
    kind: AuthorKind = AuthorKind.PERSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that came with a message, already stored locally."""

    name: str
    media_type: str
    size: int
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundMessage:
    """One message from a person or a bot; `id` is unique on its platform and the same on redelivery."""

    id: MessageId
    key: ConversationKey
    author: Author
    text: str
    received_at: datetime
    attachments: tuple[Attachment, ...] = ()


# --- the team -------------------------------------------------------------------------------------


class Tier(StrEnum):
    """What a persona may do: lead others, change files, or only look."""

    LEAD = "lead"
    WORKER = "worker"
    READER = "reader"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPersona:
    """One member of the team, as its file in `personas/` describes it."""

    name: str
    display_name: str
    prompt: str
    avatar: str = ""
    backend: str = "claude"
    model: str | None = None
    tools: tuple[str, ...] = ()
    tier: Tier = Tier.WORKER
    delegates_to: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    workspace: str = "own"


class DelegationForm(StrEnum):
    """How an agent asked another one."""

    DIRECTIVE = "directive"
    MENTION = "mention"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """A request of one persona to another; the parts after `task` are empty when the sender left them out."""

    sender: str
    recipient: str
    task: str
    form: DelegationForm
    expected_outcome: str = ""
    required_tools: str = ""
    must_do: str = ""
    must_not_do: str = ""
    context: str = ""


# --- turns ----------------------------------------------------------------------------------------


class Audience(StrEnum):
    """Whom a turn's reply is for; decided by routing data, never by the text."""

    PERSON = "person"
    AGENT = "agent"


class TurnKind(StrEnum):
    """Why a persona speaks: a person asked, an agent delegated, or the results of its own delegations came back."""

    REQUEST = "request"
    DELEGATION = "delegation"
    RESULTS = "results"


class TurnState(StrEnum):
    """Where a turn stands; every state but PENDING and RUNNING is final."""

    PENDING = "pending"
    RUNNING = "running"
    ANSWERED = "answered"
    WITHHELD = "withheld"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One exchange with one persona: a prompt in, attempts at a draft, one reply out.

    `message_id` is the person's message that all turns of one exchange answer; `depth` counts delegations above it;
    `baseline` is the git tree of the workspace when the turn was made ("" without a repository).
    """

    id: TurnId
    message_id: MessageId
    key: ConversationKey
    persona: str
    kind: TurnKind
    audience: Audience
    asker: Author
    prompt: str
    delegation: Delegation | None = None
    parent: TurnId | None = None
    depth: int = 0
    baseline: str = ""

    @property
    def agent_to_agent(self) -> bool:
        """Whether the reply answers another agent."""
        return self.audience is Audience.AGENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one attempt cost: tokens and US dollars of this attempt alone, never cumulative."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=self.cost_usd + other.cost_usd,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """One tool call as the CLI reported it; never the agent's word.

    `arguments` is compact JSON, bounded; `exit_status` is None where the tool has none; output is kept as head and
    tail (characters) with the SHA-256 and the size in characters of the whole.
    """

    id: str
    tool: str
    arguments: str
    working_directory: str = ""
    started_at: datetime
    ended_at: datetime | None = None
    ok: bool | None = None
    exit_status: int | None = None
    output_head: str = ""
    output_tail: str = ""
    output_sha256: str = ""
    output_size: int = 0
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRecord:
    """What really happened in a turn, in order; `dropped` counts runs beyond the bound that were not kept."""

    runs: tuple[ToolRun, ...] = ()
    dropped: int = 0

    def __add__(self, other: "ToolRecord") -> "ToolRecord":
        return ToolRecord(runs=self.runs + other.runs, dropped=self.dropped + other.dropped)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What an agent wants to say, before enforcement; `record` covers the whole turn up to this attempt."""

    turn_id: TurnId
    attempt: int
    text: str
    record: ToolRecord = field(default_factory=ToolRecord)
    usage: Usage = field(default_factory=Usage)
    session_id: SessionId = SessionId("")


# --- enforcement ----------------------------------------------------------------------------------


class Verdict(StrEnum):
    """The standing of a reply that may be posted."""

    PASSED = "passed"
    NOTED = "noted"
    NEEDS_REVIEW = "needs_review"


class Exhausted(StrEnum):
    """What becomes of a blocked draft when its retries are spent."""

    POST_WITH_NOTE = "post_with_note"
    DOWNGRADE = "downgrade"
    WITHHOLD = "withhold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A span of the draft that a stage objects to (or relies on): offsets in characters into the draft's text."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """The draft may go on."""

    kind: Literal["allow"] = "allow"
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Amend:
    """The draft may go on with a banner before it, another standing, or a reminder for the agent's next prompt.

    The words of the draft are never changed.
    """

    rule: str
    reason: str
    banner: str = ""
    verdict: Verdict = Verdict.PASSED
    reminder: str = ""
    findings: tuple[Finding, ...] = ()
    kind: Literal["amend"] = "amend"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The draft goes back to its author with `feedback`; `retries` bounds how often, `exhausted` says what then."""

    rule: str
    reason: str
    feedback: str
    retries: int
    exhausted: Exhausted
    banner: str = ""
    findings: tuple[Finding, ...] = ()
    kind: Literal["block"] = "block"


Decision = Allow | Amend | Block


@dataclass(frozen=True, slots=True, kw_only=True)
class StageVerdict:
    """What one stage decided; `observed` means that it was only watched; `failure` is why the stage itself failed."""

    stage: str
    decision: Decision
    observed: bool = False
    failure: str = ""
    elapsed_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """The draft may be posted, with these banners before it."""

    verdict: Verdict = Verdict.PASSED
    banners: tuple[str, ...] = ()
    reminders: tuple[str, ...] = ()
    kind: Literal["cleared"] = "cleared"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentBack:
    """The same agent is asked again, in the same session, with the feedback."""

    stage: str
    rule: str
    reason: str
    feedback: str
    kind: Literal["sent_back"] = "sent_back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """The draft is given up: not posted, not recorded, not routed; the person sees a line."""

    stage: str
    rule: str
    reason: str
    kind: Literal["withheld"] = "withheld"


Outcome = Cleared | SentBack | Withheld


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the chain decided about one draft; only the chain makes one."""

    turn_id: TurnId
    attempt: int
    text_sha256: str
    outcome: Outcome
    stages: tuple[StageVerdict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One draft and what the chain decided about it."""

    draft: Draft
    judgement: Judgement
    at: datetime


# --- what is posted -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What an agent says, cleared by the chain: `judgement` is of exactly this `text`."""

    id: PostId
    turn_id: TurnId
    key: ConversationKey
    persona: str
    display_name: str
    text: str
    judgement: Judgement
    avatar: str = ""
    verdict: Verdict = Verdict.PASSED
    banners: tuple[str, ...] = ()
    kind: Literal["reply"] = "reply"

    @property
    def body(self) -> str:
        """The banners, each on its own line, then the text as the agent wrote it."""
        return "\n".join((*self.banners, self.text))


class NoticeKind(StrEnum):
    """Why the service itself writes a line."""

    WITHHELD = "withheld"
    FAILED = "failed"
    STOPPED = "stopped"
    HOPS_SPENT = "hops_spent"
    REFUSED = "refused"
    NOT_ROUTED = "not_routed"
    DELEGATION = "delegation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A line by the service itself; it never holds an agent's words."""

    id: PostId
    key: ConversationKey
    notice: NoticeKind
    text: str
    turn_id: TurnId | None = None
    kind: Literal["notice"] = "notice"


Post = Reply | Notice


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof of posting."""

    post_id: PostId
    platform_ids: tuple[str, ...]
    posted_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextEntry:
    """One line of a conversation's shared context: what a person said, or what passed enforcement."""

    author: Author
    text: str
    at: datetime
    verdict: Verdict | None = None


# --- what agents and turns report while they work ---------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What an agent is asked."""

    text: str
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """Some text appeared; only a sign of life, never to be shown before it is judged."""

    characters: int
    kind: Literal["text_delta"] = "text_delta"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted:
    """A tool call began; `run` has no end yet."""

    run: ToolRun
    kind: Literal["tool_started"] = "tool_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished:
    """A tool call ended."""

    run: ToolRun
    kind: Literal["tool_finished"] = "tool_finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRetried:
    """The model's service failed and is asked again by the CLI."""

    attempt: int
    status: int | None
    kind: Literal["model_retried"] = "model_retried"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """The agent finished: its final text, what happened, what it cost."""

    text: str
    record: ToolRecord
    usage: Usage
    session_id: SessionId
    kind: Literal["turn_ended"] = "turn_ended"


AgentEvent = TextDelta | ToolStarted | ToolFinished | ModelRetried | TurnEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """A persona began to work on a turn."""

    turn: Turn
    at: datetime
    kind: Literal["turn_started"] = "turn_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWorking:
    """Something happened inside a turn."""

    turn: Turn
    attempt: int
    event: ToolStarted | ToolFinished | ModelRetried
    at: datetime
    kind: Literal["turn_working"] = "turn_working"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptJudged:
    """The chain decided about an attempt; the draft's words are not part of the event."""

    turn: Turn
    judgement: Judgement
    at: datetime
    kind: Literal["attempt_judged"] = "attempt_judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished:
    """A turn reached a final state."""

    turn: Turn
    state: TurnState
    at: datetime
    kind: Literal["turn_finished"] = "turn_finished"


Progress = TurnStarted | TurnWorking | AttemptJudged | TurnFinished


# --- what is read back ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A turn with all that the store knows of it.

    `asked` is the attempt that the agent was last asked for (-1: never): an attempt that was asked for and has no
    entry in `attempts` was cut off.
    """

    turn: Turn
    state: TurnState
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    asked: int = -1
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One person's message and every turn that answers it, oldest first."""

    message: InboundMessage
    turns: tuple[StoredTurn, ...] = ()
    stopped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxEntry:
    """A post and how far it got; `attempted` is true when an earlier process may already have sent it."""

    post: Post
    attempted: bool
    created_at: datetime
    posted_at: datetime | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSummary:
    """One line of the list of conversations; `waiting` counts messages that are not answered yet."""

    key: ConversationKey
    title: str
    last_at: datetime
    waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationView:
    """All that a person may see of a conversation: what was said, posted and done, each oldest first."""

    key: ConversationKey
    messages: tuple[InboundMessage, ...] = ()
    posts: tuple[OutboxEntry, ...] = ()
    turns: tuple[StoredTurn, ...] = ()
    queued: tuple[MessageId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """How much waits and how much runs, in messages."""

    waiting: int
    running: int
    limit: int
