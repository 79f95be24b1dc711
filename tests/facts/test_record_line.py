"""The line of facts says what the record shows, in both languages, and never more."""

from dataclasses import replace

import pytest

from mama_bot.facts.line import record_line
from mama_bot.model import CheckFact, Counts, DeedFact, Facts, FileFate, Freshness, GitRule, RunEnd, RunKind
from mama_bot.wording import Language
from tests.facts.making import check, deed, file, ran, read, witness

EN, KO = Language.ENGLISH, Language.KOREAN
EDITS = (file("a.py", 1, lines=(40, 10)), file("b.py", 2, lines=(5, 2)), file("c.py", 3, lines=(0, 0)))
GREEN = check(5, counts=Counts(passed=45))
RED = check(5, RunEnd.FAILED, counts=Counts(failed=3, passed=625))
WORK = Facts(calls=5, files=EDITS, checks=(GREEN,))
COMMIT = deed(RunKind.COMMIT, 7, target="39e7c6abcdef")


@pytest.mark.parametrize(
    ("facts", "english", "korean"),
    [
        (
            WORK,
            "Record: 3 files +45 −12 · pytest 45 passed, after the last edit · not committed",
            "기록: 파일 3개 +45 −12 · pytest 45개 통과, 마지막 편집 뒤 · 커밋 안 함",
        ),
        (
            Facts(calls=1, files=(file("a.py", 1),)),
            "Record: 1 file · no tests were run · not committed",
            "기록: 파일 1개 · 테스트 실행 안 함 · 커밋 안 함",
        ),
        (Facts(calls=1, checks=(RED,)), "Record: pytest 3 failed, 625 passed", "기록: pytest 3개 실패, 625개 통과"),
        (
            Facts(calls=3, looks=(read("a.py", 1), read("b.py", 2))),
            "Record: 2 files read · only looked, nothing was changed or tested",
            "기록: 파일 2개 읽음 · 보기만 함, 변경도 테스트도 없음",
        ),
        (
            Facts(calls=2, commands=(ran("docker compose", 1, failed=("docker compose",)), ran("curl /x", 2))),
            "Record: docker compose failed · ran curl",
            "기록: docker compose 실패 · 실행: curl",
        ),
        (
            Facts(calls=2, commands=(ran("make asan", 1, erred=True), ran("make asan", 2))),
            "Record: ran make asan",
            "기록: 실행: make asan",
        ),
        (
            Facts(calls=1, commands=(ran("make asan", 1, erred=True),)),
            "Record: make asan printed an error",
            "기록: make asan 오류 출력",
        ),
        (
            Facts(calls=1, deeds=(deed(RunKind.DEPLOY, 1, dry=True),)),
            "Record: deployment: only rehearsed",
            "기록: 배포: 예행만 함",
        ),
        (
            replace(WORK, deeds=(COMMIT, deed(RunKind.PUSH, 8)), unknown=(witness(4),)),
            "Record: at least 3 files +45 −12 · pytest 45 passed, after the last edit · committed 39e7c6a · pushed",
            "기록: 파일 3개 이상 +45 −12 · pytest 45개 통과, 마지막 편집 뒤 · 커밋 39e7c6a · 푸시함",
        ),
    ],
)
def test_a_line_in_both_languages(facts: Facts, english: str, korean: str) -> None:
    assert record_line(facts, EN) == english
    assert record_line(facts, KO) == korean


@pytest.mark.parametrize(
    ("check_fact", "words"),
    [
        (check(5, RunEnd.MASKED), "pytest outcome not known"),
        (check(5, RunEnd.NOTHING), "pytest ran nothing"),
        (check(5, RunEnd.OPEN), "pytest not finished"),
        (check(5), "pytest passed, after the last edit"),
        (check(5, RunEnd.FAILED), "pytest failed, after the last edit"),
        (check(5, RunEnd.FAILED, counts=Counts(passed=4)), "pytest failed, 4 passed, after the last edit"),
        (check(5, RunEnd.FAILED, counts=Counts(errors=1)), "pytest 1 error, after the last edit"),
        (check(5, freshness=Freshness.UNKNOWN), "pytest passed"),
        (check(5, freshness=Freshness.STALE), "pytest passed, before the last edit"),
        (check(5, freshness=Freshness.RESTYLED), "pytest passed, then comments or format only"),
        (check(5, selected=("tests/test_a.py",)), "pytest passed, a part: tests/test_a.py, after the last edit"),
        (check(5, selected=("a.py", "b.py")), "pytest passed, a part: a.py, …, after the last edit"),
        (check(5, selected=("-k 45 passed",)), "pytest passed, a part, after the last edit"),
        (check(5, place="api"), "pytest in api passed, after the last edit"),
        (check(7, hook=True, call="call-7"), "pytest passed, in the commit hook, after the last edit"),
        (check(6, hook=True), "pytest passed, in a git hook, after the last edit"),
        (check(5, age=2, freshness=Freshness.STALE), "pytest passed, 2 turns ago, before the last edit"),
        (check(5, age=1), "pytest passed, 1 turn ago"),
    ],
)
def test_a_check_is_told_as_it_was(check_fact: CheckFact, words: str) -> None:
    facts = replace(WORK, checks=(check_fact,), deeds=(COMMIT,))
    assert record_line(facts, EN).split(" · ")[1] == words


@pytest.mark.parametrize(
    ("deeds", "words"),
    [
        ((), "not committed"),
        ((COMMIT,), "committed 39e7c6a, not pushed"),
        ((deed(RunKind.COMMIT, 2, target="39e7c6a"),), "committed 39e7c6a, edited since, not pushed"),
        ((deed(RunKind.COMMIT, 7, target="45 passed"),), "committed, not pushed"),
        ((deed(RunKind.COMMIT, 7, RunEnd.FAILED),), "commit failed"),
        ((deed(RunKind.COMMIT, 7, RunEnd.MASKED),), "commit: outcome not known"),
        ((deed(RunKind.COMMIT, 7, RunEnd.NOTHING),), "commit: nothing to do"),
        ((COMMIT, deed(RunKind.PUSH, 8, RunEnd.FAILED)), "committed 39e7c6a · push failed"),
        ((COMMIT, deed(RunKind.PUSH, 8, dry=True)), "committed 39e7c6a, not pushed"),
        ((deed(RunKind.PUSH, 6), COMMIT), "committed 39e7c6a, not pushed"),
        ((deed(RunKind.DEPLOY, 8, RunEnd.FAILED),), "not committed · deployment failed"),
        ((deed(RunKind.COMMIT, 0, target="39e7c6a", age=1),), "not committed"),
    ],
)
def test_commits_and_what_goes_out_are_told_as_they_were(deeds: tuple[DeedFact, ...], words: str) -> None:
    facts = replace(WORK, deeds=deeds)
    assert record_line(facts, EN).split(" · ", 2)[2] == words


def test_of_what_nobody_recorded_nothing_is_denied() -> None:
    line = record_line(replace(WORK, recorded=False, checks=()), EN)
    assert line == "Record: 3 files +45 −12"


def test_after_a_call_that_may_have_done_anything_nothing_is_denied() -> None:
    line = record_line(replace(WORK, checks=(), unknown=(witness(9),)), EN)
    assert line == "Record: at least 3 files +45 −12 · tests: not known"


def test_an_unknown_call_after_a_check_leaves_its_worth_open() -> None:
    line = record_line(replace(WORK, unknown=(witness(9),)), EN)
    assert "pytest 45 passed ·" in f"{line} ·"


def test_a_document_that_was_edited_after_the_tests_is_no_edit_of_code() -> None:
    line = record_line(replace(WORK, files=(*EDITS, file("CHANGELOG.md", 6))), EN)
    assert "pytest 45 passed, code unchanged since" in line


def test_code_of_another_project_that_was_edited_after_the_tests_leaves_their_worth_open() -> None:
    line = record_line(replace(WORK, files=(*EDITS, file("web/a.ts", 6))), EN)
    assert "pytest 45 passed · not committed" in line


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("../other", "pytest in ../other passed · "),
        ("/home/kim/checkouts/of/this/week/another/shop", "pytest in …/shop passed · "),
        ("/home/kim/checkouts/of/this/week/another/the shop", "pytest in … passed · "),
    ],
)
def test_a_run_elsewhere_is_never_told_as_one_of_the_workspace(place: str, told: str) -> None:
    assert told in record_line(replace(WORK, checks=(check(5, place=place),)), EN)


def test_a_part_does_not_hide_the_whole_run_before_it() -> None:
    part = check(6, counts=Counts(passed=1), selected=("tests/test_a.py",))
    line = record_line(Facts(calls=2, checks=(RED, part)), EN)
    assert line == "Record: pytest 3 failed, 625 passed · pytest 1 passed, a part: tests/test_a.py"


def test_a_part_that_passed_does_not_hide_another_that_failed() -> None:
    red = check(5, RunEnd.FAILED, counts=Counts(failed=5), selected=("tests/test_a.py",))
    green = check(6, counts=Counts(passed=3), selected=("tests/test_b.py",))
    line = record_line(Facts(calls=2, checks=(red, green)), EN)
    assert line == "Record: pytest 5 failed, a part: tests/test_a.py · pytest 3 passed, a part: tests/test_b.py"
    for again in (("tests/test_a.py",), ("tests",), ("tests/test_a.py", "tests/test_b.py")):
        mended = check(7, counts=Counts(passed=8), selected=again)
        assert "failed" not in record_line(Facts(calls=3, checks=(red, green, mended)), EN), again
    named = check(5, RunEnd.FAILED, counts=Counts(failed=1), selected=("tests/test_a.py::test_pay",))
    other = check(6, counts=Counts(passed=1), selected=("tests/test_a.py::test_tax",))
    assert "1 failed" in record_line(Facts(calls=2, checks=(named, other)), EN)
    assert "failed" not in record_line(
        Facts(calls=2, checks=(named, replace(named, end=RunEnd.PASSED, counts=Counts(passed=1)))), EN
    )


def test_the_last_run_of_each_tool_counts() -> None:
    assert (
        record_line(Facts(calls=2, checks=(RED, check(6, counts=Counts(passed=628)))), EN)
        == "Record: pytest 628 passed"
    )


def test_checks_that_passed_alike_are_said_together() -> None:
    checks = (GREEN, check(6, kind=RunKind.TYPES, tool="mypy"), check(7, kind=RunKind.LINT, tool="ruff check"))
    assert record_line(Facts(calls=3, checks=checks), EN) == "Record: pytest 45 passed · mypy, ruff check passed"


def test_lines_are_told_where_git_counted_all_of_them() -> None:
    files = (*EDITS, file("d.bin", 4))
    assert record_line(replace(WORK, files=files), EN).startswith("Record: 4 files · ")


def test_what_was_undone_or_is_only_a_note_is_no_change() -> None:
    gone = replace(file("d.py", 3, fate=FileFate.DELETED), fates=frozenset({FileFate.CREATED, FileFate.DELETED}))
    files = (file("a.py", 1, undone=True), file("/tmp/notes.md", 2), gone)
    assert record_line(Facts(calls=3, files=files), EN) == ""


def test_small_talk_has_no_line() -> None:
    assert record_line(Facts(), EN) == ""
    assert record_line(Facts(earlier_calls=7, checks=(check(1, age=1),)), EN) == ""


@pytest.mark.parametrize(
    ("facts", "english", "korean"),
    [
        (Facts(), "Record: nothing was run", "기록: 실행한 것 없음"),
        (Facts(from_beginning=False), "Record: nothing was run in this turn", "기록: 이번 차례에 실행한 것 없음"),
        (
            Facts(earlier_calls=7, checks=(check(1, counts=Counts(passed=9), age=2),)),
            "Record: nothing was run in this turn · pytest 9 passed, 2 turns ago",
            "기록: 이번 차례에 실행한 것 없음 · pytest 9개 통과, 2차례 전",
        ),
        (
            Facts(calls=1, looks=(read("a.py", 1),)),
            "Record: 1 file read · no file was written · no tests were run",
            "기록: 파일 1개 읽음 · 쓴 파일 없음 · 테스트 실행 안 함",
        ),
        (
            Facts(recorded=False),
            "Record: this agent does not report what it runs",
            "기록: 이 에이전트는 실행한 것을 알려 주지 않음",
        ),
    ],
)
def test_work_that_is_said_to_be_done_is_held_to_an_empty_record(facts: Facts, english: str, korean: str) -> None:
    assert record_line(facts, EN, claims_work=True) == english
    assert record_line(facts, KO, claims_work=True) == korean


def test_failures_are_the_last_to_be_left_out() -> None:
    kinds = (RunKind.BUILD, RunKind.TYPES, RunKind.LINT, RunKind.FORMAT)
    further = [
        check(6 + number, end, kind=kind, tool=f"{kind.value}-{number}", selected=(f"path/{number}",))
        for kind in kinds
        for number, end in enumerate((RunEnd.PASSED, RunEnd.FAILED))
    ]
    line = record_line(replace(WORK, checks=(GREEN, *further), deeds=(COMMIT,)), EN)
    assert len(line) <= 200
    assert line.endswith(" · …")
    assert "passed, a part" not in line


def test_what_no_commit_shows_is_said() -> None:
    facts = replace(WORK, rules=(GitRule.EXCLUDES, GitRule.HOOKS))
    assert "changed beside the commits: git's excludes, git hooks" in record_line(facts, EN)
    assert "커밋 밖에서 변경: git 제외 목록, git 훅" in record_line(facts, KO)
