"""What is handed on is judged as words between agents, in whatever form, and work says what is to come of it."""

from dataclasses import replace

import pytest

from mama_bot.config import EnforcementSettings
from mama_bot.enforcement import handed_on_judge
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.delegations.stage import MOST_JUDGED, DelegationCheck
from mama_bot.model import Allow, Block, Delegation, DelegationForm, Draft, TurnId
from mama_bot.wording import Language
from tests.people import persona, team, turn

WRITES = ("Read", "Write")
TEAM = team(
    persona("lead", delegates_to=("developer", "reader")),
    replace(persona("developer", delegates_to=("lead", "helper")), tools=WRITES),
    replace(persona("helper", delegates_to=("lead", "developer")), tools=WRITES),
    replace(persona("reader"), tools=("Read",)),
)
OUTCOME = "- `src/auth.py` checks the token"
PRAISE = {
    Language.ENGLISH: "Your work is truly outstanding and brilliant. You are an excellent developer. ",
    Language.KOREAN: "정말 훌륭하고 완벽한 개발자입니다. 언제나 최고의 결과를 보여 주셔서 인상적입니다. ",
}
LANGUAGES = [*PRAISE]
TASK = {Language.ENGLISH: "Check the token.", Language.KOREAN: "토큰 검사를 추가하세요."}
JUDGE = handed_on_judge(EnforcementSettings(), TEAM)


def asked(task: str, *, form: DelegationForm = DelegationForm.TOOL, recipient: str = "developer") -> Delegation:
    return Delegation(sender="lead", recipient=recipient, task=task, form=form)


async def objection(delegation: Delegation, language: Language = Language.ENGLISH) -> str:
    assert JUDGE is not None
    objected = await JUDGE.objection(delegation, turn("lead"), language)
    return "" if objected is None else objected.rule


async def decision(
    text: str, *, sender: str = "lead", attempt: int = 0, asked_for: tuple[str, ...] = ()
) -> Allow | Block:
    draft = Draft(turn_id=TurnId("m1.0"), attempt=attempt, text=text)
    judged = await DelegationCheck(JUDGE).judge(Case(draft, replace(turn(sender), asked_for=asked_for), team=TEAM))
    assert isinstance(judged, Allow | Block)
    return judged


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", ["task", "context", "must_do", "required_tools"])
async def test_praise_is_not_handed_on_in_whatever_part_it_stands(part: str, language: Language) -> None:
    delegation = replace(asked(TASK[language]), expected_outcome=OUTCOME)
    words = PRAISE[language] + TASK[language]
    parts = {
        "task": replace(delegation, task=words),
        "context": replace(delegation, context=words),
        "must_do": replace(delegation, must_do=words),
        "required_tools": replace(delegation, required_tools=words),
    }
    assert await objection(delegation, language) == ""
    assert await objection(parts[part], language) == "praise_share"


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_same_praise_would_pass_to_a_person_and_goes_back_from_a_line_of_a_reply(language: Language) -> None:
    report = "\n".join(f"- `src/file{number}.py`: line {number} reads the header twice." for number in range(40))
    text = f"{report}\n\nDELEGATE::developer::{PRAISE[language]}{TASK[language]}\nEXPECTED OUTCOME:\n{OUTCOME}"
    judged = await decision(text)
    assert isinstance(judged, Block)
    assert judged.rule == "praise_share"
    assert "developer" in judged.feedback


@pytest.mark.parametrize("task", [*TASK.values()])
async def test_work_says_what_is_to_come_of_it(task: str) -> None:
    assert await objection(asked(task)) == "no_outcome"
    assert await objection(replace(asked(task), expected_outcome=OUTCOME)) == ""
    once = await decision(f"DELEGATE::developer::{task}")
    assert isinstance(once, Block)
    assert "EXPECTED OUTCOME" in once.feedback
    assert isinstance(await decision(f"DELEGATE::developer::{task}", attempt=1), Allow)


@pytest.mark.parametrize(
    "delegation",
    [
        asked("Which version of the parser do we use?"),
        asked("어느 버전을 쓰고 있나요?"),
        asked("Read the code of the login", recipient="reader"),
        asked("Add the check to `src/auth.py`"),
        replace(asked("Run the tests"), must_not_do="change a file"),
        asked("Go on"),
        asked("please add the check", form=DelegationForm.MENTION),
    ],
)
async def test_who_asks_for_no_work_or_says_what_is_meant_is_not_asked(delegation: Delegation) -> None:
    assert await objection(delegation) == ""


async def test_the_parts_have_korean_titles_too() -> None:
    parts = ("기대 결과:", OUTCOME, "하지 말아야 할 일: `README.md` 수정", "배경: 이슈 12")
    text = "\n".join((f"DELEGATE::developer::{TASK[Language.KOREAN]}", *parts))
    case = Case(Draft(turn_id=TurnId("t"), attempt=0, text=text), turn("lead"), team=TEAM)
    (delegation,) = case.delegations.requested
    assert delegation.expected_outcome == OUTCOME
    assert delegation.must_not_do == "`README.md` 수정"
    assert delegation.context == "이슈 12"


async def test_nobody_delegates_to_whoever_waits_for_the_same_work() -> None:
    text = f"DELEGATE::lead::{TASK[Language.ENGLISH]}\nEXPECTED OUTCOME:\n{OUTCOME}"
    judged = await decision(text, sender="helper", asked_for=("lead", "developer"))
    assert isinstance(judged, Block)
    assert "lead waits for the outcome" in judged.feedback
    assert isinstance(await decision(text, sender="helper"), Allow)


def test_a_delegation_is_the_same_request_only_where_recipient_and_every_part_are_the_same() -> None:
    delegation = replace(asked("Count"), expected_outcome=OUTCOME, context="the rates")
    others = [
        replace(delegation, recipient="helper"),
        replace(delegation, context="the taxes"),
        replace(delegation, must_do="count twice"),
        replace(delegation, required_tools="wc"),
    ]
    assert replace(delegation, form=DelegationForm.MENTION).request_key == delegation.request_key
    assert all(other.request_key != delegation.request_key for other in others)
    assert all(other.task_key == delegation.task_key for other in others)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_praise_behind_however_many_delegations_is_not_handed_on(language: Language) -> None:
    asked_first = [f"DELEGATE::reader::{TASK[language]} {number}" for number in range(60)]
    judged = await decision(
        "\n".join((*asked_first, f"DELEGATE::reader::{PRAISE[language]}{TASK[language]}")), attempt=9
    )
    assert isinstance(judged, Block)
    assert judged.rule == "praise_share"
    assert len(judged.evidence.not_handed_on) == 1


@pytest.mark.parametrize("language", LANGUAGES)
async def test_of_more_than_are_judged_the_others_are_not_handed_on_and_that_is_said(language: Language) -> None:
    lines = [f"DELEGATE::reader::{TASK[language]} {number}" for number in range(MOST_JUDGED + 3)]
    judged = await decision("\n".join(lines), attempt=9)
    assert isinstance(judged, Block)
    assert (judged.rule, len(judged.evidence.not_handed_on)) == ("too_many", 3)
    assert f"{MOST_JUDGED}" in judged.banner
    assert "3" in judged.banner
