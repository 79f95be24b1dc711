"""A channel, a thread and a group, each on a server of our own: where people talk to a whole service."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from tests.platforms.discord_server import DiscordServer, File
from tests.platforms.slack_server import SlackServer, slack_server
from tests.platforms.telegram_server import Bot, Chat, Person, TelegramServer, Upload

PROGRESS = "⏳"


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """What the bot has posted: under whose name, and what a reader sees."""

    name: str
    text: str


class Place(ABC):
    """One conversation on one platform, with a person who is served."""

    platform: str
    settings: Mapping[str, object]
    environment: Mapping[str, str]

    @abstractmethod
    async def say(self, text: str) -> None:
        """The person mentions the bot."""

    @abstractmethod
    async def send_picture(self, name: str, content: bytes) -> None:
        """The person sends a PNG with a mention of the bot."""

    @abstractmethod
    def file_names(self) -> str:
        """What was posted, names of files included."""

    @abstractmethod
    def everything(self) -> list[Posted]:
        """What the bot has posted, in order, progress included."""

    def posts(self) -> list[Posted]:
        """What the bot has posted, in order."""
        return [post for post in self.everything() if not post.text.startswith(PROGRESS)]


class DiscordPlace(Place):
    platform = "discord"

    def __init__(self, server: DiscordServer) -> None:
        self.server = server
        self.environment = {"MAMA_DISCORD__TOKEN": server.token}
        self.settings = {
            "api_url": server.api_url,
            "gateway_url": server.gateway_url,
            "files_url": server.origin,
            "access": {"channels": [server.channel]},
        }

    async def say(self, text: str) -> None:
        await self.server.say(f"<@{self.server.bot}> {text}")

    async def send_picture(self, name: str, content: bytes) -> None:
        file = File(name=name, media_type="image/png", content=content)
        await self.server.say(f"<@{self.server.bot}> see this", files=[file])

    def file_names(self) -> str:
        return " ".join(name for message in self.server.shown() if message.author != "alice" for name in message.files)

    def everything(self) -> list[Posted]:
        return [
            Posted(name=message.author, text=message.text)
            for message in self.server.shown()
            if message.author != "alice"
        ]


class SlackPlace(Place):
    platform = "slack"

    def __init__(self, server: SlackServer) -> None:
        self.server = server
        self.thread = ""
        self.environment = {
            "MAMA_SLACK__BOT_TOKEN": server.app.bot_token,
            "MAMA_SLACK__APP_TOKEN": server.app.app_token,
        }
        self.settings = {"api_url": server.api_url, "access": {"people": [server.person]}}

    async def say(self, text: str) -> None:
        said = self.server.say(text, mention=self.server.app, thread=self.thread)
        self.thread = self.thread or said.ts

    async def send_picture(self, name: str, content: bytes) -> None:
        file = self.server.file(name, "image/png", content)
        self.thread = self.server.say("see this", mention=self.server.app, files=[file]).ts

    def file_names(self) -> str:
        return " ".join(self.server.shown(self.server.channel.id, thread=self.thread))

    def everything(self) -> list[Posted]:
        return [
            Posted(name=message.get("username", ""), text=message.get("text", ""))
            for (channel, _), message in sorted(self.server.workspace.messages.items(), key=lambda item: item[0][1])
            if channel == self.server.channel.id and message.get("bot_id") and message.get("thread_ts") == self.thread
        ]


class TelegramPlace(Place):
    platform = "telegram"

    def __init__(self, server: TelegramServer, bot: Bot, chat: Chat, person: Person) -> None:
        self.server, self.bot, self.chat, self.person = server, bot, chat, person
        self.environment = {"MAMA_TELEGRAM__TOKEN": bot.token}
        self.settings = {
            "api_url": server.api_url,
            "files_url": server.files_url,
            "access": {"people": [person.id]},
            "poll_seconds": 2,
        }

    async def say(self, text: str) -> None:
        self.server.say(self.person, f"@mama_bot {text}", chat=self.chat)

    async def send_picture(self, name: str, content: bytes) -> None:
        picture = Upload(name, "image/png", content)
        self.server.send(self.person, picture, caption="@mama_bot see this", chat=self.chat)

    def file_names(self) -> str:
        return " ".join(self.server.shown(self.chat))

    def everything(self) -> list[Posted]:
        found = []
        for text in self.server.shown(self.chat):
            head, _, rest = text.partition("\n")
            named = head in {"Lead", "Developer", "Reviewer"}
            found.append(Posted(name=head, text=rest.lstrip("\n")) if named else Posted(name="", text=text))
        return found


@asynccontextmanager
async def discord_place() -> AsyncIterator[Place]:
    async with DiscordServer() as server:
        yield DiscordPlace(server)


@asynccontextmanager
async def slack_place() -> AsyncIterator[Place]:
    async with slack_server(redelivery_seconds=(0.2,) * 200) as server:
        yield SlackPlace(server)


@asynccontextmanager
async def telegram_place() -> AsyncIterator[Place]:
    async with TelegramServer() as server:
        bot = server.add_bot("7000000001:AAmain", "mama_bot", name="Mama")
        chat = server.add_group(-1001234567890, bot, kind="supergroup")
        yield TelegramPlace(server, bot, chat, server.add_person(2001, "Alice", "Kim"))


PLACES: Mapping[str, Callable[[], AbstractAsyncContextManager[Place]]] = {
    "discord": discord_place,
    "slack": slack_place,
    "telegram": telegram_place,
}
