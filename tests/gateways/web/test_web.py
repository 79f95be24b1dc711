"""The web gateway over real HTTP: the contract, its life, its stream of events."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator

import httpx
import pytest

from mama_bot.config import WebSettings
from mama_bot.errors import PortTaken
from mama_bot.gateways.web.events import RELOAD, LivePages
from mama_bot.model import CommandName, ConversationKey, NoticeKind, Platform
from mama_bot.wording import Said
from tests.gateways.contract import GatewayContract
from tests.gateways.under_test import GatewayUnderTest
from tests.gateways.web.harness import KEY, Served, serve
from tests.gateways.web.stories import praise, refactoring, tools
from tests.waiting import SECONDS, until

DRAFT = "Excellent task!"


class WebUnderTest(GatewayUnderTest):
    def __init__(self, served: Served, client: httpx.AsyncClient) -> None:
        self.gateway = served.gateway
        self.inlet = served.inlet
        self._client = client

    async def say(self, text: str, *, message_id: str) -> bool:
        answer = await self._client.post("/api/conversations/c1/messages", json={"id": message_id, "text": text})
        return answer.status_code == 202

    def conversation(self) -> ConversationKey:
        return ConversationKey(Platform("web"), "c1")

    async def command(self, name: CommandName, argument: str = "") -> str:
        body = {"name": name.value, "argument": argument}
        answer = await self._client.post("/api/conversations/c1/commands", json=body)
        return str(answer.json()["text"])


class TestWebGateway(GatewayContract):
    @pytest.fixture
    async def under_test(self) -> AsyncIterator[GatewayUnderTest]:
        async with serve() as served, served.client() as client:
            yield WebUnderTest(served, client)


async def events(client: httpx.AsyncClient, received: list[tuple[str, dict[str, object]]]) -> None:
    """Read the stream of events until it ends."""
    kind = ""
    async with client.stream("GET", "/api/events", timeout=None) as stream:
        async for line in stream.aiter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                received.append((kind, json.loads(line.removeprefix("data: "))))


async def test_open_pages_are_told_of_messages_progress_and_posts() -> None:
    received: list[tuple[str, dict[str, object]]] = []
    pages = LivePages()
    async with (
        serve(pages=pages) as served,
        served.client() as client,
        asyncio.TaskGroup() as group,
    ):
        listening = group.create_task(events(client, received))
        await until(lambda: len(pages) == 1)
        await client.post("/api/conversations/c1/messages", json={"id": "m1", "text": "go"})
        turn = await served.team.start(served.inlet.delivered[0], "developer")
        await tools(served.team, turn)
        await served.team.reply(turn, "Done: 12 tests pass.")
        await until(lambda: any(facts.get("kind") == "turn_finished" for _, facts in received))
        listening.cancel()
    kinds = [facts.get("kind", kind) for kind, facts in received]
    assert kinds[:2] == ["message", "turn_started"]
    assert kinds.count("turn_working") == 8
    assert kinds[-3:] == ["attempt_judged", "post", "turn_finished"]


async def test_after_a_time_in_which_nothing_was_heard_pages_look_anew_and_nobody_is_shown_at_work() -> None:
    received: list[tuple[str, dict[str, object]]] = []
    pages = LivePages()
    async with serve(pages=pages) as served, served.client() as client, asyncio.TaskGroup() as group:
        listening = group.create_task(events(client, received))
        await until(lambda: len(pages) == 1)
        await client.post("/api/conversations/c1/messages", json={"id": "m1", "text": "go"})
        await served.team.start(served.inlet.delivered[0], "developer")
        assert len((await client.get("/api/state")).json()["working"]) == 1
        served.gateway.tell_again()
        await until(lambda: received[-1:] == [("reload", {})])
        assert (await client.get("/api/state")).json()["working"] == []
        listening.cancel()


async def test_a_page_that_goes_away_is_forgotten() -> None:
    pages = LivePages()
    async with serve(pages=pages) as served, served.client() as client:
        async with client.stream("GET", "/api/events"):
            await until(lambda: len(pages) == 1)
        await until(lambda: len(pages) == 0)


async def test_a_page_that_reads_too_slowly_is_told_to_reload() -> None:
    pages = LivePages(queue_limit=4)
    with pages.subscribe() as slow, pages.subscribe() as other:
        stream = slow.stream(60)
        for number in range(5):
            pages.publish("progress", {"number": number})
        assert await anext(stream) == RELOAD
        pages.publish("post", {"number": 5})
        assert b'"number": 5' in await anext(stream)
        assert await anext(other.stream(60)) == RELOAD


async def test_a_quiet_stream_is_kept_alive_by_comments() -> None:
    pages = LivePages()
    with pages.subscribe() as subscription:
        assert (await anext(subscription.stream(0.01))).startswith(b":")


async def test_more_pages_than_allowed_are_refused() -> None:
    pages = LivePages(client_limit=1)
    async with serve(pages=pages) as served, served.client() as client:
        with pages.subscribe():
            answer = await client.get("/api/events")
    assert (answer.status_code, answer.json()["error"]) == (503, "too_many_pages")


async def test_the_server_ends_although_pages_hang_on() -> None:
    pages = LivePages()
    received: list[tuple[str, dict[str, object]]] = []
    async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as group, serve(pages=pages) as served:
        listening = group.create_task(_listen(served, received))
        await until(lambda: len(pages) == 1)
    assert listening.done()
    assert len(pages) == 0


async def test_a_page_that_never_reads_blocks_neither_the_team_nor_the_end() -> None:
    pages = LivePages()
    async with asyncio.timeout(SECONDS):
        async with serve(pages=pages) as served:
            host, port = served.url.removeprefix("http://").split(":")
            stuck = socket.create_connection((host, int(port)))
            head = f"GET /api/events HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {KEY}\r\n\r\n"
            stuck.sendall(head.encode())
            await until(lambda: len(pages) == 1)
            message = await served.write("c1", "go")
            for _ in range(30):
                turn = await served.team.start(message, "developer")
                await served.team.reply(turn, "x" * 200_000)
                await asyncio.sleep(0)
            assert len(served.history.posts) == 30
        stuck.close()
    assert len(pages) == 0


async def _listen(served: Served, received: list[tuple[str, dict[str, object]]]) -> None:
    async with served.client() as client:
        await events(client, received)


async def test_cancelling_ends_the_server_and_frees_the_port() -> None:
    async with serve() as served:
        url, port = served.url, int(served.url.rsplit(":", 1)[1])
        async with httpx.AsyncClient() as client:
            assert (await client.get(f"{url}/healthz")).json()["status"] == "ok"
    async with serve(WebSettings(port=port)) as again, httpx.AsyncClient() as client:
        assert (await client.get(f"{again.url}/healthz")).status_code == 200


async def test_a_taken_port_is_said_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        with pytest.raises(ExceptionGroup) as raised:
            async with serve(WebSettings(port=port)):
                pytest.fail("the port is taken")
    [error] = raised.value.exceptions
    assert isinstance(error, PortTaken)
    assert str(port) in str(error)


async def test_the_history_shows_decisions_and_tools_but_no_rejected_draft() -> None:
    async with serve() as served, served.client() as client:
        message = await served.write("c1", "Refactor")
        await refactoring(served.team, message)
        view = (await client.get("/api/conversations/c1")).json()
    developer = next(turn for turn in view["turns"] if turn["persona"] == "developer")
    first, second = developer["attempts"]
    assert first["outcome"]["reason"].startswith("praise and filler are 100 %")
    assert first["stages"][0]["findings"][0]["text"] == DRAFT
    assert second["outcome"]["kind"] == "cleared"
    assert [tool["exit_status"] for tool in developer["tools"]] == [None, 1, None, 0]
    assert "text" not in first
    assert f"{DRAFT} I have completed" not in json.dumps(view)
    reply = next(post for post in view["posts"] if post.get("persona") == "reviewer")
    assert (reply["verdict"], len(reply["banners"])) == ("needs_review", 1)


async def test_a_page_opened_in_the_middle_of_a_turn_sees_its_steps() -> None:
    async with serve() as served, served.client() as client:
        message = await served.write("c1", "go")
        turn = await served.team.start(message, "developer")
        await praise(served.team, turn)
        await served.team.begin_tool(turn, "Bash", '{"command":"ls"}')
        live = (await client.get("/api/conversations/c1")).json()["live"]
        other = (await client.get("/api/conversations/c2")).json()["live"]
        await served.team.reply(turn, "done")
        after = (await client.get("/api/conversations/c1")).json()["live"]
    assert [step["kind"] for step in live] == ["turn_started", "attempt_judged", "turn_working"]
    assert (other, after) == ([], [])


async def test_the_state_names_the_team_the_limits_and_the_conversations() -> None:
    async with serve(banner=Said("scripted", "대본")) as served, served.client() as client:
        await served.write("c1", "첫 대화")
        state = (await client.get("/api/state")).json()
    assert [persona["display_name"] for persona in state["team"]] == ["Lead", "Developer", "Reviewer"]
    assert state["team"][0]["about"] == "You lead a small team of coding agents."
    assert state["banner"] == {"en": "scripted", "ko": "대본"}
    assert not state["demo_repository"], "what its script does in the shop is suggested there alone"
    assert state["limits"]["max_message_characters"] == 100_000
    assert [(known["id"], known["title"], known["waiting"]) for known in state["conversations"]] == [
        ("c1", "첫 대화", 1)
    ]


async def test_a_lone_surrogate_of_an_agent_does_not_break_the_page() -> None:
    async with serve() as served, served.client() as client:
        message = await served.write("c1", "go")
        await served.team.note(message.key, NoticeKind.FAILED, "broken \ud800 text")
        answer = await client.get("/api/conversations/c1")
    assert answer.json()["posts"][0]["text"] == "broken \ufffd text"
