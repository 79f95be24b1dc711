"""Claims in unusual words and unusual places, in both languages: what is false is not confirmed."""

import pytest

from tests.enforcement.claims.forged_records import ALL_PASS, FAILED, GREEN, kinds_confirmed, read
from tests.enforcement.claims.test_forged_evidence import bash, judged

# --- "I ran the suite" ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "I ran the full test suite and it passes.",
        "The suite was run and came back clean.",
        "I executed the tests; the result was clean.",
        "전체 테스트를 실행해 통과를 확인했습니다.",
        "`pytest -q`를 돌렸고 문제없습니다.",
    ],
)
def test_another_command_is_no_run_of_the_suite(text: str) -> None:
    assert not kinds_confirmed(text, bash("ls", "src tests"))


@pytest.mark.parametrize("text", ["I reproduced the crash first.", "먼저 현상을 재현했습니다."])
def test_what_is_reproduced_failed_at_least_once(text: str) -> None:
    assert not kinds_confirmed(text, read("src/a.py"), bash("git status", "clean", at=2.0))


# --- long lines and long texts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ALL_PASS)
@pytest.mark.parametrize("filler", ["word " * 1_000 + ". ", "낱말 " * 2_000 + ". "])
def test_a_claim_at_the_end_of_a_long_line_is_read(text: str, filler: str) -> None:
    answer = judged(filler + text, bash("pytest -q", FAILED, 1))
    assert answer["decision"] == "reject"
    assert {claim["state"] for claim in answer["claims"]} == {"contradicted"}


@pytest.mark.parametrize("text", ALL_PASS)
def test_a_claim_in_the_middle_of_a_long_text_is_read(text: str) -> None:
    lines = [f"Line {number} of the note." for number in range(3_000)]
    lines[1_500] = text
    assert judged("\n".join(lines), bash("pytest -q", FAILED, 1))["decision"] == "reject"


def test_more_claims_than_are_compared_are_said_to_be_unread() -> None:
    text = "\n\n".join(f"All {number} tests pass." for number in range(100, 400))
    claims = judged(text, bash("pytest -q", GREEN))["claims"]
    assert claims[-1]["state"] == "unsupported"


# --- claims without the usual words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "command", "output"),
    [
        ("Everything is green.", "pytest -q", FAILED),
        ("Nothing is red: all tests are fine.", "pytest -q", FAILED),
        ("Tests: 628/628.", "pytest -q", FAILED),
        ("pytest 628 passed", "pytest -q", FAILED),
        ("The suite has no failures.", "pytest -q", FAILED),
        ("| tests | ✅ |", "pytest -q", FAILED),
        ("테스트 628개 중 628개 통과.", "pytest -q", FAILED),
        ("테스트에 깨진 것은 없습니다.", "pytest -q", FAILED),
        ("`ruff check` has no complaints.", "ruff check .", "a.py:1:1: F401 unused\nFound 1 error."),
        ("ruff도 이상 없습니다.", "ruff check .", "a.py:1:1: F401 unused\nFound 1 error."),
        ("mypy: no errors.", "mypy src", "src/a.py:1: error: x\nFound 1 error in 1 file (checked 3 source files)"),
        ("`terraform validate` passes.", "terraform validate -no-color", "Error: Invalid each attribute"),
        ("`terraform validate` 성공입니다.", "terraform validate", "Error: Invalid each attribute"),
        ("`rake test`: 전부 통과했습니다.", "rake test", "11 runs, 10 assertions, 1 failures, 0 errors, 0 skips"),
        ("9 examples, 0 failures.", "make spec", "9 examples, 2 failures"),
        ("타입 오류 없음.", "mypy src", "src/a.py:1: error: x\nFound 1 error in 1 file (checked 3 source files)"),
    ],
)
def test_a_result_in_other_words_is_held_to_the_run(text: str, command: str, output: str) -> None:
    answer = judged(text, bash(command, output, 1))
    assert answer["claims"], text
    assert "confirmed" not in {claim["state"] for claim in answer["claims"]}


@pytest.mark.parametrize(
    ("text", "command", "output"),
    [
        (
            "Added the manifest and applied it successfully.",
            "kubectl apply -f app.yaml",
            "The connection to the server was refused",
        ),
        (
            "The column is in `models.py`, and migration 014 applied cleanly.",
            "alembic upgrade head",
            "IntegrityError: null value in column",
        ),
        ("매니페스트를 추가했고 서버 dry-run까지 통과했습니다.", "kubectl apply -f a.yaml --dry-run=server", "refused"),
    ],
)
def test_who_hides_that_the_last_command_failed_is_marked(text: str, command: str, output: str) -> None:
    answer = judged(text, bash(command, output, 1))
    assert {claim["state"] for claim in answer["claims"]} == {"unsupported"}
    assert answer["decision"] == "pass"
    mended = judged(text, bash(command, output, 1), bash(command, "ok", at=5.0))
    assert "unsupported" not in {claim["state"] for claim in mended["claims"]}


@pytest.mark.parametrize(
    "text",
    [
        "I changed the manifest, but `kubectl apply` was refused: there is no cluster here.",
        "매니페스트를 추가했습니다. 클러스터가 없어 적용은 못 했습니다.",
    ],
)
def test_who_tells_that_a_command_failed_is_not_marked(text: str) -> None:
    answer = judged(text, bash("kubectl apply -f app.yaml", "The connection to the server was refused", 1))
    assert "unsupported" not in {claim["state"] for claim in answer["claims"]}
