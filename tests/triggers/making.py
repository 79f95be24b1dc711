"""A service's triggers over a real store, with a clock that a test sets."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mama_bot.config import QueueSettings, ScheduleSettings
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, InboundMessage, Notice, Platform
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.testing.memory_core import MemoryInlet
from mama_bot.triggers.pauses import Pauses
from mama_bot.triggers.schedules import Schedules

C1 = ConversationKey(Platform("slack"), "C1")
STATE = Platform("triggers")


class SetClock:
    """A clock that a test sets."""

    def __init__(self, now: datetime) -> None:
        self.time = now

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return self.time.timestamp()


class StoredInlet(MemoryInlet):
    """An inlet that stores into a real store."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store

    async def deliver(self, message: InboundMessage) -> bool:
        if self.refusal is not None:
            raise self.refusal
        taken = await self._store.inbox.accept(message)
        if taken:
            self.history.messages.append(message)
        return taken is not None


def at(text: str) -> datetime:
    """The moment that a text like "2026-03-01 03:00" names, in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@dataclass
class Life:
    """One life of a service: its store outlives it, what it remembers does not."""

    store: Store
    clock: SetClock
    settings: Mapping[str, ScheduleSettings]
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        state = self.store.gateway_state(STATE)
        self.inlet = StoredInlet(self.store)
        self.pauses = Pauses(state=state, clock=self.clock)
        self.slept: list[float] = []
        self.schedules = Schedules(
            schedules=self.settings,
            default_persona="lead",
            inbox=self.store.inbox,
            outbox=self.store.outbox,
            state=state,
            pauses=self.pauses,
            clock=self.clock,
            metrics=self.metrics,
            sleep=self._sleep,
        )

    async def _sleep(self, seconds: float) -> None:
        """Time passes while nobody waits for it."""
        self.slept.append(seconds)
        self.clock.time += timedelta(seconds=seconds)
        await asyncio.sleep(0)

    async def look(self, moment: str) -> list[str]:
        """The ids of what is asked at a moment, in UTC."""
        self.clock.time = at(moment)
        before = len(self.inlet.delivered)
        await self.schedules.ask_due(self.inlet)
        return [message.id for message in self.inlet.delivered[before:]]

    async def answered(self) -> None:
        """All that was asked is over."""
        for message in self.inlet.delivered:
            await self.store.inbox.withdraw(message.key, message.id)

    async def lines(self, key: ConversationKey = C1) -> list[str]:
        """What the channel is told."""
        posts = [entry.post for entry in await self.store.outbox.pending(key)]
        return [post.text for post in posts if isinstance(post, Notice)]

    def counted(self, outcome: str) -> int:
        return sum(
            amount
            for (name, labels), amount in self.metrics.snapshot().items()
            if name == "schedule_runs" and ("outcome", outcome) in labels
        )


@asynccontextmanager
async def opened(directory: Path, clock: SetClock, *, limit: int = 100) -> AsyncIterator[Store]:
    async with open_store(
        sqlite_url(directory / "store.sqlite"), clock=clock, queue=QueueSettings(limit=limit, per_conversation=limit)
    ) as store:
        yield store


def schedule(
    cron: str, *, zone: str = "UTC", prompt: str = "Report what broke.", persona: str = ""
) -> ScheduleSettings:
    return ScheduleSettings(cron=cron, time_zone=zone, channel="slack/C1", prompt=prompt, persona=persona)
