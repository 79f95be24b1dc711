"""Reconciliation of claims about runs: which run decides, and what it says."""

import pytest

from mama_bot.enforcement.claims.reconciliation import reconcile
from mama_bot.model import ClaimKind, ClaimState, Counts, FileFate, FileTouch, Run, RunEnd, RunKind, ToolRecord
from mama_bot.wording import Language
from tests.enforcement.claims.records import Recorded, answer, claim, verdict

GREEN = Counts(passed=628)
RED = Counts(failed=3, passed=625)
ALL_OF_THEM = claim(text="628/628", counts=Counts(passed=628), total=628)
CONFIRMED = ("confirmed", "")


def test_a_run_with_the_same_figures_after_the_last_edit_confirms() -> None:
    recorded = Recorded().edited("src/a.py").ran("pytest -q", counts=GREEN)
    assert verdict(recorded, ALL_OF_THEM) == CONFIRMED


def test_a_failed_run_contradicts_and_the_sentence_names_the_difference() -> None:
    recorded = Recorded().edited("src/a.py").ran("pytest", end=RunEnd.FAILED, counts=RED)
    found = answer(recorded, ALL_OF_THEM)
    assert (found.state, found.reason, found.run_id) == (ClaimState.CONTRADICTED, "failed", "run-1")
    assert found.says == "the run at 12:01 says 3 failed, 625 passed"
    assert (
        answer(recorded, ALL_OF_THEM, language=Language.KOREAN).says == "12:01의 실행 결과는 실패 3개, 통과 625개입니다"
    )


def test_other_figures_contradict() -> None:
    recorded = Recorded().ran("pytest", counts=Counts(passed=627))
    assert verdict(recorded, ALL_OF_THEM) == ("contradicted", "other_figures")


def test_without_any_run_nothing_is_shown() -> None:
    assert verdict(Recorded().edited("src/a.py"), ALL_OF_THEM) == ("unsupported", "no_such_run")


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (RunEnd.MASKED, ("unsupported", "masked")),
        (RunEnd.OPEN, ("unsupported", "background")),
        (RunEnd.NOTHING, ("contradicted", "ran_nothing")),
    ],
)
def test_a_run_without_a_result_is_no_proof(end: RunEnd, said: tuple[str, str]) -> None:
    assert verdict(Recorded().ran("pytest", end=end), claim()) == said


def test_a_masked_run_whose_output_shows_the_figures_is_proof() -> None:
    assert verdict(Recorded().ran("pytest | tail -3", end=RunEnd.MASKED, counts=GREEN), ALL_OF_THEM) == CONFIRMED


def test_an_edit_of_code_makes_a_run_stale() -> None:
    recorded = Recorded().ran("pytest", counts=GREEN).edited("src/a.py")
    found = answer(recorded, ALL_OF_THEM)
    assert (found.state, found.reason) == (ClaimState.UNSUPPORTED, "before_last_edit")
    assert found.says == "the run at 12:00 (pytest) was before the last edit (a.py, 12:01)"


@pytest.mark.parametrize(
    "path", ["README.md", "docs/guide.rst", "CHANGELOG.md", "notes.txt", "uv.lock", "/tmp/note.py", "run.log"]
)
def test_an_edit_of_a_document_does_not_make_a_run_stale(path: str) -> None:
    recorded = Recorded().edited("src/a.py").ran("pytest", counts=GREEN).edited(path)
    assert verdict(recorded, ALL_OF_THEM) == CONFIRMED


def test_an_edit_by_another_agent_makes_a_run_stale_as_well() -> None:
    recorded = Recorded().ran("pytest", counts=GREEN).edited("src/a.py", agent="writer")
    assert verdict(recorded, ALL_OF_THEM) == ("unsupported", "before_last_edit")


def test_an_edit_of_nobody_knows_which_file_makes_a_run_stale() -> None:
    recorded = Recorded().ran("pytest", counts=GREEN).shell("git stash pop", touched=[""])
    assert verdict(recorded, ALL_OF_THEM) == ("unsupported", "before_last_edit")


def test_a_failure_that_was_mended_and_run_again_does_not_contradict() -> None:
    recorded = Recorded().ran("pytest", end=RunEnd.FAILED, counts=RED).edited("src/a.py").ran("pytest", counts=GREEN)
    assert verdict(recorded, ALL_OF_THEM) == CONFIRMED
    assert verdict(recorded, claim()) == CONFIRMED


def test_a_later_narrow_run_does_not_undo_a_full_one() -> None:
    recorded = Recorded().ran("pytest", counts=GREEN)
    recorded.ran("pytest tests/test_a.py", counts=Counts(passed=4), selected=("tests/test_a.py",))
    assert verdict(recorded, ALL_OF_THEM) == CONFIRMED
    assert verdict(recorded, claim(whole=True)) == CONFIRMED


def test_a_later_full_run_that_fails_undoes_an_earlier_one() -> None:
    recorded = Recorded().ran("pytest", counts=GREEN).ran("pytest", end=RunEnd.FAILED, counts=RED)
    assert verdict(recorded, claim()) == ("contradicted", "failed")


def test_a_narrow_run_is_not_the_whole_suite() -> None:
    recorded = Recorded().ran("pytest tests/test_a.py", selected=("tests/test_a.py",), counts=Counts(passed=4))
    assert verdict(recorded, claim(text="the full suite passes", whole=True)) == ("unsupported", "no_such_run")
    assert verdict(recorded, claim(text="4 passed", counts=Counts(passed=4))) == CONFIRMED


def test_figures_of_a_narrow_run_hold_when_a_later_full_run_passed() -> None:
    recorded = Recorded().ran("pytest tests/test_a.py", selected=("tests/test_a.py",), counts=Counts(passed=4))
    recorded.edited("src/a.py").ran("pytest", counts=GREEN)
    assert verdict(recorded, claim(text="4 passed", counts=Counts(passed=4))) == CONFIRMED


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        (claim(text="45/45", counts=Counts(passed=45), total=45), Counts(passed=45)),
        (claim(text="all 45 tests", total=45), Counts(passed=45, skipped=2)),
        (claim(text="all 47 tests", total=47), Counts(passed=45, skipped=2)),
        (claim(text="45 passed, 2 skipped", counts=Counts(passed=45, skipped=2)), Counts(passed=45, skipped=2)),
        (claim(text="0 failures", counts=Counts(failed=0)), Counts(passed=45)),
    ],
)
def test_figures_are_understood_in_every_form(said: object, counts: Counts) -> None:
    assert verdict(Recorded().ran("pytest", counts=counts), said) == CONFIRMED  # type: ignore[arg-type]


def test_figures_of_several_suites_may_be_added() -> None:
    recorded = Recorded().edited("src/a.py").ran("pytest", counts=Counts(passed=45))
    recorded.ran("npx jest", tool="jest", counts=Counts(passed=12))
    assert verdict(recorded, claim(text="57 tests", counts=Counts(passed=57))) == CONFIRMED
    assert verdict(recorded, claim(text="58 tests", counts=Counts(passed=58))) == ("contradicted", "other_figures")


def test_most_of_the_tests_are_not_all_of_them() -> None:
    recorded = Recorded().ran("pytest", end=RunEnd.FAILED, counts=Counts(passed=4985, failed=7))
    said = claim(text="all 4992 tests pass", counts=Counts(passed=4992), total=4992, whole=True)
    assert verdict(recorded, said)[0] == "contradicted"
    assert verdict(recorded, claim(text="4985 tests pass", counts=Counts(passed=4985))) == ("contradicted", "failed")
    honest = claim(text="4985 of 4992 pass", counts=Counts(passed=4985), total=4992)
    assert verdict(recorded, honest) == CONFIRMED


def test_a_failure_that_is_reported_is_confirmed_by_the_failing_run() -> None:
    recorded = Recorded().ran("pytest", end=RunEnd.FAILED, counts=RED)
    assert verdict(recorded, claim(text="3 failed", counts=Counts(failed=3), fails=True)) == CONFIRMED
    assert verdict(recorded, claim(text="tests fail", fails=True)) == CONFIRMED
    told = claim(text="1 failed", counts=Counts(failed=1), fails=True)
    assert verdict(recorded, told) == ("contradicted", "other_figures")


def test_a_run_of_another_agent_does_not_count() -> None:
    recorded = Recorded(agent="reviewer").ran("pytest", counts=GREEN, agent="developer")
    found = answer(recorded, ALL_OF_THEM)
    assert (found.state, found.reason) == (ClaimState.UNSUPPORTED, "another_agent")
    assert found.says == "the run at 12:00 is developer's, not your own"


def test_a_subagents_run_counts_as_its_agents() -> None:
    assert verdict(Recorded().ran("pytest", counts=GREEN, agent="developer/sub1"), ALL_OF_THEM) == CONFIRMED


def test_a_run_that_was_told_counts_for_whoever_passes_it_on() -> None:
    told = Recorded().ran("pytest", counts=GREEN).calls
    lead = Recorded(agent="lead")
    assert verdict(lead, ALL_OF_THEM, told=told) == CONFIRMED
    assert verdict(lead, ALL_OF_THEM) == ("unsupported", "no_such_run")


def test_a_run_of_another_project_does_not_count() -> None:
    recorded = Recorded().edited("src/a.py").ran("pytest", directory="/home/dev/other", counts=GREEN)
    assert verdict(recorded, ALL_OF_THEM) == ("unsupported", "elsewhere")


def test_a_run_in_a_directory_of_the_same_project_counts() -> None:
    recorded = Recorded().edited("src/a.py").ran("pytest", directory="tests", counts=GREEN)
    assert verdict(recorded, ALL_OF_THEM) == CONFIRMED


def test_an_edit_of_another_project_makes_no_run_stale() -> None:
    recorded = Recorded().edited("src/a.py").ran("pytest", counts=GREEN).edited("/home/dev/other/src/b.py")
    assert verdict(recorded, ALL_OF_THEM) == CONFIRMED


def test_the_tool_that_is_named_is_the_one_that_counts() -> None:
    recorded = Recorded().ran("ruff check .", RunKind.LINT, tool="ruff check")
    assert verdict(recorded, claim(ClaimKind.LINT, "eslint is clean", tool="eslint")) == ("unsupported", "no_such_run")
    assert verdict(recorded, claim(ClaimKind.LINT, "ruff is clean", tool="ruff")) == CONFIRMED


def test_a_linter_on_one_file_is_not_the_linter_on_all() -> None:
    recorded = Recorded().edited("src/a.py").edited("src/b.py")
    recorded.ran("ruff check src/a.py", RunKind.LINT, tool="ruff check", selected=("src/a.py",))
    assert verdict(recorded, claim(ClaimKind.LINT, "lint clean"))[0] == "unsupported"


@pytest.mark.parametrize(
    ("end", "dry", "said"),
    [
        (RunEnd.PASSED, False, CONFIRMED),
        (RunEnd.FAILED, False, ("contradicted", "failed")),
        (RunEnd.NOTHING, False, ("contradicted", "ran_nothing")),
        (RunEnd.PASSED, True, ("contradicted", "ran_nothing")),
    ],
)
def test_a_push_is_what_git_said_of_it(end: RunEnd, dry: bool, said: tuple[str, str]) -> None:
    recorded = Recorded().ran("git push", RunKind.PUSH, end, dry=dry, target="origin main")
    assert verdict(recorded, claim(ClaimKind.PUSHED, "pushed")) == said


def test_another_branch_or_commit_is_elsewhere() -> None:
    recorded = Recorded().ran("git commit -m x", RunKind.COMMIT, target="1a2b3c4", output="[main 1a2b3c4] x")
    recorded.ran("git push origin feature", RunKind.PUSH, target="origin feature")
    assert verdict(recorded, claim(ClaimKind.COMMITTED, "x", subjects=("1a2b3c4",))) == CONFIRMED
    assert verdict(recorded, claim(ClaimKind.COMMITTED, "x", subjects=("9f8e7d6",))) == ("unsupported", "elsewhere")
    assert verdict(recorded, claim(ClaimKind.PUSHED, "x", subjects=("main",))) == ("unsupported", "elsewhere")


def test_a_commit_stays_done_whatever_is_edited_after_it() -> None:
    recorded = Recorded().ran("git commit -m x", RunKind.COMMIT).edited("src/a.py", FileFate.CHANGED)
    assert verdict(recorded, claim(ClaimKind.COMMITTED, "committed")) == CONFIRMED


def test_of_an_agent_without_tool_events_nothing_is_concluded() -> None:
    assert reconcile((ALL_OF_THEM,), ToolRecord(complete=False), agent="developer") == ()


TARGETS = "ok. 4 passed; 0 failed; 0 ignored\n\nok. 1 passed; 0 failed; 1 ignored\n\nok. 1 passed; 0 failed; 0 ignored"


@pytest.mark.parametrize(
    ("text", "passed", "said"),
    [
        ("ok. 4 passed; 0 failed; 0 ignored\nok. 1 passed; 0 failed; 1 ignored", 5, CONFIRMED),
        ("ok. 1 passed; 0 failed; 1 ignored\nok. 4 passed; 0 failed; 0 ignored", 5, ("contradicted", "other_figures")),
        ("ok. 4 passed; 0 failed; 0 ignored\nok. 5 passed; 0 failed; 0 ignored", 9, ("contradicted", "other_figures")),
    ],
)
def test_some_of_the_lines_that_a_run_printed_are_its_figures(text: str, passed: int, said: tuple[str, str]) -> None:
    recorded = Recorded().ran("cargo test", tool="cargo test", counts=Counts(passed=6, skipped=1), output=TARGETS)
    assert verdict(recorded, claim(text=text, counts=Counts(passed=passed, failed=0))) == said


@pytest.mark.parametrize(
    ("named", "said"), [("cargo check", CONFIRMED), ("cargo build", ("unsupported", "no_such_run"))]
)
def test_a_check_by_the_compiler_is_a_build_only_by_its_own_name(named: str, said: tuple[str, str]) -> None:
    recorded = Recorded().ran("cargo check --workspace", RunKind.TYPES, tool="cargo build")
    assert verdict(recorded, claim(kind=ClaimKind.BUILD, text=f"`{named}`: no errors", tool=named)) == said


TWO_LEFT = (
    "FAILED tests/test_load.py::test_load - None == 750\nFAILED tests/test_load.py::test_empty_total - None == 0\n"
)
ALL_FAILED = f"FAILED tests/test_load.py::test_parse[1.00-100] - NameError\n{TWO_LEFT}3 failed"


@pytest.mark.parametrize(
    ("text", "reply", "said"),
    [
        ("all five `test_parse` cases pass", "all five `test_parse` cases pass. 2 tests still fail.", CONFIRMED),
        ("all five `test_parse` cases pass", "all five `test_parse` cases pass.", ("contradicted", "failed")),
        ("`test_load` passes", "`test_load` passes, 2 tests still fail.", ("unsupported", "failed")),
        ("`test_other` passes", "`test_other` passes. 2 tests still fail.", ("unsupported", "failed")),
    ],
)
def test_tests_by_name_passed_in_a_failed_run_that_lists_what_failed(
    text: str, reply: str, said: tuple[str, str]
) -> None:
    red = Counts(failed=2, passed=5)
    recorded = Recorded().ran("pytest -q", tool="pytest", end=RunEnd.FAILED, counts=Counts(failed=3), output=ALL_FAILED)
    recorded.edited("src/a.py").ran("pytest -q", tool="pytest", end=RunEnd.FAILED, counts=red, output=TWO_LEFT)
    found = answer(recorded, claim(text=text, whole="all" in text), reply=reply)
    assert (found.state, found.reason) == said


def test_a_run_in_one_package_does_not_make_history_of_a_stale_one_in_another() -> None:
    recorded = Recorded().edited("backend/slug.py").ran("pytest -q", counts=Counts(passed=609), directory="backend")
    recorded.ran("npm test", counts=Counts(passed=3), directory="frontend").edited("backend/slug.py")
    claims = (
        claim(text="backend: 609 passed", counts=Counts(passed=609)),
        claim(text="frontend: 3 passed", counts=Counts(passed=3)),
    )
    found = reconcile(claims, recorded.record, agent=recorded.agent)
    assert found[0].reason == "before_last_edit"


@pytest.mark.parametrize(
    "text", ["I reran `repro.py` after the change and it prints 1.", "수정 후 `repro.py`를 다시 돌려 1을 확인했습니다."]
)
def test_what_is_said_to_have_run_after_a_change_ran_after_it(text: str) -> None:
    ran = claim(kind=ClaimKind.RAN, text=text, subjects=("repro.py",))
    before = Recorded().call("Bash", {"command": "python repro.py"}).edited("cache.py")
    assert verdict(before, ran) == ("unsupported", "before_last_edit")
    assert verdict(before.call("Bash", {"command": "python repro.py"}), ran) == CONFIRMED


def test_what_a_linter_that_may_write_named_before_it_wrote() -> None:
    lint = Run(kind=RunKind.LINT, tool="ruff", command="ruff check --fix .", end=RunEnd.PASSED)
    some = FileTouch(path="", fate=FileFate.CHANGED, after=1)
    complained = Recorded().ran(
        "ruff check .", RunKind.LINT, RunEnd.FAILED, tool="ruff", output="F401 app/api.py:2:8 unused\nFound 2 errors."
    )
    fixed = "Found 2 errors (2 fixed, 0 remaining)."
    complained.call("Bash", {"command": "ruff check --fix ."}, ran=(lint,), touched=(some,), output=fixed)
    for name, state in (("app/api.py", ClaimState.CONFIRMED), ("app/other.py", ClaimState.UNSUPPORTED)):
        changed = claim(kind=ClaimKind.CHANGED, text=f"`{name}`", subjects=(name,))
        assert answer(complained, changed).state is state


def test_tests_by_name_passed_where_the_reply_tells_the_figures_of_the_failed_run_as_well() -> None:
    red = Counts(failed=2, passed=5)
    recorded = Recorded().ran("pytest -q", tool="pytest", end=RunEnd.FAILED, counts=Counts(failed=3), output=ALL_FAILED)
    recorded.edited("src/a.py").ran("pytest -q", tool="pytest", end=RunEnd.FAILED, counts=red, output=TWO_LEFT)
    reply = "all five `test_parse` cases pass; 2 failed, 5 passed"
    claims = (
        claim(text="all five `test_parse` cases pass", whole=True),
        claim(text="2 failed, 5 passed", counts=red, fails=True),
    )
    found = reconcile(claims, recorded.record, agent=recorded.agent, reply=reply)
    assert [one.state for one in found] == [ClaimState.CONFIRMED, ClaimState.CONFIRMED]
