"""Servers that lack what Discord has, or say it otherwise: the gateway does with less, and is never deaf."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import web

from mama_bot.config.platform_settings import DiscordSettings
from mama_bot.gateways.discord import posts as posts_module
from mama_bot.gateways.discord import threads as threads_module
from mama_bot.gateways.discord.client import point_at
from mama_bot.gateways.discord.rest import DiscordRefused, Limited, Rest, Unreachable
from mama_bot.model import ConversationKey, Platform
from mama_bot.wording import Language
from tests.gateways.discord.stage import DiscordUnderTest, connected
from tests.gateways.under_test import a_post
from tests.platforms.discord_server import DiscordServer
from tests.platforms.discord_server import messages as messages_module
from tests.waiting import until

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
ME = {"id": "1", "username": "mama"}


def texts(under_test: DiscordUnderTest) -> list[str]:
    return [message.text for message in under_test.inlet.delivered]


@pytest.mark.parametrize("code", [4003, 4006, 4007, 4009])
async def test_a_session_that_nobody_resumes_is_given_up_for_a_new_one(under_test: DiscordUnderTest, code: int) -> None:
    server = under_test.server
    await under_test.say("one", message_id="m1")
    server.sessions.unknown_closes = code
    server.cut()
    server.forget_sessions()
    await server.say(f"<@{server.bot}> two", told=False)
    await until(lambda: texts(under_test) == ["one", "two"])
    assert server.sessions.identified == 2


async def test_a_session_whose_address_is_gone_is_resumed_at_the_gateway(server: DiscordServer, tmp_path: Path) -> None:
    server.sessions.resume_url = "ws://127.0.0.1:1/"
    async with connected(server, tmp_path) as under_test:
        await under_test.say("one", message_id="m1")
        server.cut()
        await server.say(f"<@{server.bot}> two")
        await until(lambda: texts(under_test) == ["one", "two"])
        assert (server.sessions.identified, server.sessions.resumed) == (1, 1)


async def test_a_history_in_small_pages_is_read_to_its_end(
    under_test: DiscordUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = under_test.server
    monkeypatch.setattr(messages_module, "MAX_PAGE", 10)
    await under_test.say("one", message_id="m1")
    for number in range(25):
        await server.say(f"<@{server.bot}> missed {number}", told=False)
    await server.invalidate()
    await until(lambda: texts(under_test) == ["one", *(f"missed {number}" for number in range(25))])


async def test_a_mention_in_a_channel_that_the_api_does_not_tell_of_is_taken(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    untold = server.world.add_channel("untold")
    server.refuse(404, f"GET /channels/{untold}", times=9)
    await server.say(f"<@{server.bot}> hello", channel=untold)
    await until(lambda: texts(under_test) == ["hello"])
    [message] = under_test.inlet.delivered
    assert message.key == ConversationKey(Platform("discord"), untold)
    assert message.origin is not None
    assert message.origin.workspace == server.world.guild_id


async def test_a_direct_message_that_names_no_server_outright_is_direct(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    direct = server.direct_channel()
    server.refuse(404, f"GET /channels/{direct}", times=9)
    message = server.world.message(direct, await server.say("hello", channel=direct, told=False))
    await server.sessions.tell("MESSAGE_CREATE", {**message, "guild_id": None})
    await until(lambda: texts(under_test) == ["hello"])
    origin = under_test.inlet.delivered[0].origin
    assert origin is not None
    assert origin.direct


async def test_commands_are_registered_by_the_bots_id_where_no_application_is_told(
    server: DiscordServer, tmp_path: Path
) -> None:
    server.world.application_id = ""
    server.refuse(404, "GET /oauth2", times=9)
    async with connected(server, tmp_path):
        await until(lambda: f"PUT /applications/{server.bot}/commands" in server.requests)


async def test_a_message_whose_files_cannot_be_written_is_taken_without_them(
    server: DiscordServer, tmp_path: Path
) -> None:
    uploads = tmp_path / "uploads"
    uploads.write_text("no directory")
    async with connected(server, uploads) as under_test:
        await under_test.attach("a.txt", "text/plain", b"hi", message_id="m1")
        await until(lambda: under_test.inlet.delivered)
        await until(lambda: any("a.txt" in line for line in under_test.shown()))
        assert under_test.inlet.delivered[0].attachments == ()


async def test_half_a_pair_of_surrogates_is_taken(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    author = {**server.world.users[server.person], "global_name": "A\ud83d"}
    message = server.world.message(server.channel, await server.say("x", told=False))
    told = {**message, "author": author, "content": f"<@{server.bot}> broken \ud83d text"}
    await server.sessions.tell("MESSAGE_CREATE", {**told, "guild_id": server.world.guild_id})
    await until(lambda: texts(under_test) == ["broken \ufffd text"])
    assert under_test.inlet.delivered[0].author.name == "A\ufffd"


async def test_a_file_whose_address_holds_spaces_and_korean_is_fetched(under_test: DiscordUnderTest) -> None:
    await under_test.attach("내 파일 1%.txt", "text/plain", b"hi", message_id="m1")
    await until(lambda: under_test.inlet.delivered)
    [file] = under_test.inlet.delivered[0].attachments
    assert file.path.read_bytes() == b"hi"


@pytest.mark.parametrize("status", [401, 403, 404, 405])
async def test_what_a_webhook_may_not_post_the_bot_posts_for_the_persona(
    under_test: DiscordUnderTest, status: int
) -> None:
    server = under_test.server
    post = a_post(under_test.conversation(), "reply")
    server.refuse(status, "POST /webhooks/")
    [part] = under_test.gateway.parts(post)
    assert await under_test.gateway.post(post, part)
    [shown] = server.shown()
    assert (shown.author, shown.text) == (server.world.users[server.bot]["username"], f"**Developer**\n{part.text}")


async def test_what_a_moved_webhook_posts_elsewhere_is_taken_back_and_posted_where_it_belongs(
    under_test: DiscordUnderTest,
) -> None:
    server = under_test.server
    elsewhere = server.world.add_channel("elsewhere")
    first, second = (a_post(under_test.conversation(), name) for name in ("first", "second"))
    [part] = under_test.gateway.parts(first)
    await under_test.gateway.post(first, part)
    for webhook in server.world.webhooks.values():
        webhook["channel_id"] = elsewhere
    await under_test.gateway.post(second, part)
    assert [len(server.shown()), len(server.shown(elsewhere))] == [2, 0]
    assert server.shown()[1].author == "Developer"


async def test_a_reply_is_posted_without_the_buttons_that_are_refused(under_test: DiscordUnderTest) -> None:
    server = under_test.server
    post = a_post(under_test.conversation(), "reply")
    server.refuse(400, "POST /webhooks/", times=2)
    [part] = under_test.gateway.parts(post)
    assert await under_test.gateway.post(post, part)
    assert [(shown.text, shown.buttons) for shown in server.shown()] == [(part.plain, ())]


async def test_what_is_remembered_of_lines_and_threads_is_bounded(
    server: DiscordServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posts_module, "MAX_REMEMBERED", 3)
    monkeypatch.setattr(threads_module, "MAX_THREADS", 3)
    async with connected(server, tmp_path, threads="task") as under_test:
        for number in range(6):
            await under_test.say(f"task {number}", message_id=f"m{number}")
            await under_test.write(f"<@{server.bot}> /status")
        lines = [message.id for message in server.shown() if message.author == "mama"]
        assert len(await under_test.state.entries("thread/")) == 3
        outbound = under_test.gateway._outbound
        assert [outbound.is_ours(line) for line in lines] == [False] * (len(lines) - 3) + [True] * 3


@pytest.fixture
async def served() -> AsyncIterator[Callable[[Answer], Awaitable[str]]]:
    runners = []

    async def serve(answer: Answer) -> str:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", answer)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        runners.append(runner)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0]
        point_at(DiscordSettings().model_copy(update={"api_url": f"http://{host}:{port}"}))
        return f"http://{host}:{port}"

    yield serve
    for runner in runners:
        await runner.cleanup()


def told(body: object, status: int = 200, **headers: str) -> web.Response:
    given = {"Content-Type": "application/json", **headers}
    return web.Response(body=json.dumps(body).encode(), status=status, headers=given)


async def test_json_with_a_charset_is_read(served: Callable[[Answer], Awaitable[str]]) -> None:
    async def answer(request: web.Request) -> web.Response:
        if request.path == "/no":
            return web.json_response({"code": 10003, "message": "Unknown Channel"}, status=404)
        return web.json_response(ME)

    await served(answer)
    rest = Rest("t")
    assert await rest.whoami() == "1"
    assert await rest.request("GET", "/yes") == ME
    with pytest.raises(DiscordRefused, match="Unknown Channel") as caught:
        await rest.request("GET", "/no")
    assert (caught.value.status, caught.value.code) == (404, 10003)
    await rest.close()


async def test_an_answer_that_cannot_be_read_is_an_error_of_ours(served: Callable[[Answer], Awaitable[str]]) -> None:
    async def answer(request: web.Request) -> web.Response:
        if request.path == "/limited":
            return told({"message": "slowly"}, 429, Via="x")
        return told(ME) if request.path == "/users/@me" else web.Response(content_type="application/json", body=b"{")

    await served(answer)
    rest = Rest("t")
    for path in ("/broken", "/limited"):
        with pytest.raises(Unreachable):
            await rest.request("GET", path)
    await rest.close()


@pytest.mark.parametrize(
    ("body", "headers", "seconds"),
    [
        ({"retry_after": 0.7, "global": True}, {}, 0.7),
        ({}, {"Retry-After": "3"}, 3.0),
        ({}, {}, 60.0),
        ({"retry_after": "nan"}, {}, 60.0),
    ],
)
async def test_a_limit_that_no_proxy_passed_on_says_how_long(
    served: Callable[[Answer], Awaitable[str]], body: object, headers: dict[str, str], seconds: float
) -> None:
    async def answer(request: web.Request) -> web.Response:
        return told(ME) if request.path == "/users/@me" else told(body, 429, **headers)

    await served(answer)
    rest = Rest("t")
    with pytest.raises(Limited) as caught:
        await rest.request("GET", "/limited")
    assert caught.value.seconds == seconds
    await rest.close()


async def test_a_request_that_is_given_up_in_a_global_limit_does_not_hold_the_others(
    served: Callable[[Answer], Awaitable[str]],
) -> None:
    async def answer(request: web.Request) -> web.Response:
        if request.path == "/limited":
            return told({"retry_after": 20, "global": True}, 429, Via="x")
        return told(ME)

    await served(answer)
    rest = Rest("t", request_seconds=0.3, limit_seconds=0.1)
    with pytest.raises(Unreachable):
        await rest.request("GET", "/limited")

    async def goes_on() -> bool:
        try:
            return bool(await rest.request("GET", "/free") == ME)
        except Unreachable:
            return False

    assert await goes_on() or await goes_on()
    await rest.close()


async def test_a_long_window_with_room_holds_nothing_back_and_one_without_says_how_long(
    served: Callable[[Answer], Awaitable[str]],
) -> None:
    asked = 0

    async def answer(request: web.Request) -> web.Response:
        nonlocal asked
        if request.path == "/users/@me":
            return told(ME)
        asked += 1
        limits = {"X-RateLimit-Limit": "3", "X-RateLimit-Remaining": str(3 - asked), "X-RateLimit-Reset-After": "300"}
        return told(ME, 200, **limits, **{"X-RateLimit-Bucket": "b"})

    await served(answer)
    rest = Rest("t", request_seconds=20)
    for _ in range(3):
        assert await rest.request("GET", "/long") == ME
    with pytest.raises(Limited) as caught:
        await rest.request("GET", "/long")
    assert (asked, 200 < caught.value.seconds <= 300) == (3, True)
    await rest.close()


async def test_a_first_connection_that_cannot_be_opened_is_told_and_the_gateway_asked_for_again(
    tmp_path: Path,
) -> None:
    async with DiscordServer() as server:
        server.sessions.accepting = False
        elsewhere = DiscordSettings().gateway_url
        async with connected(server, tmp_path, hears=False, gateway_url=elsewhere) as chat:
            await until(lambda: chat.counted("discord_connections_lost") > 1)
            (reason,) = chat.gateway.hearing().reasons
            assert "is being made again" in reason.to(Language.ENGLISH)
            assert len([line for line in server.requests if "/gateway/bot" in line]) > 1
            server.sessions.accepting = True
            await until(lambda: chat.gateway.hearing().ok)


async def test_another_server_is_asked_where_its_gateway_is(tmp_path: Path) -> None:
    async with DiscordServer() as server:
        elsewhere = DiscordSettings().gateway_url
        async with connected(server, tmp_path, gateway_url=elsewhere) as chat:
            assert await chat.say("hello", message_id="m1")
