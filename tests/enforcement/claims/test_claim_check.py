"""ClaimCheck: what becomes of claims that the record contradicts or does not show."""

from dataclasses import replace

import pytest

from mama_bot.config import ClaimCheckSettings, ClaimPolicies, ClaimPolicy, EnforcementSettings
from mama_bot.enforcement import build_chain
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.claims.stage import ClaimCheck
from mama_bot.model import (
    Allow,
    Amend,
    Audience,
    Block,
    Cleared,
    Counts,
    Decision,
    Draft,
    RunEnd,
    SentBack,
    ToolRecord,
    Turn,
    TurnKind,
    Verdict,
)
from tests.enforcement.claims.records import Recorded
from tests.enforcement.examples import Changed, SteppingClock, delegation, draft, turn

WORK = turn(delegated=delegation("- the tests pass"))
REVIEW = replace(WORK, kind=TurnKind.REVIEW)
RESULTS = replace(turn(Audience.PERSON), kind=TurnKind.RESULTS)
FAILED = Recorded().ran("pytest", end=RunEnd.FAILED, counts=Counts(failed=3, passed=625))
PASSED = Recorded().ran("pytest", counts=Counts(passed=628))
NOTHING = Recorded().shell("ls")


def said(text: str, recorded: Recorded, *, attempt: int = 0) -> Draft:
    return draft(text, attempt=attempt, record=recorded.record)


async def judged(
    text: str, recorded: Recorded = NOTHING, asked: Turn = WORK, settings: ClaimCheckSettings | None = None
) -> Decision:
    return await ClaimCheck(settings=settings or ClaimCheckSettings()).judge(Case(said(text, recorded), asked))


def figure(decision: Decision, name: str) -> float:
    return {figure.name.value: figure.value for figure in decision.evidence.figures}[name]


async def test_a_confirmed_claim_is_allowed_and_kept_with_the_decision() -> None:
    decision = await judged("628/628 tests pass.", PASSED)
    assert isinstance(decision, Allow)
    assert [one.state for one in decision.evidence.claims] == ["confirmed"]
    assert decision.evidence.claims[0].run_id == "run-0"
    assert (figure(decision, "claims"), figure(decision, "claims_confirmed")) == (1, 1)


async def test_a_contradicted_claim_goes_back_with_the_difference() -> None:
    decision = await judged("628/628 tests pass.", FAILED)
    assert isinstance(decision, Block)
    assert decision.rule == "claim_contradicted"
    assert "the run at 12:00 (pytest): 3 failed, 625 passed" in decision.feedback
    assert "628/628" in decision.feedback
    assert "report the failure" in decision.feedback
    (found,) = decision.evidence.findings
    assert found.kind == "claim_contradicted"
    assert found.text == "628/628 tests pass."[found.start : found.end]
    assert figure(decision, "claims_contradicted") == 1


async def test_feedback_speaks_korean_to_who_wrote_korean() -> None:
    decision = await judged("전체 테스트 628개 모두 통과했습니다.", FAILED)
    assert isinstance(decision, Block)
    assert "12:00의 실행(pytest): 실패 3개, 통과 625개" in decision.feedback
    assert "반려되었습니다" in decision.feedback


async def test_what_nothing_shows_goes_back_in_the_answer_to_a_task() -> None:
    for asked in (WORK, turn(Audience.PERSON)):
        decision = await judged("All tests pass and I pushed to main.", NOTHING, asked)
        assert isinstance(decision, Block)
        assert decision.rule == "claim_unsupported"
        assert figure(decision, "claims_unsupported") == 2


async def test_a_report_is_held_to_the_facts_of_the_whole_exchange() -> None:
    told = tuple(replace(call, agent="tester") for call in NOTHING.calls)
    for text in ("The work is complete, all tests pass.", "작업을 마쳤고 테스트가 통과했습니다."):
        decision = await judged(text, NOTHING, replace(RESULTS, told=told))
        assert isinstance(decision, Block)
        assert decision.rule == "claim_unsupported"
    assert isinstance(await judged("628/628 tests pass.", FAILED, RESULTS), Block)


async def test_what_was_not_even_tried_is_marked_where_its_kind_is_only_marked() -> None:
    settings = ClaimCheckSettings(kinds=ClaimPolicies(tests=ClaimPolicy.MARK))
    decision = await judged("All tests pass.", NOTHING, WORK, settings)
    assert isinstance(decision, Amend)
    assert decision.verdict is Verdict.NOTED
    assert decision.banner.startswith("not shown by the record:")
    assert "tests pass" in decision.banner


@pytest.mark.parametrize(
    "text", ["Done.", "Done. The refactoring is complete and everything works.", "작업 완료했습니다."]
)
async def test_work_that_is_called_done_without_a_single_call_is_asked_for(text: str) -> None:
    decision = await judged(text, Recorded())
    assert isinstance(decision, Block)
    assert decision.rule == "nothing_was_run"
    assert not isinstance(await judged(text, NOTHING), Block)


async def test_results_may_lean_on_what_others_ran_and_an_approval_may_not() -> None:
    told = tuple(replace(call, agent="tester") for call in PASSED.calls)
    asked = replace(RESULTS, told=told)
    assert isinstance(await judged("628/628 tests pass.", NOTHING, asked), Allow)
    decision = await judged("Approved: 628/628 tests pass.", NOTHING, asked)
    assert isinstance(decision, Block)


async def test_what_a_reviewer_says_of_the_files_is_said_of_the_work() -> None:
    looked = Recorded().shell("git diff --stat").ran("pytest", counts=Counts(passed=8))
    decision = await judged("Verdict: APPROVE\n\n- pytest: 8 passed\n- `shop/money.py` was created.", looked, REVIEW)
    assert isinstance(decision, Allow)
    assert [one.claim.kind for one in decision.evidence.claims] == ["tests"]


@pytest.mark.parametrize(
    ("policy", "unsupported", "contradicted"),
    [(ClaimPolicy.BLOCK, Block, Block), (ClaimPolicy.MARK, Amend, Block), (ClaimPolicy.IGNORE, Allow, Allow)],
)
async def test_each_kind_has_its_policy(policy: ClaimPolicy, unsupported: type, contradicted: type) -> None:
    settings = ClaimCheckSettings(kinds=ClaimPolicies(tests=policy))
    assert isinstance(await judged("All tests pass.", NOTHING, WORK, settings), unsupported)
    assert isinstance(await judged("All tests pass.", FAILED, WORK, settings), contradicted)


async def test_a_failure_that_is_reported_passes() -> None:
    assert isinstance(await judged("3 tests failed, 625 passed; I need help with the last ones.", FAILED), Allow)


async def test_an_agent_without_tool_events_is_not_blocked() -> None:
    record = ToolRecord(complete=False)
    decision = await ClaimCheck(settings=ClaimCheckSettings()).judge(
        Case(draft("All tests pass.", record=record), WORK)
    )
    assert isinstance(decision, Allow)
    assert (figure(decision, "record"), decision.evidence.claims) == (0, ())


async def test_a_record_with_calls_left_out_excuses_what_is_missing_and_nothing_else() -> None:
    check = ClaimCheck(settings=ClaimCheckSettings())
    failed = await check.judge(Case(draft("All tests pass.", record=replace(FAILED.record, dropped=3)), WORK))
    assert isinstance(failed, Block)
    missing = await check.judge(Case(draft("I pushed to main.", record=replace(FAILED.record, dropped=3)), WORK))
    assert isinstance(missing, Amend)
    assert missing.verdict is Verdict.NEEDS_REVIEW


async def test_at_most_five_claims_are_named() -> None:
    names = ("a", "b", "c", "d", "e", "f", "g", "h")
    text = "\n".join(f"- Created src/{name}_file.py." for name in names)
    decision = await judged(text)
    assert isinstance(decision, Block)
    assert decision.feedback.count("you wrote") <= 5
    assert all(len(line) < 400 for line in decision.feedback.splitlines())


async def test_in_the_chain_a_false_claim_is_sent_back_and_then_downgraded() -> None:
    chain = build_chain(settings=EnforcementSettings(), changed_files=Changed(None), clock=SteppingClock())
    text = "Fixed the race in `pool.py`; 628/628 tests pass."
    recorded = Recorded().edited("pool.py").ran("pytest", end=RunEnd.FAILED, counts=Counts(failed=3, passed=625))
    first = await chain.judge(said(text, recorded), WORK)
    assert isinstance(first.outcome, SentBack)
    assert first.outcome.stage == "claim_check"
    last = await chain.judge(said(text, recorded, attempt=2), WORK)
    assert isinstance(last.outcome, Cleared)
    assert last.outcome.verdict is Verdict.NEEDS_REVIEW
    assert "3 failed, 625 passed" in last.outcome.banners[-1]


async def test_a_confirmed_claim_is_the_strongest_evidence_of_an_approval() -> None:
    chain = build_chain(settings=EnforcementSettings(), changed_files=Changed(None), clock=SteppingClock())
    text = "Approved. pytest: 628 passed in 3.2s."
    assert isinstance((await chain.judge(said(text, PASSED), REVIEW)).outcome, Cleared)
    refused = await chain.judge(said(text, NOTHING), REVIEW)
    assert isinstance(refused.outcome, SentBack)
    assert refused.outcome.stage == "review_gate"
