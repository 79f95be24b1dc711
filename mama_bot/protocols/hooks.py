"""What takes the deliveries of other services."""

from collections.abc import Mapping
from typing import Protocol

from mama_bot.model import HookDelivery, HookOutcome
from mama_bot.protocols.gateways import Inlet


class HookDesk(Protocol):
    """Takes what other services deliver to hooks."""

    def most_bytes(self, hook: str, headers: Mapping[str, str]) -> int:
        """Return how large a delivery may be; 0: it is not worth reading, whatever it holds."""
        ...

    async def take(self, delivery: HookDelivery, inlet: Inlet) -> HookOutcome:
        """Let a delivery ask the team where it is proven, wanted and new; raises StoreUnavailable."""
        ...
