"""What an agent asks of the team by a tool while its turn runs."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import structlog

from mama_bot.model import AgentPersona, TeamAnswer, TeamCall, ToolRun
from mama_bot.team_tools import Caller, ToolRegistry
from mama_bot.turns.ledger import TurnLedger

log = structlog.get_logger(__name__)


class TurnDesk:
    """Takes the calls of one turn's agent; what came of them is the turn's to know.

    `lent` lets others use the place of the agent's process while it waits for them.
    """

    def __init__(
        self,
        *,
        registry: ToolRegistry,
        ledger: TurnLedger,
        persona: AgentPersona,
        lent: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._registry = registry
        self._ledger = ledger
        self._persona = persona
        self._lent = lent

    async def call(self, call: TeamCall) -> TeamAnswer:
        """Carry a call out; see `CallTeam`."""
        turn = self._ledger.turn
        place = {"message": turn.message_id, "conversation": str(turn.key), "turn": turn.id, "persona": turn.persona}
        with structlog.contextvars.bound_contextvars(**place):  # the backend calls from a task of its own
            log.info("team_called", tool=call.tool, call=call.id)
            caller = Caller(turn=turn, persona=self._persona, call_id=call.id, waits=self._lent, told=self._told)
            return await self._registry.call(call, caller)

    async def _told(self, calls: Sequence[ToolRun]) -> None:
        await self._ledger.tell_of(calls)
