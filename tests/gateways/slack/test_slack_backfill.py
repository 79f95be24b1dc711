"""What was written while nobody was connected, and Slack tells of no more, is read and answered in order."""

import asyncio
import time

from mama_bot.model import CommandName
from tests.gateways.slack.playing import Played
from tests.waiting import until


def texts(play: Played) -> list[str]:
    return [message.text for message in play.inlet.delivered]


def at(seconds_ago: float) -> str:
    return f"{time.time() - seconds_ago:.6f}"


async def test_what_was_written_while_the_service_was_away_is_answered_in_order_once_it_is_back(play: Played) -> None:
    server = play.server
    async with play.running():
        task = server.say("one", mention=server.app)
        assert await task.settled()
        assert await server.say("direct one", channel=server.direct).settled()
    server.write_untold("not for the team")
    server.write_untold("two", thread=task.ts)
    other = server.write_untold("another task", mention=server.app)
    server.write_untold("more of it", thread=other)
    server.write_untold("direct two", channel=server.direct)
    async with play.running():
        await until(lambda: len(play.inlet.delivered) == 6)
        assert await server.say("three", thread=task.ts).settled()
        await until(lambda: len(play.inlet.delivered) == 7)
    in_channel = [text for text in texts(play) if "direct" not in text]
    assert in_channel == ["one", "two", "another task", "more of it", "three"]
    assert [text for text in texts(play) if "direct" in text] == ["direct one", "direct two"]
    assert play.counted("slack_messages_backfilled")


async def test_nothing_is_read_of_the_time_before_the_first_start_and_nothing_twice(play: Played) -> None:
    server = play.server
    server.write_untold("long ago", mention=server.app)
    async with play.running():
        assert await server.say("one", mention=server.app).settled()
    for _ in range(2):
        async with play.running():
            await until(lambda: server.called("conversations.history"))
            await asyncio.sleep(0.1)
    assert texts(play) == ["one"]


async def test_what_comes_after_a_gap_waits_for_what_was_written_in_it(play: Played) -> None:
    server = play.server
    async with play.running():
        task = server.say("one", mention=server.app)
        assert await task.settled()
        server.fail("conversations.history", status=500, times=1)
        server.write_untold("two", thread=task.ts)
        server.cut()
        assert await server.say("three", thread=task.ts).settled(attempts=20)
        await until(lambda: len(play.inlet.delivered) == 3)
    assert texts(play) == ["one", "two", "three"]


async def test_a_command_of_long_ago_is_not_carried_out_and_who_gave_it_is_told(play: Played) -> None:
    server = play.server
    async with play.running():
        assert await server.say("one", channel=server.direct, ts=at(1200)).settled()
    server.write_untold("/reset", channel=server.direct, ts=at(600))
    async with play.running():
        await until(lambda: any("away" in text for text in server.shown(server.direct.id)))
    assert CommandName.RESET not in [command.name for command in play.inlet.commands]
