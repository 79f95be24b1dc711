"""What the reader of prose takes for a claim of the speaker's own, and what it leaves alone."""

import pytest

from mama_bot.enforcement.claims.prose_claims import admissions_in, claims_in
from mama_bot.model import Claim
from mama_bot.text.sentences import reading_of

ASSERTED = (
    ("All tests pass.", ["tests"]),
    ("628/628 tests pass.", ["tests"]),
    ("Ran the suite: 45 passed, 2 skipped.", ["tests"]),
    ("- Tests: 45 passed", ["tests"]),
    ("- ✅ Lint: clean", ["lint"]),
    ("Lint, types and tests pass.", ["lint", "types", "tests"]),
    ("The build succeeds and `mypy` is clean.", ["build", "types"]),
    ("`pytest -q` passes.", ["tests"]),
    ("| tests | ✅ 45 passed |", ["tests"]),
    ("Committed as 3fa2c1d.", ["committed"]),
    ("I committed the fix and pushed to origin/main.", ["committed", "pushed"]),
    ("Done. Merged into main.", ["merged"]),
    ("Deployed to production.", ["deployed"]),
    ("I added `src/auth.py` and `tests/test_auth.py`.", ["created"]),
    ("- Updated `src/pay.py` to round half up", ["changed"]),
    ("I deleted `src/old.py`.", ["deleted"]),
    ("I verified that the endpoint answers.", ["checked"]),
    ("전체 테스트 628개 모두 통과했습니다.", ["tests"]),
    ("테스트가 통과합니다.", ["tests"]),
    ("빌드 성공.", ["build"]),
    ("린트 통과, 타입 체크 통과.", ["lint", "types"]),
    ("커밋하고 푸시했습니다.", ["committed", "pushed"]),
    ("main에 머지했습니다.", ["merged"]),
    ("운영 서버에 배포 완료.", ["deployed"]),
    ("`src/auth.py`를 추가했습니다.", ["created"]),
    ("`src/old.py` 파일을 삭제했습니다.", ["deleted"]),
    ("`src/auth.py`를 만들었습니다.", ["created"]),
    ("`src/pay.py`를 고쳤고 `src/old.py`를 지웠다.", ["changed", "deleted"]),
)
NOT_ASSERTED = (
    "Run the tests again when the fix is in.",
    "If the tests pass, I will push.",
    "The tests should pass now.",
    "Once merged, the build is green again.",
    "The hook commits the files that were created.",
    "Do all tests pass?",
    "A feature branch is merged into main by the script.",
    "The pass rate of the tests is shown in the header.",
    "The parser created `out.json` in the old version.",
    "- [ ] tests pass",
    '"All tests pass" is what the log should show.',
    "> All tests pass.",
    "```\nassert all tests pass\n```",
    "## Next steps\n\n- tests pass\n- pushed to main",
    "You said that the tests pass.",
    "I have not committed anything yet.",
    "It called no tool and changed no file.",
    "I ran no tests and committed nothing.",
    "No file was changed.",
    "The phase goes active → committed → ended.",
    "테스트가 통과하면 푸시하겠습니다.",
    "테스트를 통과해야 합니다.",
    "사용자가 커밋했습니다.",
    "커밋할까요?",
    "이전에는 빌드가 성공했습니다.",
    "아직 푸시하지 않았습니다.",
    "テストはすべて成功しました。",
    "Hello! How can I help you today?",
)


def claims(text: str) -> tuple[Claim, ...]:
    return claims_in(reading_of(text))


@pytest.mark.parametrize(("text", "kinds"), ASSERTED)
def test_what_the_speaker_asserts_here_and_now_is_a_claim(text: str, kinds: list[str]) -> None:
    assert [claim.kind.value for claim in claims(text)] == kinds


@pytest.mark.parametrize("text", NOT_ASSERTED)
def test_a_plan_a_condition_a_description_or_anothers_deed_is_none(text: str) -> None:
    assert claims(text) == ()


@pytest.mark.parametrize(
    ("text", "passed", "failed", "total"),
    [
        ("All 45 tests pass.", 45, None, None),
        ("45/45 tests pass.", 45, None, 45),
        ("43/45 tests pass.", 43, 2, 45),
        ("45 passed, 2 failed", 45, 2, None),
        ("1,351 tests passed.", 1351, None, None),
        ("테스트 42개 통과.", 42, None, None),
        ("테스트 42/42 통과.", 42, None, 42),
        ("테스트 42개 통과, 3개 실패.", 42, 3, None),
        ("테스트 8개 중 2개 실패: `test_label`.", None, 2, 8),
        ("종료 코드 1, 테스트 1개 중 1개 실패: `test_total`.", None, 1, 1),
        ("테스트 3개 중 3개가 실패했습니다.", None, 3, 3),
        ("테스트 3개 중 3개 통과.", 3, None, 3),
    ],
)
def test_a_claim_has_its_figures(text: str, passed: int, failed: int | None, total: int | None) -> None:
    (claim,) = claims(text)
    assert (claim.counts.passed, claim.counts.failed, claim.total) == (passed, failed, total)
    assert claim.fails is bool(failed)


def test_a_claim_of_files_names_them() -> None:
    assert claims("I created `src/a.py`, `src/b.py` and `docs/c.md`.")[0].subjects == (
        "src/a.py",
        "src/b.py",
        "docs/c.md",
    )
    assert claims("`src/a.py`와 `src/b.py`를 추가했습니다.")[0].subjects == ("src/a.py", "src/b.py")
    # What stands behind a preposition is not what was added.
    assert not any(claim.subjects for claim in claims("Added a note for `AGENTS.md` targets."))


def test_the_command_that_was_run_is_no_part() -> None:
    for command in ("python3 -m unittest", "uv run pytest -q", "make smoke"):
        assert not any(claim.part for claim in claims(f"Ran: `{command}`: 628/628 tests pass.")), command


def test_a_claim_of_a_part_says_so() -> None:
    assert claims("All 12 new tests pass.")[0].part
    assert claims("All tests pass.")[0].whole


def test_a_pasted_result_is_shown_and_not_said() -> None:
    (claim,) = claims("Output:\n\n```\n===== 3 failed, 625 passed in 2.1s =====\n```")
    assert (claim.shown, claim.fails, claim.counts.passed, claim.counts.failed) == (True, True, 625, 3)


def test_a_failure_that_is_told_as_it_stands_is_an_admission() -> None:
    assert admissions_in(reading_of("3 tests failed, 625 passed.")).figures >= {3}
    assert admissions_in(reading_of(f"3 tests failed, {'1' * 5_000} passed.")).figures == {3}
    assert admissions_in(reading_of("The integration tests still fail.")).plain
    assert admissions_in(reading_of("통합 테스트는 아직 실패합니다.")).plain
    for text in ("All tests pass, 0 failed.", "No failures.", "Fixed the failing parser."):
        admissions = admissions_in(reading_of(text))
        assert not admissions.plain
        assert not admissions.figures
