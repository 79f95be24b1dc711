"""Whoever would have to be asked, where nobody can be."""

import asyncio

from mama_bot.model import Approval, Ask, ToolCall, ToolTurn

NOBODY = (
    "{reason} An owner has to allow this first, and nobody can be asked from here, so it was not run. "
    "Go on without it, and say in your reply what is to be allowed, and why."
)


class NobodyApproves:
    """Answers every question with a no: an `Approver`."""

    seconds = 0.0

    async def answer(
        self,
        question: Ask,
        call: ToolCall,  # noqa: ARG002 - see Approver
        turn: ToolTurn,  # noqa: ARG002
        *,
        stopped: asyncio.Event,  # noqa: ARG002
    ) -> Approval:
        """See Approver.answer."""
        return Approval(granted=False, feedback=NOBODY.format(reason=question.reason.rstrip(".") + "."))
