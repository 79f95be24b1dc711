"""What an agent asks of the team by a tool while its turn runs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

import structlog

from mama_bot.deeds.turn_changes import TurnChanges
from mama_bot.model import (
    AgentPersona,
    Audience,
    Author,
    AuthorKind,
    Outcome,
    TeamAnswer,
    TeamCall,
    ToolRun,
    TurnKind,
)
from mama_bot.protocols import Judge
from mama_bot.team_tools import Caller, ToolRegistry
from mama_bot.turns.ledger import TurnLedger

log = structlog.get_logger(__name__)


class TurnDesk:
    """Takes the calls of one turn's agent; what came of them is the turn's to know.

    While it waits for others, `lent` lets them use the place of its process, and `changes` hears that it does nothing;
    `chain` judges what it writes for other agents.
    """

    def __init__(
        self,
        *,
        registry: ToolRegistry,
        ledger: TurnLedger,
        persona: AgentPersona,
        lent: Callable[[], AbstractContextManager[None]],
        chain: Judge,
        changes: TurnChanges,
    ) -> None:
        self._registry = registry
        self._ledger = ledger
        self._persona = persona
        self._lent = lent
        self._chain = chain
        self._changes = changes

    @property
    def backend(self) -> str:
        """What runs the agent whose calls are answered."""
        return self._persona.backend

    async def call(self, call: TeamCall) -> TeamAnswer:
        """Carry a call out; see `CallTeam`."""
        turn = self._ledger.turn
        place = {"message": turn.message_id, "conversation": str(turn.key), "turn": turn.id, "persona": turn.persona}
        with structlog.contextvars.bound_contextvars(**place):  # the backend calls from a task of its own
            log.info("team_called", tool=call.tool, call=call.id)
            caller = Caller(
                turn=turn,
                persona=self._persona,
                call_id=call.id,
                waits=self._waits,
                told=self._told,
                judged=self._judged,
                redacted=self._ledger.redact,
                take_added=self._take_added,
                done=lambda: self._ledger.so_far("").record,
            )
            return await self._registry.call(call, caller)

    async def _judged(self, words: str) -> Outcome:
        """Judge words that are no reply, as one agent's to another; nothing of it is stored, nor counted."""
        draft, turn = self._ledger.so_far(words), self._ledger.turn
        turn = replace(
            turn,
            kind=TurnKind.DELEGATION,
            audience=Audience.AGENT,
            asker=Author(id=turn.persona, name=turn.persona, kind=AuthorKind.AGENT),
            delegation=None,
            checklist=None,
            under_review=(),
        )
        return (await self._chain.judge(draft, turn)).outcome

    @contextmanager
    def _waits(self) -> Iterator[None]:
        with self._lent(), self._changes.waits(self._ledger.turn):
            yield

    async def _take_added(self) -> None:
        await self._ledger.take_added()

    async def _told(self, calls: Sequence[ToolRun]) -> None:
        await self._ledger.tell_of(calls)
