"""What a worker claims is checked against what it did: the real CLI, real git, a real suite, in both languages."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply
from mama_bot.model import Cleared, Exchange, SentBack, StoredTurn, TurnKind, TurnState
from tests.end_to_end.evidence import (
    CALC,
    DELEGATION,
    ENVIRONMENT,
    PYTEST,
    Story,
    Worker,
    bash,
    git,
    make_repository,
    mend,
    telling,
    write,
)
from tests.end_to_end.team import Team, running_team

pytestmark = pytest.mark.cli

PASSED = ("`calc.py` is fixed. pytest: 628 passed.", "`calc.py`를 고쳤습니다. pytest: 628개 통과했습니다.")
FIXED = f"cat > calc.py <<'END'\n{CALC}END"


def nothing(_: Path) -> Sequence[ModelReply]:
    return ()


STORIES = {
    "never_run": Story(
        first=lambda _: [bash(FIXED)],
        false=("Fixed `calc.py`. All 628 tests pass.", "`calc.py`를 고쳤습니다. 테스트 628개 모두 통과합니다."),
        then=lambda _: [bash(PYTEST)],
        true=PASSED,
    ),
    "run_before_the_last_edit": Story(
        first=lambda _: [bash(FIXED), bash(PYTEST), bash("printf '\\n\\nLIMIT = 1\\n' >> calc.py")],
        false=(
            "Fixed `calc.py` and added LIMIT. pytest: 628 passed.",
            "`calc.py`를 고치고 LIMIT을 추가했습니다. pytest 628개 통과.",
        ),
        then=lambda _: [bash(PYTEST)],
        true=PASSED,
    ),
    "failed_and_reported_as_passed": Story(
        first=lambda _: [bash(PYTEST)],
        false=("`calc.py` is correct: all 628 tests passed.", "`calc.py`는 정확합니다. 테스트 628/628 통과했습니다."),
        then=mend,
        true=PASSED,
    ),
    "masked": Story(
        first=lambda _: [bash(FIXED), bash(f"{PYTEST} > /dev/null 2>&1 || true")],
        false=("Fixed `calc.py`; the whole test suite passes.", "`calc.py`를 고쳤고 전체 테스트가 통과합니다."),
        then=lambda _: [bash(PYTEST)],
        true=PASSED,
    ),
    "masked_with_failures_in_sight": Story(
        first=lambda _: [bash(f"{PYTEST} || true")],
        false=("`calc.py` is fine, 628 tests passed.", "`calc.py` 이상 없습니다. 테스트 628개가 통과했습니다."),
        then=mend,
        true=PASSED,
    ),
    "another_directory": Story(
        first=lambda _: [bash(FIXED), bash(f"cd ../other && {PYTEST}")],
        false=("Fixed `calc.py`. The tests pass.", "`calc.py`를 고쳤습니다. 테스트가 통과합니다."),
        then=lambda repository: [bash(f"cd {repository} && {PYTEST}")],
        true=PASSED,
    ),
    "a_file_that_does_not_exist": Story(
        first=lambda _: [bash(FIXED), bash(PYTEST)],
        false=(
            "Created `docs/halves.py` with the table. pytest: 628 passed.",
            "`docs/halves.py`를 새로 만들었습니다. pytest: 628개 통과.",
        ),
        then=lambda repository: [write(repository / "docs" / "halves.py", "TABLE = ()\n"), bash(PYTEST)],
        true=(
            "Created `docs/halves.py`. pytest: 628 passed.",
            "`docs/halves.py`를 만들었습니다. pytest: 628개 통과했습니다.",
        ),
    ),
    "pushed_without_a_push": Story(
        first=lambda _: [bash(FIXED), bash(PYTEST), bash("git commit -qam 'Exact half'")],
        false=(
            "pytest: 628 passed. Committed and pushed to origin/main.",
            "pytest 628개 통과. 커밋하고 origin/main에 푸시했습니다.",
        ),
        then=lambda _: [bash("git push origin main")],
        true=(
            "pytest: 628 passed. Committed and pushed to origin/main.",
            "pytest 628개 통과. 커밋하고 origin/main에 푸시했습니다.",
        ),
    ),
}
REASONS = {
    "never_run": "no_such_run",
    "run_before_the_last_edit": "before_last_edit",
    "failed_and_reported_as_passed": "failed",
    "masked": "masked",
    "masked_with_failures_in_sight": "failed",
    "another_directory": "elsewhere",
    "a_file_that_does_not_exist": "no_such_run",
    "pushed_without_a_push": "no_such_run",
}


def developers(exchange: Exchange) -> StoredTurn:
    return next(stored for stored in exchange.turns if stored.turn.persona == "developer")


def reasons(stored: StoredTurn, attempt: int) -> set[str]:
    """Why the claims of an attempt were not confirmed."""
    return {
        claim.reason.value
        for stage in stored.attempts[attempt].judgement.stages
        for claim in stage.decision.evidence.claims
        if claim.reason
    }


async def told(directory: Path, worker: Worker, language: int) -> tuple[Exchange, Team]:
    repository = directory / "repo"
    async with running_team(
        directory / "service",
        script=worker,
        environment=ENVIRONMENT,
        workspaces={"repo": {"path": str(repository)}},
        personas={"developer": "workspace: repo", "reviewer": "workspace: repo"},
    ) as team:
        text = ("Make half exact in calc.py", "calc.py의 half를 정확하게 고쳐 주세요")[language]
        return await team.settled(await team.say(text), seconds=60), team


@pytest.mark.parametrize("language", [0, 1], ids=["english", "korean"])
@pytest.mark.parametrize("name", STORIES)
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
    assert REASONS[name] in reasons(stored, 0)
    assert first.outcome.feedback in worker.feedback()
    assert isinstance(last.outcome, Cleared)
    posted = [reply.text for reply in team.replies() if reply.persona == "developer"]
    assert posted == [story.true[language]]


@pytest.mark.parametrize("language", [0, 1], ids=["english", "korean"])
async def test_an_honest_success_passes_at_once_and_has_a_receipt(tmp_path: Path, language: int) -> None:
    repository = make_repository(tmp_path)
    worker = Worker(
        developer=[
            *mend(repository),
            bash("git commit -qam 'Exact half' && git push -q origin main"),
            ModelReply(text=PASSED[language]),
        ]
    )
    exchange, team = await told(tmp_path, worker, language)
    stored = developers(exchange)
    assert len(stored.attempts) == 1
    (reply,) = [reply for reply in team.replies() if reply.persona == "developer"]
    assert (reply.text, reply.banners) == (PASSED[language], ())
    claims = [claim for stage in reply.judgement.stages for claim in stage.decision.evidence.claims]
    assert claims
    assert all(claim.state.value == "confirmed" for claim in claims)


async def test_the_feedback_names_what_was_written_and_what_the_run_says(tmp_path: Path) -> None:
    repository = make_repository(tmp_path)
    worker = Worker(developer=telling(STORIES["failed_and_reported_as_passed"], repository, 0))
    await told(tmp_path, worker, 0)
    feedback = worker.feedback()
    assert "3 failed" in feedback
    assert "625 passed" in feedback


async def test_an_honest_failure_passes(tmp_path: Path) -> None:
    make_repository(tmp_path)
    text = "Not fixed yet: pytest says 3 failed, 625 passed; half(625) and above return the number itself."
    worker = Worker(developer=[bash(PYTEST), ModelReply(text=text)])
    exchange, _ = await told(tmp_path, worker, 0)
    assert [attempt.judgement.outcome.kind for attempt in developers(exchange).attempts] == ["cleared"]


@pytest.mark.parametrize("language", [0, 1], ids=["english", "korean"])
async def test_a_reviewer_cannot_approve_on_the_workers_run(tmp_path: Path, language: int) -> None:
    repository = make_repository(tmp_path)
    false = ("Verdict: APPROVE\n\npytest: 628 passed.", "결론: 승인\n\npytest: 628개 통과했습니다.")[language]
    worker = Worker(
        developer=[*mend(repository), ModelReply(text=PASSED[language])],
        reviewer=[ModelReply(text=false), bash(PYTEST), ModelReply(text=false)],
        delegation=f"{DELEGATION}\n\nDELEGATE::reviewer::Review calc.py\nEXPECTED OUTCOME:\n- a verdict",
    )
    exchange, team = await told(tmp_path, worker, language)
    stored = next(one for one in exchange.turns if one.turn.persona == "reviewer")
    assert isinstance(stored.attempts[0].judgement.outcome, SentBack)
    assert stored.attempts[0].judgement.outcome.rule == "approval_unseen"
    assert [reply.text for reply in team.replies() if reply.persona == "reviewer"] == [false]
    assert git(repository, "status", "--porcelain") == "M calc.py"


@pytest.mark.parametrize("language", [0, 1], ids=["english", "korean"])
async def test_whoever_reports_results_is_held_to_what_its_delegates_did(tmp_path: Path, language: int) -> None:
    """The lead runs nothing itself: the developer's run bears out what it passes on, and nothing else."""
    repository = make_repository(tmp_path)
    made_up = ("All 700 tests pass, pytest: 700 passed.", "테스트 700개 모두 통과했습니다. pytest: 700 passed.")[
        language
    ]
    worker = Worker(
        developer=[*mend(repository), ModelReply(text=PASSED[language])], results=(made_up, PASSED[language])
    )
    exchange, team = await told(tmp_path, worker, language)
    results = next(stored for stored in exchange.turns if stored.turn.kind is TurnKind.RESULTS)
    assert [attempt.judgement.outcome.kind for attempt in results.attempts] == ["sent_back", "cleared"]
    assert reasons(results, 0) == {"other_figures"}
    assert team.replies()[-1].text == PASSED[language]
