"""Connections break, tokens end, sockets fall silent: the gateway hears again, and nothing is lost."""

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mama_bot.gateways.discord.client import Waits
from mama_bot.gateways.discord.timings import Timings
from mama_bot.model import AuthorKind, CommandName
from mama_bot.testing.memory_core import MemoryInlet, MemoryState
from mama_bot.wording import Language
from tests.gateways.discord.stage import TIMINGS, DiscordUnderTest, connected, running_again
from tests.gateways.under_test import a_post
from tests.platforms.discord_server import DiscordServer
from tests.waiting import until

QUICK = Timings(
    waits=Waits(silence=0.4, connect=0.5, resume=0.5, quiet=60, identify=0.01),
    first_backoff=0.02,
    longest_backoff=0.1,
    longest_after_failure=0.1,
    revoked=0.05,
    marks=0.02,
    history=0.02,
    patience=TIMINGS.patience,
)

DOUBTING = replace(QUICK, waits=replace(QUICK.waits, silence=20, connect=20, quiet=0.3))


def texts(under_test: DiscordUnderTest) -> list[str]:
    return [message.text for message in under_test.inlet.delivered]


async def test_what_was_said_during_a_break_is_replayed_when_the_session_is_resumed(
    under_test: DiscordUnderTest,
) -> None:
    server = under_test.server
    await under_test.say("one", message_id="m1")
    server.sessions.accepting = False
    server.cut()
    await until(lambda: not under_test.gateway.hearing().ok)
    await server.say(f"<@{server.bot}> two")
    server.sessions.accepting = True
    await until(lambda: texts(under_test) == ["one", "two"])
    assert (server.sessions.identified, server.sessions.resumed) == (1, 1)


async def test_a_history_that_is_not_told_for_a_while_is_read_later_and_holds_up_nobody(
    under_test: DiscordUnderTest,
) -> None:
    server = under_test.server
    await under_test.say("one", message_id="m1")
    await server.say(f"<@{server.bot}> missed", told=False)
    server.refuse(503, "GET /channels/", times=10)
    await server.invalidate()
    await until(lambda: server.sessions.identified == 2)
    await server.say(f"<@{server.bot}> live")
    await until(lambda: len(under_test.inlet.delivered) == 3)
    assert under_test.counted("discord_backfills_postponed")
    assert texts(under_test) == ["one", "live", "missed"]


@pytest.mark.parametrize(("status", "told"), [(403, True), (404, False)])
async def test_owners_hear_of_a_channel_that_the_bot_may_not_read_and_it_is_asked_no_more(
    under_test: DiscordUnderTest, status: int, told: bool
) -> None:
    server = under_test.server
    await under_test.say("one", message_id="m1")
    server.refuse(status, f"GET /channels/{server.channel}/messages", times=1000)
    await server.say(f"<@{server.bot}> missed", told=False)
    await server.invalidate()
    await until(lambda: under_test.counted("discord_backfills_refused"))
    lost = [line.to(Language.ENGLISH) for line in under_test.gateway.hearing().lost]
    assert any(f"<#{server.channel}>" in line for line in lost) == told
    assert under_test.gateway.hearing().ok
    await under_test.say("two", message_id="m2")
    assert texts(under_test) == ["one", "two"]


async def test_what_was_missed_is_read_once_the_token_is_taken_again(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    await under_test.say("one", message_id="m1")
    server.refuse(401, f"GET /channels/{server.channel}/messages", times=1000)
    await server.say(f"<@{server.bot}> missed", told=False)
    await server.invalidate()
    await until(lambda: under_test.counted("discord_backfills_postponed"))
    server.allow()
    await until(lambda: len(under_test.inlet.delivered) == 2)
    assert texts(under_test) == ["one", "missed"]


async def test_a_command_that_may_have_been_carried_out_before_a_restart_is_not_carried_out_again(
    server: DiscordServer, tmp_path: Path
) -> None:
    state, inlet = MemoryState(), MemoryInlet()
    async with connected(server, tmp_path, state=state, inlet=inlet) as first:
        await first.say("one", message_id="m1")
        server.refuse(503, "GET /channels/", times=1000)
        await server.invalidate()
        await until(lambda: first.counted("discord_backfills_postponed"))
        await first.say("/status", message_id="m2")
        await until(lambda: inlet.commands)
    server.forget_sessions()
    server.allow()
    async with connected(server, tmp_path, state=state, inlet=inlet) as second:
        await second.say("two", message_id="m3")
        await until(lambda: not second.gateway.hearing().behind and any("away" in text for text in second.shown()))
    assert [command.name for command in inlet.commands] == [CommandName.STATUS]
    assert [message.text for message in inlet.delivered] == ["one", "two"]


async def test_it_posts_and_fetches_when_it_has_the_connection_again_that_another_node_had(
    server: DiscordServer, tmp_path: Path
) -> None:
    async with connected(server, tmp_path) as under_test:
        await under_test.attach("a.txt", "text/plain", b"first", message_id="m1")
        await until(lambda: len(under_test.inlet.delivered) == 1)
    async with running_again(under_test):
        await under_test.attach("b.txt", "text/plain", b"second", message_id="m2")
        await until(lambda: len(under_test.inlet.delivered) == 2)
        assert [file.name for file in under_test.inlet.delivered[1].attachments] == ["b.txt"]
        post = a_post(under_test.conversation(), "reply")
        for part in under_test.gateway.parts(post):
            assert await under_test.gateway.post(post, part)


async def test_what_was_said_before_a_new_session_is_read_from_the_history_in_order(
    under_test: DiscordUnderTest,
) -> None:
    server = under_test.server
    await under_test.say("one", message_id="m1")
    for number in range(230):
        await server.say(f"<@{server.bot}> missed {number}", told=False)
    await server.say("not for the team", told=False)
    await server.invalidate()
    await until(lambda: server.sessions.identified == 2)
    await server.say(f"<@{server.bot}> live")
    await until(lambda: len(under_test.inlet.delivered) == 232)
    assert texts(under_test) == ["one", *(f"missed {number}" for number in range(230)), "live"]


async def test_a_session_that_is_only_asked_to_reconnect_is_resumed(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    await server.demand_reconnect()
    await until(lambda: server.sessions.resumed == 1)
    await under_test.say("hello", message_id="m1")
    assert texts(under_test) == ["hello"]
    assert server.sessions.identified == 1


@pytest.mark.parametrize("code", [1000, 1001, 4000, 4007, 4009])
async def test_it_comes_back_after_a_close(under_test: DiscordUnderTest, code: int) -> None:
    await under_test.server.sessions.close(code)
    await until(lambda: under_test.server.sessions.resumed == 1)
    await until(lambda: under_test.gateway.hearing().ok)
    await under_test.say("hello", message_id="m1")
    assert texts(under_test) == ["hello"]


async def test_what_was_said_while_the_service_was_down_is_answered_after_its_start(
    server: DiscordServer, tmp_path: Path
) -> None:
    state, inlet = MemoryState(), MemoryInlet()
    other = server.world.add_channel("quiet")
    async with connected(server, tmp_path, state=state, inlet=inlet) as first:
        await first.say("one", message_id="m1")
        direct = server.direct_channel()
        await first.write("direct one", channel=direct)
    server.forget_sessions()
    await server.say(f"<@{server.bot}> two")
    await server.say(f"<@{server.bot}> where nobody spoke before", channel=other)
    await server.say("direct two", channel=direct)
    async with connected(server, tmp_path, state=state, inlet=inlet) as second:
        await until(lambda: len(inlet.delivered) == 5)
        assert sorted(texts(second)) == ["direct one", "direct two", "one", "two", "where nobody spoke before"]
        await until(lambda: second.counted("discord_messages_backfilled") == 3)


async def test_what_was_written_before_the_first_start_is_not_answered(server: DiscordServer, tmp_path: Path) -> None:
    await server.say(f"<@{server.bot}> long ago")
    async with connected(server, tmp_path) as under_test:
        await under_test.say("hello", message_id="m1")
        assert texts(under_test) == ["hello"]


async def test_a_socket_that_is_open_but_silent_is_left(server: DiscordServer, tmp_path: Path) -> None:
    server.sessions.heartbeat_milliseconds = 100
    async with connected(server, tmp_path, timings=QUICK) as under_test:
        await under_test.say("one", message_id="m1")
        server.sessions.silent = True
        await until(lambda: not under_test.gateway.hearing().ok)
        await server.say(f"<@{server.bot}> two")
        await until(lambda: under_test.counted("discord_connections_lost"))
        server.forget_sessions()
        server.sessions.silent = False
        await until(lambda: texts(under_test) == ["one", "two"])
        await until(lambda: under_test.gateway.hearing().ok)


@pytest.mark.parametrize("ignored", [True, False])
async def test_a_session_that_is_acknowledged_and_tells_nothing_is_found_out_and_its_gap_is_read(
    server: DiscordServer, tmp_path: Path, ignored: bool
) -> None:
    server.sessions.heartbeat_milliseconds = 50
    server.sessions.unknown_ignored = ignored
    async with connected(server, tmp_path, timings=DOUBTING) as under_test:
        await under_test.say("one", message_id="m1")
        server.forget_sessions()  # its socket stays, and beats on
        await server.say(f"<@{server.bot}> two")
        await until(lambda: texts(under_test) == ["one", "two"])
        assert server.sessions.identified == 2
        await until(lambda: under_test.gateway.hearing().ok)
        await under_test.say("three", message_id="m3")


async def test_a_quiet_session_proves_itself_by_being_resumed_and_is_heard_all_the_while(
    server: DiscordServer, tmp_path: Path
) -> None:
    server.sessions.heartbeat_milliseconds = 500
    async with connected(server, tmp_path, timings=DOUBTING) as under_test:
        await under_test.say("one", message_id="m1")
        heard = []

        def resumed_twice() -> bool:
            heard.append(under_test.gateway.hearing().ok)
            return server.sessions.resumed >= 2

        await until(resumed_twice)
        assert all(heard)
        await under_test.say("two", message_id="m2")
        assert server.sessions.identified == 1
        assert not under_test.counted("discord_connections_lost")


async def test_a_session_that_no_server_resumes_is_given_up_at_the_first_try(
    server: DiscordServer, tmp_path: Path
) -> None:
    paused: list[float] = []

    async def sleep(seconds: float) -> None:
        paused.append(seconds)
        await asyncio.sleep(min(seconds, 0.05))

    server.sessions.unknown_ignored = True
    waits = Waits(resume=0.2)
    async with connected(server, tmp_path, timings=replace(TIMINGS, waits=waits), sleep=sleep) as under_test:
        await under_test.say("one", message_id="m1")
        server.cut()
        server.forget_sessions()
        await server.say(f"<@{server.bot}> two", told=False)
        await until(lambda: texts(under_test) == ["one", "two"])
        assert server.sessions.identified == 2
        assert sum(pause for pause in paused if pause > 0.05) < 6  # seconds of our own waiting


async def test_a_revoked_token_is_said_and_tried_again(server: DiscordServer, tmp_path: Path) -> None:
    async with connected(server, tmp_path) as under_test:
        server.revoke()
        server.cut()
        server.forget_sessions()
        await until(lambda: "token" in under_test.gateway.hearing().why(Language.ENGLISH))
        assert not under_test.gateway.hearing().ok
        server.grant()
        await until(lambda: under_test.gateway.hearing().ok)
        await under_test.say("hello", message_id="m1")
        assert texts(under_test) == ["hello"]


async def test_a_session_closed_for_its_token_is_said(under_test: DiscordUnderTest) -> None:
    under_test.server.revoke()
    await under_test.server.sessions.close(4004)
    await until(lambda: "MAMA_DISCORD__TOKEN" in under_test.gateway.hearing().why(Language.ENGLISH))
    under_test.server.grant()
    await until(lambda: under_test.gateway.hearing().ok)


async def test_without_the_message_content_intent_mentions_and_direct_messages_still_work(
    server: DiscordServer, tmp_path: Path
) -> None:
    server.world.content_allowed = False
    async with connected(server, tmp_path) as under_test:
        assert "Message Content Intent" in under_test.gateway.hearing().why(Language.ENGLISH)
        await under_test.say("hello", message_id="m1")
        await under_test.write("direct", channel=server.direct_channel())
        assert texts(under_test) == ["hello", "direct"]
        thread = server.world.add_thread(server.channel, "t", server.person)["id"]
        await under_test.write(f"<@{server.bot}> in a thread", channel=thread)
        await under_test.write("without its words", channel=thread)
        assert texts(under_test) == ["hello", "direct", "in a thread"]
        assert under_test.counted("discord_message_content_missing") == 1


async def test_an_outage_at_the_login_is_outlived(server: DiscordServer, tmp_path: Path) -> None:
    server.refuse(503, "GET /users/@me", times=3)
    server.sessions.accepting = False
    async with connected(server, tmp_path, hears=False) as under_test:
        await until(lambda: under_test.counted("discord_clients_ended") >= 3)
        assert not under_test.gateway.hearing().ok
        server.sessions.accepting = True
        await until(lambda: under_test.gateway.hearing().ok)
        await under_test.say("hello", message_id="m1")
        assert texts(under_test) == ["hello"]


@pytest.mark.parametrize(
    "frame", ["[]", "nonsense", '{"op": 10, "d": null}', '{"op": 0, "t": "READY", "s": 1, "d": 7}']
)
async def test_a_frame_that_cannot_be_read_ends_no_more_than_the_connection(
    under_test: DiscordUnderTest, frame: str
) -> None:
    server = under_test.server
    [session] = server.sessions.live.values()
    assert session.socket is not None
    await session.socket.send(frame)
    await until(lambda: server.sessions.identified == 2)
    await until(lambda: under_test.gateway.hearing().ok)
    await under_test.say("hello", message_id="m1")
    assert texts(under_test) == ["hello"]


async def test_more_at_once_than_a_lane_holds_is_read_from_the_history(server: DiscordServer, tmp_path: Path) -> None:
    async with connected(server, tmp_path) as under_test:
        for number in range(700):
            await server.say(f"<@{server.bot}> {number}")
        await until(lambda: len(under_test.inlet.delivered) == 700)
        assert texts(under_test) == [str(number) for number in range(700)]
        assert all(message.author.kind is AuthorKind.PERSON for message in under_test.inlet.delivered)


async def test_whoever_wrote_during_a_gap_keeps_the_roles_that_decide_access(
    server: DiscordServer, tmp_path: Path
) -> None:
    server.world.member_roles[server.person] = ["77"]
    async with connected(server, tmp_path, access={"roles": ["77"]}) as under_test:
        await under_test.say("one", message_id="m1")
        await server.say(f"<@{server.bot}> two", told=False)
        await server.invalidate()
        await until(lambda: texts(under_test) == ["one", "two"])
        assert [one.origin.roles for one in under_test.inlet.delivered if one.origin] == [("77",), ("77",)]


async def test_nothing_is_lost_or_taken_twice_however_often_the_service_ends(
    server: DiscordServer, tmp_path: Path
) -> None:
    state, inlet, chance = MemoryState(), MemoryInlet(), random.Random(5)
    second = server.world.add_channel("second")
    async with connected(server, tmp_path, state=state, inlet=inlet) as first:
        await first.say("begin", message_id="m1")
    sent: dict[str, list[str]] = {server.channel: ["begin"], second: []}
    for life in range(15):
        async with connected(server, tmp_path, state=state, inlet=inlet, hears=chance.random() < 0.5):
            for number in range(chance.randrange(6)):
                channel = chance.choice(list(sent))
                sent[channel].append(f"{life}.{number}")
                await server.say(f"<@{server.bot}> {life}.{number}", channel=channel)
                await asyncio.sleep(chance.random() * 0.004)
        if chance.random() < 0.5:
            server.forget_sessions()
        channel = chance.choice(list(sent))
        sent[channel].append(f"{life}.down")
        await server.say(f"<@{server.bot}> {life}.down", channel=channel)
    async with connected(server, tmp_path, state=state, inlet=inlet):
        await until(lambda: len(inlet.delivered) >= sum(map(len, sent.values())))
    for channel, expected in sent.items():
        assert [one.text for one in inlet.delivered if one.key.channel == channel] == expected


async def test_a_command_of_long_ago_is_not_carried_out(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    await under_test.say("one", message_id="m1")
    stale = await server.say(f"<@{server.bot}> /reset", told=False)
    server.world.messages[server.channel][stale]["timestamp"] = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    await server.say(f"<@{server.bot}> /status", told=False)
    await server.invalidate()
    await until(lambda: under_test.inlet.commands)
    assert [command.name for command in under_test.inlet.commands] == [CommandName.STATUS]
    assert "away" in "".join(under_test.shown())


@pytest.mark.parametrize("spoken", [True, False])
async def test_a_first_life_may_be_short(server: DiscordServer, tmp_path: Path, spoken: bool) -> None:
    state, inlet = MemoryState(), MemoryInlet()
    slow = replace(TIMINGS, marks=3600)
    async with connected(server, tmp_path, state=state, inlet=inlet, timings=slow) as first:
        if spoken:
            await first.say("one", message_id="m1")
        await until(lambda: any(name.startswith("seen/") for name in state.values))
        kept = MemoryState()
        kept.values = dict(state.values)
    server.forget_sessions()
    await server.say(f"<@{server.bot}> two")
    async with connected(server, tmp_path, state=kept, inlet=inlet):
        await until(lambda: [one.text for one in inlet.delivered][-1:] == ["two"])
