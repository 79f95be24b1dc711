"""DelegationCheck: a delegation that cannot be carried out goes back to its sender, with the reason."""

from mama_bot.enforcement.case import Case
from mama_bot.enforcement.delegations.sentences import CORRECT_IT, NOT_CARRIED_OUT
from mama_bot.model import Allow, Block, Decision

SHOWN_PROBLEMS = 3


class DelegationCheck:
    """Blocks a draft that holds a delegation which cannot be carried out."""

    name = "delegation_check"

    async def judge(self, case: Case) -> Decision:
        """Name the first problems, each once."""
        return await case.aside(lambda: self._decision(case))

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
