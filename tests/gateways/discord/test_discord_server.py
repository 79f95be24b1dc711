"""The local Discord behaves like the real one where a client could tell."""

import aiohttp
import pytest

from tests.platforms.discord_server import DiscordServer


@pytest.fixture
async def rest(server: DiscordServer) -> aiohttp.ClientSession:
    headers = {"Authorization": f"Bot {server.token}"}
    return aiohttp.ClientSession(base_url=server.origin, headers=headers)


async def code_of(response: aiohttp.ClientResponse) -> tuple[int, int]:
    return response.status, (await response.json())["code"]


async def test_what_discord_refuses_is_refused(server: DiscordServer, rest: aiohttp.ClientSession) -> None:
    path = f"/api/v10/channels/{server.channel}/messages"
    async with rest:
        assert await code_of(await rest.post(path, json={"content": "x" * 2001})) == (400, 50035)
        assert await code_of(await rest.post(path, json={"content": " \n"})) == (400, 50006)
        assert await code_of(await rest.get("/api/v10/channels/1/messages")) == (404, 10003)
        assert await code_of(await rest.get(f"{path}/1")) == (404, 10008)
        assert await code_of(await rest.post("/api/v10/webhooks/1/x", json={"content": "x"})) == (404, 10015)
        assert await code_of(await rest.post(path, data=b"{")) == (400, 50109)
        server.deny("VIEW_CHANNEL")
        assert await code_of(await rest.post(path, json={"content": "x"})) == (403, 50001)
        server.revoke()
        assert (await rest.post(path, json={"content": "x"})).status == 401


async def test_a_repeated_nonce_gets_the_message_that_is_there(
    server: DiscordServer, rest: aiohttp.ClientSession
) -> None:
    path, form = f"/api/v10/channels/{server.channel}/messages", {"content": "x", "nonce": "1", "enforce_nonce": True}
    async with rest:
        first = await (await rest.post(path, json=form)).json()
        second = await (await rest.post(path, json=form)).json()
    assert first["id"] == second["id"]
    assert len(server.shown()) == 1


async def test_a_full_bucket_is_told_with_its_headers(server: DiscordServer, rest: aiohttp.ClientSession) -> None:
    server.limits.limit = 1
    path = f"/api/v10/channels/{server.channel}/messages"
    async with rest:
        fine = await rest.post(path, json={"content": "x"})
        assert fine.headers["X-RateLimit-Remaining"] == "0"
        assert fine.headers["Content-Type"] == "application/json"
        late = await rest.post(path, json={"content": "x"})
        assert late.status == 429
        assert 0 < (await late.json())["retry_after"] <= server.limits.seconds
        assert "Via" in late.headers


async def test_a_plain_socket_is_served_like_a_compressed_one(
    server: DiscordServer, rest: aiohttp.ClientSession
) -> None:
    async with rest, rest.ws_connect(f"{server.gateway_url}?v=10&encoding=json") as socket:
        assert (await socket.receive_json())["op"] == 10
        await socket.send_json({"op": 1, "d": None})
        assert (await socket.receive_json())["op"] == 11
        await socket.send_json({"op": 2, "d": {"token": server.token, "intents": 1 << 9}})
        assert [(await socket.receive_json())["t"] for _ in range(2)] == ["READY", "GUILD_CREATE"]
        await server.say("hidden")
        assert (await socket.receive_json())["d"]["content"] == ""
        await server.say(f"<@{server.bot}> seen")
        assert (await socket.receive_json())["d"]["content"].endswith("seen")
        await socket.send_json({"op": 6, "d": {"token": server.token, "session_id": "1", "seq": 1}})
        assert (await socket.receive_json())["op"] == 9


@pytest.mark.parametrize(("body", "code"), [({"token": "wrong", "intents": 0}, 4004), (None, 4014)])
async def test_who_may_not_identify_is_sent_away(
    server: DiscordServer, rest: aiohttp.ClientSession, body: dict[str, object] | None, code: int
) -> None:
    server.world.content_allowed = False
    async with rest, rest.ws_connect(f"{server.gateway_url}?v=10&encoding=json") as socket:
        await socket.receive_json()
        await socket.send_json({"op": 2, "d": body or {"token": server.token, "intents": 1 << 15}})
        await socket.receive()
        assert socket.close_code == code
