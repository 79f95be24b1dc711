"""What is kept on boards: topics with their posts, and work items."""

from collections.abc import Sequence
from typing import Protocol

from mama_bot.model import (
    BoardId,
    Contributor,
    ItemChange,
    ItemId,
    ItemQuery,
    ListedItem,
    NewItem,
    NewTopicPost,
    TakenIn,
    TopicPost,
    TopicPostId,
    TopicSummary,
    WorkItem,
)


class Topics(Protocol):
    """Topics are added to and read, nothing of them is ever changed; each method is one transaction.

    Each raises StoreUnavailable, and BoardRefused for what a board does not take.
    """

    async def add(self, board: BoardId, new: NewTopicPost) -> TopicPost:
        """Add a post to a topic; one that its turn added before is returned as it stands."""
        ...

    async def find(self, board: BoardId, post_id: TopicPostId) -> TopicPost | None:
        """Return a post of a board; None where there is none."""
        ...

    async def read(
        self, board: BoardId, topic: str, *, since: TopicPostId | None = None, limit: int = 50
    ) -> Sequence[TopicPost]:
        """Return the first posts that came to a topic after a post, or the newest there are, in the order they came.

        By the order in which they came here, not by their ids: what a file brings in later is missed by nobody.
        """
        ...

    async def topics(self, board: BoardId | None = None, *, limit: int = 100) -> Sequence[TopicSummary]:
        """Return the topics of a board, or of all boards, the latest first."""
        ...

    async def all_posts(self, board: BoardId) -> Sequence[TopicPost]:
        """Return every post of a board by its id, so by time."""
        ...

    async def take_in(self, board: BoardId, posts: Sequence[TopicPost]) -> TakenIn:
        """Add posts that a file holds and the board does not; they are marked as imported."""
        ...


class Items(Protocol):
    """Work items with their dependencies; each method is one transaction.

    Each raises StoreUnavailable, and BoardRefused for what a board does not take: then nothing is changed.
    """

    async def create(self, board: BoardId, new: NewItem) -> WorkItem:
        """Create an item; one that its turn created before is returned as it stands."""
        ...

    async def update(self, board: BoardId, item_id: ItemId, change: ItemChange, by: Contributor) -> WorkItem:
        """Change an item; a dependency by which it would wait for itself is refused with the way of the cycle."""
        ...

    async def close(self, board: BoardId, item_id: ItemId, reason: str, by: Contributor) -> WorkItem:
        """Close an item for a reason; to close it again for the same one changes nothing."""
        ...

    async def find(self, board: BoardId, item_id: ItemId) -> ListedItem | None:
        """Return an item with what blocks it; None where there is none."""
        ...

    async def query(self, board: BoardId, query: ItemQuery) -> Sequence[ListedItem]:
        """Return the items that are asked for, the most urgent first, of equal ones the oldest."""
        ...

    async def all_items(self, board: BoardId) -> Sequence[WorkItem]:
        """Return every item of a board by its id."""
        ...

    async def boards(self) -> Sequence[BoardId]:
        """Return the boards that hold a post or an item."""
        ...

    async def take_in(self, board: BoardId, items: Sequence[WorkItem], *, own_too: bool = False) -> TakenIn:
        """Keep the items of a file that are new, or newer than what is there; they are marked as imported.

        One that was made on this board is changed only with `own_too`: where a person asked for it. Of one that is in
        the file twice, as after a merge by union, the newer counts.
        """
        ...
