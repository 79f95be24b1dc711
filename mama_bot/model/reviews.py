"""Reviews: whether another agent approved an agent's work."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

APPROVAL_PREFIX = "review-"
BY_PERSON = " (person)"  # what the name of a reviewer ends with who is none of our agents


class ReviewStatus(StrEnum):
    """Where a review stands."""

    PENDING = "pending"
    IN_REVIEW = "in_review"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The state of one review; `session_id` is the session of the worker's CLI, `attempts` counts reviewers' verdicts.

    `issues_found` are the findings of the latest rejection, each one sentence.
    """

    session_id: str
    status: ReviewStatus
    worker_agent: str
    reviewer_agent: str = ""
    issues_found: tuple[str, ...] = ()
    attempts: int = 0
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPanel:
    """Who reviews the work of one at the same time, each blind to the others; what `quorum` of them say decides.

    `absent` are those who could not be asked, and so abstain.
    """

    worker: str
    reviewers: tuple[str, ...]
    quorum: int
    absent: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name under which the panel reviews."""
        return ", ".join(self.reviewers)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkDiff:
    """What a turn changed: the files, how many lines were added and removed together, and the diff, bounded.

    `left_out` are changed files that the bound kept out of the diff, and binary ones.
    """

    files: tuple[str, ...] = ()
    lines: int = 0
    text: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewMove:
    """A step of a review: `agent` takes it `to` a status; the worker asks (PENDING), the reviewer does the rest.

    `issues` belong to REJECTED.
    """

    session_id: str
    to: ReviewStatus
    agent: str
    issues: tuple[str, ...] = ()


def approval_of(session_id: str) -> str:
    """Return the id under which a person approves or rejects the work of a session: short enough for a button."""
    return f"{APPROVAL_PREFIX}{sha256(session_id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
