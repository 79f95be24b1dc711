"""Another CLI's view: the client of the `mcp` package calls our tools over standard streams and over HTTP."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from mama_bot.declarations import declaring_tools
from mama_bot.model import AgentPersona, TeamAnswer, TeamCall
from mama_bot.team_tools import Caller, RegisteredTool, ToolRefused, ToolRegistry
from mama_bot.team_tools.door import LONGEST_LINE, Admission, ToolDoor
from mama_bot.team_tools.tool_desk import ToolDesk
from tests.turns.test_in_turn import TURN
from tests.waiting import SECONDS

LEAD = AgentPersona(name="lead", display_name="Lead", prompt="", delegates_to=("developer",))
REVIEWER = AgentPersona(name="reviewer", display_name="Reviewer", prompt="")
REPORT = {"outcomes": [{"kind": "tests", "tool": "pytest", "passed": 3}]}
WAYS = ("stdio", "http")


class Words(BaseModel):
    """What `say` takes."""

    words: str
    loudly: bool = False


def desk_of(persona: AgentPersona, spoken: list[str]) -> ToolDesk:
    """A desk with the tools of this release that need no exchange, and one for who may delegate."""

    async def say(arguments: Words, caller: Caller) -> str:
        if arguments.words == "nothing":
            raise ToolRefused("There is nothing to say.")
        spoken.append(f"{caller.persona.name}: {arguments.words}")
        return f"{caller.turn.id} said {arguments.words}"

    tool = RegisteredTool(
        name="say",
        description="Say something.",
        arguments=Words,
        run=say,
        offered_to=lambda someone: bool(someone.delegates_to),
    )
    registry = ToolRegistry((*declaring_tools(), tool))

    async def call(given: TeamCall) -> TeamAnswer:
        return await registry.call(given, Caller(turn=replace(TURN, persona=persona.name), persona=persona))

    return ToolDesk(tools=registry.offered(persona), call=call)


@asynccontextmanager
async def client_of(admission: Admission, way: str) -> AsyncIterator[Client]:
    """A client that came in by a way, as another CLI would."""
    if way == "stdio":
        program, *arguments = admission.command
        server = StdioServerParameters(command=program, args=arguments, env=dict(admission.variables))
        async with Client(server) as client:
            yield client
        return
    async with (
        create_mcp_http_client(headers=dict(admission.headers)) as http,
        Client(streamable_http_client(admission.url, http_client=http)) as client,
    ):
        yield client


def text_of(result: Any) -> str:
    assert isinstance(result, CallToolResult)
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@asynccontextmanager
async def door_in(directory: Path) -> AsyncIterator[ToolDoor]:
    async with asyncio.timeout(SECONDS), ToolDoor(directory=directory, new_token=secrets.token_urlsafe) as door:
        yield door


@pytest.mark.parametrize("way", WAYS)
async def test_each_tool_is_listed_and_called_and_what_is_wrong_is_a_sentence(tmp_path: Path, way: str) -> None:
    spoken: list[str] = []
    async with door_in(tmp_path) as door:
        admission = await door.admit(desk_of(LEAD, spoken))
        async with client_of(admission, way) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            answer = await client.call_tool("say", {"words": "안녕하세요"})
            declared = await client.call_tool("report", REPORT)
            verdict = await client.call_tool("submit_review", {"verdict": "approve"})
            refused = await client.call_tool("say", {"words": "nothing"})
            wrong = await client.call_tool("report", {"outcome": []})
            unknown = await client.call_tool("shout", {})
    assert listed == ["report", "submit_review", "say"]
    assert spoken == ["lead: 안녕하세요"]
    assert text_of(answer) == f"{TURN.id} said 안녕하세요"
    assert text_of(declared).startswith("Declared.")
    assert not verdict.is_error
    assert (refused.is_error, text_of(refused)) == (True, "There is nothing to say.")
    assert wrong.is_error
    assert "outcomes" in text_of(wrong)
    assert unknown.is_error


@pytest.mark.parametrize("way", WAYS)
async def test_each_session_has_the_tools_of_its_own_persona(tmp_path: Path, way: str) -> None:
    spoken: list[str] = []
    async with door_in(tmp_path) as door:
        await door.admit(desk_of(LEAD, spoken))
        admission = await door.admit(desk_of(REVIEWER, spoken))
        async with client_of(admission, way) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            refused = await client.call_tool("say", {"words": "hello"})
    assert listed == ["report", "submit_review"]
    assert refused.is_error
    assert spoken == []


async def spoken_by_relay(command: Sequence[str], token: str) -> tuple[int | None, str, str]:
    """What the relay ends with, says and complains of when it is given one request."""
    relay = await asyncio.create_subprocess_exec(
        *command,
        env={"MAMA_BOT_TOOLS_TOKEN": token},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, complaint = await relay.communicate(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    return relay.returncode, out.decode(), complaint.decode()


async def asked_over_http(url: str, token: str) -> int:
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "say", "arguments": {"words": "x"}},
    }
    async with httpx.AsyncClient() as client:
        headers = {"Authorization": f"Bearer {token}".strip(), "Accept": "application/json, text/event-stream"}
        return (await client.post(url, json=request, headers=headers)).status_code


async def test_a_token_that_is_wrong_or_whose_session_is_over_lets_nobody_in(tmp_path: Path) -> None:
    spoken: list[str] = []
    async with door_in(tmp_path) as door:
        admission = await door.admit(desk_of(LEAD, spoken))
        assert await asked_over_http(admission.url, admission.token) == 200
        before = len(spoken)
        async with client_of(admission, "stdio") as client:
            door.dismiss(admission)
            late = await client.call_tool("say", {"words": "I am late"})
        statuses = [await asked_over_http(admission.url, token) for token in (admission.token, "guessed", "")]
        relays = [await spoken_by_relay(admission.command, token) for token in (admission.token, "guessed", "")]
    assert before == 1
    assert late.is_error
    assert statuses == [401] * 3
    for status, out, complaint in relays:
        assert (status, out) == (1, "")
        assert "does not take this token" in complaint
    assert len(spoken) == before


async def test_a_request_that_is_too_long_or_does_not_say_how_long_it_is_is_refused(tmp_path: Path) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"{}"

    async with door_in(tmp_path) as door, httpx.AsyncClient() as client:
        admission = await door.admit(desk_of(LEAD, []))
        bodies: tuple[bytes | AsyncIterator[bytes], ...] = (b"x" * (LONGEST_LINE + 1), endless())
        for body in bodies:
            answer = await client.post(admission.url, content=body, headers=dict(admission.headers))
            assert answer.status_code == 413
        assert await asked_over_http(admission.url, admission.token) == 200


async def test_a_length_beside_a_body_in_pieces_bounds_nothing(tmp_path: Path) -> None:
    async with door_in(tmp_path) as door:
        admission = await door.admit(desk_of(LEAD, []))
        url = httpx.URL(admission.url)
        reader, writer = await asyncio.open_connection(url.host, url.port)
        head = (
            f"POST {url.path} HTTP/1.1\r\nHost: {url.netloc.decode()}\r\nAuthorization: Bearer {admission.token}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
        )
        writer.write(head.encode())
        await writer.drain()
        assert (await reader.readline()).split()[1] == b"413"
        writer.close()


async def test_a_stolen_token_lets_no_process_of_another_session_in_at_the_socket(tmp_path: Path) -> None:
    spoken: list[str] = []
    async with door_in(tmp_path) as door:
        admission = await door.admit(desk_of(LEAD, spoken), is_of_session=lambda process: process < 0)
        status, out, complaint = await spoken_by_relay(admission.command, admission.token)
        assert await asked_over_http(admission.url, admission.token) == 401, "HTTP does not tell which process asks"
    assert (status, out) == (1, "")
    assert "not yours" in complaint


async def test_nothing_listens_before_a_session_is_admitted_nor_once_the_door_is_closed(tmp_path: Path) -> None:
    async with door_in(tmp_path) as door:
        assert list(tmp_path.iterdir()) == []
        admission = await door.admit(desk_of(LEAD, []))
    status, _, complaint = await spoken_by_relay(admission.command, admission.token)
    assert status == 1
    assert "takes no calls" in complaint
    with pytest.raises(httpx.ConnectError):
        await asked_over_http(admission.url, admission.token)
