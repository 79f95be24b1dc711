"""DelegationCheck: a delegation that cannot be carried out goes back to its sender, with the reason."""

from collections.abc import Sequence
from dataclasses import replace

from mama_bot.enforcement.case import Case
from mama_bot.enforcement.delegations.handed_on import HandedOn, Objected
from mama_bot.enforcement.delegations.sentences import CORRECT_IT, NOT_CARRIED_OUT, TOO_MANY
from mama_bot.model import Allow, Block, Decision, Delegation, Evidence

SHOWN_PROBLEMS = 3
# A reply of so many takes some 30 ms; of one that has more, the others are not handed on.
MOST_JUDGED = 200
ONCE = "no_outcome"


class DelegationCheck:
    """Blocks a draft that holds a delegation which cannot be carried out, or is not handed on as it is.

    What is `handed_on` is asked of each delegation (None: nothing is); that an outcome is missing is said once.
    """

    name = "delegation_check"

    def __init__(self, handed_on: HandedOn | None = None) -> None:
        self._handed_on = handed_on

    async def judge(self, case: Case) -> Decision:
        """Name the first problems, each once; what is not handed on is not, even where the draft is posted at last."""
        decision = await case.aside(lambda: self._decision(case))
        objected = await self._objected(case)
        lasting = tuple(delegation.request_key for delegation, objection in objected if objection.rule != ONCE)
        evidence = Evidence(not_handed_on=lasting)
        if isinstance(decision, Block):
            return replace(decision, evidence=evidence)
        if not objected:
            return decision
        first = next((objection for _, objection in objected if objection.rule != ONCE), objected[0][1])
        reason = first.feedback
        banner = NOT_CARRIED_OUT.to(case.language, reason=reason) if lasting else ""
        return Block(rule=first.rule, reason=reason, feedback=reason, banner=banner, evidence=evidence)

    async def _objected(self, case: Case) -> Sequence[tuple[Delegation, Objected]]:
        """Return the delegations that are not handed on as they are."""
        if self._handed_on is None:
            return ()
        objections = []
        for delegation in case.delegations.requested[:MOST_JUDGED]:
            objection = await self._handed_on.objection(delegation, case.turn, case.language)
            if objection is not None and not (objection.rule == ONCE and case.draft.attempt):
                objections.append((delegation, objection))
        unjudged = case.delegations.requested[MOST_JUDGED:]
        if unjudged:
            reason = TOO_MANY.to(case.language, most=MOST_JUDGED, left=len(unjudged))
            objections += [(delegation, Objected(rule="too_many", feedback=reason)) for delegation in unjudged]
        return objections

    def _decision(self, case: Case) -> Decision:
        problems = tuple(dict.fromkeys(case.delegations.problems))
        if not problems:
            return Allow()
        reason = " ".join(problems[:SHOWN_PROBLEMS])
        return Block(
            rule="delegation",
            reason=reason,
            feedback=CORRECT_IT.to(case.language, reason=reason),
            banner=NOT_CARRIED_OUT.to(case.language, reason=reason),
        )
