"""Claims against facts: when one is borne out, when nothing shows it, when facts say the opposite."""

import time

import pytest

from mama_bot.enforcement.claims.admissions import Admissions
from mama_bot.model import ClaimKind, Counts, FileFate, RunEnd, RunKind
from tests.enforcement.claims.records import Recorded, answer, claim, verdict

FAILED = Counts(passed=625, failed=3)
PASSED = Counts(passed=628)
ALL = claim(counts=PASSED)


def test_the_last_run_decides() -> None:
    red = Recorded().ran("pytest", end=RunEnd.FAILED, counts=FAILED)
    assert verdict(red, claim()) == ("contradicted", "failed")
    assert verdict(red, ALL) == ("contradicted", "failed")
    green = Recorded().ran("pytest", end=RunEnd.FAILED, counts=FAILED).ran("pytest", counts=PASSED)
    assert verdict(green, claim()) == ("confirmed", "")
    assert verdict(green, ALL) == ("confirmed", "")


def test_figures_that_nothing_showed_are_contradicted_where_every_run_told_its_own() -> None:
    record = Recorded().ran("pytest", counts=Counts(passed=45))
    assert verdict(record, ALL) == ("contradicted", "other_figures")
    # They may be of a part, or have been printed beside the result.
    assert verdict(record, claim(counts=PASSED, part=True))[0] == "unsupported"
    assert verdict(Recorded().ran("pytest", counts=Counts(passed=45), output="628 lines"), ALL)[0] == "unsupported"
    assert verdict(Recorded().ran("pytest"), ALL)[0] == "unsupported"


def test_a_failure_that_the_reply_tells_itself_contradicts_nothing() -> None:
    red = Recorded().ran("pytest", end=RunEnd.FAILED, counts=FAILED)
    assert verdict(red, claim(), admissions=Admissions(figures=frozenset({3})))[0] == "unsupported"
    assert verdict(red, claim(), admissions=Admissions(plain=True))[0] == "unsupported"
    assert verdict(red, claim(counts=FAILED, fails=True)) == ("confirmed", "")


def test_a_run_before_the_last_edit_of_code_is_not_contradicted_and_not_confirmed() -> None:
    record = Recorded().ran("pytest", counts=PASSED).edited("src/pay.py")
    assert verdict(record, ALL) == ("unsupported", "before_last_edit")
    assert verdict(Recorded().ran("pytest", counts=PASSED).edited("README.md"), ALL) == ("confirmed", "")


def test_a_part_does_not_show_the_whole() -> None:
    record = Recorded().ran("pytest tests/a.py", selected=("tests/a.py",))
    assert verdict(record, claim(whole=True))[0] == "unsupported"
    assert verdict(record, claim())[0] == "unsupported"
    assert verdict(record, claim(part=True)) == ("confirmed", "")


def test_a_run_of_a_copy_counts_as_long_as_the_copy_was_not_altered() -> None:
    assert verdict(Recorded().ran("pytest", counts=PASSED, directory="/tmp/copy"), ALL) == ("confirmed", "")
    for path in ("/tmp/copy/src/pay.py", "/tmp/copy/tests/test_pay.py"):
        altered = Recorded().shell("sed", touched=(path,)).ran("pytest", counts=PASSED, directory="/tmp/copy")
        assert verdict(altered, ALL) == ("unsupported", "elsewhere")
    beside = Recorded().shell("sed", touched=("/tmp/note.py",)).ran("pytest", counts=PASSED, directory="/tmp/copy")
    assert verdict(beside, ALL) == ("confirmed", "")


@pytest.mark.parametrize(
    ("end", "state", "reason"),
    [
        (RunEnd.MASKED, "unsupported", "masked"),
        (RunEnd.OPEN, "unsupported", "background"),
        (RunEnd.NOTHING, "contradicted", "ran_nothing"),
    ],
)
def test_an_end_that_does_not_tell_bears_nothing_out(end: RunEnd, state: str, reason: str) -> None:
    assert verdict(Recorded().ran("pytest", end=end), claim()) == (state, reason)


def test_several_suites_add_up() -> None:
    record = Recorded().ran("pytest", counts=Counts(passed=600)).ran("jest", counts=Counts(passed=28))
    assert verdict(record, ALL) == ("confirmed", "")


def test_a_deed_is_done_tried_or_not_there() -> None:
    pushed = claim(ClaimKind.PUSHED, "pushed")
    assert verdict(Recorded().ran("git push", RunKind.PUSH), pushed) == ("confirmed", "")
    assert verdict(Recorded().ran("git push", RunKind.PUSH, RunEnd.FAILED), pushed) == ("contradicted", "failed")
    assert verdict(Recorded().shell("ls"), pushed) == ("unsupported", "no_such_run")
    assert verdict(Recorded().ran("git push -n", RunKind.PUSH, dry=True), pushed) == ("unsupported", "no_such_run")
    again = Recorded().ran("git push", RunKind.PUSH, RunEnd.FAILED).ran("git push", RunKind.PUSH)
    assert verdict(again, pushed) == ("confirmed", "")


def test_a_commit_is_the_one_that_is_named() -> None:
    record = Recorded().ran("git commit", RunKind.COMMIT, target="3fa2c1d")
    assert verdict(record, claim(ClaimKind.COMMITTED, subjects=("3fa2c1d",))) == ("confirmed", "")
    assert verdict(record, claim(ClaimKind.COMMITTED, subjects=("9999999",))) == ("unsupported", "elsewhere")


def test_a_merge_whose_conflicts_were_committed_is_no_failed_one() -> None:
    record = Recorded().ran("git merge", RunKind.MERGE, RunEnd.FAILED).ran("git commit", RunKind.COMMIT)
    assert verdict(record, claim(ClaimKind.MERGED))[0] == "unsupported"


def test_files_are_what_became_of_them() -> None:
    record = Recorded().edited("src/new.py", FileFate.CREATED).edited("src/gone.py", FileFate.DELETED)
    assert verdict(record, claim(ClaimKind.CREATED, subjects=("src/new.py",))) == ("confirmed", "")
    assert verdict(record, claim(ClaimKind.CREATED, subjects=("new.py",))) == ("confirmed", "")
    assert verdict(record, claim(ClaimKind.DELETED, subjects=("src/gone.py",))) == ("confirmed", "")
    assert verdict(record, claim(ClaimKind.DELETED, subjects=("src/new.py",)))[0] == "unsupported"
    # What the record does not know is never contradicted by it.
    assert verdict(record, claim(ClaimKind.CREATED, subjects=("src/other.py",))) == ("unsupported", "no_such_run")


def test_what_others_ran_is_not_the_personas_own() -> None:
    record = Recorded().ran("pytest", counts=PASSED, agent="tester")
    assert verdict(record, ALL) == ("unsupported", "another_agent")
    assert verdict(Recorded(), ALL, told=record.calls) == ("confirmed", "")


def test_code_in_a_directory_called_like_an_output_is_code() -> None:
    for path in ("src/todo.py", "src/reports/totals.py", "src/build/make.py"):
        record = Recorded().ran("pytest", counts=PASSED).edited(path)
        assert verdict(record, ALL) == ("unsupported", "before_last_edit"), path
    for path in ("build/out.js", "docs/todo.py", "TODO", "notes/todo.md"):
        assert verdict(Recorded().ran("pytest", counts=PASSED).edited(path), ALL) == ("confirmed", ""), path


def test_a_failure_stays_open_until_the_same_place_passes() -> None:
    red = Recorded().ran("pytest", end=RunEnd.FAILED, counts=FAILED, directory="api")
    assert verdict(red.ran("pytest", counts=PASSED, directory="web"), claim(whole=True))[0] != "confirmed"
    again = Recorded().ran("pytest", end=RunEnd.FAILED, counts=FAILED, directory="api").ran("pytest", counts=PASSED)
    assert verdict(again, claim(whole=True)) == ("confirmed", "")
    silent = Recorded().ran("pytest", counts=PASSED).ran("pytest", end=RunEnd.FAILED, counts=FAILED)
    assert verdict(silent.ran("pytest | tail -1", end=RunEnd.MASKED), claim())[0] != "confirmed"


def test_the_time_of_a_run_is_that_of_the_place_where_the_service_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    record = Recorded().ran("pytest", counts=PASSED)
    assert "12:00" in answer(record, ALL).says
    monkeypatch.setenv("TZ", "Asia/Seoul")
    time.tzset()
    try:
        assert "21:00" in answer(record, ALL).says
    finally:
        monkeypatch.undo()
        time.tzset()
