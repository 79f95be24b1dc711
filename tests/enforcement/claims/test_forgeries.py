"""Runs that are forged or are a part of what is claimed, in both languages: what is false is not confirmed."""

import pytest

from mama_bot.model import ClaimKind
from tests.enforcement.claims.forged_records import ALL_PASS, FAILED, GREEN, SUITE_PASSES, kinds_confirmed
from tests.enforcement.claims.test_forged_evidence import PASSED, bash, judged, states, wrote

# --- words of a filter, of a terminal, of a log that was replaced -----------------------------------------------------


@pytest.mark.parametrize("text", ALL_PASS)
@pytest.mark.parametrize(
    "command",
    [
        "pytest -q | grep -o '[0-9]* passed in.*'",
        "pytest -q | grep passed",
        "pytest -q 2>&1 | tail -c 24",
        "pytest -q | awk '/passed/'",
        "pytest -q | sed -n '/passed/p'",
        "pytest -q | cut -d, -f2",
        "pytest -q > run.log; mv old.log run.log; cat run.log",
        "pytest -q > run.log 2>&1; cp good.log run.log && tail -1 run.log",
        "pytest -q || tail -1 good.log",
    ],
)
def test_the_words_that_a_filter_leaves_are_no_result(text: str, command: str) -> None:
    assert "tests" not in kinds_confirmed(text, bash(command, GREEN))


@pytest.mark.parametrize("text", ALL_PASS)
def test_a_failure_anywhere_in_an_output_is_above_a_success(text: str) -> None:
    output = f"{FAILED}\n\x1b[1A\x1b[2K{GREEN}"
    assert "tests" not in kinds_confirmed(text, bash("pytest | tail -1; printf '628 passed in 1.20s'", output))


@pytest.mark.parametrize("text", ALL_PASS)
@pytest.mark.parametrize(
    "command",
    [
        "trap 'cat good.txt; exit 0' DEBUG; pytest -q",
        "set -T; trap 'cat good.txt' RETURN; pytest -q",
        "enable -f ./x.so pytest; pytest -q",
        "pytest -q -c /tmp/other.ini",
        "pytest -q --rootdir=/tmp/other",
        "pytest -q -o python_files='ok_*.py'",
        "pytest -q --override-ini=addopts='--deselect tests'",
    ],
)
def test_what_takes_a_shell_or_the_choice_of_tests_over_proves_no_whole_suite(text: str, command: str) -> None:
    assert "tests" not in kinds_confirmed(text, bash(command, GREEN))


@pytest.mark.parametrize("text", ALL_PASS)
@pytest.mark.parametrize(
    "command", ["trap 'rm -f x' EXIT; pytest -q", "pytest -q -o cache_dir=x", "pytest -q -c pytest.ini"]
)
def test_a_run_that_tidies_up_or_names_its_own_settings_is_one(text: str, command: str) -> None:
    assert "tests" in kinds_confirmed(text, bash(command, GREEN))


# --- narrow runs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "command", "output"),
    [
        ("The tests pass.", "pytest tests/test_a.py::test_one", "1 passed in 0.1s"),
        ("테스트가 통과합니다.", "pytest -q -k one", "1 passed, 44 deselected in 0.1s"),
        ("All tests pass, nothing skipped.", "pytest -q", "43 passed, 2 skipped in 1.0s"),
        ("45 passed, 0 skipped.", "pytest -q", "45 passed, 2 skipped in 1.0s"),
        ("Lint is clean across the package.", "ruff check src/a.py", "All checks passed!"),
        ("프로젝트 전체 린트가 깨끗합니다.", "ruff check src/a.py", "All checks passed!"),
        ("mypy is clean for the whole project.", "mypy src/a.py", "Success: no issues found in 1 source file"),
    ],
)
def test_a_part_does_not_bear_out_the_whole(text: str, command: str, output: str) -> None:
    assert not kinds_confirmed(text, bash(command, output))


@pytest.mark.parametrize("text", SUITE_PASSES)
def test_a_run_in_another_project_bears_nothing_out(text: str) -> None:
    record = (wrote("src/a.py"), bash("cd /elsewhere && pytest -q", PASSED))
    assert "tests" not in kinds_confirmed(text, *record)


@pytest.mark.parametrize("text", SUITE_PASSES)
@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("pytest -q --collect-only", "45 tests collected in 0.1s"),
        ("pytest -q >/dev/null 2>&1; echo done", "done"),
        ("pytest -q -k nothing", "45 deselected in 0.1s"),
    ],
)
def test_a_run_that_ran_nothing_or_hides_its_end_bears_nothing_out(text: str, command: str, output: str) -> None:
    assert "tests" not in kinds_confirmed(text, bash(command, output))


@pytest.mark.parametrize("text", SUITE_PASSES)
def test_a_formatter_after_the_run_takes_nothing_away_and_the_line_of_facts_tells_of_it(text: str) -> None:
    record = (bash("pytest -q", PASSED), bash("ruff format .", "1 file reformatted, 3 files left unchanged", at=2.0))
    verdict = judged(text, *record)
    assert verdict["decision"] == "pass"
    assert [claim["state"] for claim in verdict["claims"]] == ["confirmed"]
    assert any(words in verdict["record_line"] for words in ("then comments or format only", "주석이나 서식만"))


@pytest.mark.parametrize("text", ["All 13 tests pass.", "전체 테스트 13개 통과했습니다."])
@pytest.mark.parametrize("output", ["2 passed, 11 skipped in 0.1s", "13 passed in 0.1s"])
def test_all_of_them_is_neither_a_part_nor_what_was_skipped(text: str, output: str) -> None:
    assert states(text, bash("pytest -q tests/test_a.py", f"===== {output} =====")) == ["unsupported"]


@pytest.mark.parametrize(
    ("text", "command", "kind"),
    [
        ("Built the release configuration locally, no warnings.", "git diff main", "build"),
        ("The image is live on staging.", "./deploy.sh staging --dry-run", "deployed"),
        ("icn에도 apply 완료했습니다.", "terraform plan -input=false", "deployed"),
        ("The query went from 41 ms to 0.6 ms.", "sqlite3 a.db 'explain query plan select 1'", "benchmark"),
        ("Recall is 0.91 on the held-out set.", "python train.py", "benchmark"),
    ],
)
def test_what_was_only_looked_at_or_rehearsed_is_not_shown(text: str, command: str, kind: str) -> None:
    claims = judged(text, bash(command, "ok"))["claims"]
    assert [claim["state"] for claim in claims if claim["kind"] == kind] == ["unsupported"]


@pytest.mark.parametrize("text", ["Added two tests for `total`.", "`total`을 고치고 테스트도 같이 작성했습니다."])
@pytest.mark.parametrize(
    ("path", "state"), [("tests/test_total.py", "none"), ("src/total.py", "unsupported"), ("src/total.rs", "none")]
)
def test_that_tests_were_written_is_held_against_the_files(text: str, path: str, state: str) -> None:
    claims = judged(text, wrote(path))["claims"]
    assert next((claim["state"] for claim in claims if claim["kind"] == "created"), "none") == state


def test_what_a_pull_request_shows_is_no_claim_of_an_own_run() -> None:
    shown = bash("gh pr checks 412", "build\tpass\t1m\nlint\tpass\t10s\ne2e\tfail\t2m\n")
    assert judged("On the pull request lint passes and e2e fails.", shown)["claims"] == []


@pytest.mark.parametrize(
    "text",
    [
        "`src/a.py` is the only file I touched.",
        "No other file was touched beside `src/a.py`.",
        "`src/a.py` 외에 수정한 파일은 없습니다.",
        "`src/a.py`만 수정했고 다른 파일은 건드리지 않았습니다.",
    ],
)
def test_that_no_other_file_was_touched_is_compared_with_all_of_them(text: str) -> None:
    other = wrote("src/b.py", at=0.7)
    found = {claim["kind"]: claim["state"] for claim in judged(text, wrote("src/a.py"), other)["claims"]}
    assert found[ClaimKind.ONLY_THESE.value] == "contradicted"
    found = {claim["kind"]: claim["state"] for claim in judged(text, wrote("src/a.py"))["claims"]}
    assert found[ClaimKind.ONLY_THESE.value] == "confirmed"


@pytest.mark.parametrize(
    "text",
    ["The median dropped from 167.6 ms to 9.8 ms.", "평균 시간이 167.6 ms에서 9.8 ms로 줄었습니다."],
)
def test_a_measured_figure_must_have_been_printed(text: str) -> None:
    assert "benchmark" not in kinds_confirmed(text, bash("python bench.py", "before 167.6 ms\nafter 114.4 ms"))
    assert "benchmark" in kinds_confirmed(text, bash("python bench.py", "before 167.6 ms\nafter 9.8 ms"))
