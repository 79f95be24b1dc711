"""Agents of different CLIs in one exchange: the real ones work, review, vote and delegate to each other."""

import os
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.model import NoticeKind, ReviewStatus, TurnKind, TurnState
from tests.agents.model_apis import ModelApis, ModelStep, model_apis
from tests.end_to_end.reviewing import APPROVAL, KINDS, REJECTION, SETTINGS, WORK, developer, kinds, review_of, runs
from tests.end_to_end.team import attempts, running_team
from tests.end_to_end.test_other_agents import CODEX, GEMINI, OPENCODE, OtherCli
from tests.session_hooks.cli_sessions import PROGRAMS, program_of

pytestmark = pytest.mark.cli

TESTS = "python3 -m unittest"
LOOK = "cat shop/rates.py"


def environment_of(apis: ModelApis) -> dict[str, str]:
    return {
        "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
        "OPENAI_API_KEY": "scripted-openai",
        "GEMINI_API_KEY": "scripted-gemini",
        "OPENAI_BASE_URL": f"{apis.url}/v1",
        "GOOGLE_GEMINI_BASE_URL": apis.url,
    }


def works(cli: OtherCli, round_: int) -> tuple[ModelStep, ...]:
    """It writes what nobody wrote before, and tests it."""
    return cli.runs(f"printf '%s' 'RATE_{round_} = 1' > shop/rates.py"), cli.runs(TESTS)


def reviews(cli: OtherCli, verdict: str) -> tuple[ModelStep, ...]:
    return cli.runs(TESTS), cli.runs(LOOK), ModelStep(text=verdict)


@pytest.mark.parametrize(
    ("worker", "reviewer"), [(CODEX, OPENCODE), (OPENCODE, GEMINI), (GEMINI, CODEX)], ids=lambda cli: cli.name
)
async def test_one_cli_works_and_another_reviews_through_rejection_rework_and_approval(
    tmp_path: Path, worker: OtherCli, reviewer: OtherCli
) -> None:
    program_of(worker.program)
    program_of(reviewer.program)
    steps = (
        *works(worker, 1),
        ModelStep(text="훌륭합니다! 완벽해요!"),
        ModelStep(text=WORK),
        *reviews(reviewer, REJECTION.format("the rate is wrong")),
        *works(worker, 2),
        ModelStep(text=WORK),
        *reviews(reviewer, APPROVAL),
    )
    async with (
        model_apis(tmp_path, *steps) as apis,
        running_team(
            tmp_path,
            environment=environment_of(apis),
            personas={
                "developer": f"workspace: team\nbackend: {worker.name}\nmodel: {worker.model}",
                "reviewer": f"workspace: team\ntier: reader\nbackend: {reviewer.name}\nmodel: {reviewer.model}",
            },
            **SETTINGS,
        ) as team,
    ):
        exchange = await team.settled(await team.say("Add the rates"), seconds=90)
        review = await review_of(team, exchange.turns[0].turn.id)
        asked = await apis.asked()
    assert kinds(exchange.turns) == KINDS
    assert [stored.state for stored in exchange.turns] == [TurnState.ANSWERED] * 4
    assert attempts(exchange.turns[0]) == ["sent_back", "cleared"]
    assert review.status is ReviewStatus.APPROVED
    assert any("the rate is wrong" in request and "You are developer" in request for request in asked)
    assert not any("You are developer" in request and "You are reviewer" in request for request in asked)


async def test_a_panel_of_several_clis_decides_and_one_that_is_not_there_abstains(tmp_path: Path) -> None:
    program_of(OPENCODE.program)

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "developer":
            return developer(request)
        return ModelReply(text=APPROVAL) if request.tool_results else runs(TESTS, LOOK)

    (tmp_path / "personas").mkdir()
    for name, backend in (("critic", f"opencode\nmodel: {OPENCODE.model}"), ("auditor", "gemini")):
        matter = f"name: {name}\ndisplay_name: {name.title()}\ntier: reader\ntools: [Bash, Read]\nworkspace: team"
        text = f"---\n{matter}\nbackend: {backend}\n---\nYou are {name}, who doubts.\n"
        (tmp_path / "personas" / f"{name}.md").write_text(text, encoding="utf-8")
    panel = ["reviewer", "critic", "auditor"]
    async with (
        model_apis(tmp_path, *reviews(OPENCODE, APPROVAL)) as apis,
        running_team(
            tmp_path,
            script=script,
            environment=environment_of(apis),
            personas={"reviewer": "tier: reader\nworkspace: team"},
            router={"default_persona": "developer"},
            reviews={
                "require_review_for": [{"personas": ["developer"]}],
                "consensus": {"reviewers": panel, "quorum": 2},
            },
            gemini={"cli_path": "/nonexistent/gemini"},
        ) as team,
    ):
        exchange = await team.settled(await team.say("Add the rates"), seconds=90)
        review = await review_of(team, exchange.turns[0].turn.id)
        (line,) = [notice.text for notice in team.notices() if notice.notice is NoticeKind.CONSENSUS]
    asked = {turn.turn.persona: turn.state for turn in exchange.turns if turn.turn.kind is TurnKind.REVIEW}
    answered = dict.fromkeys(panel[:2], TurnState.ANSWERED)
    assert asked == {**answered, "auditor": TurnState.FAILED}
    assert review.status is ReviewStatus.APPROVED
    assert "auditor" in line


async def test_claude_delegates_to_codex_and_reports_what_came_of_it(tmp_path: Path) -> None:
    program_of(CODEX.program)
    report = "The developer wrote `made.txt`."
    told: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        told.append(request.last_user_text)
        if len(told) == 1:
            return ModelReply(text="I hand it on.\n\nDELEGATE::developer::Write made.txt with one line.")
        return ModelReply(text=report)

    async with (
        model_apis(tmp_path, CODEX.edit, ModelStep(text="I wrote `made.txt`, one line.")) as apis,
        running_team(
            tmp_path,
            script=script,
            environment=environment_of(apis),
            personas={"developer": f"workspace: team\nbackend: codex\nmodel: {CODEX.model}"},
            router={"default_persona": "lead"},
        ) as team,
    ):
        exchange = await team.settled(await team.say("Have made.txt written."), seconds=90)
        replies = team.replies()
    assert [(stored.turn.persona, stored.turn.kind) for stored in exchange.turns] == [
        ("lead", TurnKind.REQUEST),
        ("developer", TurnKind.DELEGATION),
        ("lead", TurnKind.RESULTS),
    ]
    assert [stored.state for stored in exchange.turns] == [TurnState.ANSWERED] * 3
    assert replies[-1].text == report
    assert "I wrote `made.txt`, one line." in told[-1]


async def test_work_goes_down_through_every_cli_and_what_came_of_it_comes_back_up(tmp_path: Path) -> None:
    clis = (GEMINI, OPENCODE, CODEX)
    for cli in clis:
        program_of(cli.program)
    names = ("first", "second", "third")
    wrote = "I wrote `made.txt`, one line."
    steps = (
        *(ModelStep(text=f"I hand it on.\n\nDELEGATE::{name}::Write made.txt.") for name in (*names[1:], "developer")),
        *(ModelStep(text=f"The {name} says: {wrote}") for name in ("developer", "third", "second")),
    )
    told: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "developer":
            writes = ToolUse(name="Bash", arguments={"command": "echo x > made.txt", "description": "writes"})
            return ModelReply(text=wrote) if request.tool_results else ModelReply(tool_calls=(writes,))
        told.append(request.last_user_text)
        if len(told) == 1:
            return ModelReply(text="I hand it on.\n\nDELEGATE::first::Write made.txt.")
        return ModelReply(text=f"The first says: {wrote}")

    chain = ("chief", *names, "developer")
    backends = ("backend: claude", *(f"backend: {cli.name}\nmodel: {cli.model}" for cli in clis))
    (tmp_path / "personas").mkdir()
    for name, backend, below in zip(chain, backends, chain[1:], strict=False):
        matter = f"name: {name}\ndisplay_name: {name.title()}\ntools: [Read]\nworkspace: team\ndelegates_to: [{below}]"
        text = f"---\n{matter}\n{backend}\n---\nYou are {name}.\n"
        (tmp_path / "personas" / f"{name}.md").write_text(text, encoding="utf-8")
    async with (
        model_apis(tmp_path, *steps) as apis,
        running_team(
            tmp_path,
            script=script,
            environment=environment_of(apis),
            router={"default_persona": "chief"},
        ) as team,
    ):
        exchange = await team.settled(await team.say("Have made.txt written."), seconds=120)
        reply = team.replies()[-1].text
    assert [stored.turn.persona for stored in exchange.turns] == [*chain, *chain[-2::-1]]
    assert [stored.turn.kind for stored in exchange.turns] == [
        TurnKind.REQUEST,
        *[TurnKind.DELEGATION] * 4,
        *[TurnKind.RESULTS] * 4,
    ]
    assert {stored.state for stored in exchange.turns} == {TurnState.ANSWERED}
    assert reply == f"The first says: {wrote}"
    assert "The second says" in told[-1]
