"""Answers to claims about runs: what a run that decides makes of a claim."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from mama_bot.enforcement.claims.reconciliation.explanations import Speaker
from mama_bot.enforcement.claims.reconciliation.figures import knows_figures
from mama_bot.enforcement.claims.reconciliation.moments import RunAt
from mama_bot.enforcement.claims.reconciliation.timeline import Timeline
from mama_bot.model import CheckedClaim, Claim, ClaimReason, ClaimState, RunEnd

AGAINST = frozenset((ClaimReason.FAILED, ClaimReason.OTHER_FIGURES, ClaimReason.RAN_NOTHING))


@dataclass(frozen=True, slots=True)
class Answers:
    """Makes answers, with the sentence that says what the record shows."""

    timeline: Timeline
    speaker: Speaker

    def without_own(self, claim: Claim, others: Sequence[RunAt]) -> CheckedClaim:
        """No run of the agent's own."""
        if others:
            return self.answer(claim, others[-1], ClaimReason.ANOTHER_AGENT)
        says = self.speaker.missing(claim.kind, claim.tool)
        return unsupported(claim, ClaimReason.NO_SUCH_RUN, says)

    def answer(self, claim: Claim, one: RunAt, reason: ClaimReason) -> CheckedClaim:
        """A run that does not bear a claim out, and why."""
        edit = self.timeline.edit_after(one) if reason is ClaimReason.BEFORE_LAST_EDIT else None
        says = self.speaker.of_run(one, reason, edit)
        against = reason in AGAINST and not (
            reason is ClaimReason.OTHER_FIGURES and not knows_figures(one.run.counts) and one.run.end is RunEnd.PASSED
        )
        return CheckedClaim(
            claim=claim,
            state=ClaimState.CONTRADICTED if against else ClaimState.UNSUPPORTED,
            reason=reason,
            run_id=one.call.id,
            says=says,
        )

    def confirmed(self, claim: Claim, one: RunAt) -> CheckedClaim:
        """A run that bears a claim out."""
        return CheckedClaim(claim=claim, state=ClaimState.CONFIRMED, run_id=one.call.id, says=self.speaker.result(one))

    def ended(self, claim: Claim, one: RunAt, *, figures: bool = False) -> CheckedClaim:
        """What the end of a run says against a claim."""
        match one.run.end:
            case RunEnd.FAILED:
                return self.answer(claim, one, ClaimReason.FAILED)
            case RunEnd.MASKED:
                known = figures and knows_figures(one.run.counts)
                return self.answer(claim, one, ClaimReason.OTHER_FIGURES if known else ClaimReason.MASKED)
            case RunEnd.NOTHING:
                return self.answer(claim, one, ClaimReason.RAN_NOTHING)
            case RunEnd.OPEN:
                return self.answer(claim, one, ClaimReason.BACKGROUND)
            case RunEnd.PASSED:
                return self.answer(claim, one, ClaimReason.OTHER_FIGURES)
            case unexpected:
                assert_never(unexpected)

    def partial(self, claim: Claim, one: RunAt) -> CheckedClaim:
        """A run of less than what is claimed."""
        says = self.speaker.missing(claim.kind, partial=True)
        return unsupported(claim, ClaimReason.NO_SUCH_RUN, says, one)


def unsupported(claim: Claim, reason: ClaimReason, says: str, one: RunAt | None = None) -> CheckedClaim:
    """A claim that nothing shows."""
    return CheckedClaim(
        claim=claim,
        state=ClaimState.UNSUPPORTED,
        reason=reason,
        run_id=one.call.id if one else "",
        says=says,
    )
