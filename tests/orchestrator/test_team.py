"""What an exchange goes by is taken once: a team that is replaced is that of the next exchange."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mama_bot.app.configuration import Configuration, read_configuration
from mama_bot.config import AccessSettings, EnforcementSettings, RouterSettings
from mama_bot.enforcement import build_chain
from mama_bot.errors import AccessRefused
from mama_bot.model import AgentPersona, Amend, Author, ConversationKey, InboundMessage, MessageId, Origin, Platform
from mama_bot.orchestrator import Team
from mama_bot.repositories.changes import GitChanges
from mama_bot.router import Router
from mama_bot.store import Store
from mama_bot.testing.memory_gateway import MemoryGateway
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.agents.conftest import SystemClock
from tests.end_to_end.team import Team as Running
from tests.end_to_end.team import running_team, write_configuration
from tests.orchestrator.making import made_team

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


DISCORD = Platform("discord")


@pytest.mark.parametrize(
    ("before", "after"),
    [(AccessSettings(), AccessSettings(people=("kim",))), (AccessSettings(channels=("hall",)), None)],
)
async def test_who_may_come_in_goes_by_the_team_of_that_moment(
    tmp_path: Path, before: AccessSettings, after: AccessSettings | None
) -> None:
    discord = MemoryGateway(platform=DISCORD)

    async def comes_in(number: int) -> bool:
        message = InboundMessage(
            id=MessageId(f"m{number}"),
            key=ConversationKey(DISCORD, "hall"),
            author=Author(id="kim", name="Kim"),
            text="hello",
            received_at=datetime.now(UTC),
            origin=Origin(channel="hall"),
        )
        try:
            return await discord.deliver(message)
        except AccessRefused:
            return False

    backend = ScriptedAgentBackend(script=lambda *_: ScriptedReply(text="`a.py:1` has a = 1."))
    async with running_team(tmp_path, backends={"claude": backend}, others=[discord]) as team:
        current = team.running.team
        served = []
        for number, access in enumerate((before, after)):
            current.value = replace(current.value, access={DISCORD: access} if access else {})
            served.append(await comes_in(number))
    assert served == [after is None, after is not None]


ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


def moved(configuration: Configuration) -> Configuration:
    """Return the configuration with the developer at work elsewhere."""
    developer = replace(configuration.personas["developer"], workspace="own")
    return replace(configuration, personas={**configuration.personas, "developer": developer})


def with_tester(configuration: Configuration) -> Configuration:
    """Return the configuration with one persona more, to whom the lead delegates."""
    personas = configuration.personas
    tester = replace(personas["developer"], name="tester", display_name="Tester")
    lead = replace(personas["lead"], delegates_to=("tester",))
    return replace(configuration, personas={**personas, "lead": lead, "tester": tester})


def same(configuration: Configuration) -> Configuration:
    return configuration


@pytest.mark.parametrize(
    ("worker", "begins", "comes"), [("developer", same, moved), ("tester", with_tester, same)], ids=["moved", "gone"]
)
async def test_a_turn_is_judged_where_it_works_whatever_team_comes_meanwhile(
    tmp_path: Path,
    worker: str,
    begins: Callable[[Configuration], Configuration],
    comes: Callable[[Configuration], Configuration],
) -> None:
    shop = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", shop], check=True)
    (shop / "a.py").write_text("a = 1\n", encoding="utf-8")
    teams: list[Running] = []

    def replaced(change: Callable[[Configuration], Configuration]) -> None:
        (team,) = teams
        configuration = change(read_configuration(tmp_path / "config.yaml", environment=ENVIRONMENT))
        team.running.team.value = made_team(configuration, team.store)

    def script(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
        if persona.name == worker:
            (shop / "stray.py").write_text("b = 2\n", encoding="utf-8")
            return ScriptedReply(text="`a.py:1` has a = 1.")
        if history:
            return ScriptedReply(text="`a.py:1` has a = 1.")
        replaced(comes)
        return ScriptedReply(text=f"DELEGATE::{worker}::Fix a.py\nEXPECTED OUTCOME:\n- a.py\n")

    backend = ScriptedAgentBackend(script=script)
    async with running_team(
        tmp_path,
        backends={"claude": backend},
        personas={"developer": "workspace: shop"},
        repositories={"shop": {"source": str(shop), "mode": "in_place"}},
    ) as team:
        teams.append(team)
        replaced(begins)
        exchange = await team.settled(await team.say("a.py를 고쳐 줘"))
    work = next(stored for stored in exchange.turns if stored.turn.persona == worker)
    stages = [stage for attempt in work.attempts for stage in attempt.judgement.stages if stage.stage == "scope_guard"]
    assert [stage.failure for stage in stages] == [""] * len(stages)
    reasons = [stage.decision.reason for stage in stages if isinstance(stage.decision, Amend)]
    assert len(reasons) == 1, "the guard looks where the turn works"
    assert "stray.py" in reasons[0]
    assert [session.workspace for session in backend.opened if session.persona.name == worker] == [shop]


def test_what_personas_are_told_is_of_their_own_team(tmp_path: Path, store: Store) -> None:
    configuration = read_configuration(write_configuration(tmp_path), environment=ENVIRONMENT)
    lead = made_team(with_tester(configuration), store).personas["lead"]
    assert "You may delegate to: tester (Tester)." in lead.instructions
    before = made_team(configuration, store).personas["lead"]
    assert "developer (Developer), reviewer (Reviewer)." in before.instructions
