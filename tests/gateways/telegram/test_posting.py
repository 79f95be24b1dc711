"""What becomes of a post, whatever the platform says to it."""

from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.errors import DeliveryFailed, DeliveryUnknown
from mama_bot.gateways.telegram.posts import OutgoingMessage, Sender, units
from mama_bot.model import Notice, NoticeKind, OutgoingFile, Part, PostId
from tests.gateways.telegram.harness import Telegram, made, telegram
from tests.gateways.under_test import a_post
from tests.platforms.telegram_server import TelegramServer

PNG = b"\x89PNG\r\n\x1a\n" + bytes(500)


def part_of(chat: Telegram, **changes: object) -> Part:
    [part] = chat.parts(a_post(chat.conversation(), "reply"))
    return replace(part, **changes)  # type: ignore[arg-type]


async def test_markup_that_the_platform_refuses_is_sent_as_plain_text(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        part = part_of(chat, text="<b>never closed", plain="never closed")
        await chat.gateway.post(a_post(chat.conversation(), "reply"), part)
        assert chat.shown() == ["never closed"]


async def test_emoji_are_counted_as_the_platform_counts_them(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        assert units("👩‍💻a") == 6
        fits = "🙂" * 2048
        await chat.gateway.post(a_post(chat.conversation(), "reply"), part_of(chat, text=fits, plain=fits))
        assert chat.shown() == [fits]


async def test_a_part_that_is_too_long_after_all_is_sent_in_pieces(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        long = "🙂" * 3000
        await chat.gateway.post(a_post(chat.conversation(), "reply"), part_of(chat, text=long, plain=long))
        assert "".join(chat.shown()) == long
        assert len(chat.shown()) == 2


async def test_too_many_messages_are_sent_when_the_platform_says(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.server.fail_next("sendMessage", 429, "Too Many Requests: retry after 7", retry_after=7)
        with pytest.raises(DeliveryFailed) as caught:
            await chat.gateway.post(a_post(chat.conversation(), "reply"), part_of(chat))
        assert caught.value.retry_after_seconds == 7
        assert not caught.value.permanent


@pytest.mark.parametrize("carried_out", [True, False])
async def test_a_connection_that_breaks_leaves_the_outcome_unknown(tmp_path: Path, carried_out: bool) -> None:
    async with telegram(tmp_path) as chat:
        post = a_post(chat.conversation(), "reply")
        chat.server.fail_next("sendMessage", 0).carried_out = carried_out
        with pytest.raises(DeliveryUnknown):
            await chat.gateway.post(post, part_of(chat))
        with pytest.raises(DeliveryUnknown):
            await chat.gateway.find(post, part_of(chat))
        number = await chat.gateway.post(post, part_of(chat), repeated=True)
        assert "duplicate" in chat.shown()[-1] or "중복" in chat.shown()[-1]
        assert await chat.gateway.find(post, part_of(chat)) == number


async def test_a_server_that_is_not_there_certainly_has_no_post(tmp_path: Path) -> None:
    async with TelegramServer() as server:
        pass
    gateway, *_ = made(server, tmp_path)
    post = Notice(id=PostId("n"), key=await gateway.direct("1"), notice=NoticeKind.STOPPED, text="x")  # type: ignore[arg-type]
    with pytest.raises(DeliveryFailed) as caught:
        await gateway.post(post, gateway.parts(post)[0])
    assert not caught.value.permanent


async def test_a_post_after_the_end_of_the_gateway_is_certainly_not_posted(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        gateway, post = chat.gateway, a_post(chat.conversation(), "reply")
    with pytest.raises(DeliveryFailed):
        await gateway.post(post, gateway.parts(post)[0])


async def test_a_chat_that_is_closed_to_the_bot_will_not_open_by_waiting(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.server.kick(chat.chat, chat.bot)
        with pytest.raises(DeliveryFailed) as kicked:
            await chat.gateway.post(a_post(chat.conversation(), "reply"), part_of(chat))
        stranger = Notice(
            id=PostId("n"),
            key=await chat.gateway.direct("2001"),  # type: ignore[arg-type]
            notice=NoticeKind.PAIRING,
            text="x",
        )
        with pytest.raises(DeliveryFailed) as unknown:
            await chat.post_all(stranger)
        chat.server.say(chat.person, "hello", bot=chat.bot)
        await chat.confirmed()
        chat.server.block(chat.person, chat.bot)
        with pytest.raises(DeliveryFailed) as blocked:
            await chat.post_all(stranger)
        assert kicked.value.permanent
        assert unknown.value.permanent
        assert blocked.value.permanent


async def test_a_chat_that_does_not_exist_is_said_to(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        post = Notice(
            id=PostId("n"),
            key=replace(chat.conversation(), channel="-1"),
            notice=NoticeKind.STOPPED,
            text="x",
        )
        with pytest.raises(DeliveryFailed, match="chat not found") as caught:
            await chat.post_all(post)
        assert caught.value.permanent
        with pytest.raises(DeliveryFailed, match="no chat"):
            await chat.post_all(replace(post, key=replace(post.key, channel="general")))


async def test_only_the_last_part_has_buttons(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        post = a_post(chat.conversation(), "reply")
        part = part_of(chat)
        first = await chat.gateway.post(post, replace(part, last=False))
        last = await chat.gateway.post(post, replace(part, index=1))
        assert "reply_markup" not in chat.server.message(chat.bot, chat.chat, int(first))
        keyboard = chat.server.message(chat.bot, chat.chat, int(last))["reply_markup"]["inline_keyboard"]
        assert [button["callback_data"] for row in keyboard for button in row] == ["mama:receipt", "mama:report"]


async def test_addresses_in_replies_show_no_previews(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        await chat.post_all(a_post(chat.conversation(), "reply"))
        assert chat.server.called("sendMessage")[0].fields["link_preview_options"] == {"is_disabled": True}


async def test_an_image_goes_out_as_a_photo_and_anything_else_as_a_document(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        post = a_post(chat.conversation(), "reply")
        path = tmp_path / "chart.png"
        path.write_bytes(PNG)
        image = OutgoingFile(name="chart.png", media_type="image/png", size=len(PNG), path=path)
        text = OutgoingFile(name="보고서.txt", media_type="text/plain", size=5, content=b"words")
        photo = await chat.gateway.post(post, part_of(chat, file=image, text="<b>chart</b>", plain="chart"))
        document = await chat.gateway.post(post, part_of(chat, file=text, text="", plain=""))
        assert chat.server.message(chat.bot, chat.chat, int(photo))["caption"] == "chart"
        kept = chat.server.message(chat.bot, chat.chat, int(document))["document"]
        assert kept["file_name"] == "보고서.txt"
        assert chat.server.world.files[kept["file_id"]].content == b"words"


async def test_an_image_that_the_platform_cannot_read_goes_out_as_a_document(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.server.fail_next("sendPhoto", 400, "Bad Request: IMAGE_PROCESS_FAILED")
        image = OutgoingFile(name="chart.png", media_type="image/png", size=len(PNG), content=PNG)
        await chat.gateway.post(a_post(chat.conversation(), "reply"), part_of(chat, file=image, text="x", plain="x"))
        assert chat.shown() == ["x\nchart.png"]


async def test_a_caption_that_is_too_long_stands_before_its_file(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        words = "words " * 300
        file = OutgoingFile(name="a.txt", media_type="text/plain", size=1, content=b"x")
        await chat.gateway.post(a_post(chat.conversation(), "reply"), part_of(chat, file=file, text=words, plain=words))
        assert chat.shown() == [words.strip(), "a.txt"]


async def test_a_file_that_is_too_large_is_named_instead(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        file = OutgoingFile(name="big.bin", media_type="application/x", size=51 * 2**20, path=tmp_path / "big.bin")
        await chat.gateway.post(a_post(chat.conversation(), "reply"), part_of(chat, file=file))
        assert "big.bin" in chat.shown()[0]


async def test_a_file_that_is_gone_is_a_failure_and_no_crash(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        file = OutgoingFile(name="a.txt", media_type="text/plain", size=1, path=tmp_path / "missing.txt")
        with pytest.raises(DeliveryFailed, match="cannot be read"):
            await chat.gateway.post(a_post(chat.conversation(), "reply"), part_of(chat, file=file))


async def test_whatever_the_platform_objects_to_is_left_out_of_a_message(tmp_path: Path) -> None:
    async with telegram(tmp_path, forum=True) as chat:
        topic = chat.server.open_topic(chat.chat, chat.person, "Release")
        for reason in (
            "can't parse entities: x",
            "message to be replied not found",
            "message thread not found",
            "BUTTON_DATA_INVALID",
        ):
            chat.server.fail_next("sendMessage", 400, f"Bad Request: {reason}")
        await chat.say("hello", message_id="m1")
        key = replace(chat.conversation(), thread=str(topic))
        post = replace(a_post(key, "reply"), answers=chat.inlet.delivered[0].id)
        await chat.gateway.post(post, part_of(chat))
        assert len(chat.shown()) == 1
        assert set(chat.server.called("sendMessage")[-1].fields) == {"chat_id", "text", "link_preview_options"}


async def test_a_refusal_with_status_200_is_a_refusal(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.server.fail_next("sendMessage", 429, "Too Many Requests", retry_after=3).http_status = 200
        with pytest.raises(DeliveryFailed) as caught:
            await chat.gateway.post(a_post(chat.conversation(), "reply"), part_of(chat))
        assert caught.value.retry_after_seconds == 3


async def test_an_answer_that_is_no_answer_of_the_platform_leaves_the_outcome_unknown(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        for status in (502, 503, 524):
            chat.server.fail_next("sendMessage", status, "<html>gateway</html>")
            with pytest.raises(DeliveryUnknown):
                await chat.gateway.post(a_post(chat.conversation(), "reply"), part_of(chat))


def test_the_sender_is_made_of_values() -> None:
    message = OutgoingMessage(chat=1, text="<b>x</b>", plain="x")
    assert message.words == "<b>x</b>"
    assert replace(message, html=False).words == "x"
    assert Sender.__doc__
