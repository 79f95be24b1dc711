"""What several reviewers of the same work decide together: pure functions of what each of them says."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

from mama_bot.model import Attempt, Cleared, StoredTurn, Turn, TurnKind, TurnState
from mama_bot.review.review_verdicts import Approved, Rejected, ReviewVerdict, Unproven, is_stated, verdict_of
from mama_bot.review.sentences import CANNOT_BE_ASKED, NO_VERDICT_STATED, NOT_PROVEN, NOTHING_SAID, REPLY_WITHHELD
from mama_bot.text.lexicon import Words
from mama_bot.turns.schedule import OPEN
from mama_bot.wording import Said

MOST_OF_PANEL = 50  # issues, as the store keeps of a review


@dataclass(frozen=True, slots=True)
class Abstained:
    """The reviewer came to no verdict that counts, and why."""

    why: Said


Ballot = Approved | Rejected | Abstained


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What one reviewer of a panel says."""

    reviewer: str
    ballot: Ballot


class Decision(StrEnum):
    """What a panel decides; DIVIDED and TOO_FEW leave it to a person."""

    APPROVED = "approved"
    REJECTED = "rejected"
    DIVIDED = "divided"
    TOO_FEW = "too_few"


def decision_of(votes: Sequence[Vote], quorum: int) -> Decision:
    """Return what a quorum decides; where both sides have one, nobody does."""
    approvals, rejections = len(approving(votes)), len(rejecting(votes))
    if approvals + rejections < quorum:
        return Decision.TOO_FEW
    if (approvals >= quorum) is (rejections >= quorum):
        return Decision.DIVIDED
    return Decision.APPROVED if approvals >= quorum else Decision.REJECTED


def approving(votes: Sequence[Vote]) -> tuple[str, ...]:
    """Return who approves."""
    return tuple(vote.reviewer for vote in votes if isinstance(vote.ballot, Approved))


def rejecting(votes: Sequence[Vote]) -> tuple[str, ...]:
    """Return who rejects."""
    return tuple(vote.reviewer for vote in votes if isinstance(vote.ballot, Rejected))


def issues_among(votes: Sequence[Vote]) -> tuple[str, ...]:
    """Return what was found, each issue once, however many found it in the same words: the first of each, and so on."""
    findings = [vote.ballot.issues for vote in votes if isinstance(vote.ballot, Rejected)]
    each: dict[str, str] = {}
    for issue in (issue for row in zip_longest(*findings) for issue in row if issue is not None):
        each.setdefault(" ".join(issue.casefold().replace("`", "").split()).strip(" .!。"), issue)
    return tuple(each.values())[:MOST_OF_PANEL]


def panel_of(review: Turn, turns: Sequence[StoredTurn]) -> Sequence[StoredTurn]:
    """Return the turns of a review's panel, its own included: those that were asked for together."""
    if review.panel is None:
        return [stored for stored in turns if stored.turn.id == review.id]
    return [
        stored
        for stored in turns
        if stored.turn.kind is TurnKind.REVIEW and stored.turn.parent == review.parent and stored.turn.panel
    ]


def votes_of(review: Turn, turns: Sequence[StoredTurn], words: Words, ballot: Ballot | None = None) -> Sequence[Vote]:
    """Return what each of a panel says, in its order; nothing while somebody has not spoken.

    `ballot` is what the reviewer of this very turn says, which is not stored yet.
    """
    votes = []
    for stored in panel_of(review, turns):
        own = ballot if stored.turn.id == review.id else None
        given = own or _ballot_of(stored, words)
        if given is None:
            return ()
        votes.append(Vote(reviewer=stored.turn.persona, ballot=given))
    absent = review.panel.absent if review.panel is not None else ()
    return (*votes, *(Vote(reviewer=name, ballot=Abstained(CANNOT_BE_ASKED)) for name in absent))


def ballot_of_end(state: TurnState) -> Abstained:
    """Return what a review that ended without a reply says."""
    return Abstained(REPLY_WITHHELD if state is TurnState.WITHHELD else NOTHING_SAID)


def as_counted(verdict: ReviewVerdict, attempt: Attempt, words: Words) -> Ballot:
    """Return a verdict as it counts: an approval that does not hold is none, nor a rejection that nobody stated."""
    if isinstance(verdict, Unproven):
        return Abstained(NOT_PROVEN)
    if isinstance(verdict, Rejected) and not is_stated(attempt, words):
        return Abstained(NO_VERDICT_STATED)
    return verdict


def _ballot_of(stored: StoredTurn, words: Words) -> Ballot | None:
    """Return what a stored review says; None while it is open."""
    if stored.state in OPEN:
        return None
    if stored.state is not TurnState.ANSWERED or not stored.attempts:
        return ballot_of_end(stored.state)
    last = stored.attempts[-1]
    outcome = last.judgement.outcome
    cleared = outcome if isinstance(outcome, Cleared) else Cleared()
    return as_counted(verdict_of(last, cleared, stored.turn.language, words), last, words)
