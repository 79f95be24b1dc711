"""That CI is green or red is compared with what the forge told the service, where it told anything."""

from datetime import UTC, datetime

import pytest

from mama_bot.enforcement.claims.comparison import Comparison, compared
from mama_bot.enforcement.claims.prose_claims import admissions_in, claims_in
from mama_bot.facts.line import record_line
from mama_bot.model import (
    CheckedClaim,
    CheckState,
    ClaimKind,
    ClaimState,
    CommitChecks,
    Facts,
    ForgeCheck,
    Grade,
    LookFact,
    LookKind,
    Witness,
    WorkTreeState,
)
from mama_bot.text.sentences import reading_of
from mama_bot.wording import Language

COMMIT = "1a2b3c4" + "0" * 33
GREEN, RED, RUNS = CheckState.PASSED, CheckState.FAILED, CheckState.PENDING


def ci(*states: CheckState) -> CommitChecks:
    checks = tuple(ForgeCheck(name=f"check {number}", state=state) for number, state in enumerate(states))
    return CommitChecks(commit=COMMIT, checks=checks)


def of_ci(text: str, facts: Facts) -> list[CheckedClaim]:
    reading = reading_of(text)
    comparison = Comparison(facts, admissions=admissions_in(reading), language=Language.ENGLISH)
    return [each for each in compared(claims_in(reading), comparison) if each.claim.kind is ClaimKind.CI]


@pytest.mark.parametrize(
    ("text", "checks", "state", "says"),
    [
        ("CI is green.", ci(GREEN, GREEN, GREEN), ClaimState.CONFIRMED, "CI: 3 checks passed on 1a2b3c4"),
        ("CI가 모두 통과했습니다.", ci(GREEN), ClaimState.CONFIRMED, "CI: 1 check passed on 1a2b3c4"),
        ("GitHub Actions passed.", ci(RED, GREEN), ClaimState.CONTRADICTED, "CI: check 0 failed on 1a2b3c4"),
        ("CI가 통과했습니다.", ci(RED, RUNS), ClaimState.CONTRADICTED, "CI: check 0 failed on 1a2b3c4"),
        ("CI failed.", ci(RED), ClaimState.CONFIRMED, "CI: check 0 failed on 1a2b3c4"),
        ("CI is green.", ci(RUNS, GREEN), ClaimState.UNSUPPORTED, "no answer of CI for this commit"),
    ],
)
def test_the_forge_decides(text: str, checks: CommitChecks, state: ClaimState, says: str) -> None:
    (checked,) = of_ci(text, Facts(ci=checks))
    assert checked.state is state
    assert says in checked.says
    assert (checked.grade is Grade.SERVICE) is (state is not ClaimState.UNSUPPORTED)


@pytest.mark.parametrize(
    "text",
    [
        "CI will be green after the merge.",
        "Wait until CI is green.",
        "CI가 통과하면 병합하세요.",
        "CI is not green.",
        "Is CI green?",
    ],
)
def test_what_is_supposed_is_no_claim(text: str) -> None:
    assert of_ci(text, Facts(ci=ci(RED))) == []


def test_without_a_pull_request_nothing_is_said_of_ci() -> None:
    assert of_ci("CI is green.", Facts()) == []


def test_green_is_of_the_commit_that_it_was_told_of() -> None:
    tree = WorkTreeState(root="/w", commit="f" * 40, tree="")
    (checked,) = of_ci("CI is green.", Facts(ci=ci(GREEN), tree=tree))
    assert checked.state is ClaimState.UNSUPPORTED


def test_who_looked_since_may_know_better() -> None:
    look = LookFact(kind=LookKind.REMOTE, subject="7", state="success", witness=Witness(at=datetime.now(UTC)))
    (checked,) = of_ci("CI is green.", Facts(ci=ci(RED), looks=(look,)))
    assert checked.state is ClaimState.UNSUPPORTED


@pytest.mark.parametrize(
    ("checks", "words"),
    [(ci(GREEN, GREEN), "CI: 2 checks passed on 1a2b3c4"), (ci(RED), "CI: check 0 failed"), (ci(), "")],
)
def test_the_line_of_facts_tells_of_ci(checks: CommitChecks, words: str) -> None:
    line = record_line(Facts(ci=checks, calls=1), Language.ENGLISH)
    assert words in line
    assert ("CI" in line) is bool(words)
