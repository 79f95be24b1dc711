"""What a reply claims that a record could show, kind by kind, and what is no claim."""

from pathlib import Path

import pytest

from mama_bot.enforcement.claims.grammar.claims import claims_in
from mama_bot.enforcement.claims.grammar.vocabulary import listed
from mama_bot.model.claims import Claim, ClaimKind
from mama_bot.model.runs import Counts
from mama_bot.text.patterns import alternation
from tests.enforcement.claims.claim_sentences import CLAIMS, NO_CLAIMS

WORDINGS = Path(__file__).parents[2] / "data" / "claims" / "wordings.txt"


def wordings() -> list[tuple[str, str]]:
    lines = WORDINGS.read_text(encoding="utf-8").splitlines()
    return [(kind, text) for line in lines[1:] for kind, _, text in [line.partition("|")]]


def kinds(text: str) -> list[str]:
    return [claim.kind.value for claim in claims_in(text)]


def only(text: str, kind: ClaimKind) -> Claim:
    (claim,) = [claim for claim in claims_in(text) if claim.kind is kind]
    return claim


def test_every_entry_finds_its_example() -> None:
    entries = list(listed())
    assert entries
    wrong = [row for row in entries if not row[2] or alternation([row[1]]).search(row[2]) is None]
    assert not wrong, "\n".join(map(repr, wrong))


def test_what_claims() -> None:
    wrong = [(kind, text) for kind, texts in CLAIMS.items() for text in texts if kind not in kinds(text)]
    assert not wrong, "\n".join(map(repr, wrong))


def test_what_claims_nothing() -> None:
    wrong = [(kind, text) for kind, texts in NO_CLAIMS.items() for text in texts if kind in kinds(text)]
    assert not wrong, "\n".join(map(repr, wrong))


def test_what_other_authors_write() -> None:
    def is_read(kind: str, text: str) -> bool:
        claimed = kinds(text.replace("\\n", "\n"))
        if kind == "-any":
            return claimed == []
        return (kind.removeprefix("-") in claimed) is not kind.startswith("-")

    rows = wordings()
    assert rows
    wrong = [row for row in rows if not is_read(*row)]
    assert not wrong, "\n".join(map(repr, wrong))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("All 45 tests pass and mypy is clean, committed as 3fa2c1d and pushed.", "tests types committed pushed"),
        ("테스트 45개 모두 통과했고 3fa2c1d로 커밋했습니다.", "tests committed"),
        ("pytest 45 passed, ruff clean, 커밋 완료, 푸시 완료", "tests lint committed pushed"),
        ("Ran `pytest -q`: 45 passed.", "tests"),
        ("tests green, pushed.", "tests pushed"),
        ("tests, lint and types all pass", "tests types lint"),
        ("mypy와 ruff 모두 통과했습니다.", "types lint"),
        ("빌드 성공, 테스트 통과, 커밋함.", "build tests committed"),
    ],
)
def test_a_sentence_can_hold_several_claims(text: str, expected: str) -> None:
    assert sorted(kinds(text)) == sorted(expected.split())


@pytest.mark.parametrize(
    ("text", "counts", "total", "fails"),
    [
        ("628/628 tests pass.", Counts(passed=628), 628, False),
        ("45 passed, 2 skipped", Counts(passed=45, skipped=2), None, False),
        ("All 45 tests pass.", Counts(passed=45), 45, False),
        ("테스트 45개 모두 통과했습니다.", Counts(passed=45), 45, False),
        ("테스트 628개 통과", Counts(passed=628), 628, False),
        ("628개 중 628개 통과", Counts(passed=628), 628, False),
        ("628개 중 625개 통과했습니다.", Counts(passed=625), 628, True),
        ("3 failed, 625 passed", Counts(failed=3, passed=625), None, True),
        ("테스트 3개 실패, 625개 통과했습니다.", Counts(failed=3, passed=625), 3, True),
        ("12건 전부 성공했습니다.", Counts(passed=12), None, False),
        ("Tests: 1 failed, 44 passed, 45 total", Counts(failed=1, passed=44), 45, True),
        ("pytest: 1,204 passed in 31.2s", Counts(passed=1204), None, False),
        ("테스트 45 개 통과", Counts(passed=45), 45, False),
        ("Complete run: 3/3, 0 failed.", Counts(passed=3, failed=0), 3, False),
        ("88 passed (was 85), no failures", Counts(passed=88), None, False),
        ("44 of 45 tests pass.", Counts(passed=44), 45, True),
    ],
)
def test_the_figures_of_tests_are_read(text: str, counts: Counts, total: int | None, fails: bool) -> None:
    claim = only(text, ClaimKind.TESTS)
    assert (claim.counts, claim.total, claim.fails) == (counts, total, fails)


@pytest.mark.parametrize(
    ("text", "kind", "subjects"),
    [
        ("Created `src/auth.py`.", ClaimKind.CREATED, ("src/auth.py",)),
        ("`src/auth.py`에 토큰 검증을 추가했습니다.", ClaimKind.CHANGED, ("src/auth.py",)),
        ("Deleted src/legacy.py and src/old.py.", ClaimKind.DELETED, ("src/legacy.py", "src/old.py")),
        ("Committed as 3fa2c1d.", ClaimKind.COMMITTED, ("3fa2c1d",)),
        ("Pushed to origin/main.", ClaimKind.PUSHED, ("origin/main",)),
        ("`npm run e2e`를 실행했습니다.", ClaimKind.RAN, ("npm run e2e",)),
        ("p99 went from 41 ms to 12 ms.", ClaimKind.BENCHMARK, ("41 ms", "12 ms")),
        ("Read src/config.py line by line.", ClaimKind.CHECKED, ("src/config.py",)),
    ],
)
def test_a_claim_names_its_subjects(text: str, kind: ClaimKind, subjects: tuple[str, ...]) -> None:
    assert only(text, kind).subjects == subjects


@pytest.mark.parametrize(
    ("text", "kind", "tool", "whole"),
    [
        ("The full suite passes.", ClaimKind.TESTS, "", True),
        ("전체 테스트 통과했습니다.", ClaimKind.TESTS, "", True),
        ("`uv run pytest -q` passes.", ClaimKind.TESTS, "pytest", False),
        ("cargo test: 12 passed", ClaimKind.TESTS, "cargo test", False),
        ("`ruff format --check .` is clean.", ClaimKind.FORMAT, "ruff format", False),
        ("tsc 통과", ClaimKind.TYPES, "tsc", False),
    ],
)
def test_a_claim_names_its_tool(text: str, kind: ClaimKind, tool: str, whole: bool) -> None:
    claim = only(text, kind)
    assert (claim.tool, claim.whole) == (tool, whole)


def test_a_list_below_a_heading_claims_each_file() -> None:
    text = "Changed files:\n- `src/a.py`: guard\n- src/b.py (new)\n- `old/c.py` (deleted)\n"
    found = [(claim.kind, claim.subjects) for claim in claims_in(text)]
    assert found == [
        (ClaimKind.CHANGED, ("src/a.py",)),
        (ClaimKind.CREATED, ("src/b.py",)),
        (ClaimKind.DELETED, ("old/c.py",)),
    ]


def test_output_that_is_pasted_is_a_claim() -> None:
    text = "```\n$ pytest -q\n...\n===== 45 passed, 1 skipped in 3.2s =====\n```"
    claim = only(text, ClaimKind.TESTS)
    assert (claim.text, claim.counts, claim.tool) == (
        "45 passed, 1 skipped in 3.2s",
        Counts(passed=45, skipped=1),
        "pytest",
    )


def test_a_failure_that_was_overcome_is_no_claim() -> None:
    text = "pytest: 3 failed, 42 passed. Fixed the rounding and ran it again. pytest: 45 passed."
    (claim,) = [claim for claim in claims_in(text) if claim.kind is ClaimKind.TESTS]
    assert claim.counts == Counts(passed=45)
