"""DelegationCheck: a delegation that cannot be carried out goes back to its sender, with the reason."""

from mama_bot.enforcement.case import Case
from mama_bot.enforcement.delegations.handed_on import HandedOn
from mama_bot.enforcement.delegations.sentences import CORRECT_IT, NOT_CARRIED_OUT
from mama_bot.model import Allow, Block, Decision

SHOWN_PROBLEMS = 3
MOST_JUDGED = 20
ONCE = "no_outcome"


class DelegationCheck:
    """Blocks a draft that holds a delegation which cannot be carried out, or is not handed on as it is.

    What is `handed_on` is asked of each delegation (None: nothing is); that an outcome is missing is said once.
    """

    name = "delegation_check"

    def __init__(self, handed_on: HandedOn | None = None) -> None:
        self._handed_on = handed_on

    async def judge(self, case: Case) -> Decision:
        """Name the first problems, each once."""
        decision = await case.aside(lambda: self._decision(case))
        if self._handed_on is None or isinstance(decision, Block):
            return decision
        for delegation in case.delegations.requested[:MOST_JUDGED]:
            objected = await self._handed_on.objection(delegation, case.turn, case.language)
            if objected is not None and not (objected.rule == ONCE and case.draft.attempt):
                reason = objected.feedback
                banner = NOT_CARRIED_OUT.to(case.language, reason=reason)
                return Block(rule=objected.rule, reason=reason, feedback=reason, banner=banner)
        return decision

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
