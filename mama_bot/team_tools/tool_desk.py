"""What an agent's session is offered, and what carries its calls out: without the library of the protocol."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from mama_bot.model import TeamAnswer, TeamCall, TeamTool

GONE = TeamAnswer(text="Your session is over, or the token is not yours: nothing was done.", refused=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDesk:
    """The tools of one session of an agent, and what carries their calls out."""

    tools: Sequence[TeamTool]
    call: Callable[[TeamCall], Awaitable[TeamAnswer]]
