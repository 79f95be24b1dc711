"""A Telegram gateway with the real client against our own server, and the people who talk to it."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pydantic import SecretStr

from mama_bot.config import TelegramSettings
from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.chat.command_forms import button_value
from mama_bot.gateways.chat.dependencies import ChatDependencies
from mama_bot.gateways.telegram.gateway import TelegramGateway
from mama_bot.gateways.telegram.timings import Timing
from mama_bot.metrics import Metrics
from mama_bot.model import CommandName, ConversationKey, Part, Platform, Post
from mama_bot.protocols import GatewayState
from mama_bot.testing.memory_core import MemoryInlet, MemoryState
from tests.gateways.under_test import ChatUnderTest
from tests.people import persona
from tests.platforms.pickiness import Pickiness
from tests.platforms.telegram_server import Bot, Chat, Json, Person, TelegramServer, Upload
from tests.platforms.telegram_server.world import entities_of
from tests.waiting import until

TELEGRAM = Platform("telegram")
TOKEN = "7000000001:AAmain"
DEVELOPER_TOKEN = "7000000002:AAdeveloper"
GROUP_ID = -1001234567890
QUICK = Timing(
    silence=2.0,
    first_pause=0.02,
    longest_pause=0.2,
    revoked=0.1,
    album=0.15,
    call=5.0,
    download=10.0,
    press=1.0,
    first_progress=0.1,
    group_edit=0.0,
    between_reactions=0.0,
)


class RealClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


def settings_for(server: TelegramServer, **more: object) -> TelegramSettings:
    values = {"token": SecretStr(TOKEN), "api_url": server.api_url, "files_url": server.files_url, "poll_seconds": 5}
    return TelegramSettings.model_validate(values | more)


@dataclass(kw_only=True)
class Telegram(ChatUnderTest):
    """One person in a group with the bot (or in private), and a gateway that runs."""

    gateway: TelegramGateway
    inlet: MemoryInlet
    server: TelegramServer
    bot: Bot
    chat: Chat
    person: Person
    state: GatewayState
    metrics: Metrics
    uploads: Path
    sent: dict[str, Json] = field(default_factory=dict)

    def id_of(self, message_id: str) -> str:
        return f"telegram:{self.chat.id}:{self.sent[message_id]['message_id']}"

    def conversation(self) -> ConversationKey:
        return ConversationKey(TELEGRAM, str(self.chat.id))

    async def say(self, text: str, *, message_id: str) -> bool:
        if message_id in self.sent:
            update = self.server.push_again(self.bot, self.sent[message_id])
        else:
            self.sent[message_id] = self.server.say(self.person, f"@mama_bot {text}", chat=self.chat)
            update = self.bot.queue.last
        if isinstance(self.inlet.refusal, StoreUnavailable):
            await until(lambda: self.bot.queue.served.get(update, 0) > 1)
            return self.bot.queue.confirmed > update
        await self.confirmed(update)
        return any(message.id == self.id_of(message_id) for message in self.inlet.delivered)

    async def confirmed(self, update: int = 0) -> None:
        """Wait until the bot said that it has an update (by default the last one)."""
        number = update or self.bot.queue.last
        await until(lambda: self.bot.queue.confirmed > number)

    async def command(self, name: CommandName, argument: str = "") -> str:
        before = len(self.shown())
        self.server.say(self.person, f"/{name.value}@mama_bot {argument}".strip(), chat=self.chat)
        await until(lambda: len(self.shown()) > before)
        return self.shown()[-1]

    async def edit(self, message_id: str, text: str) -> None:
        self.server.edit(self.sent[message_id], f"@mama_bot {text}")

    async def delete(self, message_id: str) -> None:
        raise NotImplementedError("bots are not told")

    async def attach(self, name: str, media_type: str, content: bytes, *, message_id: str) -> None:
        upload = Upload(name, media_type, content)
        self.sent[message_id] = self.server.send(self.person, upload, caption="@mama_bot see this", chat=self.chat)

    async def press(self, name: CommandName, platform_id: str) -> str:
        message = self.server.message(self.bot, self.chat, int(platform_id))
        values = [one["callback_data"] for row in message["reply_markup"]["inline_keyboard"] for one in row]
        value = next(one for one in values if one.startswith(button_value(name)))
        before = len(self.shown())
        query = self.server.world.queries[self.server.press(self.person, message, value)]
        await until(lambda: query.answer is not None)
        assert query.answer is not None
        if not query.answer["text"]:
            await until(lambda: len(self.shown()) > before)
            return self.shown()[-1]
        return str(query.answer["text"])

    async def press_offered(self, label: str) -> str:
        messages = self.server.world.box(self.bot, self.chat).messages.values()
        message = next(one for one in reversed(messages) if one["from"]["is_bot"])
        keys = [one for row in message["reply_markup"]["inline_keyboard"] for one in row]
        [value] = [one["callback_data"] for one in keys if one["text"] == label]
        query = self.server.world.queries[self.server.press(self.person, message, value)]
        await until(lambda: query.answer is not None)
        assert query.answer is not None
        return str(query.answer["text"])

    def buttons(self, platform_id: str) -> list[str]:
        rows = self.server.message(self.bot, self.chat, int(platform_id)).get("reply_markup", {})
        return [one["callback_data"] for row in rows.get("inline_keyboard", []) for one in row]

    def shown(self) -> list[str]:
        return self.server.shown(self.chat)

    def reactions(self, message_id: str) -> int:
        number = self.sent[message_id]["message_id"]
        return sum(mark[:2] == (self.chat.id, number) for mark in self.server.world.reactions)

    async def cut(self) -> None:
        self.server.drop_connections()

    async def say_as_bot(self, text: str) -> None:
        self.server.world.bot_to_bot = True
        other = self.server.add_bot("7000000099:AAother", "other_bot")
        self.chat.members[other.id] = "member"
        words = f"@mama_bot {text}"
        self.server.post(other.user(), {"text": words, "entities": entities_of(words)}, chat=self.chat)

    @property
    def pickiness(self) -> Pickiness:
        return self.server.pickiness

    def refuse_next(self, status: int) -> None:
        described = {403: "Forbidden: bot was kicked from the supergroup chat"}
        self.server.fail_next("sendMessage", status, described.get(status, "Internal Server Error"))

    async def post_all(self, post: Post, *, repeated: bool = False) -> list[str]:
        return [await self.gateway.post(post, part, repeated=repeated) for part in self.parts(post)]

    def parts(self, post: Post) -> list[Part]:
        return list(self.gateway.parts(post))

    def counted(self, name: str) -> int:
        return sum(count for (counted, _), count in self.metrics.snapshot().items() if counted == name)


TEAM = (persona("leader"), persona("developer"), persona("reviewer"))


def made(
    server: TelegramServer,
    uploads: Path,
    *,
    state: GatewayState | None = None,
    timing: Timing = QUICK,
    settings: Mapping[str, object] | None = None,
) -> tuple[TelegramGateway, GatewayState, Metrics]:
    state, metrics = state or MemoryState(), Metrics()
    dependencies = ChatDependencies(personas=TEAM, state=state, uploads=uploads, clock=RealClock(), metrics=metrics)
    return TelegramGateway(settings_for(server, **(settings or {})), dependencies, timing=timing), state, metrics


@asynccontextmanager
async def running(gateway: TelegramGateway, inlet: MemoryInlet) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(gateway.run(inlet))
        try:
            yield
        finally:
            task.cancel()


@asynccontextmanager
async def telegram(
    uploads: Path,
    *,
    state: GatewayState | None = None,
    inlet: MemoryInlet | None = None,
    privacy: bool = True,
    forum: bool = False,
    admin: bool = False,
    kind: str = "supergroup",
    timing: Timing = QUICK,
    hearing: bool = True,
    **settings: object,
) -> AsyncIterator[Telegram]:
    """A gateway that runs in a group with Alice; a persona's own bot is there when it has a token."""
    async with TelegramServer() as server:
        bot = server.add_bot(TOKEN, "mama_bot", name="Mama", privacy=privacy)
        bots = [bot]
        if "persona_tokens" in settings:
            bots.append(server.add_bot(DEVELOPER_TOKEN, "dev_bot", name="Dev", privacy=privacy))
        chat = server.add_group(GROUP_ID, *bots, kind=kind, forum=forum, admins=[bot] if admin else [])
        person = server.add_person(2001, "Alice", "Kim")
        gateway, kept, metrics = made(server, uploads, state=state, timing=timing, settings=settings)
        inlet = inlet or MemoryInlet()
        async with running(gateway, inlet):
            if hearing:
                await until(lambda: all(one.queue.polls for one in bots))
            yield Telegram(
                gateway=gateway,
                inlet=inlet,
                server=server,
                bot=bot,
                chat=chat,
                person=person,
                state=kept,
                metrics=metrics,
                uploads=uploads,
            )
