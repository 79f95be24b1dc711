"""The scripted model server: what any client of the Messages API sees of it."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from mama_bot.demo.model_script import (
    ModelReply,
    ModelRequest,
    TokenCount,
    ToolUse,
    echo,
    parse_request,
)
from mama_bot.demo.model_server import JOURNAL_SIZE, ModelServer
from tests.scripted_queue import ScriptedQueue
from tests.waiting import SECONDS

HELLO = {"model": "m", "messages": [{"role": "user", "content": "안녕"}]}


async def post(server: ModelServer, body: dict[str, Any] | None = None) -> httpx.Response:
    async with httpx.AsyncClient() as client:
        return await client.post(f"{server.url}/v1/messages", json=body or HELLO)


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")]


async def test_a_plain_reply_is_a_whole_message() -> None:
    reply = ModelReply(
        text="좋아요",
        tool_calls=(ToolUse(name="Bash", arguments={"command": "ls"}),),
        usage=TokenCount(input=7, output=3, cache_read=5, cache_write=2),
    )
    async with ModelServer(script=lambda _: reply) as server:
        message = (await post(server)).json()
    assert [block["type"] for block in message["content"]] == ["text", "tool_use"]
    assert message["stop_reason"] == "tool_use"
    assert message["usage"] == {
        "input_tokens": 7,
        "output_tokens": 3,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 2,
    }


async def test_a_streamed_reply_adds_up_to_the_same_text_and_tools() -> None:
    reply = ModelReply(text="하나 둘 셋", pieces=3, tool_calls=(ToolUse(name="Bash", arguments={"command": "가"}),))
    async with ModelServer(script=lambda _: reply) as server:
        seen = events((await post(server, {**HELLO, "stream": True})).text)
    deltas = [event["delta"] for event in seen if event["type"] == "content_block_delta"]
    assert "".join(delta.get("text", "") for delta in deltas) == "하나 둘 셋"
    assert json.loads("".join(delta.get("partial_json", "") for delta in deltas)) == {"command": "가"}
    assert [event["type"] for event in (seen[0], seen[-1])] == ["message_start", "message_stop"]


@pytest.mark.parametrize(("status", "kind"), [(429, "rate_limit_error"), (500, "api_error"), (529, "overloaded_error")])
async def test_an_error_comes_in_the_apis_envelope(status: int, kind: str) -> None:
    async with ModelServer(script=lambda _: ModelReply(status=status, retry_after_seconds=3)) as server:
        response = await post(server)
    assert response.status_code == status
    assert response.json()["error"]["type"] == kind
    assert response.headers["retry-after"] == "3"


async def test_a_dropped_stream_breaks_the_connection_in_the_middle() -> None:
    async with ModelServer(script=lambda _: ModelReply(text="half of it", drop=True)) as server:
        with pytest.raises(httpx.TransportError):
            await post(server, {**HELLO, "stream": True})


async def test_an_error_event_ends_the_stream() -> None:
    async with ModelServer(script=lambda _: ModelReply(text="half", stream_error="overloaded_error")) as server:
        seen = events((await post(server, {**HELLO, "stream": True})).text)
    assert seen[-1]["error"]["type"] == "overloaded_error"


async def test_a_server_stops_although_a_request_hangs() -> None:
    async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as tasks:
        async with ModelServer(script=lambda _: ModelReply(hang=True)) as server:
            hanging = tasks.create_task(_broken(server))
            while not server.journal:
                await asyncio.sleep(0.01)
        await hanging


async def test_other_paths_and_broken_bodies_are_answered() -> None:
    async with ModelServer(script=echo) as server, httpx.AsyncClient(base_url=server.url) as client:
        assert (await client.head("/api/hello")).status_code == 200
        assert (await client.get("/v1/models")).json()["error"]["type"] == "not_found_error"
        assert (await client.post("/v1/messages", content=b"{")).status_code == 400
        assert (await client.post("/v1/messages", content=b"[]")).status_code == 400
        assert (await client.post("/v1/messages/count_tokens", json=HELLO)).json()["input_tokens"] > 0


async def test_the_journal_is_bounded() -> None:
    async with ModelServer(script=echo) as server, httpx.AsyncClient(base_url=server.url) as client:
        for _ in range(JOURNAL_SIZE + 3):
            await client.post("/v1/messages", json=HELLO)
        assert len(server.journal) == JOURNAL_SIZE


async def test_a_taken_port_is_an_error_at_once() -> None:
    async with ModelServer(script=echo) as server:
        with pytest.raises(OSError, match="in use"):
            async with ModelServer(script=echo, port=int(server.url.rsplit(":", 1)[1])):
                pass


def test_a_request_is_read_as_the_cli_writes_it() -> None:
    request = parse_request(
        {
            "model": "m",
            "system": [
                {"type": "text", "text": "billing"},
                {"type": "text", "text": "You are.\n persona: 개발자\nMore."},
            ],
            "tools": [{"name": "Bash"}, {"name": "Read"}],
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "<system-reminder>x"}, {"type": "text", "text": "go"}],
                },
                {"role": "system", "content": "# Environment"},
                {"role": "assistant", "content": [{"type": "text", "text": "ok"}, {"type": "tool_use", "id": "1"}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "old"}]},
                {"role": "user", "content": "next"},
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "2",
                            "content": [{"type": "text", "text": "out"}],
                            "is_error": True,
                        }
                    ],
                },
            ],
        }
    )
    assert request.persona == "개발자"
    assert request.user_texts == ("go", "next")
    assert request.last_user_text == "next"
    assert request.assistant_texts == ("ok",)
    assert [(one.tool_use_id, one.text, one.is_error) for one in request.tool_results] == [("2", "out", True)]
    assert request.tools == ("Bash", "Read")


def test_an_empty_request_is_read_too() -> None:
    request = parse_request({})
    assert (request.persona, request.last_user_text, request.tool_results) == ("", "", ())


def asked(text: str, system: str = "") -> ModelRequest:
    return parse_request({"system": system, "messages": [{"role": "user", "content": text}]})


def test_the_queue_answers_in_order_then_sticks_then_echoes() -> None:
    queue = ScriptedQueue(ModelReply(text="1"))
    queue.push(ModelReply(text="2"))
    assert [queue(asked("x")).text for _ in range(3)] == ["1", "2", "echo: x"]
    queue.stick(ModelReply(text="again"))
    assert [queue(asked("x")).text for _ in range(2)] == ["again", "again"]


def test_a_reply_may_wait_for_its_request() -> None:
    queue = ScriptedQueue()
    queue.push(ModelReply(text="for the reviewer"), when="persona: reviewer")
    queue.push(ModelReply(text="for the rest"))
    assert queue(asked("x", "persona: dev")).text == "for the rest"
    assert len(queue) == 1
    assert queue(asked("x", "persona: reviewer")).text == "for the reviewer"


async def _broken(server: ModelServer) -> None:
    with pytest.raises(httpx.TransportError):
        await post(server)
