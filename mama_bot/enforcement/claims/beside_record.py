"""What the service knows of a claim beside the record: what the disk says, what came of its own reviews, CI."""

from dataclasses import replace

from mama_bot.enforcement.claims.explanations import of_review, on_disk
from mama_bot.facts.ci_words import ci_words
from mama_bot.facts.places import named_path
from mama_bot.model import (
    CheckedClaim,
    CheckState,
    Claim,
    ClaimKind,
    ClaimReason,
    ClaimState,
    Facts,
    Grade,
    ReviewStatus,
)
from mama_bot.wording import Language


def of_disk(claim: Claim, facts: Facts, language: Language) -> CheckedClaim | None:
    """Return what the disk says of a file that the record does not know, where it is sure that the claim is wrong."""
    names = [named_path(name) for name in claim.files]
    deleted = claim.kind is ClaimKind.DELETED
    if deleted:
        wrong = [name for name in names if name in facts.standing.present and "/" in name]
    else:
        wrong = [name for name in names if name in facts.standing.absent and not facts.opaque]
    if not wrong:
        return None
    return _known(claim, ClaimState.CONTRADICTED, on_disk(wrong[0], language, present=deleted))


def of_reviews(claim: Claim, facts: Facts, language: Language) -> CheckedClaim | None:
    """Return what came of the reviews of the exchange; None where there were none, or they do not agree."""
    approved = [review for review in facts.reviews if review.status is ReviewStatus.APPROVED]
    if not facts.reviews or (approved and len(approved) < len(facts.reviews)):
        return None
    state = ClaimState.CONFIRMED if approved else ClaimState.CONTRADICTED
    return _known(claim, state, of_review(facts.reviews[-1], language))


def of_ci(claim: Claim, facts: Facts, language: Language, *, seen: bool) -> CheckedClaim | None:
    """Return what the forge said of the pull request; None where that is no answer for the commit as it stands.

    `seen`: the agent looked there itself since, and may know better.
    """
    checks = facts.ci
    if checks is None or checks.whole not in (CheckState.PASSED, CheckState.FAILED):
        return None
    moved = facts.tree is not None and bool(facts.tree.commit) and facts.tree.commit != checks.commit
    failed = checks.whole is CheckState.FAILED
    if failed is claim.fails:
        state = None if moved and not failed else ClaimState.CONFIRMED
    else:
        state = ClaimState.CONTRADICTED if failed and not seen and not moved else None
    if state is None:
        return None
    checked = _known(claim, state, ci_words(checks, language))
    reason = ClaimReason.FAILED if state is ClaimState.CONTRADICTED else ClaimReason.NONE
    return replace(checked, reason=reason, grade=Grade.SERVICE)


def _known(claim: Claim, state: ClaimState, says: str) -> CheckedClaim:
    reason = ClaimReason.NONE if state is ClaimState.CONFIRMED else ClaimReason.NO_SUCH_RUN
    return CheckedClaim(claim=claim, state=state, reason=reason, says=says)
