"""Which drafts the service checks, and what becomes of them."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import WorkspaceCheck
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.delegations.requests import without_directives
from mama_bot.enforcement.host_checks import CheckNotRun
from mama_bot.enforcement.host_checks.stage import CheckedWorkspace, WorkspaceChecks
from mama_bot.model import Allow, Block, CheckSeen, Decision
from mama_bot.redaction import REDACTED
from tests.enforcement.examples import draft, turn
from tests.enforcement.host_checks.shop import CODE, WEAKENED, Place, check, place, shop
from tests.enforcement.scope.test_scope_guard import write
from tests.waiting import until

__all__ = ["place", "shop"]


async def to_nobody(case: Case, seen: CheckSeen) -> None:
    del case, seen


async def judged(shop: Path, place: Place, text: str, *checks: WorkspaceCheck, base: str = "") -> Decision:
    configured = checks or (check(from_base=["tests/"]),)
    stage = WorkspaceChecks(
        workspace_of=lambda _: CheckedWorkspace(path=shop, checks=configured),
        checks=place.checks,
        tell=to_nobody,
    )
    return await stage.judge(Case(draft(text), replace(turn(), base=base)))


@pytest.mark.parametrize(
    "text",
    [
        "Done, all tests pass.",
        "I fixed the rounding in shop.py.",
        "pytest: 45 passed in 3.2s",
        "LGTM, approved. 12 tests pass.",
        "Approved. 1 of 2 tests fails.",
        "The build is green.",
        "I fixed shop.py: it rejects an empty list now. No further changes needed.",
        "반올림에 문제가 있어 고쳤습니다.",
        "mypy: no issues found in 12 source files",
        "린트 통과, 타입 오류 0건입니다.",
        "Done. Should I deploy it?",
        "모두 완료했습니다. 배포할까요?",
        "All tests pass: 4985 of 4992 passed.",
        "테스트 2개가 실패했지만 모든 테스트가 통과했습니다.",
        "완료했습니다. 모든 테스트가 통과합니다.",
        "파서를 고쳤습니다.",
        "승인합니다.",
        "DELEGATE::reviewer::Look at it\nEXPECTED OUTCOME: a verdict\n\nEverything is done.",
    ],
)
async def test_a_completion_an_approval_or_a_passed_check_is_checked(shop: Path, place: Place, text: str) -> None:
    decision = await judged(shop, place, text)
    assert isinstance(decision, Block)
    assert decision.rule == "workspace_check_failed"
    write(shop, "shop.py", CODE)
    passed = await judged(shop, place, text)
    assert isinstance(passed, Allow)
    assert [check.ok for check in passed.evidence.checks] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "The total is the sum of the prices, see shop.py:2.",
        "How should it round, up or down?",
        "The p95 of the query fell from 840 ms to 95 ms at 12 requests per second.",
        "Changes requested. The rounding was fixed, shop.py:2 still adds 1.",
        "승인은 보류합니다. 반올림은 고쳐졌지만 shop.py:2에서 1을 더합니다.",
        "I fixed the rounding in shop.py. Shall I go on with the tests?",
        "I will fix the rounding next, then run the tests.",
        "I fixed the rounding, but 1 test still fails.",
        "Not all tests pass: 1 of 2 fails.",
        "ruff is clean. 3 failed, 5 passed; once all of them pass I say so.",
        "모든 테스트가 통과하지는 않습니다. 1개가 실패합니다.",
        "아직 완료되지 않았습니다. 테스트 1개가 실패합니다.",
        "테스트를 돌릴 예정입니다.",
        "어떤 방식으로 반올림할까요?",
        "안녕하세요",
        "DELEGATE::developer::Fix it\nEXPECTED OUTCOME:\n- all tests pass\n\nMUST NOT DO: touch the tests",
    ],
)
async def test_talk_questions_plans_and_reports_of_failure_are_not(shop: Path, place: Place, text: str) -> None:
    decision = await judged(shop, place, text)
    assert decision == Allow()


async def test_the_feedback_names_check_command_status_tree_files_of_the_base_and_output(
    shop: Path, place: Place
) -> None:
    base = await place.changes.tree(shop)
    write(shop, "tests/test_shop.py", WEAKENED)
    decision = await judged(shop, place, "Done, all tests pass.", base=base)
    assert isinstance(decision, Block)
    (known,) = decision.evidence.checks
    for part in (
        'The check "tests", which the service itself ran, failed',
        "unittest discover -s tests",
        "exit status 1",
        known.tree[:12],
        "`tests/test_shop.py`",
        "    AssertionError: 4 != 3",
        "Fix the code, not the check",
    ):
        assert part in decision.feedback
    assert decision.reason == 'The check "tests" that the service itself ran failed: exit status 1.'
    assert decision.banner == 'a check that the service itself ran fails: "tests" (exit status 1).'
    assert (known.ok, known.exit_status, known.reason) == (False, 1, "exit status 1")


async def test_a_korean_draft_gets_korean_feedback(shop: Path, place: Place) -> None:
    base = await place.changes.tree(shop)
    write(shop, "tests/test_shop.py", WEAKENED)
    decision = await judged(shop, place, "완료했습니다. 모든 테스트가 통과합니다.", base=base)
    assert isinstance(decision, Block)
    for part in (
        '검사 "tests"가 실패했습니다',
        "종료 코드 1",
        "`tests/test_shop.py`",
        "검사가 아니라 코드를 고친 뒤",
    ):
        assert part in decision.feedback
    assert decision.reason.startswith("서비스가 직접 실행한 검사")
    assert "서비스가 직접 실행한 검사가 실패했습니다" in decision.banner
    (known,) = decision.evidence.checks
    assert known.reason == "종료 코드 1"


async def test_all_checks_of_a_workspace_are_kept_with_the_decision(shop: Path, place: Place) -> None:
    decision = await judged(shop, place, "Done.", check("true", name="build"), check("false", name="lint"))
    assert isinstance(decision, Block)
    assert [(check.name, check.ok) for check in decision.evidence.checks] == [("build", True), ("lint", False)]
    assert {figure.name: figure.value for figure in decision.evidence.figures} == {"checks": 2, "checks_failed": 1}


async def test_a_time_that_is_up_is_a_failure_with_its_reason(shop: Path, place: Place) -> None:
    decision = await judged(shop, place, "Done.", check("sleep", "300", timeout_seconds=0.2))
    assert isinstance(decision, Block)
    assert decision.evidence.checks[0].reason == "not finished within 0.2 seconds"


async def test_a_check_is_told_without_secrets_and_one_that_is_cut_off_to_have_ended(shop: Path, place: Place) -> None:
    told: list[CheckSeen] = []

    async def tell(seen: CheckSeen) -> None:
        told.append(seen)

    cut_off = check("sh", "-c", "sleep 60; swordfish")
    async with asyncio.TaskGroup() as group:
        running = group.create_task(place.checks.run(shop, [cut_off], base="", tell=tell))
        await until(lambda: told)
        running.cancel()
    assert told[0].command == f"sh -c 'sleep 60; {REDACTED}'"
    assert [(seen.id, seen.ended_at is not None, seen.ok) for seen in told] == [
        (told[0].id, False, None),
        (told[0].id, True, False),
    ]


async def test_a_check_that_cannot_be_carried_out_is_the_stage_s_failure(shop: Path, place: Place) -> None:
    with pytest.raises(CheckNotRun):
        await judged(shop, place, "Done.", check("no-such-program"))


async def test_an_output_cannot_write_lines_of_its_own_into_the_feedback(shop: Path, place: Place) -> None:
    decision = await judged(shop, place, "Done.", check("sh", "-c", "printf 'a\\033[2Jb\\rc\\007\\n\\n'; exit 1"))
    assert isinstance(decision, Block)
    assert "\n    ab\n    c?\n\n" in decision.feedback


async def test_a_workspace_without_checks_is_let_be(shop: Path, place: Place) -> None:
    stage = WorkspaceChecks(workspace_of=lambda _: None, checks=place.checks, tell=to_nobody)
    assert await stage.judge(Case(draft("Done, all tests pass."), turn())) == Allow()


def test_what_is_handed_on_is_not_said_by_the_draft_itself() -> None:
    handed = "DELEGATE::developer::Fix it\nEXPECTED OUTCOME:\n- tests pass\n\nMUST DO: x\n- y\n\nI am done."
    assert without_directives(handed).split() == ["I", "am", "done."]
    assert without_directives("Done.\n- **DELEGATE::reviewer::approve it**").strip() == "Done."
    assert without_directives("DELEGATE::reviewer::Look\nAll tests pass.") == "All tests pass."
    assert without_directives("```\nDELEGATE::a::b\n```\nDone.") == "```\nDELEGATE::a::b\n```\nDone."


async def test_a_draft_with_half_a_character_is_read_all_the_same(shop: Path, place: Place) -> None:
    for text in ("Done \ud800, all tests pass.", "\ud83d\nDELEGATE::a::b\nDone, all tests pass."):
        assert isinstance(await judged(shop, place, text), Block)
