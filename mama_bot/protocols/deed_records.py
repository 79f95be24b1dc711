"""What is kept of changes of work trees, and of what people do with them."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from mama_bot.model import (
    ChangeId,
    ConversationKey,
    DeedId,
    DeedOutcome,
    DeedPlan,
    DeedRequest,
    Notice,
    StoredDeed,
    WorkChange,
)


class DeedRecords(Protocol):
    """Changes of work trees, and deeds; each method is one transaction and raises StoreUnavailable."""

    async def begin(self, change: WorkChange) -> WorkChange:
        """Note how a change begins, unless that is known (after a crash); return what stands."""
        ...

    async def begun(self, change: ChangeId) -> WorkChange | None:
        """Return a change that began, whether or not it has ended; None for one that nobody knows."""
        ...

    async def end(self, change: WorkChange) -> None:
        """Note a change that has ended."""
        ...

    async def forget(self, change: ChangeId) -> None:
        """Forget a change that began and changed nothing."""
        ...

    async def change(self, key: ConversationKey, change: ChangeId) -> WorkChange | None:
        """Return a change of a conversation that has ended; None when it has none of this id."""
        ...

    async def changes(self, key: ConversationKey, limit: int) -> Sequence[WorkChange]:
        """Return the changes of a conversation that have ended, the latest first."""
        ...

    async def title(self, key: ConversationKey) -> str:
        """Return the title of a conversation, "" for one that nobody knows."""
        ...

    async def ask(self, request: DeedRequest) -> bool:
        """Note a deed that is to be done; returning True means stored. False: another one of the conversation is."""
        ...

    async def plan(self, deed: DeedId, plan: DeedPlan) -> None:
        """Note what an open deed is about to do."""
        ...

    async def unsettled(self) -> Sequence[StoredDeed]:
        """Return the open deeds of all conversations, the oldest first."""
        ...

    async def settle(
        self, request: DeedRequest, outcome: DeedOutcome, notice: Notice | None, change: WorkChange | None = None
    ) -> None:
        """Note what came of a deed, with the line that tells it and the change that it made; once."""
        ...

    def every_change(self) -> AsyncIterator[WorkChange]:
        """Return the changes of all conversations, those that have not ended too."""
        ...

    def every_deed(self) -> AsyncIterator[StoredDeed]:
        """Return the deeds of all conversations."""
        ...

    async def deeds(self, key: ConversationKey, limit: int) -> Sequence[StoredDeed]:
        """Return the deeds of a conversation, the latest first."""
        ...
