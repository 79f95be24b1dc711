"""Groups, topics, personas with bots of their own, and who may be talking there."""

from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import Threads
from mama_bot.errors import AccessRefused, MessageRefused
from mama_bot.model import (
    AuthorKind,
    CommandName,
    ConversationKey,
    InboundMessage,
    MessageId,
    Notice,
    NoticeKind,
    PostId,
)
from mama_bot.testing.memory_core import MemoryInlet, MemoryState
from mama_bot.wording import Language, Said
from tests.gateways.telegram.harness import (
    DEVELOPER_TOKEN,
    GROUP_ID,
    TELEGRAM,
    Telegram,
    made,
    running,
    telegram,
)
from tests.gateways.under_test import a_post
from tests.platforms.telegram_server import GROUP, SUPERGROUP, Json
from tests.waiting import until

PERSONAS = {"developer": DEVELOPER_TOKEN}


def texts(chat: Telegram) -> list[str]:
    return [message.text for message in chat.inlet.delivered]


def developer(chat: Telegram):  # type: ignore[no-untyped-def]
    return chat.server.world.bots[DEVELOPER_TOKEN]


async def all_confirmed(chat: Telegram) -> None:
    bots = list(chat.server.world.bots.values())
    await until(lambda: all(bot.queue.confirmed > bot.queue.last for bot in bots))


async def test_with_privacy_off_only_what_is_for_the_bot_is_taken(tmp_path: Path) -> None:
    async with telegram(tmp_path, privacy=False) as chat:
        for text in ("lunch?", "@mama_bot fix it", "/weather", "thanks @somebody"):
            chat.server.say(chat.person, text, chat=chat.chat)
        await chat.confirmed()
        assert texts(chat) == ["fix it"]


async def test_an_answer_to_the_bots_message_is_for_the_bot(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        [number] = await chat.post_all(a_post(chat.conversation(), "reply"))
        chat.server.say(
            chat.person, "and why?", chat=chat.chat, reply_to=chat.server.message(chat.bot, chat.chat, int(number))
        )
        await until(lambda: texts(chat) == ["and why?"])


async def test_a_private_chat_needs_no_mention(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.server.say(chat.person, "hello", bot=chat.bot)
        await until(lambda: texts(chat) == ["hello"])
        [message] = chat.inlet.delivered
        assert message.key == ConversationKey(TELEGRAM, "2001")
        assert message.key == await chat.gateway.direct("2001")
        assert message.origin is not None
        assert message.origin.direct
        assert (message.author.id, message.author.name) == ("2001", "Alice Kim")


async def test_each_topic_of_a_forum_is_a_conversation(tmp_path: Path) -> None:
    async with telegram(tmp_path, forum=True, privacy=False) as chat:
        topic = chat.server.open_topic(chat.chat, chat.person, "Release")
        for text in ("not for the bot", "@mama_bot hello", "go on"):
            chat.server.say(chat.person, text, chat=chat.chat, topic=topic)
        chat.server.say(chat.person, "@mama_bot in general", chat=chat.chat)
        chat.server.say(chat.person, "general talk", chat=chat.chat)
        await chat.confirmed()
        assert texts(chat) == ["hello", "go on", "in general"]
        assert [message.key.thread for message in chat.inlet.delivered] == [str(topic), str(topic), ""]
        await chat.post_all(a_post(ConversationKey(TELEGRAM, str(GROUP_ID), str(topic)), "notice"))
        assert chat.server.shown(chat.chat, topic=topic) == ["Stopped."]


async def test_the_bot_takes_part_in_a_topic_after_a_restart_too(tmp_path: Path) -> None:
    state = MemoryState()
    async with telegram(tmp_path, forum=True, privacy=False, state=state) as chat:
        topic = chat.server.open_topic(chat.chat, chat.person, "Release")
        chat.server.say(chat.person, "@mama_bot hello", chat=chat.chat, topic=topic)
        await chat.confirmed()
        async with telegram(tmp_path / "2", forum=True, privacy=False, state=state) as later:
            again = later.server.open_topic(later.chat, later.person, "Release")
            assert again == topic
            later.server.say(later.person, "go on", chat=later.chat, topic=topic)
            await until(lambda: texts(later) == ["go on"])


async def test_a_task_gets_a_topic_of_its_own_and_keeps_it(tmp_path: Path) -> None:
    async with telegram(tmp_path, forum=True, admin=True, threads=Threads.TASK) as chat:
        first = chat.server.say(chat.person, "@mama_bot fix the login of the shop", chat=chat.chat)
        chat.server.push_again(chat.bot, first)
        await chat.confirmed()
        [message] = chat.inlet.delivered
        [created] = chat.server.called("createForumTopic")
        assert created.fields["name"] == "fix the login of the shop"
        assert chat.chat.topics[int(message.key.thread)].name == "fix the login of the shop"
        chat.server.say(chat.person, "and the tests", chat=chat.chat, topic=int(message.key.thread))
        chat.server.edit(first, "@mama_bot fix the login of the shops")
        await until(lambda: len(chat.inlet.delivered) == 2 and chat.inlet.revised)
        assert {message.key for message in chat.inlet.delivered} == {message.key}
        notice = Notice(id=PostId("n"), key=message.key, notice=NoticeKind.STOPPED, text="Stopped.", answers=message.id)
        await chat.post_all(notice)
        assert "reply_parameters" not in chat.server.called("sendMessage")[-1].fields
        assert chat.server.shown(chat.chat, topic=int(message.key.thread)) == ["Stopped."]


async def test_without_the_right_to_open_topics_the_task_stays_where_it_was_asked(tmp_path: Path) -> None:
    async with telegram(tmp_path, forum=True, threads=Threads.TASK) as chat:
        chat.server.say(chat.person, "@mama_bot fix it", chat=chat.chat)
        await until(lambda: texts(chat) == ["fix it"])
        assert chat.inlet.delivered[0].key.thread == ""
        assert chat.counted("topics_not_opened") == 1


async def test_strangers_open_no_topics(tmp_path: Path) -> None:
    class Closed(MemoryInlet):
        async def admit(self, message: InboundMessage) -> None:
            raise AccessRefused(reason="not listed")

    async with telegram(tmp_path, forum=True, admin=True, threads=Threads.TASK, inlet=Closed()) as chat:
        chat.server.say(chat.person, "@mama_bot fix it", chat=chat.chat)
        await chat.confirmed()
        assert (texts(chat), chat.server.called("createForumTopic"), chat.shown()) == ([], [], [])


async def test_a_post_to_a_topic_that_is_gone_is_not_lost(tmp_path: Path) -> None:
    async with telegram(tmp_path, forum=True) as chat:
        await chat.post_all(a_post(ConversationKey(TELEGRAM, str(GROUP_ID), "77"), "notice"))
        assert chat.shown() == ["Stopped."]


async def test_a_personas_bot_hears_for_its_persona(tmp_path: Path) -> None:
    async with telegram(tmp_path, persona_tokens=PERSONAS) as chat:
        chat.server.say(chat.person, "@dev_bot fix it", chat=chat.chat)
        await until(lambda: texts(chat) == ["@developer fix it"])
        [message] = chat.inlet.delivered
        assert message.key == chat.conversation()


async def test_a_message_that_two_bots_see_is_one(tmp_path: Path) -> None:
    async with telegram(tmp_path, persona_tokens=PERSONAS, privacy=False) as chat:
        chat.inlet.refusal = AccessRefused(reason="not paired", tell=Said("Your code is ABCD.", "코드는 ABCD입니다."))
        chat.server.say(chat.person, "@dev_bot and @mama_bot fix it", chat=chat.chat)
        await until(chat.shown)
        await all_confirmed(chat)
        chat.inlet.refusal = None
        chat.server.say(chat.person, "@dev_bot and @mama_bot fix it", chat=chat.chat)
        chat.server.say(chat.person, "/status", chat=chat.chat)
        await all_confirmed(chat)
        assert texts(chat) == ["@developer and fix it"]
        assert chat.server.shown(chat.chat)[0] == "Your code is ABCD."
        assert [command.name for command in chat.inlet.commands] == [CommandName.STATUS]


async def test_in_a_plain_group_bots_count_differently_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    async with telegram(tmp_path, persona_tokens=PERSONAS, privacy=False, kind=GROUP) as chat:
        for text in ("@dev_bot one", "@mama_bot two", "@dev_bot three"):
            chat.server.say(chat.person, text, chat=chat.chat)
        await all_confirmed(chat)
        assert sorted(texts(chat)) == ["@developer one", "@developer three", "two"]
        assert len({message.id for message in chat.inlet.delivered}) == 3


async def test_a_personas_bot_in_private_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    async with telegram(tmp_path, persona_tokens=PERSONAS) as chat:
        own = developer(chat)
        chat.server.say(chat.person, "fix it", bot=own)
        await until(lambda: texts(chat) == ["@developer fix it"])
        [message] = chat.inlet.delivered
        assert message.key == ConversationKey(TELEGRAM, "2001", "developer")
        assert message.id.startswith(f"telegram:{own.id}:2001:")
        post = a_post(message.key, "reply")
        await chat.post_all(post)
        private = chat.server.world.chats[2001]
        assert chat.server.shown(private, bot=own) == ["All 3 tests pass. 끝."]


async def test_a_persona_speaks_by_its_own_bot_in_groups_and_needs_no_header(tmp_path: Path) -> None:
    async with telegram(tmp_path, persona_tokens=PERSONAS) as chat:
        await chat.post_all(a_post(chat.conversation(), "reply"))
        assert chat.server.shown(chat.chat, bot=developer(chat)) == ["All 3 tests pass. 끝."]


async def test_where_the_personas_bot_is_not_the_teams_bot_speaks_for_it(tmp_path: Path) -> None:
    async with telegram(tmp_path, persona_tokens=PERSONAS) as chat:
        chat.server.kick(chat.chat, developer(chat))
        await chat.post_all(a_post(chat.conversation(), "reply"))
        [text] = chat.server.shown(chat.chat, bot=chat.bot)
        assert "Developer" in text
        assert text.endswith("All 3 tests pass. 끝.")


async def test_our_own_bots_are_never_heard(tmp_path: Path) -> None:
    async with telegram(tmp_path, persona_tokens=PERSONAS, privacy=False) as chat:
        chat.server.world.bot_to_bot = True
        await chat.gateway.post(
            a_post(chat.conversation(), "reply", text="@mama_bot look"),
            chat.parts(a_post(chat.conversation(), "reply", text="@mama_bot look"))[0],
        )
        await chat.say("hello", message_id="m1")
        assert texts(chat) == ["hello"]


async def test_another_bot_is_told_to_the_core_as_a_bot(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        await chat.say_as_bot("hello")
        await until(lambda: chat.inlet.delivered)
        assert [message.author.kind for message in chat.inlet.delivered] == [AuthorKind.BOT]


async def test_whoever_writes_in_the_name_of_the_group_is_a_person_with_its_id(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        anonymous: Json = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
        content: Json = {"text": "@mama_bot hello", "sender_chat": chat.chat.shown()}
        content["entities"] = [{"type": "mention", "offset": 0, "length": 9}]
        chat.server.post(anonymous, content, chat=chat.chat)
        await until(lambda: texts(chat) == ["hello"])
        author = chat.inlet.delivered[0].author
        assert (author.id, author.kind) == (str(GROUP_ID), AuthorKind.PERSON)


async def test_posts_follow_a_group_that_became_a_supergroup(tmp_path: Path) -> None:
    state = MemoryState()
    async with telegram(tmp_path, kind=GROUP, state=state) as chat:
        await chat.say("hello", message_id="m1")
        new = chat.server.migrate(chat.chat, -100999)
        await chat.confirmed()
        await chat.post_all(a_post(chat.conversation(), "notice"))
        assert chat.server.shown(new) == ["Stopped."]
        again, *_ = made(chat.server, tmp_path, state=state)
        async with running(again, MemoryInlet()):
            await until(lambda: chat.counted("polls_failed"))
            chat.server.calls.clear()
            post = a_post(chat.conversation(), "notice")
            await again.post(post, again.parts(post)[0])
            assert [call.fields["chat_id"] for call in chat.server.called("sendMessage")] == ["-100999"]


async def test_a_listed_group_that_became_a_supergroup_is_still_listed(tmp_path: Path) -> None:
    listed = {"channels": [str(GROUP_ID)]}
    async with telegram(tmp_path, kind=GROUP, access=listed) as chat:
        await chat.say("hello", message_id="m1")
        new = chat.server.migrate(chat.chat, -100999)
        chat.server.say(chat.person, "@mama_bot and now?", chat=new)
        chat.server.say(chat.person, "/status@mama_bot", chat=new)
        await until(lambda: chat.inlet.commands)
        assert [one.origin.channel for one in chat.inlet.delivered if one.origin] == [str(GROUP_ID)] * 2
        assert [one.key.channel for one in chat.inlet.delivered] == [str(GROUP_ID), "-100999"]
        ours = {"message_id": 1, "from": {"id": chat.bot.id}, "chat": {"id": new.id, "type": SUPERGROUP}}
        chat.server.press(chat.person, ours, "mama:stop")
        await until(lambda: len(chat.inlet.commands) == 2)
        assert [one.origin.channel for one in chat.inlet.commands] == [str(GROUP_ID)] * 2


async def test_a_migration_that_nobody_told_of_is_learnt_from_the_refusal(tmp_path: Path) -> None:
    async with telegram(tmp_path, kind=GROUP) as chat:
        new = chat.server.add_group(-100999, chat.bot, kind=SUPERGROUP)
        chat.chat.migrated_to = new.id
        for _ in range(2):
            await chat.post_all(a_post(chat.conversation(), "notice"))
        assert chat.server.shown(new) == ["Stopped.", "Stopped."]
        assert len(chat.server.called("sendMessage")) == 3


async def test_a_reply_stands_below_the_question(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        await chat.say("hello", message_id="m1")
        notice = Notice(
            id=PostId("n"),
            key=chat.conversation(),
            notice=NoticeKind.STOPPED,
            text="Stopped.",
            answers=MessageId(chat.id_of("m1")),
        )
        [number] = await chat.post_all(notice)
        message = chat.server.message(chat.bot, chat.chat, int(number))
        assert message["reply_to_message"]["message_id"] == chat.sent["m1"]["message_id"]


async def test_in_a_plain_group_a_personas_bot_answers_no_message_that_another_bot_counted(tmp_path: Path) -> None:
    async with telegram(tmp_path, persona_tokens=PERSONAS) as chat:
        plain = chat.server.add_group(-4321, chat.bot, developer(chat), kind=GROUP)
        chat.server.say(chat.person, "@mama_bot hello", chat=plain)
        await until(lambda: chat.inlet.delivered)
        [message] = chat.inlet.delivered
        await chat.post_all(replace(a_post(message.key, "reply"), answers=message.id))
        assert "reply_parameters" not in chat.server.called("sendMessage")[-1].fields
        await chat.post_all(replace(a_post(message.key, "notice"), answers=message.id))
        assert "reply_parameters" in chat.server.called("sendMessage")[-1].fields


async def test_a_supergroup_is_one_whatever_its_id_looks_like(tmp_path: Path) -> None:
    async with telegram(tmp_path, persona_tokens=PERSONAS) as chat:
        strange = chat.server.add_group(-100500, chat.bot, developer(chat), kind=SUPERGROUP)
        chat.server.say(chat.person, "@mama_bot hello", chat=strange)
        await until(lambda: chat.inlet.delivered)
        [message] = chat.inlet.delivered
        await chat.post_all(replace(a_post(message.key, "reply"), answers=message.id))
        assert "reply_parameters" in chat.server.called("sendMessage")[-1].fields


async def test_a_question_that_was_deleted_takes_no_reply_away(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        notice = Notice(
            id=PostId("n"),
            key=chat.conversation(),
            notice=NoticeKind.STOPPED,
            text="Stopped.",
            answers=MessageId(f"telegram:{GROUP_ID}:424242"),
        )
        await chat.post_all(notice)
        assert chat.shown() == ["Stopped."]


@pytest.mark.parametrize(
    ("text", "language"), [("pytest -q", Language.ENGLISH), ("👍", Language.KOREAN), ("돌려 줘", Language.KOREAN)]
)
async def test_who_writes_no_letters_is_answered_in_the_language_of_the_app(
    tmp_path: Path, text: str, language: Language
) -> None:
    refusal = Said("Not now.", "지금은 안 됩니다.")
    async with telegram(tmp_path) as chat:
        chat.person = chat.server.add_person(2002, "민수", language="ko")
        await chat.say(text, message_id="m1")
        chat.inlet.refusal = MessageRefused(refusal)
        await chat.say(text, message_id="m2")
        await until(chat.shown)
        assert [message.language for message in chat.inlet.delivered] == [language]
        assert chat.shown() == [refusal.to(language)]
