"""How a turn begins: what the turns before it showed, what its workspace is like, and how far its task is."""

from dataclasses import replace
from pathlib import Path
from typing import Protocol

import structlog

from mama_bot.enforcement.completion.questions import goes_on_with_work
from mama_bot.errors import AgentError
from mama_bot.model import (
    AgentPersona,
    Exchange,
    InboundMessage,
    StoredTurn,
    Turn,
    TurnKind,
)
from mama_bot.orchestrator.team import Team
from mama_bot.protocols import TurnStore
from mama_bot.repositories.changes import GitFailed
from mama_bot.turns.workspaces import Workspaces

log = structlog.get_logger(__name__)


class WorkspaceTrees(Protocol):
    """Knows what a workspace is like."""

    async def tree(self, workspace: Path) -> str:
        """Return the git tree of a workspace, "" without a repository; raises GitFailed."""
        ...


class TurnBeginnings:
    """Notes what a turn will be judged by: the facts of earlier turns, the tree of its workspace, the checklist."""

    def __init__(
        self,
        *,
        turns: TurnStore,
        workspaces: Workspaces,
        trees: WorkspaceTrees,
    ) -> None:
        self._turns = turns
        self._workspaces = workspaces
        self._trees = trees

    async def learn_place(self, message: InboundMessage) -> None:
        """Learn, and when it is the first message decide, in which repository a conversation works."""
        await self._workspaces.begin(message)

    async def begun(self, stored: StoredTurn, exchange: Exchange, team: Team) -> StoredTurn:
        """Return the turn with what it will be judged by, stored when it begins.

        Not earlier: the turns of one exchange share workspaces, and one must not answer for what another changed. What
        a check of the workspace is taken from is older: nobody who works for this message may have had it in hand.
        """
        earlier, reviews = stored.earlier, await team.reviews.so_far(exchange)
        if earlier is not None:
            earlier = replace(earlier, reviews=reviews or earlier.reviews)
        stored = replace(stored, turn=replace(stored.turn, earlier=earlier))
        persona, turn = team.personas.get(stored.turn.persona), stored.turn
        checked = team.checked(turn)
        measured = turn.delegation is not None or team.reviews.may_need(turn)
        if stored.asked >= 0 or persona is None or not (measured or checked):
            return stored
        compared = team.scoped or checked or team.reviews.required
        if checked:  # known before the work tree of a delegation is made: it is known there too
            turn = replace(turn, base=_first_base(persona, exchange, team))
        now = await self._tree(persona, turn) if compared else ""
        if turn.delegation is not None:
            goes_on = turn.delegation.goes_on
            if goes_on is None:  # stored by an earlier release, which looked at the task only now
                goes_on = goes_on_with_work(turn.delegation)
            turn = replace(turn, checklist=await self._turns.checklist(turn, goes_on=goes_on))
        if measured and turn.kind is not TurnKind.REWORK:  # a rework answers for all since the work began
            turn = replace(turn, baseline=now)
        if checked:
            turn = replace(turn, base=turn.base or now)
        await self._turns.keep_turn(turn)
        return replace(stored, turn=turn)

    async def laid_out(self, turn: Turn, exchange: Exchange, team: Team) -> None:
        """Make the work tree of a delegation from how its sender's stands now; what fails the turn itself will say."""
        persona = team.personas.get(turn.persona)
        if persona is None or turn.work_tree != turn.id:
            return
        if team.checked(turn):
            turn = replace(turn, base=_first_base(persona, exchange, team))
        try:
            await self._workspaces.prepare(persona, turn)
        except AgentError as error:
            log.warning("not_laid_out", persona=persona.name, reason=str(error))

    async def _tree(self, persona: AgentPersona, turn: Turn) -> str:
        try:
            return await self._trees.tree(await self._workspaces.prepare(persona, turn))
        except (GitFailed, AgentError, OSError) as error:
            # The scope of this turn cannot be judged. Whatever else is wrong, the turn itself will meet and say.
            log.warning("no_baseline", persona=persona.name, reason=str(error))
            return ""


def _first_base(persona: AgentPersona, exchange: Exchange, team: Team) -> str:
    """Return what the workspace was like when the first turn of an exchange began in it; "" when none has."""

    def works_here(turn: Turn) -> bool:
        other = team.personas.get(turn.persona)
        return (other.workspace if other is not None else "") == persona.workspace

    earlier = (stored.turn for stored in exchange.turns if stored.turn.base)
    return next((turn.base for turn in earlier if works_here(turn)), "")
