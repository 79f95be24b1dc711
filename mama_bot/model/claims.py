"""What a draft asserts that a record could show, and what the record says of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from mama_bot.model.conversations import ConversationKey
from mama_bot.model.ids import TurnId
from mama_bot.model.runs import NO_COUNTS, Counts, RunKind, WorkTreeState
from mama_bot.model.texts import keep_well_formed
from mama_bot.model.workflows import WorkflowStanding

TEST_FILES = "tests"  # the subject of a claim that tests were written, whatever their files are called
UNREAD = "unread"  # the subject of a claim for what a reply holds beyond what is read


class ClaimKind(StrEnum):
    """What a claim is about."""

    TESTS = "tests"
    BUILD = "build"
    TYPES = "types"
    LINT = "lint"
    FORMAT = "format"
    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"
    REPRODUCED = "reproduced"
    BENCHMARK = "benchmark"
    COMMITTED = "committed"
    PUSHED = "pushed"
    MERGED = "merged"
    PUBLISHED = "published"
    DEPLOYED = "deployed"
    RAN = "ran"
    CHECKED = "checked"
    ONLY_THESE = "only_these"
    REVIEWED = "reviewed"
    CI = "ci"


class ClaimState(StrEnum):
    """What the record says about a claim."""

    CONFIRMED = "confirmed"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"


# Where not all claims are shown, what stands against a reply is not to be what is left out.
WORST_FIRST = (ClaimState.CONTRADICTED, ClaimState.UNSUPPORTED, ClaimState.CONFIRMED)


class ClaimReason(StrEnum):
    """Why a claim is not confirmed; the set is closed."""

    NONE = ""
    NO_SUCH_RUN = "no_such_run"
    BEFORE_LAST_EDIT = "before_last_edit"
    FAILED = "failed"
    OTHER_FIGURES = "other_figures"
    MASKED = "masked"
    BACKGROUND = "background"
    RAN_NOTHING = "ran_nothing"
    ELSEWHERE = "elsewhere"
    ANOTHER_AGENT = "another_agent"


class Grade(StrEnum):
    """Who ran what a claim rests on, the strongest first.

    SERVICE: the service itself, outside of the agent's reach. AGENT: the agent, by a plain call of a known program,
    with nothing of its own in what decides the outcome. UNPROVEN: the agent, by anything else. OWN_RUNNER: the agent,
    by a program, a script or a manifest that it wrote in the same exchange. The last two are its own word.
    """

    SERVICE = "service"
    AGENT = "agent"
    UNPROVEN = "unproven"
    OWN_RUNNER = "own_runner"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Something that a draft asserts, as a span of its text (characters), with what it says in particular.

    `counts` are the figures that it names; `fails` is true when it reports a failure ("3 failed, 625 passed");
    `subjects` are the files, commands, commits, branches or figures that it names; `tool` is the tool that it names
    ("pytest", "mypy"); `whole` says that it speaks of all there is ("the full suite"), `part` of a part ("the new
    tests"); `shown` that it stands in a block of output, which may be quoted from anywhere; `plain` that it says so
    and nothing else, so that it may be asked for where nothing of the kind was done; `declared` that the agent
    declared it, so that it is no span of the text. What reads a sentence gives a claim as a span of it, without `text`.
    """

    kind: ClaimKind
    start: int
    end: int
    text: str = ""
    counts: Counts = NO_COUNTS
    total: int | None = None
    fails: bool = False
    subjects: tuple[str, ...] = ()
    tool: str = ""
    whole: bool = False
    part: bool = False
    shown: bool = False
    plain: bool = True
    declared: bool = False

    def __post_init__(self) -> None:
        keep_well_formed(self, "text", "subjects", "tool")

    @property
    def files(self) -> tuple[str, ...]:
        """The names among its subjects that have an ending, as files do."""
        return tuple(name for name in self.subjects if "." in name.rpartition("/")[2].strip(".") and " " not in name)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """A claim and what the record says about it; `run_id` is the tool call that decided, `grade` who ran it.

    `says` is one sentence in the language of the draft: "the run at 12:04 says 3 failed, 625 passed".
    """

    claim: Claim
    state: ClaimState
    reason: ClaimReason = ClaimReason.NONE
    run_id: str = ""
    says: str = ""
    grade: Grade | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCheck:
    """A configured check that the service itself ran, in a clean work tree; `ok` is its word.

    `tree` is the git tree that was checked, `cached` says that this very tree was checked before. `kind` is what its
    command is known to check (None: nobody knows), `counts` are the figures that it printed.
    """

    name: str
    argv: tuple[str, ...]
    ok: bool
    reason: str
    exit_status: int | None = None
    seconds: float = 0.0
    output_tail: str = ""
    output_sha256: str = ""
    tree: str = ""
    cached: bool = False
    kind: RunKind | None = None
    counts: Counts = NO_COUNTS


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptRun:
    """A tool call as a receipt shows it."""

    run_id: str
    agent: str
    command: str
    exit_status: int | None
    counts: tuple[Counts, ...] = ()
    started_at: datetime
    ended_at: datetime | None = None
    after: WorkTreeState | None = None
    output_tail: str = ""
    output_sha256: str = ""
    output_size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimReceipt:
    """What stands behind a posted reply: its claims, the tool calls that decided them, the service's own checks.

    `number` is given by the store; `recorded` is false for an agent whose tool calls nobody reports: its claims were
    judged by their words alone. `empty` says that the reply calls work done, or approves it, without a single call,
    `own_run` that it approves by a run of its author alone that is not known to be what it says,
    `record_line` is the line of facts that it carries, `workflow` how far the work was by its workflow, `fallback` the
    backend or the model that worked in place of the one that is set.
    """

    number: int = 0
    turn_id: TurnId
    key: ConversationKey
    persona: str
    text_sha256: str
    at: datetime
    claims: tuple[CheckedClaim, ...] = ()
    runs: tuple[ReceiptRun, ...] = ()
    checks: tuple[HostCheck, ...] = ()
    recorded: bool = True
    empty: bool = False
    own_run: bool = False
    record_line: str = ""
    workflow: WorkflowStanding | None = None
    fallback: str = ""
