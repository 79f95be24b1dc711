"""What the tests of agents share: a scripted model, the real CLI behind a backend, and patience."""

import os
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from mama_bot.agents.claude import ClaudeBackend
from mama_bot.agents.claude_session import ClaudeSession
from mama_bot.config import ClaudeSettings
from mama_bot.confinement.machine import has_mount_namespaces
from mama_bot.confinement.sandbox import Sandbox
from mama_bot.declarations import ReportTools, declaring_tools
from mama_bot.demo.model_script import ModelReply, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.metrics import Metrics
from mama_bot.model import (
    AgentEvent,
    AgentPersona,
    ConversationKey,
    Platform,
    Prompt,
    SessionId,
    TeamAnswer,
    TeamCall,
    TurnEnded,
)
from mama_bot.protocols import AgentSession, Approver, CallReader, ToolGuard
from mama_bot.repositories.snapshots import Snapshots
from mama_bot.repositories.work_trees import GitWorkTrees
from mama_bot.team_tools import Caller, ToolRegistry
from mama_bot.tool_policy.readers import NoCommands, ReadersLook
from tests.marks import HAS_LANDLOCK
from tests.people import turn as turn_of_somebody
from tests.scripted_queue import ScriptedQueue

KEY = ConversationKey(Platform("web"), "one")
PERSONA = AgentPersona(
    name="dev", display_name="Dev", prompt="You write code.", tools=("Bash", "Read", "Write", "Edit", "Grep", "Task")
)
SECRET = "xoxb-very-secret"


class SystemClock:
    """The real time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


def new_session_id() -> SessionId:
    return SessionId(str(uuid4()))


def runs(command: str) -> ModelReply:
    """The model runs a command."""
    return ModelReply(text="Let me look.", tool_calls=(ToolUse(name="Bash", arguments={"command": command}),))


def pid_of(session: AgentSession) -> int:
    assert isinstance(session, ClaudeSession)
    assert session.pid is not None
    return session.pid


TOOLS = ToolRegistry(declaring_tools())
TURN = turn_of_somebody("developer")


async def call_team(call: TeamCall) -> TeamAnswer:
    """Carry a call of the tools out that need no exchange, as a turn does."""
    return await TOOLS.call(call, Caller(turn=TURN, persona=PERSONA))


async def events_of(session: AgentSession, text: str) -> list[AgentEvent]:
    return [event async for event in session.ask(Prompt(text=text), call_team=call_team)]


async def answer(session: AgentSession, text: str) -> TurnEnded:
    last = (await events_of(session, text))[-1]
    assert isinstance(last, TurnEnded)
    return last


@dataclass
class RealAgents:
    """The real CLI against a scripted model."""

    backend: ClaudeBackend
    model: ScriptedQueue
    server: ModelServer
    mark: str

    async def open(
        self,
        session_id: SessionId | None = None,
        *,
        resume: bool = False,
        workspace: Path,
        key: ConversationKey = KEY,
        read_only: bool = False,
    ) -> AgentSession:
        return await self.backend.open(
            persona=PERSONA,
            key=key,
            workspace=workspace,
            session_id=session_id or new_session_id(),
            resume=resume,
            read_only=read_only,
        )


Agents = Callable[..., AbstractAsyncContextManager[RealAgents]]


@pytest.fixture
def agents(tmp_path: Path, workspace: Path) -> Agents:
    """Makes a backend for the real CLI: `async with agents(max_turns=2) as real`."""

    @asynccontextmanager
    async def make(
        mark: str = "",
        environment: Mapping[str, str] | None = None,
        guard: ToolGuard | None = None,
        approver: Approver | None = None,
        reader: CallReader | None = None,
        metrics: Metrics | None = None,
        **settings: object,
    ) -> AsyncIterator[RealAgents]:
        model, mark = ScriptedQueue(), mark or uuid4().hex
        sandbox = Sandbox(hidden=(tmp_path,), home=tmp_path, freezes=has_mount_namespaces())
        options = {"api_retries": 0, "silence_seconds": 20.0, "start_seconds": 20.0, **settings}
        async with (
            ModelServer(script=model) as server,
            ClaudeBackend(
                settings=ClaudeSettings.model_validate(options),
                state_directory=tmp_path / "agents",
                mark=mark,
                environment={
                    "PATH": os.environ["PATH"],
                    "ANTHROPIC_BASE_URL": server.url,
                    "ANTHROPIC_API_KEY": "scripted",
                    **(environment or {}),
                },
                home=tmp_path,
                system_prompt=lambda persona: f"persona: {persona.name}\n\n{persona.prompt}",
                redact=lambda text: text.replace(SECRET, "[redacted]"),
                clock=SystemClock(),
                new_uuid=lambda: str(uuid4()),
                guard=guard or ReadersLook(NoCommands()),
                approver=approver,
                declarations=ReportTools(),
                team_tools=TOOLS,
                trees=GitWorkTrees(snapshots=Snapshots(indexes=tmp_path / "indexes", own=tmp_path)),
                reader=(lambda _: reader) if reader else None,
                metrics=metrics,
                sandbox=sandbox if HAS_LANDLOCK else None,
            ) as backend,
        ):
            yield RealAgents(backend=backend, model=model, server=server, mark=mark)

    return make


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    directory = tmp_path / "workspace"
    directory.mkdir()
    return directory
