"""The lines that the service writes about reviews, in the person's language."""

from collections.abc import Sequence

from mama_bot.model import Delegation, ItemId, Notice, NoticeKind, Turn
from mama_bot.model.reviews import approval_of
from mama_bot.review.sentences import (
    AFTER_REVIEWS,
    ISSUES_FILED,
    NEVER_REVIEWED,
    NO_REVIEWER,
    NO_VERDICT,
    NOT_APPROVED,
    REVIEW_DELEGATES_NOTHING,
)
from mama_bot.turns.notices import of_turn


def review_rejected(turn: Turn, work: Turn, issues: Sequence[str], reviews: int) -> Notice:
    """Return the reviews are used up, or the rework brought nothing, and the work is not approved: a person decides."""
    after = AFTER_REVIEWS.to(turn.language, reviews=reviews) if reviews else ""
    listed = "\n".join(f"- {issue}" for issue in issues)
    return _person_needed(turn, work, NOT_APPROVED.to(turn.language, worker=work.persona, after=after, issues=listed))


def review_without_verdict(turn: Turn, work: Turn) -> Notice:
    """Return the reviewer came to no verdict that holds."""
    return _person_needed(turn, work, NO_VERDICT.to(turn.language, reviewer=turn.persona, worker=work.persona))


def never_reviewed(turn: Turn, work: Turn) -> Notice:
    """Work that waits for its delegations to be reviewed, and whose persona then came to no reply."""
    return _person_needed(turn, work, NEVER_REVIEWED.to(turn.language, worker=work.persona))


def no_reviewer(turn: Turn, work: Turn) -> Notice:
    """Work needs a review, and nobody but its author could do it."""
    return _person_needed(turn, work, NO_REVIEWER.to(turn.language, worker=work.persona))


def issues_filed(turn: Turn, items: Sequence[ItemId]) -> Notice:
    """Return what a review found that a person asked for is on the board."""
    return of_turn(turn, NoticeKind.NEEDS_PERSON, ISSUES_FILED.to(turn.language, items=", ".join(items)))


def review_delegates(turn: Turn, dropped: Sequence[Delegation]) -> Notice:
    """Return the notice that a reviewer wanted to hand something on."""
    names = ", ".join(delegation.recipient for delegation in dropped)
    text = REVIEW_DELEGATES_NOTHING.to(turn.language, reviewer=turn.persona, names=names)
    return of_turn(turn, NoticeKind.DELEGATION, text)


def _person_needed(turn: Turn, work: Turn, text: str) -> Notice:
    return of_turn(turn, NoticeKind.NEEDS_PERSON, text, approval=approval_of(work.id))
