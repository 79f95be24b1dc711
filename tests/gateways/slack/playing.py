"""A gateway beside a Slack of our own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from mama_bot.app.system_clock import SystemClock
from mama_bot.config import SlackSettings
from mama_bot.gateways.chat.dependencies import ChatDependencies
from mama_bot.gateways.slack.backfill import BackfillTimings
from mama_bot.gateways.slack.gateway import SlackGateway
from mama_bot.metrics import Metrics
from mama_bot.model import AgentPersona
from mama_bot.testing.memory_core import MemoryInlet, MemoryState
from tests.platforms.slack_server import SlackServer, slack_server
from tests.waiting import until

DEVELOPER = AgentPersona(name="developer", display_name="Developer", prompt="", avatar=":hammer:")
REVIEWER = AgentPersona(name="reviewer", display_name="리뷰어", prompt="", avatar="https://pictures.example/r.png")


class Played:
    """A running gateway with what it is connected to."""

    def __init__(self, *, server: SlackServer, directory: Path, state: MemoryState | None = None) -> None:
        self.server = server
        self.directory = directory
        self.state = state or MemoryState()
        self.metrics = Metrics()
        self.inlet = MemoryInlet()
        self.backfill = BackfillTimings()

    def build(self, **changes: Any) -> SlackGateway:
        """A gateway that is quick in everything."""
        settings = SlackSettings(
            bot_token=SecretStr(self.server.app.bot_token),
            app_token=SecretStr(self.server.app.app_token),
            api_url=self.server.api_url,
            **{"progress_seconds": 0.05} | changes,
        )
        dependencies = ChatDependencies(
            personas=(DEVELOPER, REVIEWER),
            state=self.state,
            uploads=self.directory,
            clock=SystemClock(),
            metrics=self.metrics,
        )
        return SlackGateway(
            settings,
            dependencies,
            ping_seconds=0.4,
            first_retry_seconds=0.01,
            retry_seconds=0.1,
            first_progress_seconds=0.01,
            between_reactions_seconds=0.0,
            backfill=self.backfill,
        )

    def counted(self, name: str) -> int:
        """How often something was counted, whatever its labels."""
        return sum(amount for (one, _), amount in self.metrics.snapshot().items() if one == name)

    @asynccontextmanager
    async def running(
        self, again: SlackGateway | None = None, *, heard: bool = True, **changes: Any
    ) -> AsyncIterator[SlackGateway]:
        """A gateway that runs, and hears: a new one, or one that ran before."""
        gateway = again or self.build(**changes)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(gateway.run(self.inlet))
            if heard:
                await until(lambda: gateway.hearing().ok)
            try:
                yield gateway
            finally:
                task.cancel()


@asynccontextmanager
async def played(directory: Path, *, ack_seconds: float = 2.0, redeliveries: int = 20) -> AsyncIterator[Played]:
    """A Slack of our own, and all that a gateway needs beside it."""
    async with slack_server(ack_seconds=ack_seconds, redelivery_seconds=(0.05,) * redeliveries) as server:
        yield Played(server=server, directory=directory)
