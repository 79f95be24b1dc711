"""What a worker claims is checked against what it did: the real CLI, real git, a real suite, in both languages."""

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply
from mama_bot.model import (
    BadgeKind,
    CheckedClaim,
    ClaimReason,
    Cleared,
    Exchange,
    SentBack,
    StoredTurn,
    TurnKind,
    TurnState,
)
from mama_bot.model.badges import badge_of
from mama_bot.model.receipts import claims_of, receipt_of
from tests.end_to_end.evidence import (
    CALC,
    DELEGATION,
    PYTEST,
    Story,
    Unproven,
    Worker,
    bash,
    git,
    make_repository,
    mend,
    telling,
    working_in,
    write,
)
from tests.end_to_end.team import Team, attempts, running_team

pytestmark = pytest.mark.cli

PASSED = ("`calc.py` is fixed. pytest: 68 passed.", "`calc.py`를 고쳤습니다. pytest: 68개 통과했습니다.")
FIXED = f"cat > calc.py <<'END'\n{CALC}END"


def nothing(_: Path) -> Sequence[ModelReply]:
    return ()


STORIES = {
    "never_run": Story(
        first=lambda _: [bash(FIXED)],
        false=("Fixed `calc.py`. All 68 tests pass.", "`calc.py`를 고쳤습니다. 테스트 68개 모두 통과합니다."),
        reason=ClaimReason.NO_SUCH_RUN,
        then=lambda _: [bash(PYTEST)],
        true=PASSED,
    ),
    "failed_and_reported_as_passed": Story(
        first=lambda _: [bash(PYTEST)],
        false=("`calc.py` is correct: all 68 tests passed.", "`calc.py`는 정확합니다. 테스트 68/68 통과했습니다."),
        reason=ClaimReason.FAILED,
        figures=("3", "65"),
        then=mend,
        true=PASSED,
    ),
    "masked_with_failures_in_sight": Story(
        first=lambda _: [bash(f"{PYTEST} || true")],
        false=("`calc.py` is fine, 68 tests passed.", "`calc.py` 이상 없습니다. 테스트 68개가 통과했습니다."),
        reason=ClaimReason.FAILED,
        then=mend,
        true=PASSED,
    ),
    "a_file_that_does_not_exist": Story(
        first=lambda _: [bash(FIXED), bash(PYTEST)],
        false=(
            "Created `docs/halves.py` with the table. pytest: 68 passed.",
            "`docs/halves.py`를 새로 만들었습니다. pytest: 68개 통과.",
        ),
        reason=ClaimReason.NO_SUCH_RUN,
        then=lambda repository: [write(repository / "docs" / "halves.py", "TABLE = ()\n"), bash(PYTEST)],
        true=(
            "Created `docs/halves.py`. pytest: 68 passed.",
            "`docs/halves.py`를 만들었습니다. pytest: 68개 통과했습니다.",
        ),
    ),
    "pushed_without_a_push": Story(
        first=lambda _: [bash(FIXED), bash(PYTEST), bash("git commit -qam 'Exact half'")],
        false=(
            "pytest: 68 passed. Committed and pushed to origin/main.",
            "pytest 68개 통과. 커밋하고 origin/main에 푸시했습니다.",
        ),
        reason=ClaimReason.NO_SUCH_RUN,
        then=lambda _: [bash("git push origin main")],
        true=(
            "pytest: 68 passed. Committed and pushed to origin/main.",
            "pytest 68개 통과. 커밋하고 origin/main에 푸시했습니다.",
        ),
    ),
}
UNPROVEN = {
    "run_before_the_last_edit": Unproven(
        does=[bash(FIXED), bash(PYTEST), bash("printf '\\n\\nLIMIT = 1\\n' >> calc.py")],
        says=(
            "Fixed `calc.py` and added LIMIT. pytest: 68 passed.",
            "`calc.py`를 고치고 LIMIT을 추가했습니다. pytest 68개 통과.",
        ),
        reason=ClaimReason.BEFORE_LAST_EDIT,
        line=("pytest 68 passed, before the last edit", "pytest 68개 통과, 마지막 편집 전"),
    ),
    "masked": Unproven(
        does=[bash(FIXED), bash(f"{PYTEST} > /dev/null 2>&1 || true")],
        says=("Fixed `calc.py`; the whole test suite passes.", "`calc.py`를 고쳤고 전체 테스트가 통과합니다."),
        reason=ClaimReason.MASKED,
        line=("pytest outcome not known", "pytest 결과 알 수 없음"),
    ),
    "another_directory": Unproven(
        does=[bash(FIXED), bash(f"cd ../other && {PYTEST}")],
        says=("Fixed `calc.py`. The tests pass.", "`calc.py`를 고쳤습니다. 테스트가 통과합니다."),
        reason=ClaimReason.ELSEWHERE,
        line=("pytest in …/other 2 passed · ", "…/other의 pytest 2개 통과 · "),
    ),
}


def developers(exchange: Exchange) -> StoredTurn:
    return next(stored for stored in exchange.turns if stored.turn.persona == "developer")


def reasons(claims: Sequence[CheckedClaim]) -> set[ClaimReason]:
    """Why some of them are not confirmed."""
    return {claim.reason for claim in claims if claim.reason}


async def told(directory: Path, worker: Worker, language: int) -> tuple[Exchange, Team]:
    repository = directory / "repo"
    async with running_team(
        directory / "service",
        script=worker,
        **working_in(repository),
    ) as team:
        text = ("Make half exact in calc.py", "calc.py의 half를 정확하게 고쳐 주세요")[language]
        return await team.settled(await team.say(text)), team


# What is read in either language stands in tests/enforcement/claims: each story is told once here, languages in turn.
ENGLISH, KOREAN = 0, 1


@pytest.mark.parametrize(("name", "language"), [*zip(STORIES, cycle((ENGLISH, KOREAN)))])
async def test_a_false_claim_goes_back_with_the_difference_and_the_worker_mends_it(
    tmp_path: Path, name: str, language: int
) -> None:
    repository, story = make_repository(tmp_path), STORIES[name]
    worker = Worker(developer=telling(story, repository, language))
    exchange, team = await told(tmp_path, worker, language)
    stored = developers(exchange)
    assert stored.state is TurnState.ANSWERED
    first, last = stored.attempts[0].judgement, stored.attempts[-1].judgement
    assert isinstance(first.outcome, SentBack)
    assert first.outcome.stage == "claim_check"
    assert story.reason in reasons(claims_of(first))
    assert first.outcome.feedback in worker.feedback()
    assert all(figure in worker.feedback() for figure in story.figures)
    assert isinstance(last.outcome, Cleared)
    posted = [reply.text for reply in team.replies() if reply.persona == "developer"]
    assert posted == [story.true[language]]


@pytest.mark.parametrize(("name", "language"), [*zip(UNPROVEN, cycle((KOREAN, ENGLISH)))])
async def test_what_a_run_does_not_bear_out_is_posted_and_its_receipt_and_the_line_of_facts_tell(
    tmp_path: Path, name: str, language: int
) -> None:
    make_repository(tmp_path)
    unproven = UNPROVEN[name]
    worker = Worker(developer=[*unproven.does, ModelReply(text=unproven.says[language])])
    exchange, team = await told(tmp_path, worker, language)
    stored = developers(exchange)
    assert attempts(stored) == ["cleared"]
    (reply,) = [reply for reply in team.replies() if reply.persona == "developer"]
    assert unproven.line[language] in reply.record_line
    receipt = receipt_of(stored.turn, stored.attempts[0], record_line=reply.record_line)
    assert receipt is not None
    assert unproven.reason in reasons(receipt.claims)
    badge = badge_of(receipt)
    assert badge is not None
    assert badge.kind is BadgeKind.NOT_SHOWN


async def test_an_honest_success_passes_at_once_and_has_a_receipt(tmp_path: Path) -> None:
    repository = make_repository(tmp_path)
    worker = Worker(
        developer=[
            *mend(repository),
            bash("git commit -qam 'Exact half' && git push -q origin main"),
            ModelReply(text=PASSED[KOREAN]),
        ]
    )
    exchange, team = await told(tmp_path, worker, KOREAN)
    stored = developers(exchange)
    assert len(stored.attempts) == 1
    (reply,) = [reply for reply in team.replies() if reply.persona == "developer"]
    assert (reply.text, reply.banners) == (PASSED[KOREAN], ())
    claims = claims_of(reply.judgement)
    assert claims
    assert all(claim.state.value == "confirmed" for claim in claims)


async def test_an_honest_failure_passes(tmp_path: Path) -> None:
    make_repository(tmp_path)
    text = "Not fixed yet: pytest says 3 failed, 65 passed; half(65) and above return the number itself."
    worker = Worker(developer=[bash(PYTEST), ModelReply(text=text)])
    exchange, _ = await told(tmp_path, worker, 0)
    assert [attempt.judgement.outcome.kind for attempt in developers(exchange).attempts] == ["cleared"]


async def test_a_reviewer_cannot_approve_on_the_workers_run(tmp_path: Path) -> None:
    repository = make_repository(tmp_path)
    false = "결론: 승인\n\npytest: 68개 통과했습니다."
    worker = Worker(
        developer=[*mend(repository), ModelReply(text=PASSED[KOREAN])],
        reviewer=[ModelReply(text=false), bash(PYTEST), ModelReply(text=false)],
        delegation=f"{DELEGATION}\n\nDELEGATE::reviewer::Review calc.py\nEXPECTED OUTCOME:\n- a verdict",
    )
    exchange, team = await told(tmp_path, worker, KOREAN)
    stored = next(stored for stored in exchange.turns if stored.turn.persona == "reviewer")
    assert isinstance(stored.attempts[0].judgement.outcome, SentBack)
    assert stored.attempts[0].judgement.outcome.rule == "approval_unseen"
    assert [reply.text for reply in team.replies() if reply.persona == "reviewer"] == [false]
    assert git(repository, "status", "--porcelain") == "M calc.py"


async def test_whoever_reports_results_is_held_to_what_its_delegates_did(tmp_path: Path) -> None:
    """The lead runs nothing itself: the developer's run bears out what it passes on, and nothing else."""
    repository = make_repository(tmp_path)
    honest = PASSED[ENGLISH]
    worker = Worker(
        developer=[*mend(repository), ModelReply(text=honest)],
        results=("All 700 tests pass, pytest: 700 passed.", honest),
    )
    exchange, team = await told(tmp_path, worker, ENGLISH)
    results = next(stored for stored in exchange.turns if stored.turn.kind is TurnKind.RESULTS)
    assert [attempt.judgement.outcome.kind for attempt in results.attempts] == ["sent_back", "cleared"]
    assert reasons(claims_of(results.attempts[0].judgement)) == {ClaimReason.OTHER_FIGURES}
    assert team.replies()[-1].text == honest
