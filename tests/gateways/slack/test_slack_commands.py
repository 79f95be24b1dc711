import pytest

from mama_bot.errors import AccessRefused
from mama_bot.gateways.chat.command_forms import button_value
from mama_bot.model import Answer, CommandName, ConversationKey, Notice, NoticeKind, PostId
from tests.gateways.slack.playing import Played
from tests.gateways.slack.test_slack_reading import SLACK
from tests.gateways.slack.test_slack_writing import a_reply, buttons, posted
from tests.waiting import until


@pytest.mark.parametrize(
    ("command", "text", "name", "argument"),
    [
        ("/mama", "status", CommandName.STATUS, ""),
        ("/mama", "  Report it is no praise 아닙니다 ", CommandName.REPORT, "it is no praise 아닙니다"),
        ("/status", "", CommandName.STATUS, ""),
        ("/usage", "7", CommandName.USAGE, "7"),
        ("/mama", "", CommandName.HELP, ""),
        ("/mama", "approve 3 always", CommandName.APPROVE, "3 always"),
        ("/mama", "stauts", CommandName.HELP, "/stauts"),
        ("/team-bot", "queue", CommandName.QUEUE, ""),
    ],
)
async def test_a_command_is_taken_by_its_name_and_behind_mama(
    play: Played, command: str, text: str, name: CommandName, argument: str
) -> None:
    server = play.server
    async with play.running():
        assert await server.slash(command, text, channel=server.direct).settled()
        await until(lambda: server.workspace.ephemerals)
    [given] = play.inlet.commands
    assert (given.name, given.argument) == (name, argument)
    assert given.author.id == server.person
    assert given.origin.direct
    [answer] = server.workspace.ephemerals
    assert (answer.user, answer.channel) == (server.person, server.direct.id)


async def test_a_command_from_a_channel_is_about_its_latest_thread(play: Played) -> None:
    server = play.server
    async with play.running():
        first = server.say("one", mention=server.app)
        await first.settled()
        await server.say("two", mention=server.app).settled()
        await server.say("more of one", thread=first.ts).settled()
        server.slash("/mama", "stop")
        await until(lambda: play.inlet.commands)
    assert play.inlet.commands[0].key == ConversationKey(SLACK, server.channel.id, first.ts)


async def test_strangers_get_no_answer_to_a_command(play: Played) -> None:
    play.inlet.refusal = AccessRefused(reason="not listed")
    async with play.running():
        assert await play.server.slash("/mama", "status").settled()
        await until(lambda: play.counted("chat_commands"))
        play.inlet.refusal = None
        play.inlet.answer = Answer(text="One waits.")
        play.server.slash("/mama", "queue")
        await until(lambda: play.server.workspace.ephemerals)
    assert [one.text for one in play.server.workspace.ephemerals] == ["One waits."]


async def test_a_button_is_answered_after_a_restart(play: Played) -> None:
    post = a_reply(play)
    async with play.running() as gateway:
        [ts] = await posted(gateway, post)
    async with play.running():
        [receipt, _] = buttons(play.server.workspace.message(post.key.channel, ts))
        assert await play.server.press(post.key.channel, ts, receipt).settled()
        await until(lambda: play.server.workspace.ephemerals)
    [command] = play.inlet.commands
    assert (command.name, command.platform_id, command.key) == (CommandName.RECEIPT, ts, post.key)
    [answer] = play.server.workspace.ephemerals
    assert answer.thread == post.key.thread


async def test_an_answer_is_shown_although_its_address_has_expired(play: Played) -> None:
    post = a_reply(play)
    async with play.running() as gateway:
        [ts] = await posted(gateway, post)
        envelope = play.server.press(post.key.channel, ts, button_value(CommandName.RECEIPT))
        play.server.expire_response_urls()
        assert await envelope.settled()
        await until(lambda: play.server.workspace.ephemerals)
    assert play.server.called("chat.postEphemeral")[0]["thread_ts"] == post.key.thread


async def test_what_was_decided_cannot_be_decided_again(play: Played) -> None:
    key = ConversationKey(SLACK, play.server.direct.id)
    notice = Notice(id=PostId("n1"), key=key, notice=NoticeKind.NEEDS_PERSON, text="May it push?", approval="a-1")
    play.inlet.answer = Answer(text="Approved.")
    async with play.running() as gateway:
        [ts] = await posted(gateway, notice)
        await play.server.press(key.channel, ts, button_value(CommandName.APPROVE, "a-1")).settled()
        await until(lambda: not buttons(play.server.workspace.message(key.channel, ts)))
        await until(lambda: play.server.workspace.ephemerals)
    [command] = play.inlet.commands
    assert (command.name, command.argument) == (CommandName.APPROVE, "a-1")


async def test_a_button_of_somebody_else_is_left_alone(play: Played) -> None:
    post = a_reply(play)
    async with play.running() as gateway:
        [ts] = await posted(gateway, post)
        assert await play.server.press(post.key.channel, ts, "not_ours").settled()
        assert await play.server.press(post.key.channel, ts, button_value(CommandName.REPORT)).settled()
        await until(lambda: play.inlet.commands)
    assert [command.name for command in play.inlet.commands] == [CommandName.REPORT]
