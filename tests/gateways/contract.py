"""What every gateway promises; each gateway's test module runs this suite."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from mama_bot.errors import (
    AccessRefused,
    DeliveryError,
    DeliveryFailed,
    MessageRefused,
    QueueFull,
    StoreUnavailable,
)
from mama_bot.gateways.chat.command_forms import button_value
from mama_bot.model import (
    Answer,
    AuthorKind,
    CommandName,
    Reply,
    StandingState,
    TurnFinished,
    TurnStarted,
    TurnState,
)
from mama_bot.wording import Language, Said
from tests.gateways.changes_contract import ChangesContract
from tests.gateways.under_test import (
    ChatUnderTest,
    GatewayUnderTest,
    a_post,
    a_question,
    a_turn,
    an_answer,
    found,
    standing,
)
from tests.waiting import SECONDS, until

LONG_WORDS = 400
FORGED_LINES = (
    ("Record: no tests were run", "Record: pytest 628 passed", "the agent writes:"),
    ("기록: 테스트 실행 안 함", "기록: pytest 628개 통과, 모두 확인했습니다", "에이전트의 말:"),
)
LONG = "".join(f"Word{number}." + ("\n\n" if number % 40 == 39 else " ") for number in range(LONG_WORDS))


class GatewayContract:
    """The facts; `under_test` is the fixture that a test module gives."""

    async def test_a_message_is_delivered_whole(self, under_test: GatewayUnderTest) -> None:
        text = "첫 줄\n  second line\t👩‍💻 <b>&amp;</b> `x`"
        assert await under_test.say(text, message_id="m1")
        [message] = under_test.inlet.delivered
        assert (message.id, message.text) == (under_test.id_of("m1"), text)
        assert message.key == under_test.conversation()
        assert message.received_at.tzinfo is not None

    async def test_a_redelivered_message_is_stored_once(self, under_test: GatewayUnderTest) -> None:
        await under_test.say("hello", message_id="m1")
        await under_test.say("hello", message_id="m1")
        assert len(under_test.inlet.delivered) == 1

    async def test_a_message_that_was_not_stored_is_not_acknowledged(self, under_test: GatewayUnderTest) -> None:
        under_test.inlet.refusal = QueueFull(scope="this conversation", limit=3)
        assert not await under_test.say("hello", message_id="m1")
        assert under_test.inlet.delivered == []

    @pytest.mark.parametrize("kind", ["reply", "notice"])
    async def test_a_post_is_found_again(self, under_test: GatewayUnderTest, kind: str) -> None:
        gateway = under_test.gateway
        await under_test.say("hello", message_id="m1")
        post = a_post(under_test.conversation(), kind)
        parts = gateway.parts(post)
        assert [part.index for part in parts] == list(range(len(parts)))
        assert [part.last for part in parts] == [*([False] * (len(parts) - 1)), True]
        for part in parts:
            platform_id = await gateway.post(post, part)
            assert platform_id
            assert await found(gateway, post, part) in {platform_id, None}

    async def test_the_parts_of_a_post_are_always_the_same(self, under_test: GatewayUnderTest) -> None:
        post = a_post(under_test.conversation(), "reply", text=LONG)
        assert under_test.gateway.parts(post) == under_test.gateway.parts(post)

    async def test_showing_progress_never_raises_and_never_waits(self, under_test: GatewayUnderTest) -> None:
        turn = a_turn(under_test.conversation())
        at = datetime(2026, 1, 1, tzinfo=UTC)
        async with asyncio.timeout(SECONDS):
            await under_test.gateway.show(TurnStarted(turn=turn, at=at))
            await under_test.gateway.show(TurnFinished(turn=turn, state=TurnState.STOPPED, at=at))

    async def test_a_command_is_answered(self, under_test: GatewayUnderTest) -> None:
        under_test.inlet.answer = Answer(text="Two agents are **idle**.")
        assert "Two agents are" in await under_test.command(CommandName.AGENTS)
        [command] = under_test.inlet.commands
        assert (command.name, command.key.platform) == (CommandName.AGENTS, under_test.gateway.platform)
        assert under_test.inlet.delivered == []

    async def test_a_command_keeps_its_argument(self, under_test: GatewayUnderTest) -> None:
        await under_test.command(CommandName.REPORT, "it is no praise 아닙니다")
        assert [command.argument for command in under_test.inlet.commands] == ["it is no praise 아닙니다"]

    async def test_it_says_that_it_hears(self, under_test: GatewayUnderTest) -> None:
        await under_test.say("hello", message_id="m1")
        assert under_test.gateway.hearing().ok


class ChatContract(GatewayContract, ChangesContract):
    """Further facts about gateways to platforms of others; `chat` is the same fixture by its fuller type."""

    async def test_a_long_post_is_shown_whole_and_in_order(self, chat: ChatUnderTest) -> None:
        await chat.say("hello", message_id="m1")
        post = a_post(chat.conversation(), "reply", text=LONG)
        for part in chat.gateway.parts(post):
            await chat.gateway.post(post, part)
        shown = "\n".join(chat.shown())
        places = [shown.find(f"Word{number}.") for number in range(LONG_WORDS)]
        assert -1 not in places
        assert places == sorted(places)

    @pytest.mark.parametrize(("line", "forged", "mark"), FORGED_LINES)
    async def test_the_line_of_facts_comes_first_and_no_agent_can_write_one(
        self, chat: ChatUnderTest, line: str, forged: str, mark: str
    ) -> None:
        await chat.say("hello", message_id="m1")
        text = f"{forged}\n\nHello.\n\n-# **{forged}**\n\n> ✅ {forged}"
        post = a_post(chat.conversation(), "reply", text=text)
        assert isinstance(post, Reply)
        post = replace(post, record_line=line)
        for part in chat.gateway.parts(post):
            await chat.gateway.post(post, part)
        lines = "\n".join(chat.shown()).replace("\\", "").splitlines()
        first = [row.strip("_ ") for row in lines if row.strip()][:2]  # some platforms show the persona's name above
        assert any(row.endswith(line) for row in first)
        assert all(mark in row for row in lines if "628" in row)
        assert sum("628" in row for row in lines) == 3

    @pytest.mark.parametrize("lines", [1, 400], ids=["short", "with a file"])
    async def test_what_settles_a_question_stands_in_the_place_of_its_buttons(
        self, chat: ChatUnderTest, lines: int
    ) -> None:
        await chat.say("hello", message_id="m1")
        code = "\n".join(f"echo {number} of many lines" for number in range(lines))
        question = a_question(chat.conversation(), text=f"**#3** Run this?\n\n```sh\n{code}\n```")
        *_, asked = [await chat.gateway.post(question, part) for part in chat.gateway.parts(question)]
        pressed = [button_value(name, "tool-3") for name in (CommandName.APPROVE, CommandName.DENY, CommandName.ALWAYS)]
        assert chat.buttons(asked) == pressed
        before = len(chat.shown())
        for _ in range(2):  # a service that was killed meanwhile does it once more
            assert await chat.gateway.settle(question, an_answer(question), asked)
        [settled] = [text for text in chat.shown() if "approved by Kim" in text]
        assert "echo 0 of many lines" in settled
        assert "Answer within" not in settled
        assert (chat.buttons(asked), len(chat.shown())) == ([], before)

    async def test_a_question_that_is_gone_is_settled_by_a_line(self, chat: ChatUnderTest) -> None:
        await chat.say("hello", message_id="m1")
        question = a_question(chat.conversation())
        try:
            shown = await chat.gateway.settle(question, an_answer(question), "1700000000000000000")
        except DeliveryFailed as error:
            shown = not error.permanent
        assert not shown

    async def test_an_edit_of_a_waiting_message_is_taken(self, chat: ChatUnderTest) -> None:
        await chat.say("helo", message_id="m1")
        await chat.edit("m1", "hello")
        await until(lambda: chat.inlet.revised)
        assert [message.text for message in chat.inlet.delivered] == ["hello"]

    async def test_a_message_that_is_deleted_while_it_waits_is_forgotten(self, chat: ChatUnderTest) -> None:
        if chat.gateway.platform == "telegram":
            pytest.skip("Telegram does not tell bots of deleted messages.")
        await chat.say("hello", message_id="m1")
        await chat.delete("m1")
        await until(lambda: chat.inlet.withdrawn)
        assert chat.inlet.delivered == []

    async def test_a_file_comes_with_its_message(self, chat: ChatUnderTest) -> None:
        content = b"\x89PNG\r\n\x1a\n" + bytes(2000)
        await chat.attach("picture.png", "image/png", content, message_id="m1")
        await until(lambda: chat.inlet.delivered)
        [message] = chat.inlet.delivered
        [attachment] = message.attachments
        assert (attachment.name, attachment.media_type) == ("picture.png", "image/png")
        assert attachment.path.read_bytes() == content

    async def test_a_button_is_answered(self, chat: ChatUnderTest) -> None:
        await chat.say("hello", message_id="m1")
        post = a_post(chat.conversation(), "reply")
        [platform_id] = [await chat.gateway.post(post, part) for part in chat.gateway.parts(post)]
        chat.inlet.answer = Answer(text="Two runs stand behind it.")
        assert "Two runs stand behind it." in await chat.press(CommandName.RECEIPT, platform_id)
        [command] = chat.inlet.commands
        assert (command.name, command.platform_id) == (CommandName.RECEIPT, platform_id)
        assert command.key == chat.conversation()

    async def test_a_message_is_seen_until_it_is_done(self, chat: ChatUnderTest) -> None:
        assert await chat.say("hello", message_id="m1")
        before = chat.shown()
        await chat.gateway.mark(standing(chat, StandingState.WAITING))
        await until(lambda: chat.reactions("m1") == 1)
        await chat.gateway.mark(standing(chat, StandingState.WORKING))
        await chat.gateway.mark(standing(chat, StandingState.DONE))
        await until(lambda: chat.reactions("m1") == 0)
        assert chat.shown() == before

    @pytest.mark.parametrize(
        ("language", "second", "third"),
        [
            (Language.ENGLISH, "is 2nd in line here", "is 3rd in line here"),
            (Language.KOREAN, "2번째로 기다리는", "3번째로 기다리는"),
        ],
    )
    async def test_a_message_in_line_has_a_line_as_long_as_it_waits(
        self, chat: ChatUnderTest, language: Language, second: str, third: str
    ) -> None:
        assert await chat.say("hello", message_id="m1")
        before = chat.shown()
        await chat.gateway.mark(standing(chat, StandingState.WAITING, ahead=2, language=language))
        await until(lambda: any(third in text for text in chat.shown()))
        await chat.gateway.mark(standing(chat, StandingState.WAITING, ahead=1, language=language))
        await until(lambda: any(second in text for text in chat.shown()))
        assert not any(third in text for text in chat.shown())
        await chat.gateway.mark(standing(chat, StandingState.WORKING))
        await until(lambda: chat.shown() == before)
        assert chat.reactions("m1") == 1
        await chat.gateway.mark(standing(chat, StandingState.DONE))
        await until(lambda: chat.reactions("m1") == 0)

    async def test_strangers_are_told_nothing(self, chat: ChatUnderTest) -> None:
        chat.inlet.refusal = AccessRefused(reason="not listed")
        await chat.say("let me in", message_id="m1")
        chat.inlet.refusal = None
        await chat.say("hello", message_id="m2")
        await until(lambda: chat.inlet.delivered)
        assert chat.shown() == []

    async def test_nothing_is_fetched_or_said_for_a_strangers_file(self, chat: ChatUnderTest) -> None:
        chat.inlet.refusal = AccessRefused(reason="not listed")
        await chat.attach("huge.png", "image/png", bytes(11 * 2**20), message_id="m1")
        await chat.say("let me in", message_id="m3")  # read after the file, so that it was read too
        chat.inlet.refusal = None
        await chat.say("hello", message_id="m2")
        await until(lambda: chat.inlet.delivered)
        assert [message.text for message in chat.inlet.delivered] == ["hello"]
        assert chat.shown() == []

    async def test_strangers_are_told_what_they_may_know(self, chat: ChatUnderTest) -> None:
        chat.inlet.refusal = AccessRefused(
            reason="not paired", tell=Said("Your code is ABCD-EFGH.", "코드는 ABCD-EFGH입니다.")
        )
        await chat.say("let me in", message_id="m1")
        await until(lambda: "ABCD-EFGH" in "".join(chat.shown()))

    async def test_a_refusal_is_told(self, chat: ChatUnderTest) -> None:
        chat.inlet.refusal = QueueFull(scope="this conversation", limit=3)
        await chat.say("hello", message_id="m1")
        await until(lambda: "full" in "".join(chat.shown()))

    @pytest.mark.parametrize("text", ["hello again", "다시 인사합니다"])
    async def test_a_refused_edit_is_told(self, chat: ChatUnderTest, text: str) -> None:
        await chat.say("hello", message_id="m1")
        chat.inlet.refusal = MessageRefused("The message is too long. 메시지가 너무 깁니다.")
        await chat.edit("m1", text)
        await until(lambda: "too long. 메시지가" in "".join(chat.shown()))
        await until(lambda: chat.outcomes("chat_edits") == {"refused": 1})  # counted once it is told
        assert [message.text for message in chat.inlet.delivered] == ["hello"]

    async def test_strangers_are_told_nothing_of_their_edits(self, chat: ChatUnderTest) -> None:
        await chat.say("hello", message_id="m1")
        chat.inlet.refusal = AccessRefused(
            reason="not listed", tell=Said("Your code is ABCD-EFGH.", "코드는 ABCD-EFGH입니다.")
        )
        await chat.edit("m1", "hello again")
        await chat.say("let me in", message_id="m2")  # told of, and read after the edit
        await until(lambda: "ABCD-EFGH" in "".join(chat.shown()))
        assert "".join(chat.shown()).count("ABCD-EFGH") == 1
        assert chat.outcomes("chat_edits") == {}

    async def test_what_becomes_of_messages_is_counted_by_one_name(self, chat: ChatUnderTest) -> None:
        await chat.say("hello", message_id="m1")
        await chat.say("hello", message_id="m1")
        await chat.edit("m1", "hello you")
        await until(lambda: chat.inlet.revised)
        chat.inlet.refusal = QueueFull(scope="this conversation", limit=3)
        await chat.say("more", message_id="m2")
        await until(lambda: "full" in "".join(chat.shown()))
        chat.inlet.refusal = AccessRefused(reason="not listed")
        await chat.say("let me in", message_id="m3")
        await until(lambda: chat.outcomes("chat_messages").get("not_served"))
        counted = chat.outcomes("chat_messages")
        assert (counted["delivered"], counted["refused"], counted["not_served"]) == (1, 1, 1)
        assert chat.outcomes("chat_edits") == {"taken": 1}

    async def test_a_message_is_kept_until_the_store_takes_it(self, chat: ChatUnderTest) -> None:
        chat.inlet.refusal = StoreUnavailable(url="sqlite://", reason="locked", remedy="Wait.")
        await chat.say("hello", message_id="m1")
        chat.inlet.refusal = None
        await until(lambda: chat.inlet.delivered)
        assert [message.text for message in chat.inlet.delivered] == ["hello"]

    async def test_what_comes_after_a_message_that_the_store_refused_stays_behind_it(self, chat: ChatUnderTest) -> None:
        await chat.say("zero", message_id="m0")
        chat.inlet.refusal = StoreUnavailable(url="sqlite://", reason="locked", remedy="Wait.")
        async with asyncio.TaskGroup() as group:
            group.create_task(chat.say("one", message_id="m1"))
            await asyncio.sleep(0.05)  # sent in this order
            group.create_task(chat.say("two", message_id="m2"))
            await asyncio.sleep(0.05)
            chat.inlet.refusal = None
        await until(lambda: len(chat.inlet.delivered) == 3)
        assert [message.text for message in chat.inlet.delivered] == ["zero", "one", "two"]

    async def test_it_hears_again_after_a_break(self, chat: ChatUnderTest) -> None:
        await chat.say("one", message_id="m1")
        await chat.cut()
        await chat.say("two", message_id="m2")
        await until(lambda: len(chat.inlet.delivered) == 2)
        assert [message.text for message in chat.inlet.delivered] == ["one", "two"]
        await until(lambda: chat.gateway.hearing().ok)

    async def test_bots_start_no_conversation(self, chat: ChatUnderTest) -> None:
        await chat.say_as_bot("hello bot")
        post = a_post(chat.conversation(), "reply")
        for part in chat.gateway.parts(post):
            await chat.gateway.post(post, part)
        await chat.say("hello", message_id="m1")
        await until(lambda: chat.inlet.delivered)
        people = [message for message in chat.inlet.delivered if message.author.kind is AuthorKind.PERSON]
        assert [message.text for message in people] == ["hello"]

    @pytest.mark.parametrize("status", [403, 500])
    async def test_a_refused_post_is_said_to_be_refused(self, chat: ChatUnderTest, status: int) -> None:
        await chat.say("hello", message_id="m1")
        post = a_post(chat.conversation(), "reply")
        [part] = chat.gateway.parts(post)
        chat.refuse_next(status)
        with pytest.raises(DeliveryError):
            await chat.gateway.post(post, part)
        assert await chat.gateway.post(post, part)
