"""The service as its own process, the way people run it, so that a test can kill it."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from mama_bot.app.page_key import KEY_NAME
from mama_bot.config import load_settings
from tests.gateways.web.harness import key_of
from tests.waiting import SECONDS


@dataclass
class ServiceProcess:
    """A running `mama-bot run`, its page's address, and what it logged."""

    process: asyncio.subprocess.Process
    url: str
    key: str = ""
    events: list[dict[str, Any]] = field(default_factory=list)

    def client(self) -> httpx.AsyncClient:
        """Somebody at the page who has its key."""
        return httpx.AsyncClient(base_url=self.url, headers=key_of(self.key), timeout=SECONDS)

    async def opened(self, file: Path) -> None:
        """Wait until it is ready; learn where its page is, and the key that it keeps in its data directory."""
        self.url = (await self.logged("ready"))["page"]
        if self.key or not self.url:  # the key of the environment; or a node without a page
            return
        kept = load_settings(file, environment={}).data_directory / KEY_NAME
        self.key = kept.read_text(encoding="utf-8").strip()

    async def say(self, text: str, *, conversation: str = "general", message: str = "first") -> httpx.Response:
        async with self.client() as client:
            return await client.post(f"/api/conversations/{conversation}/messages", json={"id": message, "text": text})

    async def conversation(self, name: str = "general") -> dict[str, Any]:
        async with self.client() as client:
            answer = (await client.get(f"/api/conversations/{name}")).json()
        assert isinstance(answer, dict)
        return answer

    async def replies(self, count: int, conversation: str = "general") -> list[dict[str, Any]]:
        """The replies of a conversation, when there are that many."""
        async with asyncio.timeout(SECONDS):
            while True:
                posts = (await self.conversation(conversation))["posts"]
                found = [post for post in posts if post["kind"] == "reply"]
                if len(found) >= count:
                    return found
                await asyncio.sleep(0.05)

    async def logged(self, event: str) -> dict[str, Any]:
        """The first log line with this event, when it comes."""
        async with asyncio.timeout(SECONDS):
            while True:
                for line in self.events:
                    if line["event"] == event:
                        return line
                await asyncio.sleep(0.01)

    async def hears(self, platform: str) -> None:
        """Wait until messages reach a gateway."""
        async with asyncio.timeout(SECONDS), httpx.AsyncClient(timeout=SECONDS) as client:
            while not (await client.get(f"{self.url}/healthz")).json()["gateways"][platform]["ok"]:
                await asyncio.sleep(0.05)

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()

    async def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(SECONDS):
            return await self.process.wait()


@asynccontextmanager
async def service_process(
    file: Path, environment: Mapping[str, str], *, role: str = "all"
) -> AsyncIterator[ServiceProcess]:
    """Start `mama-bot run`, wait until it is ready, and end it with the block."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mama_bot", "run", "--config", str(file), "--role", role),
        env={"PATH": os.environ["PATH"], "MAMA_LOG__FORMAT": "json", "MAMA_LOG__LEVEL": "info", **environment},
        stderr=asyncio.subprocess.PIPE,
        limit=2**20,
    )
    service = ServiceProcess(process=process, url="", key=environment.get("MAMA_WEB__KEY", ""))
    async with asyncio.TaskGroup() as group:
        group.create_task(collected(process, service.events))
        try:
            await service.opened(file)
            yield service
        finally:
            if process.returncode is None:
                process.kill()  # one that stands still as well
            await process.wait()


async def collected(process: asyncio.subprocess.Process, events: list[dict[str, Any]]) -> None:
    assert process.stderr is not None
    async for line in process.stderr:
        if line.startswith(b"mama-bot: "):  # why it ends
            continue
        assert line.startswith(b"{"), line
        events.append(json.loads(line))
