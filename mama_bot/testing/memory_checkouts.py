"""What is kept of work trees, in memory."""

from collections.abc import Sequence
from datetime import datetime

from mama_bot.model import Checkout, ConversationKey, WorkPlace


class MemoryCheckoutRecords:
    """A `CheckoutRecords` in memory."""

    def __init__(self) -> None:
        self._assigned: dict[ConversationKey, str] = {}
        self._choices: dict[str, str] = {}
        self._checkouts: dict[tuple[ConversationKey, str], Checkout] = {}

    async def assigned(self, key: ConversationKey) -> str | None:
        """See `CheckoutRecords.assigned`."""
        return self._assigned.get(key)

    async def place(self, key: ConversationKey) -> WorkPlace:
        """See `CheckoutRecords.place`; delegations have no work trees here."""
        return WorkPlace(repository=self._assigned.get(key), checkouts=tuple(await self.of_conversation(key)))

    async def assign(self, key: ConversationKey, repository: str, *, anew: bool = False) -> str:
        """See `CheckoutRecords.assign`."""
        if anew:
            self._assigned[key] = repository
        return self._assigned.setdefault(key, repository)

    async def choice(self, place: str) -> str | None:
        """See `CheckoutRecords.choice`."""
        return self._choices.get(place)

    async def choose(self, place: str, repository: str, *, by: str, at: datetime) -> None:
        """See `CheckoutRecords.choose`."""
        del by, at
        self._choices[place] = repository

    async def of_conversation(self, key: ConversationKey) -> Sequence[Checkout]:
        """See `CheckoutRecords.of_conversation`."""
        return [checkout for checkout in self._checkouts.values() if checkout.key == key]

    async def keep(self, checkout: Checkout) -> None:
        """See `CheckoutRecords.keep`."""
        self._checkouts[checkout.key, checkout.repository] = checkout

    async def forget(self, checkout: Checkout) -> None:
        """See `CheckoutRecords.forget`."""
        self._checkouts.pop((checkout.key, checkout.repository), None)

    async def on_disk(self) -> Sequence[Checkout]:
        """See `CheckoutRecords.on_disk`."""
        there = (checkout for checkout in self._checkouts.values() if checkout.put_away_at is None)
        return sorted(there, key=lambda checkout: checkout.used_at)
