"""Pressed buttons, progress, and what the doctor finds."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from mama_bot.errors import AccessRefused
from mama_bot.gateways.telegram.examination import examine_telegram
from mama_bot.model import (
    Answer,
    Command,
    CommandName,
    Notice,
    NoticeKind,
    PostId,
    TurnFinished,
    TurnStarted,
    TurnState,
)
from mama_bot.testing.memory_core import MemoryInlet, MemoryState
from tests.gateways.telegram.harness import (
    DEVELOPER_TOKEN,
    QUICK,
    TOKEN,
    Telegram,
    made,
    running,
    settings_for,
    telegram,
)
from tests.gateways.under_test import a_post, a_turn
from tests.platforms.telegram_server import TelegramServer
from tests.waiting import until

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class SlowInlet(MemoryInlet):
    """Answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.open = asyncio.Event()

    async def command(self, command: Command) -> Answer:
        await self.open.wait()
        return await super().command(command)


async def a_reply(chat: Telegram) -> str:
    [number] = await chat.post_all(a_post(chat.conversation(), "reply"))
    return number


async def test_a_long_answer_comes_as_a_message_below(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        number = await a_reply(chat)
        chat.inlet.answer = Answer(text="evidence " * 40)
        assert (await chat.press(CommandName.RECEIPT, number)).startswith("evidence evidence")
        [sent] = chat.server.called("sendMessage")[1:]
        assert sent.fields["reply_parameters"]["message_id"] == int(number)


async def test_a_very_long_answer_to_a_command_is_told_whole(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.inlet.answer = Answer(text="\n\n".join(f"Line {number}." for number in range(900)))
        await chat.command(CommandName.RECEIPT)
        await until(lambda: "Line 899." in "".join(chat.shown()))
        assert "Line 0." in chat.shown()[0]


async def test_a_press_is_acknowledged_before_a_slow_answer(tmp_path: Path) -> None:
    inlet = SlowInlet()
    async with telegram(tmp_path, inlet=inlet, timing=replace(QUICK, press=0.05)) as chat:
        number = await a_reply(chat)
        message = chat.server.message(chat.bot, chat.chat, int(number))
        query = chat.server.world.queries[chat.server.press(chat.person, message, "mama:receipt")]
        await until(lambda: query.answer is not None)
        chat.server.say(chat.person, "@mama_bot meanwhile", chat=chat.chat)
        await until(lambda: inlet.delivered)
        inlet.open.set()
        await until(lambda: "receipt" in chat.shown()[-1])


async def test_buttons_work_after_a_restart(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        number = await a_reply(chat)
        other, inlet = made(chat.server, tmp_path, state=chat.state)[0], MemoryInlet()
        async with running(other, inlet):
            await until(lambda: chat.counted("polls_failed"))
            chat.inlet.answer = inlet.answer = Answer(text="Two runs.")
            assert await chat.press(CommandName.RECEIPT, number) == "Two runs."


async def test_a_query_that_is_too_old_is_answered_by_a_message(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        number = await a_reply(chat)
        chat.inlet.answer = Answer(text="Two runs.")
        message = chat.server.message(chat.bot, chat.chat, int(number))
        chat.server.fail_next(
            "answerCallbackQuery",
            400,
            "Bad Request: query is too old and response timeout expired or query ID is invalid",
        )
        chat.server.press(chat.person, message, "mama:receipt")
        await until(lambda: chat.shown()[-1] == "Two runs.")
        assert chat.counted("updates_failed") == 0


async def test_a_stranger_who_presses_is_told_nothing_and_waits_for_nothing(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        number = await a_reply(chat)
        chat.inlet.refusal = AccessRefused(reason="not listed")
        query_id = chat.server.press(chat.person, chat.server.message(chat.bot, chat.chat, int(number)), "mama:receipt")
        query = chat.server.world.queries[query_id]
        await until(lambda: query.answer is not None)
        assert query.answer == {"text": "", "alert": False}
        assert len(chat.shown()) == 1


async def test_an_approval_is_decided_once(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        notice = Notice(
            id=PostId("n"),
            key=chat.conversation(),
            notice=NoticeKind.NEEDS_PERSON,
            text="배포할까요?",
            approval="0123456789" * 4,
        )
        [number] = await chat.post_all(notice)
        chat.inlet.answer = Answer(text="Approved.")
        assert await chat.press(CommandName.APPROVE, number) == "Approved."
        [command] = chat.inlet.commands
        assert (command.name, command.argument) == (CommandName.APPROVE, "0123456789" * 4)
        await until(lambda: "reply_markup" not in chat.server.message(chat.bot, chat.chat, int(number)))


async def test_values_of_other_buttons_are_acknowledged_and_ignored(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        message = chat.server.message(chat.bot, chat.chat, int(await a_reply(chat)))
        query = chat.server.world.queries[chat.server.press(chat.person, message, "quiz:42")]
        await until(lambda: query.answer is not None)
        assert chat.inlet.commands == []


async def test_progress_is_one_message_that_goes_with_the_turn(tmp_path: Path) -> None:
    async with telegram(tmp_path, progress_seconds=0.05) as chat:
        turn = a_turn(chat.conversation())
        await chat.gateway.show(TurnStarted(turn=turn, at=NOW))
        await until(lambda: chat.shown())  # noqa: PLW0108 - typed as a call
        [shown] = chat.shown()
        assert "Developer" in shown
        await until(lambda: chat.server.called("editMessageText"))
        assert chat.server.called("sendChatAction")
        [created] = chat.server.called("sendMessage")
        assert created.fields["reply_markup"]["inline_keyboard"][0][0]["callback_data"] == "mama:stop"
        await chat.gateway.show(TurnFinished(turn=turn, state=TurnState.ANSWERED, at=NOW))
        await until(lambda: not chat.shown())


async def test_progress_in_a_group_is_edited_no_faster_than_groups_allow(tmp_path: Path) -> None:
    slow = replace(QUICK, group_edit=600.0)
    async with telegram(tmp_path, progress_seconds=0.05, timing=slow) as chat:
        await chat.gateway.show(TurnStarted(turn=a_turn(chat.conversation()), at=NOW))
        await until(lambda: len(chat.server.called("sendChatAction")) > 4)
        assert chat.server.called("editMessageText") == []


async def test_a_progress_message_of_a_dead_life_is_taken_away(tmp_path: Path) -> None:
    state = MemoryState()
    async with TelegramServer() as server:
        bot, person = server.add_bot(TOKEN, "mama_bot"), server.add_person(2001, "Alice")
        server.say(person, "hello", bot=bot)
        private = server.world.chats[person.id]
        left = server.world.write(server.world.box(bot, private), private, bot.user(), {"text": "working"})
        state.values["progress/t1"] = f'["telegram", "2001", "", "{left["message_id"]}"]'
        gateway, *_ = made(server, tmp_path, state=state)
        async with running(gateway, MemoryInlet()):
            await until(lambda: server.called("deleteMessage"))
            await until(lambda: "progress/t1" not in state.values)
        assert server.shown(private) == []


async def test_the_doctor_names_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    async with TelegramServer() as server:
        bot = server.add_bot(TOKEN, "mama_bot")
        settings = settings_for(server, persona_tokens={"developer": DEVELOPER_TOKEN})
        findings = {one.subject: one for one in await examine_telegram(settings)}
        assert findings["telegram bot"].ok
        assert "/setprivacy" in findings["telegram bot: privacy mode"].remedy
        assert findings["telegram bot: updates that wait"].outcome == "0"
        assert not findings["telegram bot of developer"].ok
        assert "@BotFather" in findings["telegram bot of developer"].remedy
        bot.webhook, bot.privacy = "https://example.org", False
        findings = {one.subject: one for one in await examine_telegram(settings_for(server))}
        assert not findings["telegram bot: webhook"].ok
        assert findings["telegram bot: privacy mode"].remedy == ""


async def test_the_doctor_does_not_disturb_the_service_that_polls(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        assert all(one.ok for one in await examine_telegram(settings_for(chat.server)))
        assert chat.counted("polls_failed") == 0
        chat.server.fail_next("getWebhookInfo", 404, "Not Found: method not found")
        assert all(one.ok for one in await examine_telegram(settings_for(chat.server)))


async def test_the_doctor_tells_a_server_that_is_not_there(tmp_path: Path) -> None:
    async with TelegramServer() as server:
        settings = settings_for(server)
    [finding] = await examine_telegram(settings)
    assert not finding.ok
    assert "telegram.api_url" in finding.remedy
