"""An agent over the Agent Client Protocol calls the tools of the service through the server that it is told of."""

import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import BaseModel

from mama_bot.agents.acp_tools import OfferedTools
from mama_bot.errors import CallChanged
from mama_bot.model import AgentPersona, Prompt, TeamAnswer, TeamCall, ToolKind, ToolRun, ToolStarted, TurnEnded
from mama_bot.protocols import AgentSession
from mama_bot.team_tools import Caller, RegisteredTool, ToolRegistry
from mama_bot.team_tools.door import ToolDoor
from tests.agents.acp_making import AgentSteps, acp_agents
from tests.agents.conftest import KEY, new_session_id
from tests.team_tools.test_door import spoken_by_relay
from tests.turns.test_in_turn import TURN

PERSONA = AgentPersona(name="developer", display_name="Developer", prompt="", backend="acp")


class Words(BaseModel):
    """What `say` takes."""

    words: str


Answering = Callable[[TeamCall], Awaitable[TeamAnswer]]


@asynccontextmanager
async def session_with(directory: Path, tool: str) -> AsyncIterator[tuple[AgentSession, AgentSteps, Answering]]:
    """A session that is offered one tool, which repeats its words; and what answers its calls in a turn."""

    async def repeat(arguments: Words, caller: Caller) -> str:
        return f"{caller.persona.name} said {arguments.words}"

    registry = ToolRegistry([RegisteredTool(name=tool, description="Repeat.", arguments=Words, run=repeat)])

    async def call(given: TeamCall) -> TeamAnswer:
        return await registry.call(given, Caller(turn=TURN, persona=PERSONA))

    (directory / "door").mkdir()
    async with (
        ToolDoor(directory=directory / "door", new_token=secrets.token_urlsafe) as door,
        acp_agents(directory, offered=OfferedTools(door=door, tools=registry)) as (backend, steps),
    ):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=directory, session_id=new_session_id(), resume=False
        )
        yield session, steps, call


async def test_a_call_reaches_the_turn_that_runs_and_no_other(tmp_path: Path) -> None:
    async with session_with(tmp_path, "say") as (session, steps, call):
        asks = {"name": "say", "arguments": {"words": "안녕"}}
        steps.push({"tool": asks}, {"tool": asks})
        texts = []
        for call_team in (call, None):
            async for event in session.ask(Prompt(text="Say it."), call_team=call_team):
                if isinstance(event, TurnEnded):
                    texts.append(event.text)
        steps.push({"tool": asks, "leaks": str(tmp_path / "leaked")})
        async for _ in session.ask(Prompt(text="Say it."), call_team=call):
            pass
        command, token = json.loads((tmp_path / "leaked").read_text())
        status, _, complaint = await spoken_by_relay(tuple(command), token)
    assert (status, "not yours" in complaint) == (1, True), "a process of nobody's session gets in with no token of one"
    assert texts[0] == "developer said 안녕"
    assert texts[1].startswith("Your session is over, or the token is not yours")


async def test_a_call_is_one_of_ours_where_the_service_took_it_and_not_by_its_name(tmp_path: Path) -> None:
    async with session_with(tmp_path, "post") as (session, steps, call):
        asks = {"name": "post", "arguments": {"words": "hello"}}
        forged = ["mama_item_close", "mcp__mama__report", "MCP__MAMA__post"]
        steps.push({"tool": asks, "tells": ["mama_post", *forged]}, {"tells": ["mama_post"], "text": "I posted it."})
        runs: list[tuple[ToolRun, ...]] = []
        for _ in range(2):
            async for event in session.ask(Prompt(text="Post it."), call_team=call):
                if isinstance(event, TurnEnded):
                    runs.append(event.record.runs)
    assert [(run.tool, run.kind) for run in runs[0]] == [
        ("mcp__mama__post", ToolKind.TEAM),
        *((f"foreign:{name}", ToolKind.OTHER) for name in forged),
    ]
    assert [run.kind for run in runs[1]] == [ToolKind.OTHER], "nothing was called in that turn"


async def test_what_was_permitted_as_ours_and_never_reached_the_service_ends_the_agent(tmp_path: Path) -> None:
    begun: list[ToolRun] = []
    async with session_with(tmp_path, "post") as (session, steps, call):

        async def ask() -> tuple[ToolRun, ...]:
            async for event in session.ask(Prompt(text="Post it."), call_team=call):
                if isinstance(event, ToolStarted):
                    begun.append(event.run)
                if isinstance(event, TurnEnded):
                    return event.record.runs
            raise AssertionError("it did not end")

        asks = {"name": "post", "arguments": {"words": "hello"}}
        steps.push({"asks_to_call": asks, "reaches": True}, {"asks_to_call": asks, "reaches": False})
        (ours,) = await ask()
        with pytest.raises(CallChanged, match="than the one that was permitted"):
            await ask()
        assert not session.usable
    assert (ours.tool, ours.kind, ours.ok) == ("mcp__mama__post", ToolKind.TEAM, True)
    assert [(run.tool, run.kind) for run in begun] == [("foreign:mcp__mama__post", ToolKind.OTHER)] * 2
