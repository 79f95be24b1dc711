"""One server that plays the models of all CLIs, whatever API each asks: aimock, scripted step by step."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.session_hooks.cli_sessions import program_of
from tests.waiting import SECONDS

LISTENING = "listening on "


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStep:
    """What a model answers next: a call of a tool, or words, or an error, after so many milliseconds.

    `tokens` are those that it read and wrote; the server counts none by itself.
    """

    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    status: int = 0
    milliseconds: int = 0
    tokens: tuple[int, int] | None = None

    def fixture(self, match: Mapping[str, Any]) -> dict[str, Any]:
        """It as the server reads it."""
        response: dict[str, Any] = {"content": self.text}
        if self.tool:
            response = {"toolCalls": [{"name": self.tool, "arguments": json.dumps(self.arguments)}]}
        if self.tokens is not None:
            read, written = self.tokens
            response["usage"] = {"input_tokens": read, "output_tokens": written}
        if self.status:
            response = {"error": {"message": "scripted", "type": "server_error"}, "status": self.status}
        return {
            "match": dict(match),
            "response": response,
            **({"latency": self.milliseconds} if self.milliseconds else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelApis:
    """A server that runs."""

    url: str

    async def asked(self) -> list[str]:
        """What the models were asked, request by request, as text."""
        async with httpx.AsyncClient() as client:
            journal = (await client.get(f"{self.url}/__aimock/journal")).json()
        return [json.dumps(entry["body"], ensure_ascii=False) for entry in journal]

    async def until_asked(self, words: str) -> None:
        """Wait until a model was asked something with these words."""
        async with asyncio.timeout(SECONDS):
            while not any(words in request for request in await self.asked()):
                await asyncio.sleep(0.05)


@asynccontextmanager
async def model_apis(directory: Path, *steps: ModelStep) -> AsyncIterator[ModelApis]:
    """A server that answers with one step after the other, then with "done"; asked for a title it answers that."""
    response = {"content": "A title"}
    titles = [
        {"match": {"systemMessage": "title generator"}, "response": response},
        {"match": {"userMessage": "generate a very short title"}, "response": response},
    ]
    script = [step.fixture({"sequenceIndex": index}) for index, step in enumerate(steps)]
    file = directory / "model-steps.json"
    last = {"match": {}, "response": {"content": "done"}}
    file.write_text(json.dumps({"fixtures": [*titles, *script, last]}), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(str(program_of("llmock")), "-p", "0", "-f", str(file)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(SECONDS):
            while LISTENING not in (line := (await process.stdout.readline()).decode()):
                assert line, "the server of the models ended"
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(process.stdout.read())
            try:
                yield ModelApis(url=line.partition(LISTENING)[2].strip())
            finally:
                process.terminate()
                await reading
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
