"""What a review finds, as items of the board: one for each issue, closed when the work is approved."""

from collections.abc import Awaitable, Callable, Sequence

import structlog

from mama_bot.errors import MamaBotError
from mama_bot.model import AuthorKind, BoardId, Contributor, ConversationKey, ItemId, NewItem, StoredTurn, Turn, TurnId
from mama_bot.protocols import Items

TITLE_CHARACTERS = 200
KIND, LABEL = "bug", "review"

log = structlog.get_logger(__name__)


class FiledIssues:
    """Files the issues of rejections on the board of their conversation; a board that fails holds no review up."""

    def __init__(self, *, items: Items, board_of: Callable[[ConversationKey], Awaitable[BoardId]]) -> None:
        self._items = items
        self._board_of = board_of

    async def file(self, review: Turn, work: TurnId, issues: Sequence[str], *, assignee: str = "") -> Sequence[ItemId]:
        """Return the items of a rejection's issues, in their order; the same ones when it is done again."""
        try:
            board = await self._board_of(review.key)
            made = [await self._items.create(board, _item(review, work, issue, assignee)) for issue in issues]
        except MamaBotError as error:
            log.warning("issues_not_filed", review=review.id, reason=str(error))
            return ()
        log.info("issues_filed", review=review.id, items=[item.id for item in made])
        return [item.id for item in made]

    async def close(self, approval: Turn, earlier: Sequence[StoredTurn]) -> None:
        """Close what earlier reviews of the same work filed: it is approved now."""
        rejecting = {stored.turn.id for stored in earlier}
        try:
            board = await self._board_of(approval.key)
            filed = [item for item in await self._items.all_items(board) if item.turn_id in rejecting and item.is_open]
            for item in filed:
                if LABEL in item.labels:
                    reason = f"{approval.persona} approved the work."
                    await self._items.close(board, item.id, reason, _contributor(approval))
        except MamaBotError as error:
            log.warning("issues_not_closed", review=approval.id, reason=str(error))


def _item(review: Turn, work: TurnId, issue: str, assignee: str) -> NewItem:
    return NewItem(
        title=issue[:TITLE_CHARACTERS],
        description=f"{issue}\n\nFound in the review {review.id} of the work {work}.",
        by=_contributor(review),
        kind=KIND,
        assignee=assignee,
        labels=(LABEL,),
        turn_id=review.id,
    )


def _contributor(review: Turn) -> Contributor:
    return Contributor(name=review.persona, kind=AuthorKind.AGENT, role=review.kind.value)
