"""Commands, buttons and the message that shows who works."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from mama_bot.errors import AccessRefused, StoreUnavailable
from mama_bot.model import (
    DESCRIPTIONS,
    Answer,
    Command,
    CommandName,
    ConversationKey,
    Notice,
    NoticeKind,
    PostId,
    TurnFinished,
    TurnStarted,
    TurnState,
)
from mama_bot.testing.memory_core import MemoryInlet
from mama_bot.wording import Language
from tests.gateways.discord.stage import DISCORD, DiscordUnderTest, connected
from tests.gateways.under_test import a_post, a_turn
from tests.platforms.discord_server import DiscordServer
from tests.waiting import until

AT = datetime(2026, 1, 1, tzinfo=UTC)


class SlowInlet(MemoryInlet):
    """Answers when it is allowed to."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()

    async def command(self, command: Command) -> Answer:
        await self.go.wait()
        return await super().command(command)


async def test_a_button_works_after_a_restart(server: DiscordServer, tmp_path: Path) -> None:
    async with connected(server, tmp_path) as first:
        post = a_post(first.conversation(), "reply")
        [platform_id] = [await first.gateway.post(post, part) for part in first.gateway.parts(post)]
    async with connected(server, tmp_path, state=first.state) as second:
        assert "report" in await second.press(CommandName.REPORT, platform_id)
        [command] = second.inlet.commands
        assert (command.platform_id, command.key) == (platform_id, second.conversation())
        assert command.author.id == server.person


async def test_an_approval_is_decided_by_buttons(under_test: DiscordUnderTest) -> None:
    notice = Notice(
        id=PostId("n1"), key=under_test.conversation(), notice=NoticeKind.NEEDS_PERSON, text="May I?", approval="ap-7"
    )
    [part] = under_test.gateway.parts(notice)
    platform_id = await under_test.gateway.post(notice, part)
    await under_test.press(CommandName.DENY, platform_id)
    assert [(one.name, one.argument) for one in under_test.inlet.commands] == [(CommandName.DENY, "ap-7")]


async def test_a_button_in_a_thread_is_of_its_conversation(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    thread = server.world.add_thread(server.channel, "t", server.person)["id"]
    post = a_post(ConversationKey(DISCORD, server.channel, thread), "reply")
    [platform_id] = [await under_test.gateway.post(post, part) for part in under_test.gateway.parts(post)]
    await under_test.press(CommandName.RECEIPT, platform_id, channel=thread)
    assert under_test.inlet.commands[0].key == post.key


async def test_an_answer_that_takes_long_follows(server: DiscordServer, tmp_path: Path) -> None:
    inlet = SlowInlet()
    async with connected(server, tmp_path, inlet=inlet) as under_test:
        await until(lambda: server.world.commands)
        interaction = await server.slash("status")
        await until(lambda: interaction.answered == 5)
        assert interaction.hidden
        inlet.go.set()
        await until(lambda: interaction.texts)
        assert "status" in interaction.texts[0]
        assert under_test.shown() == []


async def test_an_answer_that_is_long_comes_in_parts(under_test: DiscordUnderTest) -> None:
    text = "\n".join(f"line {number} " + "x" * 40 for number in range(100))
    under_test.inlet.answer = Answer(text=text)
    await until(lambda: under_test.server.world.commands)
    interaction = await under_test.server.slash("agents")
    await until(lambda: interaction.texts)
    assert interaction.texts[0].startswith("line 0")
    assert all(len(one) <= 2000 for one in interaction.texts)


async def test_a_stranger_who_presses_a_button_is_told_nothing(under_test: DiscordUnderTest) -> None:
    post = a_post(under_test.conversation(), "reply")
    [platform_id] = [await under_test.gateway.post(post, part) for part in under_test.gateway.parts(post)]
    under_test.inlet.refusal = AccessRefused(reason="not listed")
    interaction = await under_test.server.press(platform_id, "mama:receipt")
    await until(lambda: interaction.answered == 6)
    assert interaction.texts == []


async def test_a_button_that_is_not_ours_is_left_alone(under_test: DiscordUnderTest) -> None:
    asked = await under_test.write("hello")
    await under_test.server.press(asked, "somebody:else")
    await under_test.say("hello", message_id="m1")
    assert under_test.inlet.commands == []


async def test_korean_is_told_apart_by_the_language_of_the_client(under_test: DiscordUnderTest) -> None:
    await until(lambda: under_test.server.world.commands)
    await under_test.server.slash("help", locale="ko")
    await until(lambda: under_test.inlet.commands)
    assert under_test.inlet.commands[0].language == Language.KOREAN


async def test_the_commands_are_registered_once(server: DiscordServer, tmp_path: Path) -> None:
    async with connected(server, tmp_path) as first:
        await until(lambda: first.state.values.get("commands"))
    async with connected(server, tmp_path, state=first.state) as second:
        await second.say("hello", message_id="m1")
    assert len([one for one in server.requests if one.startswith("PUT /applications/")]) == 1
    listed = {one["name"]: one for one in server.world.commands[""]}
    assert set(listed) == {name.value for name in DESCRIPTIONS}
    assert all("ko" in one["description_localizations"] for one in listed.values())
    assert [option["name"] for option in listed["usage"]["options"]] == ["days"]


async def test_a_registration_that_fails_is_tried_again(server: DiscordServer, tmp_path: Path) -> None:
    server.refuse(500, "PUT /applications/", times=2)
    async with connected(server, tmp_path):
        await until(lambda: len(server.world.commands.get("", [])) == len(DESCRIPTIONS))


async def test_progress_is_one_quiet_message_with_a_stop_button_and_goes(under_test: DiscordUnderTest) -> None:
    turn = a_turn(under_test.conversation())
    await under_test.gateway.show(TurnStarted(turn=turn, at=AT))
    await until(under_test.shown)
    [shown] = under_test.server.shown()
    assert shown.author == "mama"
    assert under_test.server.typed()
    await under_test.press(CommandName.STOP, shown.id)
    assert [(one.name, one.key) for one in under_test.inlet.commands] == [(CommandName.STOP, turn.key)]
    await under_test.gateway.show(TurnFinished(turn=turn, state=TurnState.STOPPED, at=AT))
    await until(lambda: not under_test.shown())


async def test_progress_of_a_task_stands_in_its_thread(server: DiscordServer, tmp_path: Path) -> None:
    async with connected(server, tmp_path, threads="task") as under_test:
        asked = await under_test.write(f"<@{server.bot}> build")
        turn = a_turn(ConversationKey(DISCORD, server.channel, asked))
        await under_test.gateway.show(TurnStarted(turn=turn, at=AT))
        await until(lambda: asked in server.world.channels and server.shown(asked))
        await under_test.gateway.show(TurnFinished(turn=turn, state=TurnState.STOPPED, at=AT))
        await until(lambda: not server.shown(asked))


async def test_a_command_that_the_store_cannot_answer_says_so(under_test: DiscordUnderTest) -> None:
    under_test.inlet.refusal = StoreUnavailable(url="sqlite://", reason="locked", remedy="Wait.")
    assert "locked" in await under_test.command(CommandName.STATUS)
