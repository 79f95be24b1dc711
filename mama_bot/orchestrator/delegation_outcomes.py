"""What comes of delegations, for whoever made them: their work, brought over, and where their reviews stand."""

from collections.abc import Sequence
from pathlib import Path

from mama_bot.checkouts.delegate_trees import DelegateTrees
from mama_bot.model import (
    BroughtHow,
    Exchange,
    InboundMessage,
    Notice,
    NoticeKind,
    PostId,
    StoredDelegateTree,
    TurnId,
    TurnState,
)
from mama_bot.orchestrator.team import Team
from mama_bot.protocols import Outbox
from mama_bot.turns.heard import MOST_NAMED, HeardOutcomes, brought_line
from mama_bot.turns.new_turns import came_of
from mama_bot.turns.prompts import standing_line
from mama_bot.turns.schedule import ReportResults
from mama_bot.turns.sentences import GONE_WITH_TREE, LEFT_BESIDE, LEFT_ON_BRANCH, LEFT_WHERE_IT_IS, LOST_WITH_TREE


class DelegationOutcomes:
    """Tells senders what came of their delegations; their work trees end with that.

    Of work that stays where it was made, and of what is lost, a person is told as well.
    """

    def __init__(self, *, trees: DelegateTrees, outbox: Outbox) -> None:
        self._trees = trees
        self._outbox = outbox

    async def heard(self, team: Team, step: ReportResults, exchange: Exchange) -> HeardOutcomes:
        """Bring the work of settled delegations to their sender, in order, and return what it is told; see `Hearing`.

        Nobody may work in the sender's work tree meanwhile. It is safe to repeat.
        """
        lines: dict[TurnId, list[str]] = {}
        for settled in step.settled:
            delegation = settled.turn.work_tree
            if delegation is None or delegation == step.asking.work_tree:
                continue
            stored = await self._trees.bring(delegation, answered=settled.state is TurnState.ANSWERED)
            if stored is None or stored.outcome is None:
                continue
            if line := brought_line(stored.outcome):
                lines.setdefault(settled.turn.id, []).append(line)
            notice = _line(stored, exchange.message, self._trees.directory)
            if stored.outcome.how in (BroughtHow.STAYS, BroughtHow.LOST) and notice is not None:
                await self._outbox.add(notice)
        for turn, reviews in (await team.reviews.standings(step, exchange)).items():
            lines.setdefault(turn, []).extend(map(standing_line, reviews))
        return HeardOutcomes(lines=lines, moved=await self._moved(step, exchange))

    async def _moved(self, step: ReportResults, exchange: Exchange) -> dict[str, str]:
        """Return where the work trees below a turn were, and where what was made there is, the deepest first."""
        below = [
            stored.turn
            for stored in exchange.turns
            if stored.turn.work_tree == stored.turn.id and came_of(stored.turn, step.asking, exchange.turns)
        ]
        moved: dict[str, str] = {}
        for turn in sorted(below, key=lambda turn: -turn.depth):
            place = await self._trees.merged_into(turn.id)
            if place is not None:
                moved[str(place[0])] = str(place[1])
        return moved

    async def left(self, message: InboundMessage) -> Sequence[Notice]:
        """Keep what delegations of a conversation left that no sender will hear of; return the lines that say so."""
        return [
            line
            for stored in await self._trees.left_by(message.key)
            if (line := _line(stored, message, self._trees.directory)) is not None
        ]


def _line(stored: StoredDelegateTree, message: InboundMessage, directory: Path) -> Notice | None:
    tree, outcome = stored.tree, stored.outcome
    if outcome is None:
        return None
    if outcome.how is BroughtHow.UNCHANGED:
        text = ""
    elif outcome.how is BroughtHow.LOST:
        text = LOST_WITH_TREE.to(message.language, persona=tree.persona, place=directory / tree.path)
    elif outcome.how is BroughtHow.STAYS:
        text = LEFT_WHERE_IT_IS.to(message.language, persona=tree.persona, place=directory / tree.path)
    else:
        text = LEFT_ON_BRANCH.to(
            message.language, persona=tree.persona, branch=outcome.branch, count=len(outcome.files)
        )
    if outcome.beside:
        names = ", ".join(outcome.beside[:MOST_NAMED])
        kept = LEFT_BESIDE.to(message.language, persona=tree.persona, branches=names, count=len(outcome.beside))
        text = f"{text}\n{kept}".strip()
    if outcome.ignored:
        names = ", ".join(outcome.ignored[:MOST_NAMED])
        gone = GONE_WITH_TREE.to(message.language, persona=tree.persona, files=names, count=len(outcome.ignored))
        text = f"{text}\n{gone}".strip()
    if not text:
        return None
    return Notice(
        id=PostId(f"{tree.id}.left"),
        key=tree.key,
        notice=NoticeKind.REPOSITORY,
        text=text,
        turn_id=tree.id,
        answers=message.id,
    )
