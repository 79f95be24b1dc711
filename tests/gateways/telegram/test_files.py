"""Files that people send, alone or as an album."""

from pathlib import Path

from mama_bot.errors import AccessRefused
from mama_bot.model import InboundMessage
from mama_bot.testing.memory_core import MemoryInlet
from tests.gateways.telegram.harness import Telegram, telegram
from tests.platforms.telegram_server import Upload
from tests.waiting import until

JPEG = b"\xff\xd8\xff\xe0" + bytes(4000)


def told(chat: Telegram) -> str:
    return "\n".join(chat.server.shown(chat.server.world.chats[chat.person.id]))


async def test_of_a_photo_the_largest_size_is_fetched(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.server.send(chat.person, Upload("x.jpg", "image/jpeg", JPEG), kind="photo", caption="봐 줘", bot=chat.bot)
        await until(lambda: chat.inlet.delivered)
        [message] = chat.inlet.delivered
        [attachment] = message.attachments
        assert message.text == "봐 줘"
        assert (attachment.media_type, attachment.size) == ("image/jpeg", len(JPEG))
        assert attachment.path.read_bytes() == JPEG
        assert attachment.path.is_relative_to(chat.uploads)


async def test_a_file_without_words_is_a_message(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.server.send(chat.person, Upload("../../evil\n.py", "text/x-python", b"print()"), bot=chat.bot)
        await until(lambda: chat.inlet.delivered)
        [attachment] = chat.inlet.delivered[0].attachments
        assert attachment.path.is_relative_to(chat.uploads)
        assert attachment.path.read_bytes() == b"print()"


async def test_an_album_is_one_message(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        sent = [
            chat.server.send(
                chat.person,
                Upload(f"{number}.txt", "text/plain", f"file {number}".encode()),
                caption="@mama_bot compare these" if number == 1 else "",
                chat=chat.chat,
                media_group_id="album1",
            )
            for number in range(3)
        ]
        await until(lambda: chat.inlet.delivered)
        # The pictures without a mention are hidden by privacy mode; what comes with the words is joined.
        assert chat.inlet.delivered[0].text == "compare these"
        for number in range(3):
            chat.server.send(
                chat.person,
                Upload(f"{number}.txt", "text/plain", f"file {number}".encode()),
                caption="compare these" if number == 1 else "",
                bot=chat.bot,
                media_group_id="album2",
            )
        await until(lambda: len(chat.inlet.delivered) == 2)
        message = chat.inlet.delivered[1]
        assert message.text == "compare these"
        assert [attachment.path.read_bytes() for attachment in message.attachments] == [b"file 0", b"file 1", b"file 2"]
        assert len(sent) == 3


async def test_an_album_keeps_its_place_in_the_order(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.server.say(chat.person, "before", bot=chat.bot)
        upload = Upload("a.txt", "text/plain", b"a")
        for _ in range(2):
            chat.server.send(chat.person, upload, bot=chat.bot, media_group_id="album")
        chat.server.say(chat.person, "after", bot=chat.bot)
        await until(lambda: len(chat.inlet.delivered) == 3)
        assert [len(message.attachments) for message in chat.inlet.delivered] == [0, 2, 0]


async def test_a_file_that_is_too_large_is_said_and_the_words_are_kept(tmp_path: Path) -> None:
    async with telegram(tmp_path, max_attachment_megabytes=1) as chat:
        upload = Upload("big.log", "text/plain", b"x" * (2**20 + 1))
        chat.server.send(chat.person, upload, caption="read this", bot=chat.bot)
        await until(lambda: told(chat))
        [message] = chat.inlet.delivered
        assert (message.text, message.attachments) == ("read this", ())
        assert "big.log" in told(chat)
        assert "1 MB" in told(chat)
        assert not chat.server.called("getFile")


async def test_bots_get_no_more_than_twenty_megabytes_whatever_is_configured(tmp_path: Path) -> None:
    async with telegram(tmp_path, max_attachment_megabytes=100) as chat:
        upload = Upload("big.log", "text/plain", b"x" * (20 * 2**20 + 1))
        chat.server.send(chat.person, upload, bot=chat.bot)
        await until(lambda: "20 MB" in told(chat))
        assert chat.inlet.delivered == []
        assert chat.counted("chat_files_refused") == 1


async def test_nothing_is_fetched_for_strangers_and_nothing_told(tmp_path: Path) -> None:
    class Closed(MemoryInlet):
        async def admit(self, message: InboundMessage) -> None:
            raise AccessRefused(reason="not listed")

    async with telegram(tmp_path, inlet=Closed()) as chat:
        chat.server.send(chat.person, Upload("a.txt", "text/plain", b"a"), bot=chat.bot)
        chat.server.send(chat.person, Upload("v.ogg", "audio/ogg", b"OggS"), kind="voice", bot=chat.bot)
        await chat.confirmed()
        assert (told(chat), chat.inlet.delivered, chat.server.called("getFile")) == ("", [], [])
        assert list(tmp_path.rglob("*")) == []


async def test_voice_and_video_are_refused_with_a_sentence(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.server.send(chat.person, Upload("v.ogg", "audio/ogg", b"OggS"), kind="voice", bot=chat.bot)
        chat.server.send(chat.person, Upload("v.mp4", "video/mp4", b"mp4"), kind="video", caption="look", bot=chat.bot)
        await until(lambda: "A video cannot be read" in told(chat))
        assert "A voice message cannot be read" in told(chat)
        assert [message.text for message in chat.inlet.delivered] == ["look"]


async def test_a_voice_message_in_a_group_that_is_not_for_the_bot_is_let_pass(tmp_path: Path) -> None:
    async with telegram(tmp_path, privacy=False) as chat:
        chat.server.send(chat.person, Upload("v.ogg", "audio/ogg", b"OggS"), kind="voice", chat=chat.chat)
        await chat.confirmed()
        assert (chat.shown(), chat.inlet.delivered) == ([], [])


async def test_a_file_that_the_platform_loses_is_said(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        fault = chat.server.fail_next(
            "getFile", 400, "Bad Request: wrong file_id or the file is temporarily unavailable"
        )
        chat.server.send(chat.person, Upload("a.txt", "text/plain", b"a"), caption="read", bot=chat.bot)
        await until(lambda: "temporarily unavailable" in told(chat))
        assert fault.count == 0
        assert [message.text for message in chat.inlet.delivered] == ["read"]


async def test_a_file_is_fetched_again_after_an_error(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.server.fail_next("getFile", 500)
        chat.server.fail_next("getFile", 0)
        chat.server.send(chat.person, Upload("a.txt", "text/plain", b"a"), bot=chat.bot)
        await until(lambda: chat.inlet.delivered)
        assert len(chat.inlet.delivered[0].attachments) == 1


async def test_more_files_than_fit_are_named(tmp_path: Path) -> None:
    async with telegram(tmp_path, max_attachments=1) as chat:
        for number in range(2):
            upload = Upload(f"{number}.txt", "text/plain", b"a")
            chat.server.send(chat.person, upload, bot=chat.bot, media_group_id="album")
        await until(lambda: "1.txt" in told(chat))
        assert [len(message.attachments) for message in chat.inlet.delivered] == [1]


async def test_an_edited_caption_is_taken(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        sent = chat.server.send(chat.person, Upload("a.txt", "text/plain", b"a"), caption="raed", bot=chat.bot)
        await until(lambda: chat.inlet.delivered)
        chat.server.edit(sent, "read")
        await until(lambda: chat.inlet.revised)
        [message] = chat.inlet.delivered
        assert message.text == "read"
        assert [attachment.path.read_bytes() for attachment in message.attachments] == [b"a"]
