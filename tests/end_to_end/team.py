"""A whole service in the test's own process: real store, chain and CLI, a scripted model, a gateway in memory."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import httpx
import yaml

from mama_bot.app.configuration import read_configuration
from mama_bot.app.service import Running, serve
from mama_bot.demo.model_script import ModelScript
from mama_bot.model import (
    Attachment,
    Author,
    ContextEntry,
    ConversationKey,
    Exchange,
    InboundMessage,
    MessageId,
    Notice,
    Platform,
    Post,
    Reply,
    StoredTurn,
)
from mama_bot.protocols import AgentBackend
from mama_bot.store import Store
from mama_bot.testing.memory_gateway import MemoryGateway
from tests.gateways.web.harness import key_of
from tests.waiting import SECONDS

T = TypeVar("T")

PERSONAS = {
    "lead": "name: lead\ndisplay_name: Lead\ntools: [Read]\ndelegates_to: [developer, reviewer]\nworkspace: team",
    "developer": "name: developer\ndisplay_name: Developer\ntools: [Bash, Read, Write]\nworkspace: team",
    "reviewer": "name: reviewer\ndisplay_name: Reviewer\ntools: [Bash, Read]\nworkspace: team",
}


def write_configuration(
    directory: Path,
    *,
    personas: Mapping[str, str] | None = None,
    tools: Mapping[str, str] | None = None,
    **settings: object,
) -> Path:
    """A config.yaml with its personas; `settings` are top-level keys, `personas` replaces a persona's workspace.

    `tools` adds to a persona's tools.
    """
    files = directory / "personas"
    files.mkdir(parents=True, exist_ok=True)
    for name, matter in PERSONAS.items():
        matter = matter.replace("workspace: team", (personas or {}).get(name, "workspace: team"))  # noqa: PLW2901
        matter = matter.replace("tools: [", f"tools: [{(tools or {}).get(name, '')}")  # noqa: PLW2901
        (files / f"{name}.md").write_text(f"---\n{matter}\n---\nYou are {name}.\n", encoding="utf-8")
    content: dict[str, object] = {
        "claude": {"source": "scripted", "api_retries": 0},
        "web": {"port": 0},
        "log": {"level": "error"},
        "enforcement": {"todo_tracker": {"ask_for_outcome": False}},
        "turns": {"drain_seconds": 0},
    }
    for key, value in settings.items():
        section = content.get(key)
        content[key] = {**section, **value} if isinstance(section, dict) and isinstance(value, dict) else value
    file = directory / "config.yaml"
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return file


def key(channel: str = "general") -> ConversationKey:
    return ConversationKey(Platform("memory"), channel)


@dataclass
class Team:
    """What a test does to a running service, and what it sees of it."""

    gateway: MemoryGateway
    running: Running
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    def client(self) -> httpx.AsyncClient:
        """Somebody at the page who has its key."""
        return httpx.AsyncClient(base_url=self.running.url, headers=key_of(self.running.page_key), timeout=SECONDS)

    def stranger(self) -> httpx.AsyncClient:
        """Somebody at the page who has no key, like an agent's shell."""
        return httpx.AsyncClient(base_url=self.running.url, timeout=SECONDS)

    @property
    def store(self) -> Store:
        return self.running.store

    async def say(
        self, text: str, *, channel: str = "general", name: str = "Kim", attachments: tuple[Attachment, ...] = ()
    ) -> MessageId:
        """Write as a person; returns once the service has stored it."""
        message = InboundMessage(
            id=MessageId(f"{channel}-{next(self.numbers)}"),
            key=key(channel),
            author=Author(id=name.lower(), name=name),
            text=text,
            received_at=datetime.now(UTC),
            attachments=attachments,
        )
        assert await self.gateway.deliver(message)
        return message.id

    async def stop(self, *, channel: str = "general", name: str = "Kim") -> bool:
        """Press stop as a person."""
        return await self.gateway.stop(key(channel), name)

    def posts(self, channel: str = "general") -> list[Post]:
        return [post for post in self.gateway.posts if post.key == key(channel)]

    def replies(self, channel: str = "general") -> list[Reply]:
        return [post for post in self.posts(channel) if isinstance(post, Reply)]

    def notices(self, channel: str = "general") -> list[Notice]:
        return [post for post in self.posts(channel) if isinstance(post, Notice)]

    async def settled(self, message_id: MessageId, *, seconds: float = SECONDS) -> Exchange:
        """The exchange of a message, when all of it is done and posted."""
        async with asyncio.timeout(seconds):
            while True:
                exchange = await self.store.turns.load(message_id)
                state = await self.store.history.queue()
                done = exchange.turns and state.waiting + state.running == 0
                if done and not await self.store.outbox.pending(exchange.message.key):
                    return exchange
                await asyncio.sleep(0.03)

    async def context(self, channel: str = "general") -> list[ContextEntry]:
        """The whole shared context of a conversation."""
        entries = await self.store.context.window(key(channel), before=None, max_entries=1000, max_characters=10**7)
        return list(entries)


@asynccontextmanager
async def running_team(
    directory: Path,
    *,
    script: ModelScript | None = None,
    backends: Mapping[str, AgentBackend] | None = None,
    environment: Mapping[str, str] | None = None,
    personas: Mapping[str, str] | None = None,
    tools: Mapping[str, str] | None = None,
    others: Sequence[MemoryGateway] = (),
    **settings: object,
) -> AsyncIterator[Team]:
    """A service that is ready, with its own gateway and others; drained and ended with the block."""
    configuration = read_configuration(
        write_configuration(directory, personas=personas, tools=tools, **settings),
        environment={"PATH": "/usr/bin:/bin", **(environment or {})},
    )
    gateway = MemoryGateway()
    started: asyncio.Future[Running] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(
            serve(
                configuration,
                stop=stop,
                ready=started.set_result,
                script=script,
                backends=backends,
                gateways={each.platform: each for each in (gateway, *others)},
            )
        )
        async with asyncio.timeout(SECONDS):
            running = await started
        try:
            yield Team(gateway=gateway, running=running)
        finally:
            stop.set()


def attempts(stored: StoredTurn) -> list[str]:
    """What was decided about each attempt."""
    return [attempt.judgement.outcome.kind for attempt in stored.attempts]
