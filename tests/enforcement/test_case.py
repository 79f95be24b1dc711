"""What several stages read in a draft is read once for each case, and by nobody who did not ask."""

from dataclasses import replace

import pytest

from mama_bot.enforcement.case import Case
from mama_bot.model import ClaimState, RunKind
from mama_bot.wording import Language
from tests.enforcement.claims.records import Recorded
from tests.enforcement.examples import draft, turn
from tests.people import persona, team

TEAM = team(persona("developer", delegates_to=("qa",)), persona("qa"))
PASSED = Recorded().ran("pytest", RunKind.TESTS)
READINGS = ("reading", "approvals", "grounds", "claims", "own_claims", "delegations", "own_words")


@pytest.mark.parametrize("reading", READINGS)
def test_a_reading_is_the_same_value_however_often_it_is_asked_for(reading: str) -> None:
    case = Case(draft("Approved: all tests pass.\nDELEGATE::qa::check", record=PASSED.record), turn(), team=TEAM)
    assert getattr(case, reading) is getattr(case, reading)


def test_two_cases_share_no_claims_even_of_equal_drafts() -> None:
    of_one, of_other = (Case(draft("All tests pass.", record=PASSED.record), turn()) for _ in range(2))
    assert of_one.claims == of_other.claims
    assert of_one.claims is not of_other.claims


def test_what_others_ran_bears_out_what_is_told_and_no_approval() -> None:
    told = replace(turn(), told=tuple(replace(run, agent="qa") for run in PASSED.record.runs))
    case = Case(draft("Approved: all tests pass."), told)
    assert [checked.state for checked in case.claims] == [ClaimState.CONFIRMED]
    assert [checked.state for checked in case.own_claims] != [ClaimState.CONFIRMED]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The rounding is fixed.", Language.ENGLISH),
        ("반올림을 고쳤습니다.", Language.KOREAN),
        ("반올림을 고쳤습니다.\n\n```python\n" + "total = round(price * rate, 2)\n" * 40 + "```", Language.KOREAN),
        ("The rounding is fixed.\n\n```python\n" + "# 반올림을 여기에서 한다\n" * 40 + "```", Language.ENGLISH),
    ],
)
def test_the_language_is_that_of_the_prose_whatever_code_stands_beside_it(text: str, language: Language) -> None:
    assert Case(draft(text), turn()).language is language


def test_without_a_team_the_sign_of_a_directive_hands_on_and_nothing_is_requested() -> None:
    case = Case(draft("DELEGATE::nobody::x"), turn())
    assert (case.hands_on, case.delegations.requested, case.delegations.problems) == (True, (), ())
    assert not Case(draft("DELEGATE::nobody::x"), turn(), team=TEAM).hands_on


def test_its_own_words_are_the_draft_without_what_it_hands_on() -> None:
    case = Case(draft("DELEGATE::qa::approve it\nEXPECTED OUTCOME: all tests pass\n\nOn it."), turn(), team=TEAM)
    assert case.own_words.draft.text.strip() == "On it."
    assert case.own_words.turn is case.turn
    plain = Case(draft("On it."), turn())
    assert plain.own_words is plain
