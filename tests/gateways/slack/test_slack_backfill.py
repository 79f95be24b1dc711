"""What was written while nobody was connected, and Slack tells of no more, is read and answered in order."""

import asyncio
import time
from pathlib import Path

from mama_bot.gateways.slack.backfill import BackfillTimings
from mama_bot.gateways.slack.constants import LISTED_BY
from mama_bot.model import CommandName, InboundMessage
from mama_bot.wording import Language
from tests.gateways.slack.playing import Played, played
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


async def test_a_gap_that_is_not_filled_when_the_service_ends_is_filled_by_the_next_one(play: Played) -> None:
    server = play.server
    async with play.running():
        task = server.say("one", mention=server.app)
        assert await task.settled()
    server.write_untold("two", thread=task.ts)
    limited = server.fail("conversations.replies", status=429, retry_after=3600, times=1000)
    play.backfill = BackfillTimings(held_seconds=0.5)
    async with play.running():
        await until(lambda: limited.met)
        assert await server.say("three", thread=task.ts).settled(attempts=20)
        await until(lambda: len(play.inlet.delivered) == 2)
    assert texts(play) == ["one", "three"]
    assert play.counted("slack_messages_before_missed_ones")
    for _ in range(2):
        async with play.running():
            await until(lambda: limited.met > 1)
        limited.met = 1
    server.faults.clear()
    async with play.running():
        await until(lambda: len(play.inlet.delivered) == 3)
    assert texts(play) == ["one", "three", "two"]
    asked = len(server.called("conversations.history"))
    async with play.running():
        assert await server.say("four", thread=task.ts).settled()
        await until(lambda: len(server.called("conversations.history")) > asked)
    assert texts(play) == ["one", "three", "two", "four"]


async def test_a_command_that_may_have_been_carried_out_in_a_life_that_was_cut_off_is_not_carried_out_again(
    play: Played,
) -> None:
    server = play.server
    async with play.running():
        assert await server.say("one", channel=server.direct).settled()
    limited = server.fail("conversations.history", status=429, retry_after=3600, times=1000)
    play.backfill = BackfillTimings(held_seconds=0.1)
    async with play.running():
        await until(lambda: limited.met)
        assert await server.say("/status", channel=server.direct).settled(attempts=20)
        await until(lambda: len(play.inlet.commands) == 1)
        assert await server.say("two", channel=server.direct).settled(attempts=20)
    server.faults.clear()
    async with play.running():
        await until(lambda: any("away" in text for text in server.shown(server.direct.id)))
    assert [command.name for command in play.inlet.commands] == [CommandName.STATUS]
    assert texts(play) == ["one", "two"]


async def test_a_missed_command_is_not_carried_out_again_where_its_gap_outlives_the_service(play: Played) -> None:
    server = play.server
    async with play.running():
        task = server.say("one", mention=server.app)
        assert await task.settled()
    server.write_untold("/status", mention=server.app)
    server.write_untold("two", thread=task.ts)
    limited = server.fail("conversations.replies", status=429, retry_after=3600, times=1000)
    async with play.running():
        await until(lambda: limited.met and play.inlet.commands)
    server.faults.clear()
    async with play.running():
        await until(lambda: len(play.inlet.delivered) == 2)
    assert [command.name for command in play.inlet.commands] == [CommandName.STATUS]


async def test_a_gateway_that_has_its_connection_again_repeats_nothing_that_another_one_did_meanwhile(
    play: Played,
) -> None:
    server = play.server
    first, second = play.build(), play.build()
    async with play.running(first):
        assert await server.say("one", channel=server.direct).settled()
        server.fail("apps.connections.open", status=500, times=1000)
        server.cut()
        await until(lambda: not first.hearing().ok)
    server.faults.clear()
    async with play.running(second):
        assert await server.say("/status", channel=server.direct).settled(attempts=20)
        await until(lambda: play.inlet.commands)
    async with play.running(first):
        assert await server.say("two", channel=server.direct).settled(attempts=20)
        await until(lambda: len(play.inlet.delivered) == 2)
    assert [command.name for command in play.inlet.commands] == [CommandName.STATUS]


async def test_what_was_read_before_slack_asks_for_a_pause_is_not_held_back_and_the_pause_is_kept(play: Played) -> None:
    server = play.server
    async with play.running():
        task = server.say("one", mention=server.app)
        assert await task.settled()
        assert await server.say("direct one", channel=server.direct).settled()
    server.write_untold("two", thread=task.ts)
    server.write_untold("direct two", channel=server.direct)
    limited = server.fail("conversations.replies", status=429, retry_after=2)
    async with play.running():
        await until(lambda: limited.met == 1 and "direct two" in texts(play))
        assert "two" not in texts(play)
        asked = len(server.called("conversations.replies"))
        await until(lambda: len(play.inlet.delivered) == 4)
    assert asked == 1
    assert play.counted("slack_history_limited") == 1


async def test_what_could_not_be_stored_is_read_again_where_slack_never_delivers_it_again(tmp_path: Path) -> None:
    async with played(tmp_path, redeliveries=0) as play:
        server, kept, refused = play.server, play.inlet.deliver, list[str]()

        async def deliver(message: InboundMessage) -> bool:
            if message.text == "two" and len(refused) < 2:  # the two events of a mention
                refused.append(message.text)
                raise ZeroDivisionError
            return await kept(message)

        object.__setattr__(play.inlet, "deliver", deliver)
        async with play.running():
            assert await server.say("one", mention=server.app).settled()
            assert not await server.say("two", mention=server.app).settled()
            assert await server.say("three", mention=server.app).settled()
            await until(lambda: len(play.inlet.delivered) == 3)
        assert sorted(texts(play)) == ["one", "three", "two"]


async def test_owners_are_told_of_what_is_not_read_until_it_is(play: Played) -> None:
    server = play.server
    play.backfill = BackfillTimings(behind_seconds=0.0)
    async with play.running():
        assert await server.say("one", channel=server.direct).settled()
    server.write_untold("two", channel=server.direct)
    server.app.scopes.remove("im:history")
    server.app.scopes.remove("channels:history")
    async with play.running() as gateway:
        await until(lambda: any("missing_scope" in line.to(Language.ENGLISH) for line in gateway.hearing().behind))
        assert gateway.hearing().ok
        server.app.scopes += ["im:history"]
        await until(lambda: len(play.inlet.delivered) == 2)
        await until(lambda: not gateway.hearing().behind)


async def test_a_channel_that_the_bot_was_removed_from_is_waited_for_no_more(play: Played) -> None:
    server = play.server
    async with play.running():
        assert await server.say("one", mention=server.app).settled()
    server.channel.members.discard(server.app.user_id)
    async with play.running():
        await until(lambda: play.counted("slack_backfills_refused"))
    asked = len(server.called("conversations.history"))
    await play.state.put({"seen/C0GENERAL": "0"})
    async with play.running():
        await asyncio.sleep(0.2)
    assert len(server.called("conversations.history")) == asked


async def test_a_first_direct_message_and_a_mention_where_nothing_was_heard_before_are_found(play: Played) -> None:
    server = play.server
    silent = server.workspace.add_channel("C0SILENT", "silent", [server.person, server.app.user_id])
    server.write_untold("before anybody was heard", channel=silent, mention=server.app)
    async with play.running():
        assert await server.say("one", mention=server.app).settled()
    server.write_untold("a first word", channel=server.direct)
    server.write_untold("a first mention", channel=silent, mention=server.app)
    server.write_untold("not for the team", channel=silent)
    async with play.running():
        await until(lambda: len(play.inlet.delivered) == 3)
    async with play.running():
        await asyncio.sleep(0.2)
    assert sorted(texts(play)) == ["a first mention", "a first word", "one"]


async def test_what_nobody_looked_for_before_the_service_ended_is_looked_for_by_the_next_one(play: Played) -> None:
    server = play.server
    async with play.running():
        assert await server.say("one", mention=server.app).settled()
    server.write_untold("a first word", channel=server.direct)
    server.fail("users.conversations", status=500, times=1000)
    async with play.running():
        await until(lambda: play.counted("slack_backfills_postponed"))
        assert await server.say("told", channel=server.direct).settled()
        assert await server.say("more", mention=server.app).settled()
    server.faults.clear()
    async with play.running():
        await until(lambda: "a first word" in texts(play))


async def test_without_the_scopes_the_conversations_that_are_known_are_read(play: Played) -> None:
    server = play.server
    for scope in LISTED_BY.values():
        server.app.scopes.remove(scope)
    async with play.running():
        assert await server.say("one", mention=server.app).settled()
    server.write_untold("a first word", channel=server.direct)
    server.write_untold("two", mention=server.app)
    async with play.running() as gateway:
        await until(lambda: play.counted("slack_silent_places_not_listed"))
        await until(lambda: len(play.inlet.delivered) == 2)
        assert gateway.hearing().ok
    assert texts(play) == ["one", "two"]


async def test_a_thread_with_news_is_read_however_many_threads_were_heard_in_since(play: Played) -> None:
    server = play.server
    other = server.write_untold("a talk of others", ts=at(5000))
    async with play.running():
        tasks = [server.say(f"task {number}", mention=server.app) for number in range(30)]
        for task in tasks:
            assert await task.settled()
    server.write_untold("more of the first", thread=tasks[0].ts)
    server.write_untold("a mention among others", thread=other, mention=server.app)
    before = len(server.called("conversations.replies"))
    async with play.running():
        await until(lambda: len(play.inlet.delivered) == 32)
    assert texts(play)[30:] == ["more of the first", "a mention among others"]
    assert len(server.called("conversations.replies")) - before == 2
