from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mama_bot.gateways.chat.command_forms import button_value
from mama_bot.gateways.slack.gateway import SlackGateway
from mama_bot.model import CommandName, ConversationKey, Platform
from tests.gateways.contract import ChatContract
from tests.gateways.slack.playing import Played, played
from tests.gateways.stuck_posts import StuckPostContract
from tests.gateways.under_test import ChatUnderTest, GatewayUnderTest
from tests.platforms.pickiness import Pickiness
from tests.platforms.slack_server import Channel, Said
from tests.platforms.slack_server.workspace import Ephemeral, JsonObject
from tests.waiting import until


class SlackUnderTest(ChatUnderTest):
    """A person in a direct conversation, or in a thread of a channel into which the bot was called."""

    def __init__(self, play: Played, gateway: SlackGateway, channel: Channel, thread: str) -> None:
        self.play, self.gateway, self.inlet = play, gateway, play.inlet
        self.metrics = play.metrics
        self.server = play.server
        self._channel, self._thread = channel, thread
        self._said: dict[str, Said] = {}
        self._last: Ephemeral | None = None

    def _write(self, text: str, message_id: str, files: list[JsonObject] | None = None) -> Said:
        mention = None if self._channel.direct else self.server.app
        return self.server.say(
            text, channel=self._channel, mention=mention, thread=self._thread, files=files or [], ts=""
        )

    async def say(self, text: str, *, message_id: str) -> bool:
        if message_id in self._said:
            said = self.server.tell_again(self._said[message_id])
        else:
            said = self._said[message_id] = self._write(text, message_id)
        return await said.settled() and any(one.id == self.id_of(message_id) for one in self.inlet.delivered)

    def id_of(self, message_id: str) -> str:
        said = self._said[message_id]
        return f"slack:{self.server.workspace.team_id}:{said.channel}:{said.ts}"

    def conversation(self) -> ConversationKey:
        return ConversationKey(Platform("slack"), self._channel.id, self._thread)

    async def command(self, name: CommandName, argument: str = "") -> str:
        self.server.slash("/mama", f"{name.value} {argument}", channel=self._channel)
        return await self._answer()

    async def edit(self, message_id: str, text: str) -> None:
        mention = None if self._channel.direct else self.server.app
        await self.server.edit(self._said[message_id], text, mention=mention).settled()

    async def delete(self, message_id: str) -> None:
        await self.server.delete(self._said[message_id]).settled()

    async def attach(self, name: str, media_type: str, content: bytes, *, message_id: str) -> None:
        file = self.server.file(name, media_type, content)
        self._said[message_id] = self._write("see this", message_id, [file])

    async def press(self, name: CommandName, platform_id: str) -> str:
        assert await self.server.press(self._channel.id, platform_id, button_value(name)).settled()
        return await self._answer()

    def buttons(self, platform_id: str) -> list[str]:
        message = self.server.workspace.message(self._channel.id, platform_id)
        rows = [block for block in message.get("blocks", []) if block["type"] == "actions"]
        return [element["action_id"] for row in rows for element in row["elements"]]

    def shown(self) -> list[str]:
        return self.server.shown(self._channel.id, thread=self._thread)

    def reactions(self, message_id: str) -> int:
        said = self._said[message_id]
        return sum(
            (mark["channel"], mark["timestamp"]) == (said.channel, said.ts) for mark in self.server.api.reactions
        )

    async def cut(self) -> None:
        self.server.cut()

    async def say_as_bot(self, text: str) -> None:
        mention = f"{self.server.app.mention()} {text}"
        await self.server.say_as_bot(mention, channel=self._channel, thread=self._thread).settled()

    @property
    def pickiness(self) -> Pickiness:
        return self.server.pickiness

    def refuse_next(self, status: int) -> None:
        self.server.fail("chat.postMessage", status=status)

    async def press_offered(self, label: str) -> str:
        assert self._last is not None
        rows = [block for block in self._last.blocks if block["type"] == "actions"]
        elements = [element for row in rows for element in row["elements"]]
        [value] = [element["action_id"] for element in elements if element["text"]["text"] == label]
        assert await self.server.press_shown(self._last, value).settled()
        return await self._answer()

    async def _answer(self) -> str:
        await until(lambda: self.server.workspace.ephemerals)
        self._last = self.server.workspace.ephemerals.pop()
        return self._last.text


class TestSlackGateway(ChatContract, StuckPostContract):
    @pytest.fixture(params=["direct", "thread"])
    async def under_test(self, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[GatewayUnderTest]:
        async with played(tmp_path) as play, play.running() as gateway:
            server = play.server
            if request.param == "direct":
                yield SlackUnderTest(play, gateway, server.direct, "")
            else:
                parent = server.workspace.add_message(server.channel, {"user": server.other, "text": "a task"})
                yield SlackUnderTest(play, gateway, server.channel, parent["ts"])
