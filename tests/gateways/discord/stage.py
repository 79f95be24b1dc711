"""A running gateway to a local Discord, and the people there."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.app.system_clock import SystemClock
from mama_bot.backoff import Backoff
from mama_bot.config.platform_settings import DiscordSettings
from mama_bot.gateways.chat.dependencies import ChatDependencies
from mama_bot.gateways.discord.client import Waits
from mama_bot.gateways.discord.gateway import DiscordGateway
from mama_bot.gateways.discord.patience import Patience
from mama_bot.gateways.discord.timings import Timings
from mama_bot.metrics import Metrics
from mama_bot.model import CommandName, ConversationKey, Platform
from mama_bot.testing.memory_core import MemoryInlet, MemoryState
from tests.gateways.under_test import ChatUnderTest
from tests.people import persona
from tests.platforms.discord_server import DiscordServer, File
from tests.platforms.discord_server.shapes import Interaction
from tests.platforms.pickiness import Pickiness
from tests.waiting import until

DISCORD = Platform("discord")
TIMINGS = Timings(
    waits=Waits(silence=20, identify=0.01),
    first_backoff=0.02,
    longest_backoff=0.1,
    longest_after_failure=0.1,
    revoked=0.05,
    marks=0.02,
    history=0.02,
    defer=0.3,
    progress_first=0.05,
    between_reactions=0.0,
    patience=Patience(pauses=Backoff(first=0.02, longest=0.05), whole_seconds=20),
)


def settings_for(server: DiscordServer, **more: object) -> DiscordSettings:
    base: dict[str, object] = {
        "token": server.token,
        "api_url": server.api_url,
        "gateway_url": server.gateway_url,
        "files_url": server.origin,
        "progress_seconds": 1,
    }
    return DiscordSettings.model_validate(base | more)


@dataclass
class DiscordUnderTest(ChatUnderTest):
    server: DiscordServer
    gateway: DiscordGateway
    inlet: MemoryInlet
    state: MemoryState
    metrics: Metrics
    ids: dict[str, str] = field(default_factory=dict)
    last: Interaction | None = None

    def settled(self) -> int:
        counted = self.metrics.snapshot().items()
        return sum(count for (name, _), count in counted if name in {"chat_messages", "chat_messages_held"})

    def counted(self, name: str) -> int:
        return sum(count for (one, _), count in self.metrics.snapshot().items() if one == name)

    async def say(self, text: str, *, message_id: str) -> bool:
        before = self.settled()
        if message_id in self.ids:
            await self.server.repeat(self.ids[message_id])
        else:
            self.ids[message_id] = await self.server.say(f"<@{self.server.bot}> {text}")
        await until(lambda: self.settled() > before)
        return any(message.id == self.id_of(message_id) for message in self.inlet.delivered)

    async def write(self, text: str, *, channel: str = "", author: str = "", answers: str = "") -> str:
        """Somebody writes just this; returns when the gateway has dealt with it."""
        before = self.settled()
        written = await self.server.say(text, channel=channel, author=author, answers=answers)
        await until(lambda: self.settled() > before)
        return written

    def conversation(self) -> ConversationKey:
        return ConversationKey(DISCORD, self.server.channel)

    def id_of(self, message_id: str) -> str:
        return f"discord:{self.ids[message_id]}"

    async def command(self, name: CommandName, argument: str = "") -> str:
        await until(lambda: self.server.world.commands)
        options = {"note": argument, "days": argument} if argument else {}
        interaction = self.last = await self.server.slash(name.value, options)
        await until(lambda: interaction.texts)
        assert interaction.hidden
        return "\n".join(interaction.texts)

    async def edit(self, message_id: str, text: str) -> None:
        await self.server.edit(self.ids[message_id], f"<@{self.server.bot}> {text}")

    async def delete(self, message_id: str) -> None:
        await self.server.delete(self.ids[message_id])

    async def attach(self, name: str, media_type: str, content: bytes, *, message_id: str) -> None:
        file = File(name=name, media_type=media_type, content=content)
        self.ids[message_id] = await self.server.say(f"<@{self.server.bot}> see this", files=[file])

    async def press(self, name: CommandName, platform_id: str, *, channel: str = "") -> str:
        [message] = [one for one in self.server.shown(channel) if one.id == platform_id]
        [value] = [one for one in message.buttons if one.split(":")[1] == name.value]
        interaction = self.last = await self.server.press(platform_id, value, channel=channel)
        await until(lambda: interaction.texts)
        return "\n".join(interaction.texts)

    async def press_offered(self, label: str) -> str:
        assert self.last is not None
        message = self.server.world.message(self.last.channel, self.last.original)
        [value] = [
            one["custom_id"] for row in message["components"] for one in row["components"] if one["label"] == label
        ]
        interaction = await self.server.press(message["id"], value, channel=self.last.channel)
        await until(lambda: interaction.texts)
        return "\n".join(interaction.texts)

    def buttons(self, platform_id: str) -> list[str]:
        [message] = [one for one in self.server.shown() if one.id == platform_id]
        return list(message.buttons)

    def shown(self) -> list[str]:
        people = {"alice", "helper"}
        return [message.text for message in self.server.shown() if message.author not in people]

    def reactions(self, message_id: str) -> int:
        return len(self.server.reactions(self.ids[message_id]))

    async def cut(self) -> None:
        self.server.cut()

    async def say_as_bot(self, text: str) -> None:
        author = self.server.world.add_user("helper", bot=True)
        before = self.settled()
        await self.server.say(f"<@{self.server.bot}> {text}", author=author)
        await until(lambda: self.settled() > before)

    @property
    def pickiness(self) -> Pickiness:
        return self.server.pickiness

    def refuse_next(self, status: int) -> None:
        self.server.refuse(status, "POST /webhooks/")
        if status == 403:  # what a webhook may not say, the bot says for the persona
            self.server.refuse(status, f"POST /channels/{self.server.channel}/messages")


@asynccontextmanager
async def connected(
    server: DiscordServer,
    uploads: Path,
    *,
    state: MemoryState | None = None,
    inlet: MemoryInlet | None = None,
    timings: Timings = TIMINGS,
    hears: bool = True,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    **settings: object,
) -> AsyncIterator[DiscordUnderTest]:
    """A gateway that runs until the block ends."""
    state, metrics = state or MemoryState(), Metrics()
    dependencies = ChatDependencies(
        personas=(persona("developer"), persona("reviewer")),
        state=state,
        uploads=uploads,
        clock=SystemClock(),
        metrics=metrics,
    )
    gateway = DiscordGateway(settings_for(server, **settings), dependencies, timings=timings, sleep=sleep)
    under_test = DiscordUnderTest(
        server=server, gateway=gateway, inlet=inlet or MemoryInlet(), state=state, metrics=metrics
    )
    async with running_again(under_test, hears=hears):
        yield under_test


@asynccontextmanager
async def running_again(under_test: DiscordUnderTest, *, hears: bool = True) -> AsyncIterator[None]:
    """The same gateway, which runs until the block ends."""
    async with asyncio.TaskGroup() as group:
        running = group.create_task(under_test.gateway.run(under_test.inlet))
        if hears:
            await until(lambda: under_test.gateway.hearing().ok)
        yield
        running.cancel()
