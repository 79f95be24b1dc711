"""What the tests of gateways share: a clock, ids, and a page served on a free port."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from pydantic import SecretStr

from mama_bot.config import EnforcementSettings, WebSettings
from mama_bot.gateways.web.application import ReloadSettings, unread
from mama_bot.gateways.web.connections import ConnectionBounds
from mama_bot.gateways.web.events import LivePages
from mama_bot.gateways.web.gateway import WebGateway
from mama_bot.metrics import Metrics
from mama_bot.model import Author, ConversationKey, Hearing, InboundMessage, Lack, MessageId, Platform, Trouble
from mama_bot.protocols import HookDesk
from mama_bot.testing.memory_core import (
    MemoryHistory,
    MemoryInlet,
    MemoryMeasurements,
    MemoryPairings,
    MemoryReports,
)
from mama_bot.testing.scripted_team import ScriptedTeam
from mama_bot.trial.own_texts import OwnTexts
from mama_bot.wording import Said
from tests.gateways.web.stories import TEAM
from tests.waiting import SECONDS, until

KEY = "correct horse battery"
WEB = Platform("web")


class SteppingClock:
    """Starts now and moves on a little at every look, so that nothing happens at the same time."""

    def __init__(self) -> None:
        self._now = datetime.now(UTC) - timedelta(minutes=1)

    def now(self) -> datetime:
        self._now += timedelta(milliseconds=20)
        return self._now

    def monotonic(self) -> float:
        return time.monotonic()


class Ids:
    """id-1, id-2, ..."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def __call__(self) -> str:
        return f"id-{next(self._numbers)}"


def key_of(key: str) -> dict[str, str]:
    """The header by which a request shows the key of the page."""
    return {"authorization": f"Bearer {key}"}


def web_key(conversation: str) -> ConversationKey:
    return ConversationKey(WEB, conversation)


@dataclass(frozen=True, kw_only=True)
class Served:
    """A page that is being served, and the core behind it."""

    gateway: WebGateway
    inlet: MemoryInlet
    reports: MemoryReports
    measurements: MemoryMeasurements
    metrics: Metrics
    team: ScriptedTeam
    clock: SteppingClock

    @property
    def url(self) -> str:
        return self.gateway.url

    def client(self) -> httpx.AsyncClient:
        """Somebody who has the key."""
        return httpx.AsyncClient(base_url=self.url, headers=key_of(KEY), timeout=SECONDS)

    def stranger(self) -> httpx.AsyncClient:
        """Somebody who has none."""
        return httpx.AsyncClient(base_url=self.url, timeout=SECONDS)

    @property
    def history(self) -> MemoryHistory:
        return self.inlet.history

    async def write(self, conversation: str, text: str, *, message_id: str = "") -> InboundMessage:
        """A person's message that is already stored."""
        message = InboundMessage(
            id=MessageId(message_id or f"{conversation}-{len(self.inlet.delivered)}"),
            key=web_key(conversation),
            author=Author(id="web", name="Person"),
            text=text,
            received_at=self.clock.now(),
        )
        await self.inlet.deliver(message)
        return message

    async def delivered(self, count: int) -> InboundMessage:
        """The last of `count` delivered messages, once they are there."""
        await until(lambda: len(self.inlet.delivered) >= count)
        return self.inlet.delivered[-1]


@asynccontextmanager
async def serve(
    settings: WebSettings | None = None,
    *,
    inlet: MemoryInlet | None = None,
    banner: Said | None = None,
    warning: Said | None = None,
    pages: LivePages | None = None,
    pairings: MemoryPairings | None = None,
    hearing: Callable[[], Mapping[Platform, Hearing]] | None = None,
    lacking: Callable[[], Sequence[Lack]] = lambda: (),
    troubles: Callable[[], Sequence[Trouble] | None] = lambda: (),
    starting_seconds: float = 60.0,
    bounds: ConnectionBounds | None = None,
    demo_repository: bool = False,
    hooks: HookDesk | None = None,
    reload: ReloadSettings = unread,
) -> AsyncIterator[Served]:
    """Serve the page until left."""
    with TemporaryDirectory() as directory:
        inlet, clock, new_id = inlet or MemoryInlet(), SteppingClock(), Ids()
        reports, measurements = MemoryReports(inlet.history, clock=clock), MemoryMeasurements()
        metrics = Metrics()
        gateway = WebGateway(
            settings=(settings or WebSettings(port=0)).model_copy(update={"key": SecretStr(KEY)}),
            personas=TEAM,
            history=inlet.history,
            reports=reports,
            measurements=measurements,
            judge=OwnTexts(settings=EnforcementSettings(), clock=clock, seconds=60),
            metrics=metrics,
            clock=clock,
            new_id=new_id,
            uploads=Path(directory),
            pairings=pairings,
            hearing=hearing,
            lacking=lacking,
            troubles=troubles,
            starting_seconds=starting_seconds,
            reload=reload,
            banner=banner,
            warning=warning,
            failure_delay_seconds=0.01,
            pages=pages,
            hooks=hooks,
            bounds=bounds or ConnectionBounds(),
            demo_repository=demo_repository,
        )
        team = ScriptedTeam(gateway=gateway, history=inlet.history, clock=clock, new_id=new_id)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(gateway.run(inlet))
            async with asyncio.timeout(SECONDS):
                await gateway.ready.wait()
            try:
                yield Served(
                    gateway=gateway,
                    inlet=inlet,
                    reports=reports,
                    measurements=measurements,
                    metrics=metrics,
                    team=team,
                    clock=clock,
                )
            finally:
                running.cancel()
