"""Facts: what the record of a conversation shows of the work, without a word of any reply."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from mama_bot.model.enquiries import NOTHING_KNOWN, Standing
from mama_bot.model.pull_requests import CommitChecks
from mama_bot.model.repository_rules import GitRule
from mama_bot.model.reviews import ReviewStatus
from mama_bot.model.runs import NO_COUNTS, Counts, FileFate, LookKind, RunEnd, RunKind, TreeChange, WorkTreeState

# What a person would call a check, in the order in which they are told.
CHECK_KINDS = (RunKind.TESTS, RunKind.BUILD, RunKind.TYPES, RunKind.LINT, RunKind.FORMAT)
DEED_KINDS = (RunKind.COMMIT, RunKind.PUSH, RunKind.MERGE, RunKind.PUBLISH, RunKind.DEPLOY)


class Freshness(StrEnum):
    """Whether a check still speaks of the code as it stands.

    RESTYLED: only comments, or what a formatter wrote, came after it. STALE: code was written after it. UNKNOWN:
    something was written, and nobody can tell what.
    """

    FRESH = "fresh"
    RESTYLED = "restyled"
    UNKNOWN = "unknown"
    STALE = "stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """Where a fact is from: the tool call, when, whose, and how many turns of the conversation ago (0: this turn).

    `own` says that it is the persona's, a subagent's of its, or of delegates whose results it reports.
    """

    call_id: str = ""
    agent: str = ""
    at: datetime
    own: bool = True
    age: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFact:
    """A check that ran: tests, build, types, lint, format, benchmark or a diff.

    `place` is its directory ("" is the workspace), `selected` what narrowed it (empty: all there is), `hook` says that
    git ran it within a commit or a push, `edited` names the file that made it stale. `left` is the work tree as its
    call left it, `changed` are the files of code that it changed by itself, `runner` is the file that decided what it
    did and that its own exchange wrote ("": none): then it is the agent's own word. `plain` says that it is known to be
    what it says: a known program with known options, and nothing of its exchange in what decides its outcome.
    """

    kind: RunKind
    tool: str
    command: str
    end: RunEnd
    counts: Counts = NO_COUNTS
    place: str = ""
    selected: tuple[str, ...] = ()
    hook: bool = False
    freshness: Freshness = Freshness.FRESH
    edited: str = ""
    left: WorkTreeState | None = None
    changed: tuple[str, ...] = ()
    runner: str = ""
    plain: bool = False
    witness: Witness

    @property
    def whole(self) -> bool:
        """Whether nothing narrowed it."""
        return not self.selected


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFact:
    """A file that was written or removed: its last fate, and all that happened to it (`fates`).

    `present` is what the disk says at the end (None: nobody looked); `undone` says that git put it back as it was.
    `unmoved` says that no call which names it changed anything of it that git sees (what it ignores, git does not).
    `added` and `removed` are lines as git counts them, None where nobody counted. `plain` says that a tool for files
    wrote it, and that nothing came after it but the ordinary.
    """

    path: str
    fate: FileFate
    fates: frozenset[FileFate]
    present: bool | None = None
    undone: bool = False
    unmoved: bool = False
    added: int | None = None
    removed: int | None = None
    plain: bool = False
    witness: Witness


@dataclass(frozen=True, slots=True, kw_only=True)
class DeedFact:
    """A commit, push, merge, publication or deployment that was tried; `target` is its commit, branch or
    environment, `place` its directory; `undone` says that no branch has the commit any more, `runner` is the file that
    decided what was done and that its own exchange wrote ("": none), `plain` is that of a check.
    """

    kind: RunKind
    tool: str
    command: str
    end: RunEnd
    target: str = ""
    place: str = ""
    dry: bool = False
    undone: bool = False
    runner: str = ""
    plain: bool = False
    witness: Witness


@dataclass(frozen=True, slots=True, kw_only=True)
class LookFact:
    """A look at the world that showed how something stands: a file's content, commits, a remote, a thing that runs."""

    kind: LookKind
    subject: str
    state: str = ""
    witness: Witness


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandFact:
    """A command line of a shell, by its beginning, and how it ended; MASKED where its last word decided that.

    `programs` are those of its programs that do more than look, each with the first of its words ("kubectl apply"),
    `failed` those of them that surely failed; `erred` says that it printed a crash, `warned` a compiler's warning,
    whatever its exit status; `looks` that it surely did nothing but look.
    """

    command: str
    end: RunEnd
    programs: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    erred: bool = False
    warned: bool = False
    looks: bool = False
    witness: Witness


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewFact:
    """Where a review of the exchange stands, as the service knows it, and who reviews ("": nobody yet)."""

    reviewer: str
    status: ReviewStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of the work of a persona in a conversation; earlier turns count, with their age.

    `recorded` is false where nobody reports the agent's calls: then nothing follows from what is missing. `calls`
    counts the calls of this turn, `earlier_calls` those of the turns before; `dropped` those that were not kept.
    `commands` are the persona's own command lines; `opaque` the calls that may have done anything and told nothing: a
    tool that is not known, a script; `unknown` are those of this turn in which tests may have run unseen; `gathers`
    says that some call ran what a project calls so (`make ci`), which may hold checks of every kind.
    `wrote` says that something was written, nobody can tell what.
    `figures` are the numbers that the outputs of checks and looks showed. `tree` is how the work tree stands, `rules`
    what of the repository's own rules for git is not as it was when this turn began.
    `written` is what the exchange has changed so far of what may decide what a check does; it ends with `exchange`.
    `ordinary` says that the exchange has done nothing so far by which a run could be another one than it says.
    `from_beginning` is false where turns before this one are not known.
    `standing` is what the disk and git said when a draft was judged, `reviews` are those of the exchange so far, `ci`
    is what the forge said of the conversation's pull request before the turn began (None: there is none that is open).
    """

    recorded: bool = True
    calls: int = 0
    earlier_calls: int = 0
    dropped: int = 0
    checks: tuple[CheckFact, ...] = ()
    files: tuple[FileFact, ...] = ()
    deeds: tuple[DeedFact, ...] = ()
    looks: tuple[LookFact, ...] = ()
    commands: tuple[CommandFact, ...] = ()
    opaque: tuple[str, ...] = ()
    unknown: tuple[Witness, ...] = ()
    background: tuple[str, ...] = ()
    wrote: bool = False
    gathers: bool = False
    figures: frozenset[float] = field(default_factory=frozenset)
    tree: WorkTreeState | None = None
    rules: tuple[GitRule, ...] = ()
    written: tuple[TreeChange, ...] = ()
    exchange: str = ""
    ordinary: bool = True
    from_beginning: bool = True
    standing: Standing = NOTHING_KNOWN
    reviews: tuple[ReviewFact, ...] = ()
    ci: CommitChecks | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all was called in the conversation, and nothing of it is unknown."""
        return self.recorded and self.from_beginning and not (self.calls or self.earlier_calls or self.dropped)

    @property
    def open_failure(self) -> CommandFact | None:
        """The last command of this turn that did more than look and failed, and ran no better since."""
        for place, command in reversed([*enumerate(self.commands)]):
            if command.end is RunEnd.FAILED and command.programs and not command.witness.age:
                later = {
                    name
                    for other in self.commands[place + 1 :]
                    if other.end is not RunEnd.FAILED
                    for name in other.programs
                }
                if later.isdisjoint(command.programs):
                    return command
        return None

    def checks_of(self, kind: RunKind, *, own: bool = True) -> Iterator[CheckFact]:
        """Yield the checks of a kind, in order; `own` leaves out those of others."""
        return (check for check in self.checks if check.kind is kind and (check.witness.own or not own))

    def deeds_of(self, kind: RunKind) -> Iterator[DeedFact]:
        """Yield the persona's own deeds of a kind, in order, rehearsals left out."""
        return (deed for deed in self.deeds if deed.kind is kind and deed.witness.own and not deed.dry)
