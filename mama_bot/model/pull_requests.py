"""Pull requests as a forge tells of them: where they stand, the checks of a commit, what reviewers wrote."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from mama_bot.model.conversations import ConversationKey
from mama_bot.model.texts import keep_well_formed
from mama_bot.wording import Language


class ForgeKind(StrEnum):
    """The forges that are spoken to, whoever runs the server."""

    GITHUB = "github"
    GITLAB = "gitlab"


class PullRequestState(StrEnum):
    """Where a pull request stands."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


class Mergeability(StrEnum):
    """Whether a pull request can be merged; BLOCKED: by rules of the forge, UNKNOWN: the forge has not decided."""

    READY = "ready"
    CONFLICTS = "conflicts"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"


class CheckState(StrEnum):
    """How a check that others run on a commit stands; SKIPPED decides nothing."""

    PENDING = "pending"
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class ReviewOpinion(StrEnum):
    """What a reviewer says of the whole, beside words."""

    NONE = ""
    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestProposal:
    """What a pull request is to be opened with: `branch` has been pushed and is to be merged into `target`."""

    branch: str
    target: str
    title: str
    body: str
    draft: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request (on GitLab: a merge request) as the forge tells of it; `head` is the commit that it ends with."""

    number: int
    url: str
    title: str
    state: PullRequestState
    branch: str
    target: str
    head: str
    draft: bool = False
    mergeable: Mergeability = Mergeability.UNKNOWN

    def __post_init__(self) -> None:
        keep_well_formed(self, "url", "title", "branch", "target", "head")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeCheck:
    """A check of a commit that ran elsewhere, by the name that the forge shows, and where its log is."""

    name: str
    state: CheckState
    url: str = ""

    def __post_init__(self) -> None:
        keep_well_formed(self, "name", "url")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitChecks:
    """All checks of a commit; `clipped` says that there are more than were read."""

    commit: str
    checks: tuple[ForgeCheck, ...] = ()
    clipped: bool = False

    @property
    def whole(self) -> CheckState:
        """How all of them stand together: one failure decides, then what still runs; SKIPPED where none tells."""
        states = {check.state for check in self.checks}
        for state in (CheckState.FAILED, CheckState.PENDING):
            if state in states:
                return state
        passed = CheckState.PASSED in states and not self.clipped
        return CheckState.PASSED if passed else CheckState.SKIPPED

    def of_state(self, state: CheckState) -> tuple[ForgeCheck, ...]:
        """Return the checks that stand so."""
        return tuple(check for check in self.checks if check.state is state)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewComment:
    """What somebody wrote under a pull request, of a line of a file or of the whole."""

    id: str
    author: str
    text: str
    at: datetime
    url: str = ""
    path: str = ""
    line: int | None = None
    opinion: ReviewOpinion = ReviewOpinion.NONE

    def __post_init__(self) -> None:
        keep_well_formed(self, "author", "text", "url", "path")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeAccess:
    """Whose token it is, and what it may surely do or surely not (None: nobody can tell)."""

    account: str
    may_push: bool | None = None
    may_open: bool | None = None
    default_branch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedPullRequest:
    """A pull request that a conversation opened, and what its thread was told of it so far.

    `told` counts the lines that were told. `checks` are those of the commit `head`, as they were last seen. Comments
    that were written before `seen_since`, and those in `seen`, were told. `trouble` is why it could not be looked at.
    """

    key: ConversationKey
    repository: str
    number: int
    url: str
    title: str
    branch: str
    target: str
    kind: ForgeKind
    language: Language
    opened_at: datetime
    seen_since: datetime
    seen: tuple[str, ...] = ()
    head: str = ""
    state: PullRequestState = PullRequestState.OPEN
    mergeable: Mergeability = Mergeability.UNKNOWN
    checks: CommitChecks | None = None
    checked_at: datetime | None = None
    told: int = 0
    trouble: str = ""
    ended_at: datetime | None = None
