"""What every gateway to a chat promises of the changes of a turn, and of what an answer offers."""

from dataclasses import replace

import pytest

from mama_bot.errors import DeliveryFailed
from mama_bot.gateways.chat.command_forms import parse_button
from mama_bot.intake.diff_text import diff_text
from mama_bot.model import (
    Answer,
    ChangeId,
    CommandName,
    DiffFile,
    Notice,
    NoticeKind,
    Offer,
    Post,
    PostId,
    Reply,
    TreeDiff,
)
from mama_bot.wording import Language
from tests.gateways.under_test import (
    ChatUnderTest,
    GatewayUnderTest,
    a_post,
)


def read_button(value: str) -> tuple[CommandName, str]:
    read = parse_button(value)
    assert read is not None
    return read


def a_change(chat: ChatUnderTest, kind: str) -> Post:
    """A post that tells of a change: a reply, the line of a turn that was withheld, or that of an undo."""
    key = chat.conversation()
    if kind == "undone":
        kinds, change, undoes = NoticeKind.UNDONE, ChangeId("undo.d1"), ChangeId("t1")
        return Notice(id=PostId("p1"), key=key, notice=kinds, text="Undone.", change=change, undoes=undoes)
    if kind == "withheld":
        return Notice(id=PostId("p1"), key=key, notice=NoticeKind.WITHHELD, text="Withheld.", change=ChangeId("t1"))
    post = a_post(key, "reply")
    assert isinstance(post, Reply)
    return replace(post, change=ChangeId("t1"), can_merge=True, publishes="push", record_line="Record: nothing was run")


class ChangesContract:
    """The facts; `under_test` is the fixture that a test module gives, `chat` the same by its fuller type."""

    @pytest.fixture
    def chat(self, under_test: GatewayUnderTest) -> ChatUnderTest:
        assert isinstance(under_test, ChatUnderTest)
        return under_test

    async def test_what_a_turn_changed_can_be_shown_undone_and_merged_by_buttons(self, chat: ChatUnderTest) -> None:
        await chat.say("hello", message_id="m1")
        post = a_post(chat.conversation(), "reply")
        assert isinstance(post, Reply)
        post = replace(post, change=ChangeId("t1"), can_merge=True)
        [platform_id] = [await chat.gateway.post(post, part) for part in chat.gateway.parts(post)]
        for name in (CommandName.DIFF, CommandName.UNDO, CommandName.MERGE, CommandName.RECEIPT):
            chat.inlet.answer = Answer(text=f"That was {name.value}.")
            assert f"That was {name.value}." in await chat.press(name, platform_id)
        assert {command.platform_id for command in chat.inlet.commands} == {platform_id}

    @pytest.mark.parametrize("kind", ["reply", "withheld"])
    async def test_what_was_undone_is_offered_back_under_its_own_post(self, chat: ChatUnderTest, kind: str) -> None:
        await chat.say("hello", message_id="m1")
        post = a_change(chat, kind)
        ids = {part.index: await chat.gateway.post(post, part) for part in chat.gateway.parts(post)}
        shown, before = chat.shown(), chat.buttons(ids[0])
        for _ in range(2):  # a service that was killed meanwhile does it once more
            await chat.gateway.offer(post, ids, undone=True)
        names = [name for name, _ in map(read_button, chat.buttons(ids[0]))]
        kept = [CommandName.RECEIPT] if kind == "reply" else []
        assert names == [CommandName.DIFF, CommandName.REDO, *kept, CommandName.REPORT]
        await chat.press(CommandName.REDO, ids[0])
        assert (chat.inlet.commands[-1].name, chat.inlet.commands[-1].platform_id) == (CommandName.REDO, ids[0])
        await chat.gateway.offer(post, ids, undone=False)
        assert (chat.buttons(ids[0]), chat.shown()[: len(shown)]) == (before, shown)

    async def test_an_undo_that_was_taken_back_offers_its_diff_alone(self, chat: ChatUnderTest) -> None:
        await chat.say("hello", message_id="m1")
        post = a_change(chat, "undone")
        ids = {part.index: await chat.gateway.post(post, part) for part in chat.gateway.parts(post)}
        assert [name for name, _ in map(read_button, chat.buttons(ids[0]))] == [CommandName.DIFF, CommandName.REDO]
        await chat.gateway.offer(post, ids, undone=True)
        assert [name for name, _ in map(read_button, chat.buttons(ids[0]))] == [CommandName.DIFF]

    async def test_a_post_that_is_gone_is_offered_nothing_anew(self, chat: ChatUnderTest) -> None:
        await chat.say("hello", message_id="m1")
        post = replace(a_post(chat.conversation(), "reply"), change=ChangeId("t1"))
        with pytest.raises(DeliveryFailed):
            await chat.gateway.offer(post, {0: "1700000000000000000"}, undone=True)

    async def test_what_an_answer_offers_is_a_button_below_it(self, chat: ChatUnderTest) -> None:
        await chat.say("hello", message_id="m1")
        post = a_post(chat.conversation(), "reply")
        [platform_id] = [await chat.gateway.post(post, part) for part in chat.gateway.parts(post)]
        offer = Offer(name=CommandName.MERGE, label="그래도 병합", argument="그래도")
        chat.inlet.answer = Answer(text="병합하지 않았습니다.", done=False, offers=(offer,))
        assert "병합하지 않았습니다." in await chat.press(CommandName.RECEIPT, platform_id)
        chat.inlet.answer = Answer(text="마쳤습니다.")
        assert "마쳤습니다." in await chat.press_offered("그래도 병합")
        command = chat.inlet.commands[-1]
        assert (command.name, command.argument, command.key) == (CommandName.MERGE, "그래도", chat.conversation())

    async def test_what_the_answer_to_a_command_offers_is_about_the_same_conversation(
        self, chat: ChatUnderTest
    ) -> None:
        await chat.say("hello", message_id="m1")
        chat.inlet.answer = Answer(
            text="Not merged.",
            done=False,
            offers=(Offer(name=CommandName.MERGE, label="Merge anyway", argument="anyway"),),
        )
        assert "Not merged." in await chat.command(CommandName.MERGE)
        chat.inlet.answer = Answer(text="Done.")
        assert "Done." in await chat.press_offered("Merge anyway")
        first, second = chat.inlet.commands
        assert (second.name, second.argument, second.key) == (CommandName.MERGE, "anyway", first.key)

    async def test_a_diff_is_shown_and_a_long_one_goes_out_whole_as_a_file(self, chat: ChatUnderTest) -> None:
        await chat.say("hello", message_id="m1")
        patch = "@@ -0,0 +1,900 @@\n" + "".join(f"+line {number} of a rather long file\n" for number in range(900))
        file = DiffFile(path="src/long.py", added=900, removed=0, patch=patch)
        text = diff_text(TreeDiff(files=(file,), total=1, added=900), Language.ENGLISH)
        post = replace(a_post(chat.conversation(), "notice"), text=text)
        parts = chat.gateway.parts(post)
        for part in parts:
            await chat.gateway.post(post, part)
        shown = "\n".join(chat.shown())
        assert "src/long.py" in shown
        assert "+line 3" in shown
        assert not any("+line 899" in part.text for part in parts)
        [attached] = [part.file for part in parts if part.file is not None]
        assert attached.name.endswith(".diff")
        assert attached.content.decode() == f"--- src/long.py\n{patch}"
