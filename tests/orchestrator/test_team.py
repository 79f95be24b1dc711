"""What an exchange goes by is taken once: a team that is replaced is that of the next exchange."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mama_bot.config import EnforcementSettings, RouterSettings
from mama_bot.enforcement import build_chain
from mama_bot.model import AgentPersona
from mama_bot.orchestrator import Team
from mama_bot.repositories.changes import GitChanges
from mama_bot.router import Router
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.agents.conftest import SystemClock
from tests.end_to_end.team import Team as Running
from tests.end_to_end.team import running_team

PRAISE = "Excellent, brilliant, outstanding work! Absolutely perfect! You are amazing!"


def renamed(team: Team, workspace: Path) -> Team:
    """The same team with another name for its lead, and with a chain that is switched off."""
    personas = {**team.personas, "lead": replace(team.personas["lead"], display_name="Chief")}
    chain = build_chain(
        settings=EnforcementSettings(enabled=False),
        changed_files=GitChanges(workspace_of=lambda _: workspace),
        clock=SystemClock(),
        team=personas,
    )
    router = Router(personas=personas, settings=RouterSettings())
    return replace(team, personas=personas, router=router, chain=chain)


async def test_what_runs_keeps_its_team_and_what_begins_takes_the_new_one(tmp_path: Path) -> None:
    teams: list[Running] = []

    def script(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
        if "first" in prompt and not history:
            (running,) = teams
            running.running.team.value = renamed(running.running.team.value, tmp_path)
        return ScriptedReply(text=PRAISE)

    async with running_team(tmp_path, backends={"claude": ScriptedAgentBackend(script=script)}) as team:
        teams.append(team)
        await team.settled(await team.say("the first"))
        await team.settled(await team.say("the second"))
        first, second = team.replies()
    assert (first.display_name, bool(first.banners)) == ("Lead", True), "judged by the chain that it began with"
    assert (second.display_name, second.banners, second.text) == ("Chief", (), PRAISE)
