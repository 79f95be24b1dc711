from dataclasses import replace
from datetime import UTC, datetime

from mama_bot.gateways.chat.command_forms import button_value
from mama_bot.gateways.slack.gateway import SlackGateway
from mama_bot.model import (
    CommandName,
    ConversationKey,
    ToolRun,
    ToolStarted,
    Turn,
    TurnFinished,
    TurnStarted,
    TurnState,
    TurnWorking,
)
from mama_bot.tool_names import with_kind
from tests.gateways.slack.playing import Played
from tests.gateways.slack.test_slack_reading import SLACK
from tests.gateways.slack.test_slack_writing import buttons
from tests.gateways.under_test import a_turn
from tests.waiting import until

THREAD = "1700000000.000001"
AT = datetime(2026, 1, 1, tzinfo=UTC)


def turn_of(play: Played) -> Turn:
    return a_turn(ConversationKey(SLACK, play.server.channel.id, THREAD))


async def work(gateway: SlackGateway, turn: Turn, command: str) -> None:
    run = with_kind(ToolRun(id=command, tool="Bash", arguments=f'{{"command": "{command}"}}', started_at=AT))
    await gateway.show(TurnWorking(turn=turn, attempt=0, event=ToolStarted(run=run), at=AT))


async def test_progress_is_one_message_edited_in_place_and_gone_at_the_end(play: Played) -> None:
    server, turn = play.server, turn_of(play)
    async with play.running() as gateway:
        await gateway.show(TurnStarted(turn=turn, at=datetime.now(UTC)))
        await until(lambda: server.called("chat.postMessage"))
        await work(gateway, turn, "pytest -q")
        await until(lambda: any("pytest -q" in text for text in server.shown(server.channel.id, thread=THREAD)))
        [message] = server.workspace.thread(server.channel.id, THREAD)
        assert buttons(message) == [button_value(CommandName.STOP)]
        await gateway.show(TurnFinished(turn=turn, state=TurnState.STOPPED, at=AT))
        await until(lambda: not server.workspace.thread(server.channel.id, THREAD))
    assert len(server.called("chat.postMessage")) == 1
    assert server.called("chat.update")
    assert server.api.statuses


async def test_the_stop_button_reaches_the_conversation_of_its_turn(play: Played) -> None:
    server, turn = play.server, turn_of(play)
    async with play.running() as gateway:
        await gateway.show(TurnStarted(turn=turn, at=datetime.now(UTC)))
        await until(lambda: server.workspace.thread(server.channel.id, THREAD))
        [message] = server.workspace.thread(server.channel.id, THREAD)
        assert await server.press(server.channel.id, message["ts"], buttons(message)[0]).settled()
        await until(lambda: play.inlet.commands)
    assert (play.inlet.commands[0].name, play.inlet.commands[0].key) == (CommandName.STOP, turn.key)


async def test_statuses_that_slack_does_not_grant_are_asked_for_once(play: Played) -> None:
    server = play.server
    server.fail("assistant.threads.setStatus", "missing_scope", times=100)
    async with play.running() as gateway:
        for number in range(3):
            turn = replace(turn_of(play), id=type(turn_of(play).id)(f"t{number}"))
            await gateway.show(TurnStarted(turn=turn, at=datetime.now(UTC)))
            await until(lambda: server.workspace.thread(server.channel.id, THREAD))
            await gateway.show(TurnFinished(turn=turn, state=TurnState.STOPPED, at=AT))
            await until(lambda: not server.workspace.thread(server.channel.id, THREAD))
    assert len(server.called("assistant.threads.setStatus")) == 1


async def test_edits_are_left_out_while_slack_asks_for_a_slower_pace(play: Played) -> None:
    server, turn = play.server, turn_of(play)
    async with play.running() as gateway:
        await gateway.show(TurnStarted(turn=turn, at=datetime.now(UTC)))
        await until(lambda: server.workspace.thread(server.channel.id, THREAD))
        server.fail("chat.update", status=429, retry_after=600)
        await work(gateway, turn, "pytest -q")
        await until(lambda: server.called("chat.update"))
        await work(gateway, turn, "ruff check")
        await until(lambda: play.counted("slack_progress_skipped"))
    assert len(server.called("chat.update")) == 1


async def test_a_progress_message_of_a_dead_life_is_removed(play: Played) -> None:
    server = play.server
    left = server.workspace.add_message(
        server.channel, {"user": server.app.user_id, "bot_id": server.app.bot_id, "text": "⏳", "thread_ts": THREAD}
    )
    play.state.values["progress/t1"] = f'["slack", "{server.channel.id}", "{THREAD}", "{left["ts"]}"]'
    async with play.running():
        await until(lambda: not server.workspace.thread(server.channel.id, THREAD))
        await until(lambda: "progress/t1" not in play.state.values)
