"""An agent that is no CLI of ours: the client of the `mcp` package calls each tool in a turn of a running service."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from mcp import Client

from mama_bot.boards.agent_tools import board_tools
from mama_bot.consent.ask_person import ask_person_tool
from mama_bot.declarations import declaring_tools
from mama_bot.model import AgentEvent, AgentPersona, BoardId, ItemStatus, Prompt, TurnState
from mama_bot.orchestrator.delegate_tool import delegate_tool
from mama_bot.protocols import AgentSession, AtStop, CallTeam, Meanwhile
from mama_bot.team_tools import ToolRegistry
from mama_bot.team_tools.door import ToolDoor
from mama_bot.team_tools.tool_desk import ToolDesk
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.end_to_end.team import Team, running_team
from tests.end_to_end.test_approvals import question
from tests.end_to_end.test_repositories import make_source
from tests.team_tools.test_door import WAYS, asked_over_http, client_of, door_in, text_of

Calls = Callable[[Client, dict[str, str]], Awaitable[None]]
EVERY_TOOL = {
    *("report", "submit_review", "delegate", "ask_person", "post", "reply", "read"),
    *("item_create", "item_update", "item_query", "item_close"),
}
OUTCOME = "- `rates.py` has 3 lines"


def shown() -> ToolRegistry:
    """What clients are shown; whoever carries the calls out is the service."""
    nobody = cast("Any", None)
    asking = ask_person_tool(desk=nobody, questions=nobody, asker=nobody, clock=nobody, seconds=60)
    tools = (*declaring_tools(), delegate_tool(nobody), asking, *board_tools(nobody, nobody, nobody))
    return ToolRegistry(tools)


@dataclass
class ClientSession:
    """A session whose agent first makes its calls as a client of the protocol, and then answers by a script."""

    session: Any
    persona: AgentPersona
    agent: "ClientAgent"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)

    async def ask(
        self,
        prompt: Prompt,
        *,
        at_stop: AtStop | None = None,
        meanwhile: Meanwhile | None = None,
        call_team: CallTeam | None = None,
    ) -> AsyncGenerator[AgentEvent, None]:
        assert call_team is not None
        desk = ToolDesk(tools=shown().offered(self.persona), call=call_team)
        admission = await self.agent.door.admit(desk)
        async with client_of(admission, self.agent.way) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            self.agent.listed[self.persona.name] = set(listed)
            if self.persona.name == "lead" and not self.agent.heard:
                await self.agent.calls(client, self.agent.heard)
        self.agent.door.dismiss(admission)
        self.agent.spent.append((admission.url, admission.token))
        async for event in self.session.ask(prompt, at_stop=at_stop, meanwhile=meanwhile, call_team=call_team):
            yield event


@dataclass
class ClientAgent:
    """The backend of such sessions."""

    door: ToolDoor
    way: str
    calls: Calls
    scripted: ScriptedAgentBackend
    name: str = "claude"
    listed: dict[str, set[str]] = field(default_factory=dict)
    heard: dict[str, str] = field(default_factory=dict)
    spent: list[tuple[str, str]] = field(default_factory=list)

    async def open(self, *, persona: AgentPersona, **more: Any) -> AgentSession:
        session = await self.scripted.open(persona=persona, **more)
        return cast("AgentSession", ClientSession(session=session, persona=persona, agent=self))


async def every_call(client: Client, heard: dict[str, str]) -> None:
    """Call each tool once, and keep what it answered."""

    async def call(tool: str, **arguments: Any) -> str:
        result = await client.call_tool(tool, arguments)
        heard[tool] = text_of(result)
        assert not result.is_error, (tool, heard[tool])
        return heard[tool]

    posted = await call("post", topic="rates", text="`rates.py`에는 3줄이 있습니다.")
    await call("reply", id=posted.rpartition(" ")[2].rstrip("."), text="`rates.py` has 3 lines.")
    await call("read", topic="rates")
    created = (await call("item_create", title="Count the fees")).rpartition(" ")[2].rstrip(".")
    await call("item_update", id=created, status="in_progress")
    await call("item_query", id=created)
    await call("item_close", id=created, reason="`fees.py` is not in this repository")
    await call("delegate", agent="developer", task="Count the lines", expected_outcome=OUTCOME)
    await call("ask_person", question="Which port does staging have?")
    await call("report", outcomes=[])
    await call("submit_review", verdict="reject")


def script(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
    del prompt, history
    return ScriptedReply(text="`rates.py` has 3 lines." if persona.name == "developer" else "Staging has port 8443.")


async def answered(team: Team) -> None:
    await question(team)
    await team.say("8443")


@pytest.mark.parametrize("way", WAYS)
async def test_each_tool_is_called_in_a_turn_and_its_effects_are_stored(tmp_path: Path, way: str) -> None:
    (place := tmp_path / "door").mkdir()
    async with door_in(place) as door:
        agent = ClientAgent(door=door, way=way, calls=every_call, scripted=ScriptedAgentBackend(script=script))
        settings: dict[str, Any] = {"repositories": {"app": {"source": str(make_source(tmp_path))}}}
        settings |= {"default_repository": "app", "pool": {"size": 1}}
        async with running_team(tmp_path, backends={"claude": agent}, **settings) as team:
            message = await team.say("Count the lines")
            await answered(team)
            exchange = await team.settled(message)
            items = await team.store.items.all_items(BoardId("repository/app"))
        refused = [await asked_over_http(url, token) for url, token in agent.spent]
    assert set(agent.heard) == EVERY_TOOL
    assert agent.listed == {"lead": EVERY_TOOL, "developer": EVERY_TOOL - {"delegate"}}
    assert "developer, on the part “Count the lines”, replies:\n`rates.py` has 3 lines." in agent.heard["delegate"]
    assert "8443" in agent.heard["ask_person"]
    assert "`rates.py`에는 3줄이 있습니다." in agent.heard["read"]
    assert [(item.title, item.status) for item in items] == [("Count the fees", ItemStatus.CLOSED)]
    assert [stored.state for stored in exchange.turns] == [TurnState.ANSWERED] * 2
    assert refused == [401] * len(agent.spent), "a token outlives no turn"
