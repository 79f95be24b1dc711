"""Who is served, with everything around it, on a platform in memory."""

import asyncio
import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mama_bot.config import AccessSettings
from mama_bot.delivery import Delivery
from mama_bot.intake.access import Access
from mama_bot.intake.pairing_requests import PairingRequests
from mama_bot.metrics import Metrics
from mama_bot.model import Author, AuthorKind, ConversationKey, Origin, Platform
from mama_bot.store import Store
from mama_bot.testing.memory_gateway import MEMORY, MemoryGateway
from tests.people import START

PLACE = ConversationKey(MEMORY, "general")
DIRECT = Origin(channel="d1", direct=True)
KIM = Author(id="u1", name="김민수")
LEE = Author(id="u2", name="Lee")
BOT = Author(id="b1", name="Builder", kind=AuthorKind.BOT)


class SetClock:
    """A clock that somebody sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds


@dataclass
class Door:
    """An access with its surroundings."""

    store: Store
    clock: SetClock
    settings: AccessSettings = field(default_factory=AccessSettings)
    decided: frozenset[Platform] = frozenset()
    metrics: Metrics = field(default_factory=Metrics)
    gateway: MemoryGateway = field(default_factory=MemoryGateway)

    def __post_init__(self) -> None:

        def settings() -> dict[Platform, AccessSettings]:
            return {MEMORY: self.settings}

        self.requests = PairingRequests(
            pairings=self.store.pairings,
            settings=settings,
            gateways={MEMORY: self.gateway},
            outbox=self.store.outbox,
            clock=self.clock,
            metrics=self.metrics,
            chance=random.Random(7),
        )
        self.access = Access(
            settings=settings,
            decided=self.decided,
            pairings=self.store.pairings,
            requests=self.requests,
            clock=self.clock,
            metrics=self.metrics,
        )

    async def run(self) -> None:
        """Tell people, and post it, until cancelled."""
        delivery = Delivery(
            gateways={MEMORY: self.gateway},
            outbox=self.store.outbox,
            bell=self.store.post_bell,
            metrics=self.metrics,
            clock=self.clock,
        )
        async with asyncio.TaskGroup() as group:
            group.create_task(delivery.run())
            group.create_task(self.requests.run())

    def counted(self, name: str) -> int:
        return sum(amount for (counted, _), amount in self.metrics.snapshot().items() if counted == name)
