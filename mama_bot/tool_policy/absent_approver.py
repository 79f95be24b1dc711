"""Whoever would have to be asked, where nobody can be."""

from mama_bot.model import Approval, Ask, ToolCall, ToolTurn

NOBODY = (
    "{reason} An owner has to allow this first, and nobody can be asked from here, so it was not run. "
    "Go on without it, and say in your reply what is to be allowed, and why."
)


class NobodyApproves:
    """Answers every question with a no: an `Approver`."""

    async def answer(self, question: Ask, call: ToolCall, turn: ToolTurn) -> Approval:  # noqa: ARG002 - see Approver
        """See Approver.answer."""
        return Approval(granted=False, feedback=NOBODY.format(reason=question.reason.rstrip(".") + "."))
