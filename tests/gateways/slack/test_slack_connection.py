import asyncio

import pytest
from structlog.testing import capture_logs

from mama_bot.wording import Language
from tests.gateways.slack.playing import Played
from tests.gateways.slack.test_slack_writing import a_reply, posted
from tests.platforms.slack_server.faults import Manner
from tests.waiting import until


@pytest.mark.parametrize("reason", ["warning", "refresh_requested", "link_disabled"])
async def test_it_connects_anew_when_slack_asks_for_it(play: Played, reason: str) -> None:
    server = play.server
    async with play.running() as gateway:
        said = [server.say(f"before {number}", channel=server.direct) for number in range(5)]
        await server.disconnect(reason)
        said += [server.say(f"after {number}", channel=server.direct) for number in range(5)]
        await until(lambda: server.sockets.opened == 2)
        for one in said:
            assert await one.settled(attempts=20)
        assert gateway.hearing().ok
        await until(lambda: len(server.sockets.open) == 1)
    assert len(play.inlet.delivered) == 10


async def test_a_websocket_that_is_open_but_silent_is_replaced(play: Played) -> None:
    server = play.server
    async with play.running() as gateway:
        server.fall_silent()
        said = server.say("is anybody there?", channel=server.direct)
        await until(lambda: server.sockets.opened >= 2)
        assert await said.settled(attempts=20)
        await until(lambda: gateway.hearing().ok)
    assert [message.text for message in play.inlet.delivered] == ["is anybody there?"]


async def test_it_is_deaf_while_slack_cannot_be_reached_and_says_so_once(play: Played) -> None:
    server = play.server
    with capture_logs() as logs:
        async with play.running() as gateway:
            outage = server.fail("apps.connections.open", status=503, times=10_000)
            server.cut()
            await until(lambda: outage.met >= 4)
            assert not gateway.hearing().ok
            assert "503" in gateway.hearing().why(Language.ENGLISH)
            server.faults.clear()
            said = server.say("hello", channel=server.direct)
            assert await said.settled(attempts=20)
            assert gateway.hearing().ok
    assert len([line for line in logs if line["event"] == "slack_deaf"]) == 1
    assert play.counted("slack_connection_failures") >= 4


@pytest.mark.parametrize(("which", "named"), [("revoked", "slack.bot_token"), ("app_token_revoked", "invalid")])
async def test_a_token_that_is_refused_at_the_start_is_said_and_tried_again(
    play: Played, which: str, named: str
) -> None:
    server = play.server
    setattr(server.app, which, True)
    async with play.running(heard=False) as gateway:
        await until(lambda: play.counted("slack_connection_failures") >= 2)
        assert not gateway.hearing().ok
        assert named in gateway.hearing().why(Language.ENGLISH)
        setattr(server.app, which, False)
        await until(lambda: gateway.hearing().ok)
        assert await server.say("hello", channel=server.direct).settled(attempts=20)


async def test_a_bot_token_that_is_revoked_meanwhile_loses_no_message(play: Played) -> None:
    server = play.server
    async with play.running() as gateway:
        server.app.revoked = True
        assert await server.say("hello", channel=server.direct).settled()
        server.app.revoked = False
        assert await posted(gateway, a_reply(play))
    assert [message.text for message in play.inlet.delivered] == ["hello"]


async def test_connections_that_are_cut_again_and_again_do_not_end_it(play: Played) -> None:
    server = play.server
    async with play.running() as gateway:
        for number in range(5):
            said = server.say(f"{number}", channel=server.direct)
            server.cut()
            assert await said.settled(attempts=20)
        await until(lambda: gateway.hearing().ok)
    assert [message.text for message in play.inlet.delivered] == ["0", "1", "2", "3", "4"]


async def test_an_error_of_ours_is_no_end_and_no_acknowledgement(play: Played) -> None:
    server, kept = play.server, play.inlet.deliver
    broken = asyncio.Event()

    async def deliver(message: object) -> bool:
        broken.set()
        raise ZeroDivisionError

    async with play.running():
        object.__setattr__(play.inlet, "deliver", deliver)
        said = server.say("hello", channel=server.direct)
        await broken.wait()
        assert not any(envelope.acked for envelope in said.envelopes)
        object.__setattr__(play.inlet, "deliver", kept)
        assert await said.settled(attempts=20)
    assert [message.text for message in play.inlet.delivered] == ["hello"]


async def test_what_cannot_be_read_is_counted_and_comes_once(play: Played) -> None:
    server = play.server
    async with play.running():
        for frame in ("{", "[]", "null", '{"type": "events_api"}', '{"envelope_id": 7, "type": "events_api"}'):
            await server.sockets.frame(server.app, frame)
        await server.sockets.frame(server.app, '{"envelope_id": "e1", "type": "events_api", "payload": []}')
        assert await server.say("hello", channel=server.direct).settled()
    assert play.counted("slack_envelopes_unreadable") == 6


async def test_with_several_websockets_each_message_is_taken_once(play: Played) -> None:
    server = play.server
    async with play.running(), play.running():
        await server.sockets.until_open(server.app, 2)
        for number in range(10):
            assert await server.say(f"{number}", mention=server.app).settled()
    assert len(play.inlet.delivered) == 10


async def test_a_connection_without_a_greeting_is_as_good_as_its_pings(play: Played) -> None:
    play.server.sockets.greets = False
    async with play.running():
        assert await play.server.say("hello", channel=play.server.direct).settled()
    assert [message.text for message in play.inlet.delivered] == ["hello"]


@pytest.mark.parametrize("method", ["auth.test", "apps.connections.open", "users.info"])
async def test_nonsense_from_slack_is_no_end(play: Played, method: str) -> None:
    nonsense = play.server.fail(method, manner=Manner.GARBAGE, times=3)
    async with play.running(heard=False) as gateway:
        await until(lambda: gateway.hearing().ok)
        assert await play.server.say("hello", channel=play.server.direct).settled()
    assert nonsense.met
