"""Several reviewers of one work, with the real CLI: at once, blind to each other; a quorum decides, else a person."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript
from mama_bot.model import Command, CommandName, NoticeKind, Origin, ReviewStatus, TurnKind, TurnState
from tests.end_to_end.reviewing import APPROVAL, READER, REJECTION, developer, kinds, review_of, runs
from tests.end_to_end.team import key, running_team
from tests.end_to_end.test_steering import KIM
from tests.waiting import until

pytestmark = pytest.mark.cli

PANEL = ("reviewer", "critic", "auditor")
FAILS = ModelReply(status=400, error_message="no")
SETTINGS: dict[str, Any] = {
    "router": {"default_persona": "developer"},
    "reviews": {
        "require_review_for": [{"personas": ["developer"]}],
        "consensus": {"reviewers": list(PANEL), "quorum": 2},
    },
}


def write_panel(directory: Path) -> None:
    """Two more reviewers beside the usual one."""
    (directory / "personas").mkdir(parents=True)
    for name in PANEL[1:]:
        matter = f"name: {name}\ndisplay_name: {name.title()}\ntier: reader\ntools: [Bash, Read]\nworkspace: team"
        (directory / "personas" / f"{name}.md").write_text(f"---\n{matter}\n---\nYou are {name}, who doubts.\n")


def said_by(verdicts: Callable[[str, int], ModelReply | None], asked: dict[str, list[str]]) -> ModelScript:
    """A developer, and reviewers who look at the work and speak by name and round; None: not yet."""

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "developer":
            return developer(request)
        prompts = asked.setdefault(request.persona, [])
        count = len(request.user_texts)
        if len(prompts) < count:
            prompts.append("\n".join((*request.user_texts, *request.assistant_texts)))
            return runs("python3 -m unittest", "cat shop/rates.py")
        return verdicts(request.persona, count) or runs("sleep 0.1")

    return script


async def test_a_quorum_of_blind_reviewers_sends_work_back_and_approves_it_and_a_person_asks_them_too(
    tmp_path: Path,
) -> None:
    asked: dict[str, list[str]] = {}

    def verdicts(name: str, count: int) -> ModelReply | None:
        if any(len(asked.get(other, ())) < count for other in PANEL):
            return None  # all are asked before anybody speaks
        own = f"seen by {name} alone"
        approval = ModelReply(text=f"{APPROVAL}\n\n{own}.")
        rejection = ModelReply(text=f"{REJECTION.format('the rate is wrong')}\n- `shop/rates.py:1`: {own}")
        rounds = {
            1: {"reviewer": approval, "critic": rejection, "auditor": rejection},
            2: {"reviewer": FAILS, "critic": approval, "auditor": approval},
            3: {"reviewer": approval, "critic": rejection, "auditor": FAILS},
        }
        return rounds[count][name]

    write_panel(tmp_path)
    async with running_team(tmp_path, script=said_by(verdicts, asked), personas=READER, **SETTINGS) as team:
        exchange = await team.settled(await team.say("Add the rates"))
        work = exchange.turns[0].turn
        review = await review_of(team, work.id)
        lines = [notice.text for notice in team.notices() if notice.notice is NoticeKind.CONSENSUS]
        await team.gateway.command(Command(name=CommandName.REVIEW, key=key(), author=KIM, origin=Origin()))
        await until(lambda: len([notice for notice in team.notices() if notice.notice is NoticeKind.CONSENSUS]) == 3)
        divided = [notice for notice in team.notices() if notice.notice is NoticeKind.CONSENSUS][-1]
        after = await review_of(team, work.id)
    three = [TurnKind.REVIEW] * 3
    assert kinds(exchange.turns) == [TurnKind.REQUEST, *three, TurnKind.REWORK, *three]
    assert [stored.state for stored in exchange.turns].count(TurnState.FAILED) == 1
    rework = exchange.turns[4].turn.prompt
    assert rework.count("the rate is wrong") == 1, "found by two, named once"
    assert "seen by critic alone" in rework
    assert "seen by auditor alone" in rework
    for name in PANEL:
        others = [f"seen by {other} alone" for other in PANEL if other != name]
        assert not any(words in asked[name][0] for words in others)
    rejected, approved = lines
    assert rejected.startswith("The reviewers reject the work of developer (2 of 3; 2 decide):\n- reviewer approves\n")
    assert "- reviewer abstains: it gave no answer\n- critic approves\n- auditor approves" in approved
    assert (review.status, review.attempts, review.reviewer_agent) == (ReviewStatus.APPROVED, 2, "critic, auditor")
    assert divided.text.startswith("A person is needed: the reviewers of developer's work do not agree (2 of 3 decide)")
    assert "- critic rejects: `shop/rates.py:1`: the rate is wrong; " in divided.text
    assert (divided.approval, after) == ("", review), "what a person asks for settles nothing"


async def test_after_a_restart_who_has_not_spoken_goes_on_and_without_a_quorum_a_person_is_asked(
    tmp_path: Path,
) -> None:
    asked: dict[str, list[str]] = {}
    spoken = {"reviewer": ModelReply(text=APPROVAL), "critic": ModelReply(text=REJECTION.format("wrong"))}
    write_panel(tmp_path)
    script = said_by(lambda name, _: spoken.get(name), asked)
    async with running_team(tmp_path, script=script, personas=READER, **SETTINGS) as team:
        message = await team.say("환율을 추가해 주세요")
        await until(lambda: {reply.persona for reply in team.replies()} >= {"reviewer", "critic"})
        assert team.notices() == []
    late = said_by(lambda name, _: FAILS, asked)
    async with running_team(tmp_path, script=late, personas=READER, **SETTINGS) as team:
        exchange = await team.settled(message)
        review = await review_of(team, exchange.turns[0].turn.id)
        line = next(notice for notice in team.notices() if notice.notice is NoticeKind.NEEDS_PERSON)
    assert {name: len(prompts) for name, prompts in asked.items() if name != "auditor"} == {"reviewer": 1, "critic": 1}
    assert "사람이 결정해야 합니다: developer의 작업에 대한 리뷰어들의 의견이 갈립니다" in line.text
    assert "- auditor: 기권. 답변하지 않았습니다" in line.text
    assert (review.status, line.approval != "") == (ReviewStatus.PENDING, True)
