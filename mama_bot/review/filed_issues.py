"""What a review finds, as items of the board: one for each issue, closed when the work is approved."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import structlog

from mama_bot.errors import MamaBotError
from mama_bot.model import AuthorKind, BoardId, Contributor, ConversationKey, ItemId, NewItem, Turn, TurnId
from mama_bot.protocols import Items
from mama_bot.review.sentences import ITEM_CLOSED, ITEM_DESCRIPTION, NO_ISSUE_NAMED

TITLE_CHARACTERS = 200
KIND, LABEL = "bug", "review"

log = structlog.get_logger(__name__)


class FiledIssues:
    """Files the issues of rejections on the board of their conversation; a board that fails holds no review up.

    An issue of a piece of work is one item, however often it is reviewed.
    """

    def __init__(self, *, items: Items, board_of: Callable[[ConversationKey], Awaitable[BoardId]]) -> None:
        self._items = items
        self._board_of = board_of

    async def file(
        self, review: Turn, work: TurnId, issues: Sequence[str], *, by: str, assignee: str = ""
    ) -> Mapping[str, ItemId]:
        """Return the item of each issue that names one, found by `by`; of those that the board took."""
        made: dict[str, ItemId] = {}
        try:
            board = await self._board_of(review.key)
            for issue in issues:
                if issue != NO_ISSUE_NAMED.to(review.language):
                    item = await self._items.create(board, _item(review, work, issue, by, assignee))
                    made[issue] = item.id
        except MamaBotError as error:
            log.warning("issues_not_filed", review=review.id, reason=str(error))
        log.info("issues_filed", review=review.id, items=[*made.values()])
        return made

    async def close(self, approval: Turn, work: TurnId, *, by: str) -> None:
        """Close what reviews of a piece of work filed: `by` approved it."""
        try:
            board = await self._board_of(approval.key)
            filed = [item for item in await self._items.all_items(board) if item.turn_id == work and item.is_open]
            for item in filed:
                if LABEL in item.labels:
                    reason = ITEM_CLOSED.to(approval.language, by=by)
                    await self._items.close(board, item.id, reason, _contributor(approval, by))
        except MamaBotError as error:
            log.warning("issues_not_closed", review=approval.id, reason=str(error))


def _item(review: Turn, work: TurnId, issue: str, by: str, assignee: str) -> NewItem:
    return NewItem(
        title=issue[:TITLE_CHARACTERS],
        description=ITEM_DESCRIPTION.to(review.language, issue=issue, by=by, review=review.id, work=work),
        by=_contributor(review, by),
        kind=KIND,
        assignee=assignee,
        labels=(LABEL,),
        turn_id=work,
    )


def _contributor(review: Turn, by: str) -> Contributor:
    return Contributor(name=by, kind=AuthorKind.AGENT, role=review.kind.value)
