"""What is kept of the repositories that conversations work in."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from mama_bot.model import Checkout, ConversationKey, WorkPlace


class CheckoutRecords(Protocol):
    """Which repository a conversation works in, and its work trees; each method is one transaction."""

    async def assigned(self, key: ConversationKey) -> str | None:
        """Return the repository of a conversation (`SCRATCH`: none); None while nothing was assigned."""
        ...

    async def place(self, key: ConversationKey) -> WorkPlace:
        """Return where a conversation works, all of it in one snapshot."""
        ...

    async def assign(self, key: ConversationKey, repository: str, *, anew: bool = False) -> str:
        """Note the repository of a conversation unless it has one (`anew`: even then); return the one that stands."""
        ...

    async def choice(self, place: str) -> str | None:
        """Return what a person chose for a channel ("slack/C0123") by a command; None where nobody did."""
        ...

    async def choose(self, place: str, repository: str, *, by: str, at: datetime) -> None:
        """Note what a person chose for a channel; it stands above the configuration."""
        ...

    async def of_conversation(self, key: ConversationKey) -> Sequence[Checkout]:
        """Return the work trees of a conversation, those that are put away included."""
        ...

    async def keep(self, checkout: Checkout) -> None:
        """Note a work tree, in place of what was noted of that conversation and repository."""
        ...

    async def forget(self, checkout: Checkout) -> None:
        """Forget a work tree, as if the conversation never had one of that repository."""
        ...

    async def on_disk(self) -> Sequence[Checkout]:
        """Return all work trees that are not put away, those that were unused longest first."""
        ...
