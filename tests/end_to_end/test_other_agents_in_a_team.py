"""What a person decides, and what agents hand to each other, with each CLI beside Claude: the real one."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from mama_bot.model import CommandName, TurnKind, TurnState
from tests.agents.model_apis import ModelStep, model_apis
from tests.end_to_end.test_approvals import give, question, runs, with_rules
from tests.end_to_end.test_other_agents import CODEX, GEMINI, OPENCODE, OtherCli, team_of
from tests.session_hooks.cli_sessions import program_of

pytestmark = pytest.mark.cli

each_cli = pytest.mark.parametrize("cli", [GEMINI, OPENCODE, CODEX], ids=lambda cli: cli.name)
LOOKED = "I was asked to look, and looked at 1 thing."


@each_cli
async def test_a_call_that_a_rule_asks_about_waits_for_a_person_and_runs_or_not(tmp_path: Path, cli: OtherCli) -> None:
    program_of(cli.program)
    steps: Sequence[ModelStep] = (
        cli.runs("echo paid > paid.txt"),
        ModelStep(text=LOOKED),
        cli.runs("echo paid > denied.txt"),
        *[ModelStep(text=LOOKED)] * 2,
    )
    async with model_apis(tmp_path, *steps) as apis, team_of(with_rules(tmp_path), cli, apis) as team:
        first = await team.say("Look once.")
        post = await question(team)
        assert not list(tmp_path.rglob("paid.txt"))
        assert (await give(team, CommandName.APPROVE, post.approval)).done
        approved = await team.settled(first)
        second = await team.say("Look again.")
        post = await question(team, 2)
        assert (await give(team, CommandName.DENY, post.approval)).done
        denied = await team.settled(second)
    assert [exchange.turns[0].state for exchange in (approved, denied)] == [TurnState.ANSWERED] * 2
    assert [run.command for run in runs(approved)] == ["echo paid > paid.txt"]
    assert [len(list(tmp_path.rglob(name))) for name in ("paid.txt", "denied.txt")] == [1, 0]


@each_cli
async def test_it_delegates_to_another_one_of_its_kind_and_hears_what_came_of_it(tmp_path: Path, cli: OtherCli) -> None:
    program_of(cli.program)
    report = "The reviewer says: `a.py` has 3 lines."
    steps = (
        ModelStep(text="I hand it on.\n\nDELEGATE::reviewer::Count the lines of a.py."),
        ModelStep(text="`a.py` has 3 lines."),
        ModelStep(text=report),
    )
    async with model_apis(tmp_path, *steps) as apis, team_of(tmp_path, cli, apis, delegates="reviewer") as team:
        exchange = await team.settled(await team.say("Have the lines of a.py counted."))
        asked = await apis.asked()
        replies = team.replies()
    assert [stored.turn.kind for stored in exchange.turns] == [TurnKind.REQUEST, TurnKind.DELEGATION, TurnKind.RESULTS]
    assert [stored.state for stored in exchange.turns] == [TurnState.ANSWERED] * 3
    assert replies[-1].text == report
    assert any("You are reviewer" in request and "Count the lines" in request for request in asked)
