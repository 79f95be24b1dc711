"""A model that answers request by request what it is told to just then, for each CLI by its own API: as a relay."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from aiohttp import web

from tests.agents.model_apis import ModelStep, model_apis
from tests.agents.model_relay import MOST_BYTES, address_of

TITLES = "title generator"  # OpenCode asks for one as each session begins
TOKENS = (120, 7)
NOTHING = "~"  # the server that plays the APIs takes no empty words: it says this, and the relay takes it out


class PlayedModel:
    """What the model says next; without that it gives the last words of whoever asked back."""

    def __init__(self, server: httpx.AsyncClient) -> None:
        self._server = server
        self._next: list[ModelStep] = []
        self._stuck: ModelStep | None = None
        self._hangs = False
        self._one = asyncio.Lock()
        self.url = ""

    def push(self, step: ModelStep) -> None:
        """Answer with this next, or after what was pushed before."""
        self._next.append(step)

    def stick(self, step: ModelStep) -> None:
        """Answer with this, however often it is asked."""
        self._stuck = step

    def hang(self) -> None:
        """Answer nothing at all."""
        self._hangs = True

    def recover(self) -> None:
        """Answer as at first."""
        self._next, self._stuck, self._hangs = [], None, False

    async def answer(self, request: web.Request) -> web.Response:
        """Answer a request as the server that plays the APIs says the next step."""
        body = await request.read()
        if self._hangs and TITLES not in body.decode():
            await asyncio.sleep(3600)
        async with self._one:
            step = self._step(body.decode())
            if step.status:
                error = {"error": {"message": f"scripted, status: {step.status}", "code": step.status}}
                return web.json_response(error, status=step.status)
            await self._server.delete("/__aimock/fixtures")
            said = step if step.text else replace(step, text=NOTHING)
            played = await self._server.post("/__aimock/fixtures", json={"fixtures": [said.fixture({})]})
            assert played.status_code == 200, played.text
            kept = {
                name: value for name, value in request.headers.items() if name.lower() in {"content-type", "accept"}
            }
            told = await self._server.request(request.method, request.path_qs, content=body, headers=kept)
        kind = told.headers.get("Content-Type", "application/json")
        content = told.content if step.text else told.content.replace(f'"{NOTHING}"'.encode(), b'""')
        return web.Response(body=content, status=told.status_code, headers={"Content-Type": kind})

    def _step(self, body: str) -> ModelStep:
        if TITLES in body:
            return ModelStep(text="A title")
        if self._stuck is not None:
            return self._stuck
        return self._next.pop(0) if self._next else ModelStep(text=f"echo: {_asked(json.loads(body))}", tokens=TOKENS)


@asynccontextmanager
async def played_model(directory: Path) -> AsyncIterator[PlayedModel]:
    """A model that waits to be told what it says."""
    async with model_apis(directory) as apis, httpx.AsyncClient(base_url=apis.url, timeout=60) as server:
        model = PlayedModel(server)
        application = web.Application(client_max_size=MOST_BYTES)
        application.router.add_route("POST", "/{path:.*}", model.answer)
        runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            host, port = address_of(runner.addresses)
            model.url = f"http://{host}:{port}"
            yield model
        finally:
            await runner.cleanup()


def _asked(body: dict[str, Any]) -> str:
    """Return the last paragraph of the last thing that was said to the model."""
    said: Sequence[Any] = body.get("contents") or body.get("input") or body.get("messages") or [""]
    parts = said[-1].get("parts") or said[-1].get("content")
    texts = [parts] if isinstance(parts, str) else [str(part.get("text") or "") for part in parts]
    return texts[-1].rpartition("\n\n")[2]
