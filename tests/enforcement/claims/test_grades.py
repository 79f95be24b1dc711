"""Who ran what a claim rests on: the service's own run stands above the agent's, and that above a runner of its own."""

from dataclasses import replace

import pytest

from mama_bot.config import EvidenceStrength, ReviewGateSettings
from mama_bot.enforcement.approval.stage import ReviewGate
from mama_bot.enforcement.case import Case
from mama_bot.facts.badge_words import badge_in_words
from mama_bot.facts.receipt_words import run_by
from mama_bot.model import (
    Allow,
    BadgeKind,
    Block,
    CheckedClaim,
    ClaimReceipt,
    ClaimState,
    Counts,
    FileFate,
    FileTouch,
    Grade,
    HostCheck,
    RunKind,
    badge_of,
)
from mama_bot.wording import Language
from tests.enforcement.claims.records import Recorded
from tests.enforcement.examples import NOON, draft, turn

PASSED = Counts(passed=12)


def service(*, ok: bool = True, counts: Counts = PASSED, kind: RunKind | None = RunKind.TESTS) -> HostCheck:
    return HostCheck(name="tests", argv=("pytest", "-q"), ok=ok, reason="exit status", kind=kind, counts=counts)


def case_of(text: str, record: Recorded, *checks: HostCheck) -> Case:
    return Case(draft(text, record=record.record), turn()).checked_so(checks)


def graded(text: str, record: Recorded, *checks: HostCheck) -> CheckedClaim:
    (claim,) = case_of(text, record, *checks).claims
    return claim


def ran(counts: Counts = PASSED) -> Recorded:
    return Recorded().ran("pytest -q", counts=counts)


def ran_by_its_own() -> Recorded:
    touch = FileTouch(path="test.sh", fate=FileFate.CREATED)
    return Recorded().call("Write", {"file_path": "test.sh"}, touched=(touch,)).ran("./test.sh", counts=PASSED)


def test_a_run_by_the_agent_is_told_as_that() -> None:
    claim = graded("All 12 tests pass.", ran())
    assert (claim.state, claim.grade) == (ClaimState.CONFIRMED, Grade.AGENT)
    assert run_by(claim, Language.ENGLISH) == "run by the agent"
    assert run_by(claim, Language.KOREAN) == "에이전트가 실행"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("All 12 tests pass.", "(./test.sh): 12 passed, by its own test.sh"),
        ("테스트 12개가 모두 통과합니다.", "(./test.sh): 통과 12개, 직접 바꾼 test.sh 사용"),
    ],
)
def test_a_run_by_a_runner_of_its_own_is_its_own_word(text: str, says: str) -> None:
    claim = graded(text, ran_by_its_own())
    assert (claim.state, claim.grade) == (ClaimState.CONFIRMED, Grade.OWN_RUNNER)
    assert claim.says.endswith(says)


@pytest.mark.parametrize("text", ["All 12 tests pass.", "All tests pass.", "테스트가 모두 통과합니다."])
def test_what_the_service_ran_stands_before_the_record(text: str) -> None:
    for record in (ran(), ran_by_its_own(), Recorded()):
        claim = graded(text, record, service())
        assert (claim.state, claim.grade) == (ClaimState.CONFIRMED, Grade.SERVICE)
        assert "12" in claim.says
        failed = graded(text, record, service(ok=False, counts=Counts(failed=1, passed=11)))
        assert (failed.state, failed.grade) == (ClaimState.CONTRADICTED, Grade.SERVICE)


def test_a_check_of_another_kind_or_with_other_figures_says_nothing_of_a_claim() -> None:
    assert graded("All 12 tests pass.", ran(), service(kind=RunKind.LINT)).grade is Grade.AGENT
    assert graded("All 12 tests pass.", ran(), service(kind=None)).grade is Grade.AGENT
    assert graded("All 12 tests pass.", ran(), service(counts=Counts(passed=11))).grade is Grade.AGENT


def test_an_honest_report_of_a_failure_is_the_agents_own() -> None:
    claim = graded("1 test fails.", Recorded().ran("pytest", counts=Counts(failed=1)), service())
    assert claim.grade is not Grade.SERVICE


async def judged(record: Recorded, *checks: HostCheck) -> Allow | Block:
    gate = ReviewGate(settings=ReviewGateSettings(least_evidence=EvidenceStrength.CONFIRMED))
    decision = await gate.judge(case_of("Approved: pytest, 12 passed.", record, *checks))
    assert isinstance(decision, Allow | Block)
    return decision


async def test_an_approval_is_borne_out_by_the_agent_where_the_service_ran_nothing() -> None:
    assert isinstance(await judged(ran()), Allow)


async def test_an_approval_rests_on_no_runner_that_its_own_exchange_wrote() -> None:
    assert isinstance(await judged(ran_by_its_own()), Block)


async def test_where_the_service_ran_checks_they_are_what_bears_an_approval_out() -> None:
    assert isinstance(await judged(ran_by_its_own(), service()), Allow)
    assert isinstance(await judged(ran(), service(ok=False, counts=Counts(failed=1))), Block)


def receipt(*grades: Grade) -> ClaimReceipt:
    claim = graded("All 12 tests pass.", ran())
    own = turn()
    return ClaimReceipt(
        turn_id=own.id,
        key=own.key,
        persona="developer",
        text_sha256="",
        at=NOON,
        claims=tuple(replace(claim, grade=grade) for grade in grades),
    )


def test_a_badge_says_that_only_a_runner_of_its_own_bears_a_reply_out() -> None:
    badge, better = badge_of(receipt(Grade.AGENT, Grade.OWN_RUNNER)), badge_of(receipt(Grade.AGENT, Grade.SERVICE))
    assert badge is not None
    assert better is not None
    assert (badge.kind, better.kind) == (BadgeKind.OWN_WORD, BadgeKind.SHOWN)
    assert badge_in_words(badge, Language.ENGLISH) == "shown by a runner of its own"
    assert badge_in_words(badge, Language.KOREAN) == "직접 바꾼 실행 방식으로만 확인됨"


def test_a_badge_says_that_a_run_which_is_not_known_to_be_what_it_says_bears_a_reply_out() -> None:
    badge, weaker = badge_of(receipt(Grade.AGENT, Grade.UNPROVEN)), badge_of(receipt(*Grade))
    assert badge is not None
    assert weaker is not None
    assert (badge.kind, weaker.kind) == (BadgeKind.OWN_RUN, BadgeKind.OWN_WORD)
    assert badge_of(replace(receipt(), own_run=True)) == badge  # an approval that names no check
    assert badge_in_words(badge, Language.ENGLISH) == "by the agent's own run"
    assert badge_in_words(badge, Language.KOREAN) == "에이전트 자신의 실행에 따름"


def test_a_badge_tells_of_failures_and_of_checks_that_fail() -> None:
    shown = receipt(Grade.AGENT)
    told = replace(shown.claims[0], claim=replace(shown.claims[0].claim, fails=True))
    failed = HostCheck(name="tests", argv=("make", "test"), ok=False, reason="exit 1")
    for changed, kind, words in (
        (replace(shown, claims=(told,)), BadgeKind.FAILURES, "shown by the record, with failures"),
        (replace(shown, checks=(failed,)), BadgeKind.CHECK_FAILED, "a check of the service fails"),
        (replace(shown, checks=(replace(failed, ok=True),)), BadgeKind.SHOWN, "shown by the record"),
    ):
        badge = badge_of(changed)
        assert badge is not None
        assert badge.kind is kind
        assert badge_in_words(badge, Language.ENGLISH) == words
