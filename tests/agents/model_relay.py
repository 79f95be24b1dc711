"""A relay before the server that plays the models: it keeps each request byte for byte, as no journal does.

It also says what the scripted server has no words for: Codex has its models name the tools of servers in a namespace,
and newer ones write a script (`exec`) that makes the calls.
"""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from aiohttp import web

from tests.agents.model_apis import ModelApis, ModelStep, model_apis

DATA = "data: {"
SCRIPT = "exec"  # a step with this tool bears the script as its argument of the same name
MOST_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayedApis:
    """Where the models are asked, and each request to them so far, as it came."""

    apis: ModelApis
    requests: list[str] = field(default_factory=list)


@asynccontextmanager
async def relayed_apis(directory: Path, *steps: ModelStep) -> AsyncIterator[RelayedApis]:
    """A server of models that answers with one step after the other, behind a relay."""
    requests: list[str] = []
    async with model_apis(directory, *steps) as apis, httpx.AsyncClient(base_url=apis.url, timeout=60) as client:

        async def forward(request: web.Request) -> web.Response:
            body = await request.read()
            requests.append(body.decode())
            kept = {
                name: value for name, value in request.headers.items() if name.lower() in {"content-type", "accept"}
            }
            answer = await client.request(request.method, request.path_qs, content=body, headers=kept)
            return web.Response(
                body="\n".join(map(_line, answer.text.split("\n"))),
                status=answer.status_code,
                headers={"Content-Type": answer.headers.get("Content-Type", "application/json")},
            )

        application = web.Application(client_max_size=MOST_BYTES)
        application.router.add_route("*", "/{path:.*}", forward)
        runner = web.AppRunner(application)
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            host, port = address_of(runner.addresses)
            yield RelayedApis(apis=ModelApis(url=f"http://{host}:{port}"), requests=requests)
        finally:
            await runner.cleanup()


def _line(line: str) -> str:
    """Return a line of a stream of events as Codex's own service would send it."""
    if not line.startswith(DATA) or '"function_call' not in line:
        return line
    return f"data: {json.dumps(_told(json.loads(line.removeprefix('data: '))))}"


def _told(part: Any) -> Any:
    if isinstance(part, list):
        return [_told(each) for each in part]
    if not isinstance(part, dict):
        return part
    server, _, tool = str(part.get("name")).rpartition("__")
    if part.get("type") != "function_call" or not (server or tool == SCRIPT):
        return {name: _told(each) for name, each in part.items()}
    if server:
        return {**part, "namespace": server, "name": tool}
    script = json.loads(part.get("arguments") or "{}").get(SCRIPT, "")
    return {"type": "custom_tool_call", "input": script, **{name: part.get(name) for name in ("id", "call_id", "name")}}


def address_of(addresses: Sequence[tuple[str, int]]) -> tuple[str, int]:
    """Where the one site of a runner listens."""
    (address,) = addresses
    return address[0], address[1]
