"""The lines that the service writes about reviews, in the person's language."""

from collections.abc import Sequence
from typing import assert_never

from mama_bot.enforcement.sentences import MARKED
from mama_bot.model import AgentPersona, Delegation, ItemId, Notice, NoticeKind, Turn, Verdict
from mama_bot.model.reviews import ReviewPanel, approval_of
from mama_bot.review.panels import Abstained, Decision, Vote, approving, rejecting
from mama_bot.review.review_verdicts import Approved, Rejected
from mama_bot.review.sentences import (
    AFTER_REVIEWS,
    CONSENSUS_APPROVES,
    CONSENSUS_REJECTS,
    DIVIDED,
    ISSUES_FILED,
    MORE_REASONS,
    NEVER_REVIEWED,
    NO_QUORUM,
    NO_REVIEWER,
    NO_VERDICT,
    NOBODY_TO_REVIEW,
    NOT_APPROVED,
    NOT_REVIEWED,
    REVIEW_DELEGATES_NOTHING,
    TOO_FEW,
    UNDER_REVIEW,
    VOTE_ABSTAINS,
    VOTE_APPROVES,
    VOTE_REJECTS,
)
from mama_bot.turns.notices import of_turn
from mama_bot.wording import Language, one_line

MOST_REASONS = 5
REASON_CHARACTERS = 240


def review_rejected(turn: Turn, work: Turn, issues: Sequence[str], reviews: int) -> Notice:
    """Return the reviews are used up, or the rework brought nothing, and the work is not approved: a person decides."""
    after = AFTER_REVIEWS.to(turn.language, reviews=reviews) if reviews else ""
    listed = "\n".join(f"- {issue}" for issue in issues)
    return _person_needed(turn, work, NOT_APPROVED.to(turn.language, worker=work.persona, after=after, issues=listed))


def review_without_verdict(turn: Turn, work: Turn) -> Notice:
    """Return the reviewer came to no verdict that holds."""
    return _person_needed(turn, work, NO_VERDICT.to(turn.language, reviewer=turn.persona, worker=work.persona))


def not_reviewed_yet(turn: Turn, reviewers: Sequence[AgentPersona] = ()) -> str:
    """Return the banner of a reply about work whose review has not spoken."""
    names = ", ".join(reviewer.display_name for reviewer in reviewers)
    banner = UNDER_REVIEW.to(turn.language, reviewers=names) if names else NOT_REVIEWED.to(turn.language)
    return MARKED[Verdict.NEEDS_REVIEW].to(turn.language, banner=banner)


def never_reviewed(turn: Turn, work: Turn) -> Notice:
    """Work that waits for its delegations to be reviewed, and whose persona then came to no reply."""
    return _person_needed(turn, work, NEVER_REVIEWED.to(turn.language, worker=work.persona))


def no_reviewer(turn: Turn, work: Turn) -> Notice:
    """Work needs a review, and nobody but its author could do it."""
    return _person_needed(turn, work, NO_REVIEWER.to(turn.language, worker=work.persona))


def nobody_to_review(turn: Turn, work: Turn, setting: str) -> Notice:
    """Return that a person asked for a review, and nobody can do it by the setting."""
    return of_turn(turn, NoticeKind.REFUSED, NOBODY_TO_REVIEW.to(turn.language, worker=work.persona, setting=setting))


def no_quorum(turn: Turn, work: Turn, panel: ReviewPanel) -> Notice:
    """Return that fewer reviewers can be asked than have to agree."""
    text = NO_QUORUM.to(
        turn.language,
        worker=work.persona,
        quorum=panel.quorum,
        count=len(panel.reviewers),
        absent=", ".join(panel.absent),
    )
    return _person_needed(turn, work, text)


def consensus(
    turn: Turn, panel: ReviewPanel, votes: Sequence[Vote], decision: Decision, work: Turn | None = None
) -> Notice:
    """Return what several reviewers came to, each with its reasons; where nothing was decided a person is asked.

    Without `work` a person asked for the review: it decides nothing, and there is nothing to press.
    """
    spoken = len(approving(votes)) + len(rejecting(votes))
    sentence, count = {
        Decision.APPROVED: (CONSENSUS_APPROVES, len(approving(votes))),
        Decision.REJECTED: (CONSENSUS_REJECTS, len(rejecting(votes))),
        Decision.DIVIDED: (DIVIDED, spoken),
        Decision.TOO_FEW: (TOO_FEW, spoken),
    }[decision]
    text = sentence.to(
        turn.language,
        worker=panel.worker,
        asked=len(votes),
        quorum=panel.quorum,
        count=count,
        votes="\n".join(f"- {_vote(vote, turn.language)}" for vote in votes),
    )
    if work is not None and decision in (Decision.DIVIDED, Decision.TOO_FEW):
        return _person_needed(turn, work, text)
    return of_turn(turn, NoticeKind.CONSENSUS, text)


def _vote(vote: Vote, language: Language) -> str:
    match vote.ballot:
        case Approved():
            return VOTE_APPROVES.to(language, name=vote.reviewer)
        case Rejected(issues=issues):
            reasons = "; ".join(one_line(issue, REASON_CHARACTERS) for issue in issues[:MOST_REASONS])
            if len(issues) > MOST_REASONS:
                reasons = f"{reasons}; {MORE_REASONS.to(language, count=len(issues) - MOST_REASONS)}"
            return VOTE_REJECTS.to(language, name=vote.reviewer, issues=reasons)
        case Abstained(why=why):
            return VOTE_ABSTAINS.to(language, name=vote.reviewer, why=why)
        case unexpected:
            assert_never(unexpected)


def issues_filed(turn: Turn, items: Sequence[ItemId]) -> Notice:
    """Return what a review found that a person asked for is on the board."""
    return of_turn(turn, NoticeKind.ISSUES_FILED, ISSUES_FILED.to(turn.language, items=", ".join(items)))


def review_delegates(turn: Turn, dropped: Sequence[Delegation]) -> Notice:
    """Return the notice that a reviewer wanted to hand something on."""
    names = ", ".join(delegation.recipient for delegation in dropped)
    text = REVIEW_DELEGATES_NOTHING.to(turn.language, reviewer=turn.persona, names=names)
    return of_turn(turn, NoticeKind.DELEGATION, text)


def _person_needed(turn: Turn, work: Turn, text: str) -> Notice:
    return of_turn(turn, NoticeKind.NEEDS_PERSON, text, approval=approval_of(work.id))
