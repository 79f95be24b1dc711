"""Turns: who is asked what, what they answered, and what really happened."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from mama_bot.model.conversations import Author, ConversationKey, InboundMessage
from mama_bot.model.declarations import Declaration
from mama_bot.model.facts import Facts
from mama_bot.model.ids import MessageId, SessionId, TurnId
from mama_bot.model.reviews import ReviewPanel
from mama_bot.model.runs import FileTouch, LeftTree, Look, Run, TreeChange, WorkTreeState
from mama_bot.model.team import Checklist, Delegation
from mama_bot.model.texts import keep_well_formed
from mama_bot.model.tools import ToolKind
from mama_bot.model.workflows import WorkflowStanding
from mama_bot.wording import Language

NO_SESSION = SessionId("")


def session_name(persona: str, work_tree: TurnId | None) -> str:
    """Return the name of a persona's session in a conversation: it has another one in each work tree."""
    return persona if work_tree is None else f"{persona}@{work_tree}"


class Audience(StrEnum):
    """Whom a turn's reply is for; decided by routing data, never by the text."""

    PERSON = "person"
    AGENT = "agent"


class TurnKind(StrEnum):
    """Why a persona speaks: a person asked, an agent delegated, the results of its own delegations came back, it
    reviews what another did, or its work came back from a review.
    """

    REQUEST = "request"
    DELEGATION = "delegation"
    RESULTS = "results"
    REVIEW = "review"
    REWORK = "rework"


class TurnState(StrEnum):
    """Where a turn stands; every state but PENDING and RUNNING is final."""

    PENDING = "pending"
    RUNNING = "running"
    ANSWERED = "answered"
    WITHHELD = "withheld"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one attempt cost: tokens and US dollars of this attempt alone, never cumulative.

    Of the tokens that were read, `cached_tokens` came from the model's cache or went into it.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    cached_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=self.cost_usd + other.cost_usd,
            cached_tokens=self.cached_tokens + other.cached_tokens,
        )

    def __sub__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=max(0, self.input_tokens - other.input_tokens),
            output_tokens=max(0, self.output_tokens - other.output_tokens),
            cost_usd=max(0.0, self.cost_usd - other.cost_usd),
            cached_tokens=max(0, self.cached_tokens - other.cached_tokens),
        )

    @property
    def fresh_tokens(self) -> int:
        """What was written, and read without the cache: what caps of tokens count."""
        return self.input_tokens + self.output_tokens - self.cached_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminders:
    """What a prompt reminds of; `dropped` reminders were left out because a person spoke after them."""

    texts: tuple[str, ...] = ()
    dropped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """One tool call as the CLI reported it; never the agent's word.

    `kind`, `command` and `paths` say what was asked for (see ToolCall), `arguments` is all of it as compact JSON,
    bounded; `exit_status` is None where the tool has none; output is kept as head and tail (characters) with the
    SHA-256 and the size in characters of the whole. `agent` is who called it: a persona, or "developer/sub1" for a
    subagent, which counts as its persona ("": the persona of the turn). `ran`, `touched` and `looked` are what the call
    ran, wrote and showed, read from all of its words and output; `before` and `after` are the work tree,
    `changed` what differs between them, measured and not read (None: nobody could tell).
    `background` says that it was left running when the agent went on, `refused` that it was kept from running.
    `declared` is what a REPORT declares, once it was taken.
    """

    id: str
    tool: str
    arguments: str
    kind: ToolKind = ToolKind.OTHER
    command: str = ""
    paths: tuple[str, ...] = ()
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
    agent: str = ""
    background: bool = False
    refused: bool = False
    before: WorkTreeState | None = None
    after: WorkTreeState | None = None
    changed: tuple[TreeChange, ...] | None = None
    ran: tuple[Run, ...] = ()
    touched: tuple[FileTouch, ...] = ()
    looked: tuple[Look, ...] = ()
    declared: Declaration | None = None

    def __post_init__(self) -> None:
        keep_well_formed(self, "id", "tool", "arguments", "command", "paths", "working_directory", "agent", "files")
        keep_well_formed(self, "output_head", "output_tail")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRecord:
    """What really happened in a turn, in order; `dropped` counts runs beyond the bound that were not kept.

    `complete` is false for an agent that does not report its tool calls: nothing can be concluded from what is missing.
    `left` are its work trees as it left them, each time it was asked: the last of a root is how it stands. `workflow`
    is how far the work was by the workflow that it is held to, as the agent stopped (None: it is held to none).
    `fallback` is the backend or the model that worked in place of the one that is set ("": that one did).
    """

    runs: tuple[ToolRun, ...] = ()
    dropped: int = 0
    complete: bool = True
    left: tuple[LeftTree, ...] = ()
    workflow: WorkflowStanding | None = None
    fallback: str = ""

    def __add__(self, other: "ToolRecord") -> "ToolRecord":
        return ToolRecord(
            runs=self.runs + other.runs,
            dropped=self.dropped + other.dropped,
            complete=self.complete and other.complete,
            left=self.left + other.left,
            workflow=other.workflow or self.workflow,
            fallback=other.fallback or self.fallback,
        )

    @property
    def work(self) -> tuple[ToolRun, ...]:
        """The runs that do or show something: those that only declare, or ask others, are none."""
        return tuple(run for run in self.runs if run.kind not in (ToolKind.REPORT, ToolKind.TEAM))

    def declaration_of(self, subagent: str = "") -> Declaration | None:
        """Return the last declaration of the agent itself, or of one of its subagents ("developer/sub1")."""
        for run in reversed(self.runs):
            if run.declared is not None and (run.agent == subagent if subagent else "/" not in run.agent):
                return run.declared
        return None

    def without(self, other: "ToolRecord") -> "ToolRecord":
        """Return what is in this record and not in another: calls by their ids, and how many more were dropped."""
        known = {run.id for run in other.runs}
        return ToolRecord(
            runs=tuple(run for run in self.runs if run.id not in known),
            dropped=max(0, self.dropped - other.dropped),
            complete=self.complete,
            left=tuple(tree for tree in self.left if tree not in other.left),
            workflow=self.workflow,
            fallback=self.fallback,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One exchange with one persona: a prompt in, attempts at a draft, one reply out.

    `message_id` is the person's message that all turns of one exchange answer; `depth` counts delegations above it;
    `baseline` is the git tree of the workspace when a delegated turn began ("" before, and without a repository),
    `base` that of a workspace with checks when the first turn of the exchange began in it; `checklist` is how far the
    persona was when its turn began with the delegated task. `told` are the tool calls of other agents whose
    results this turn reports (RESULTS): they may confirm what it passes on, never an approval of its own.
    `under_review` are the changed files that a REVIEW is of, as far as they are known. `undrafted` is what the persona
    did when it was asked and no draft came of it: its process died, or it was stopped. `language` is that of the
    person's message: what the service says about the turn is said in it. `earlier` is what the turns of
    this persona in this conversation showed before this one, from when the turn begins (empty: it is the first of
    them; None: nobody knows). `asked_for` are the personas that wait for this turn, the nearest last. A
    delegation whose outcome its sender `heard` in the very turn in which it asked is not reported again. `work_tree` is
    the delegation in whose own work tree it works (None: in that of the conversation), `sender_tree` likewise that of
    the turn that delegated. `panel` is with whom a REVIEW is shared (None: with nobody).
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
    base: str = ""
    checklist: Checklist | None = None
    told: tuple[ToolRun, ...] = ()
    under_review: tuple[str, ...] = ()
    undrafted: ToolRecord = field(default_factory=ToolRecord)
    language: Language = Language.ENGLISH
    earlier: Facts | None = field(default_factory=Facts)
    asked_for: tuple[str, ...] = ()
    heard: bool = False
    work_tree: TurnId | None = None
    sender_tree: TurnId | None = None
    panel: ReviewPanel | None = None

    @property
    def session_name(self) -> str:
        """The name of its agent's session in its conversation."""
        return session_name(self.persona, self.work_tree)

    def with_added(self, messages: Sequence[InboundMessage]) -> "Turn":
        """Return the turn with what was told to its agent meanwhile, as part of what it was asked."""
        words = (f"{message.author.name} added meanwhile:\n\n{message.text_with_files}" for message in messages)
        return replace(self, prompt="\n\n".join((self.prompt, *words)))

    @property
    def agent_to_agent(self) -> bool:
        """Whether the reply answers another agent."""
        return self.audience is Audience.AGENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What an agent wants to say, before enforcement; `record` covers the whole turn up to this attempt.

    `cut_short` says that the model ran into its limit of tokens before it was at the end. `declaration` is what the
    agent declares, `misdeclared` why a block of its text that was to declare something could not be read.
    """

    turn_id: TurnId
    attempt: int
    text: str
    record: ToolRecord = field(default_factory=ToolRecord)
    usage: Usage = field(default_factory=Usage)
    session_id: SessionId = NO_SESSION
    cut_short: bool = False
    declaration: Declaration | None = None
    misdeclared: str = ""

    def __post_init__(self) -> None:
        keep_well_formed(self, "text", "misdeclared")
