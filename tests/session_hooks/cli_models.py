"""The models of the Gemini CLI and of Codex, scripted: each request is answered with the next step."""

import json
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a model answers: a call of a tool, or words."""

    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    text: str = "done"


@dataclass(slots=True, kw_only=True)
class CliModel:
    """A model that runs: where, what is left of its script, and what it was asked."""

    url: str = ""
    script: deque[Step] = field(default_factory=deque)
    journal: list[str] = field(default_factory=list)

    def next_step(self) -> Step:
        """The next step of the script; plain words once it ended."""
        return self.script.popleft() if self.script else Step()


@asynccontextmanager
async def cli_model(*steps: Step) -> AsyncIterator[CliModel]:
    """A server of both that ends with the block."""
    model = CliModel(script=deque(steps))

    async def gemini(request: web.Request) -> web.Response:
        model.journal.append(await request.text())
        step = model.next_step()
        part = {"functionCall": {"name": step.tool, "args": step.arguments}} if step.tool else {"text": step.text}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        return _events({"candidates": [candidate], "usageMetadata": usage})

    async def responses(request: web.Request) -> web.Response:
        model.journal.append(await request.text())
        step, call = model.next_step(), f"call_{len(model.journal)}"
        item: dict[str, Any] = {"type": "message", "role": "assistant", "id": call}
        item["content"] = [{"type": "output_text", "text": step.text}]
        if "input" in step.arguments:
            item = {"type": "custom_tool_call", "call_id": call, "name": step.tool, **step.arguments}
        elif step.tool:
            arguments = json.dumps(step.arguments)
            item = {"type": "function_call", "call_id": call, "name": step.tool, "arguments": arguments}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        return _events(
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": {"id": "r", "usage": usage}},
        )

    app = web.Application(client_max_size=1 << 26)
    app.router.add_post("/v1beta/{rest:.*}", gemini)
    app.router.add_post("/v1/responses", responses)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        model.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield model
    finally:
        await runner.cleanup()


def _events(*events: Mapping[str, Any]) -> web.Response:
    lines = (f"data: {json.dumps(event)}\n\n" for event in events)
    return web.Response(text="".join(lines), content_type="text/event-stream")
