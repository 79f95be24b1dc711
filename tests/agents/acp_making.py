"""A backend for an agent over the Agent Client Protocol whose every step a test decides."""

import json
import os
import shlex
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from mama_bot.agents.acp_agents import CLIS
from mama_bot.agents.acp_backend import AcpBackend
from mama_bot.agents.acp_clis import AcpCli
from mama_bot.agents.acp_tools import OfferedTools
from mama_bot.agents.agent_surroundings import AgentSurroundings
from mama_bot.config import CliSettings
from mama_bot.declarations import ReportTools
from mama_bot.protocols import Approver, ToolGuard
from mama_bot.tool_policy.absent_approver import NobodyApproves
from mama_bot.tool_policy.guards import Guards
from tests.agents.conftest import SystemClock
from tests.session_hooks.cli_sessions import PROGRAMS

MODELS: Mapping[str, str] = {"gemini": "gemini-2.5-flash", "opencode": "openai/gpt-5", "codex": "gpt-5.5"}


def surroundings(
    *, guard: ToolGuard | None = None, approver: Approver | None = None, offered: OfferedTools | None = None
) -> AgentSurroundings:
    """What backends of these tests share."""
    return AgentSurroundings(
        redact=lambda text: text,
        clock=SystemClock(),
        new_uuid=lambda: str(uuid4()),
        system_prompt=lambda persona: f"You are {persona.name}.",
        guard=guard or Guards(),
        approver=approver or NobodyApproves(),
        declarations=ReportTools(),
        offered=offered,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSteps:
    """What the agent does next, prompt by prompt."""

    file: Path

    def push(self, *steps: Mapping[str, Any]) -> None:
        """Add what it does when it is asked next."""
        self.file.write_text(json.dumps([*json.loads(self.file.read_text()), *steps]))

    def clear(self) -> None:
        """It answers what it is asked again."""
        self.file.write_text("[]")


@asynccontextmanager
async def real_agents(directory: Path, name: str, model_url: str) -> AsyncIterator[AcpBackend]:
    """A backend of the real CLI of this name, whose model is asked there."""
    cli = CLIS[name]
    variables = {"GEMINI_API_KEY": "scripted", "OPENAI_API_KEY": "scripted"}
    servers = {"GOOGLE_GEMINI_BASE_URL": model_url, "OPENAI_BASE_URL": f"{model_url}/v1"}
    async with AcpBackend(
        cli=cli,
        settings=CliSettings.model_validate({"cli_path": PROGRAMS / cli.program, "model": MODELS[name]}),
        state_directory=directory / "agents",
        mark=uuid4().hex,
        environment={"PATH": os.environ["PATH"], **variables, **servers},
        home=directory,
        surroundings=surroundings(),
    ) as backend:
        yield backend


def program_of(directory: Path) -> tuple[Path, AgentSteps]:
    """What starts the agent, and its steps."""
    sessions = directory / "sessions-of-the-agent"
    sessions.mkdir(exist_ok=True)
    steps = AgentSteps(file=directory / "steps.json")
    steps.clear()
    agent = Path(__file__).with_name("acp_agent.py")
    command = shlex.join([sys.executable, "-I", "-S", str(agent), str(steps.file), str(sessions)])
    program = directory / "some-agent"
    program.write_text(f"#!/bin/sh\nexec {command}\n")
    program.chmod(0o700)
    return program, steps


@asynccontextmanager
async def acp_agents(
    directory: Path,
    *,
    guard: ToolGuard | None = None,
    approver: Approver | None = None,
    offered: OfferedTools | None = None,
    hooked: bool = False,
    cli: AcpCli = CLIS["acp"],
    **settings: object,
) -> AsyncIterator[tuple[AcpBackend, AgentSteps]]:
    """A backend whose agent does what the steps say."""
    program, steps = program_of(directory)
    around = surroundings(guard=guard, approver=approver, offered=offered)
    async with AcpBackend(
        cli=replace(cli, hooked=hooked or cli.hooked),
        settings=CliSettings.model_validate({"cli_path": program, "start_seconds": 30, **settings}),
        state_directory=directory / "agents",
        mark=uuid4().hex,
        environment={"PATH": os.environ["PATH"]},
        home=directory,
        surroundings=around,
    ) as backend:
        yield backend, steps
