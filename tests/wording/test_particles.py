"""Korean particles follow the word before them, and the sentences that use them leave none open."""

import pytest

from mama_bot.enforcement.claims.explanations import THINGS, missing, of_check
from mama_bot.enforcement.host_checks import CheckEnding, Result
from mama_bot.enforcement.host_checks.sentences import feedback_of_checks, reason, why
from mama_bot.model import CheckFact, ClaimReason, RunEnd, RunKind, Witness
from mama_bot.wording import Language, quotable, with_particle
from tests.enforcement.claims.records import NOON, claim
from tests.enforcement.host_checks.shop import check


@pytest.mark.parametrize(
    ("word", "pair", "said"),
    [
        ("커밋", "이/가", "커밋이"),
        ("푸시", "이/가", "푸시가"),
        ("배포(publish)", "이/가", "배포(publish)가"),
        ("커밋 (main)", "이/가", "커밋 (main)이"),
        ('"테스트"', "이/가", '"테스트"가'),
        ("`검증`", "을/를", "`검증`을"),
        ("src/a.py", "을/를", "src/a.py를"),
        ("form", "을/를", "form을"),
        ("9", "으로/로", "9로"),
        ("11", "으로/로", "11로"),
        ("6", "으로/로", "6으로"),
        ("서울", "으로/로", "서울로"),
        ("파일", "은/는", "파일은"),
        ("(x)", "이/가", "(x)가"),
        ("", "이/가", "가"),
    ],
)
def test_the_particle_follows_the_last_letter(word: str, pair: str, said: str) -> None:
    assert with_particle(word, pair) == said


def a_check(end: RunEnd) -> CheckFact:
    return CheckFact(kind=RunKind.TESTS, tool="pytest", command="pytest -q", end=end, witness=Witness(at=NOON))


def test_no_sentence_leaves_a_particle_open() -> None:
    said = [missing(claim(kind), Language.KOREAN) for kind in THINGS]
    said += [of_check(a_check(end), reason, Language.KOREAN) for end in RunEnd for reason in ClaimReason]
    for ended in CheckEnding:
        result = Result(check=check("./검사", name="빌드"), ended=ended, exit_status=-9, tree="abc")
        said += [
            why(result, Language.KOREAN),
            reason([result], Language.KOREAN),
            feedback_of_checks([result], Language.KOREAN),
        ]
    assert not [one for one in said if any(form in one for form in ("이(가)", "을(를)", "은(는)", "(으)로"))]
    assert "기록에 커밋이 없습니다" in said
    assert "기록에 푸시가 없습니다" in said


def test_back_ticks_of_a_command_are_apostrophes() -> None:
    assert quotable("echo `date` @all", 60) == "echo 'date' ?all"
