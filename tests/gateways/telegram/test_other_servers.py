"""What servers that others wrote do differently: the gateway goes on, and hears."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from mama_bot.gateways.chat.dependencies import ChatDependencies
from mama_bot.gateways.telegram.gateway import TelegramGateway
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, Notice, NoticeKind, PostId
from mama_bot.testing.memory_core import MemoryInlet, MemoryState
from tests.gateways.telegram.harness import QUICK, TEAM, TELEGRAM, RealClock, running
from tests.gateways.telegram.other_server import FORUM, PERSON, OtherServer
from tests.waiting import until


@asynccontextmanager
async def hearing(
    server: OtherServer, uploads: Path, **settings: object
) -> AsyncIterator[tuple[TelegramGateway, MemoryInlet]]:
    dependencies = ChatDependencies(
        personas=TEAM, state=MemoryState(), uploads=uploads, clock=RealClock(), metrics=Metrics()
    )
    gateway, inlet = TelegramGateway(server.settings(**settings), dependencies, timing=QUICK), MemoryInlet()
    async with running(gateway, inlet):
        await until(lambda: server.called("getUpdates"))
        yield gateway, inlet


async def test_methods_that_are_missing_keep_no_other_from_being_called(tmp_path: Path) -> None:
    async with OtherServer() as server:
        server.missing = {"deleteWebhook"}
        async with hearing(server, tmp_path):
            assert server.called("setMyCommands")


async def test_answers_that_hold_little_more_than_a_number_do(tmp_path: Path) -> None:
    async with OtherServer() as server, hearing(server, tmp_path, threads="task") as (gateway, inlet):
        server.say("@mama_bot look", chat=FORUM)
        await until(lambda: inlet.delivered)
        assert len(server.called("createForumTopic")) == 1
        key = ConversationKey(TELEGRAM, "2001")
        notice = Notice(id=PostId("n"), key=key, notice=NoticeKind.REFUSED, text="hello")
        assert (await gateway.post(notice, gateway.parts(notice)[0])).isdecimal()
        assert len([one for one in server.called("sendMessage") if one["chat_id"] == "2001"]) == 1


async def test_topics_are_known_without_their_mark(tmp_path: Path) -> None:
    async with OtherServer() as server, hearing(server, tmp_path) as (_, inlet):
        server.say("@mama_bot look", chat=FORUM, message_thread_id=78)
        await until(lambda: inlet.delivered)
        ours = {"message_id": 5, "from": {"id": 1}}
        server.say("and then?", chat=FORUM, message_thread_id=78, reply_to_message=ours)
        server.say("elsewhere", chat=FORUM, message_thread_id=5, reply_to_message=ours)
        await until(lambda: len(inlet.delivered) == 3)
        assert [(one.text, one.key.thread) for one in inlet.delivered if one.key.thread] == [
            ("look", "78"),
            ("and then?", "78"),
        ]
        pressed = {"message_id": 6, "chat": FORUM, "message_thread_id": 78, "reply_to_message": {"message_id": 4}}
        server.push(callback_query={"id": "1", "from": PERSON, "data": "mama:stop", "message": pressed})
        await until(lambda: inlet.commands)
        assert inlet.commands[0].key.thread == "78"


@pytest.mark.parametrize("path", ["documents/1/한글 #1 50%25?.txt", "/no/such/directory/a.txt", "elsewhere", "here"])
async def test_files_are_fetched_from_wherever_they_are(tmp_path: Path, path: str) -> None:
    async with OtherServer() as server, hearing(server, tmp_path / "uploads") as (_, inlet):
        here = tmp_path / "kept here.txt"
        here.write_bytes(b"content")
        path = {"elsewhere": f"{server.url}/elsewhere/a.txt", "here": str(here)}.get(path, path)
        server.files["F"] = (path, b"content")
        server.say("", caption="see", document={"file_id": "F", "file_name": "a.txt"})
        await until(lambda: inlet.delivered)
        [attachment] = inlet.delivered[0].attachments
        assert attachment.path.read_bytes() == b"content"


async def test_a_server_that_repeats_itself_is_obeyed_once_and_asked_at_a_pace(tmp_path: Path) -> None:
    async with OtherServer() as server, hearing(server, tmp_path) as (_, inlet):
        server.forgets = False
        server.updates.append({"update_id": "none"})
        server.say("/help")
        await until(lambda: len(server.called("getUpdates")) > 5)
        before = len(server.called("getUpdates"))
        await asyncio.sleep(10 * QUICK.first_pause)
        assert len(server.called("getUpdates")) - before <= 20
        assert len(inlet.commands) == 1
        server.updates.clear()
        server.updates.append({"update_id": 3, "message": server.say("again from the start")})
        await until(lambda: inlet.delivered)


async def test_a_server_that_answers_at_once_that_there_is_nothing_is_asked_at_a_pace(tmp_path: Path) -> None:
    async with OtherServer() as server, hearing(server, tmp_path) as (_, inlet):
        server.waits = False
        await until(lambda: len(server.called("getUpdates")) > 2)
        before = len(server.called("getUpdates"))
        await asyncio.sleep(10 * QUICK.first_pause)
        assert len(server.called("getUpdates")) - before <= 11
        server.say("/help")
        await until(lambda: inlet.commands)
