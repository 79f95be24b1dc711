"""What every gateway to a chat promises of the changes of a turn, and of what an answer offers."""

from dataclasses import replace

import pytest

from mama_bot.intake.diff_text import diff_text
from mama_bot.model import (
    Answer,
    ChangeId,
    CommandName,
    DiffFile,
    Offer,
    Reply,
    TreeDiff,
)
from mama_bot.wording import Language
from tests.gateways.under_test import (
    ChatUnderTest,
    GatewayUnderTest,
    a_post,
)


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
