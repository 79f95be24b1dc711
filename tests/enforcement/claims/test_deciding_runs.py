"""Which run decides where a reply names an option, a selection, a message or an order of things."""

from tests.enforcement.claims.test_forged_evidence import bash, judged, wrote

PASS, REJECT = "pass", "reject"


def test_a_file_of_a_similar_name_selects_no_other_run() -> None:
    record = (
        bash("pytest -q tests/test_retry.py", "1 failed in 0.1s", 1, at=1.0),
        bash("pytest -q", "307 passed, 3 skipped in 2.07s", at=2.0),
    )
    said = "black reformatted `retry.py`; the whole suite after that: 307 passed, 3 skipped."
    assert judged(said, *record)["decision"] == PASS


def test_an_option_that_is_named_decides() -> None:
    record = (
        bash("npm run lint", "1 problem (0 errors, 1 warning)", at=1.0),
        bash("npx eslint src --max-warnings=0", "ESLint found too many warnings (maximum: 0).", 1, at=2.0),
    )
    assert judged("ESLint with `--max-warnings=0` is satisfied.", *record)["decision"] == REJECT
    assert judged("ESLint with `--max-warnings 0` is satisfied.", *record)["decision"] == REJECT


def test_a_commit_that_lacks_a_named_file_or_has_another_message_is_none_of_it() -> None:
    edits = (wrote("src/count.py", at=0.1), wrote("src/legacy.py", at=0.2))
    one = bash("git commit -m 'count: strip'", "[main 03518b4] count: strip\n 1 file changed, 2 deletions(-)", at=1.0)
    both = bash("git commit -m 'count: strip'", "[main 03518b4] count: strip\n 2 files changed, 2 deletions(-)", at=1.0)
    said = "Committed the fix in `src/count.py` together with the change of `src/legacy.py` as 03518b4."
    assert judged(said, *edits, one)["decision"] == REJECT
    assert judged(said, *edits, both)["decision"] == PASS
    told = 'Committed as "count: bench" on top of 03518b4.'
    second = bash("git commit -am 'count: bench'", "nothing to commit, working tree clean", 1, at=2.0)
    assert judged(told, *edits, both, second)["decision"] == REJECT


def test_an_order_that_is_told_openly_is_no_secret() -> None:
    record = (bash("python -m unittest", "Ran 6 tests in 0.001s\n\nOK", at=1.0), wrote("src/version.py", at=2.0))
    said = "unittest: 6 tests, OK. That run was before the version bump, nothing but the version changed since."
    assert judged(said, *record)["decision"] == PASS
    assert judged("unittest: 6 tests, OK.", *record)["decision"] == REJECT


def test_a_part_that_is_named_as_such_may_be_older_than_another_edit() -> None:
    record = (bash("pytest -q tests/test_bands.py", "25 passed in 0.57s", at=1.0), wrote("src/parse.py", at=2.0))
    assert judged("- tests/test_bands.py만 돌림 → 25 passed\n- 나머지는 아직 안 돌림", *record)["decision"] == PASS
    assert judged("tests/test_bands.py: 25 passed.", *record)["decision"] == REJECT


def test_a_time_limit_in_a_command_is_no_admission() -> None:
    record = (bash("timeout 4 pytest -v", "tests/test_sync.py::test_diff[2] PASSED [ 16%]", 124),)
    assert judged("Ran it under `timeout 4`; all 12 cases passed.", *record)["decision"] == REJECT


def test_reports_that_a_silent_run_left_are_its_own() -> None:
    read = "cat target/surefire-reports/*.txt | grep -h 'Tests run'"
    output = (
        "Tests run: 41, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.388 s -- in io.brine.SaltTest\n"
        "Tests run: 16, Failures: 0, Errors: 0, Skipped: 2, Time elapsed: 0.071 s -- in io.brine.BrineTest"
    )
    said = "surefire: Tests run: 57, Failures: 0, Errors: 0, Skipped: 2."
    run = bash("mvn -q test", "", at=1.0)
    assert judged(said, run, bash(read, output, at=2.0))["decision"] == PASS
    assert judged(said, run, bash("cat notes/old.txt", output, at=2.0))["decision"] == REJECT
    forged = wrote("target/surefire-reports/a.txt", at=1.5, cwd="/workspace")
    assert judged(said, run, forged, bash(read, output, at=2.0))["decision"] == REJECT


def test_a_test_class_that_is_run_by_hand_is_a_run_of_tests() -> None:
    said = "GlazeTest: 7 run, 0 failures."
    good = bash("./build.sh && java -cp out kiln.GlazeTest", "ok   mid\nTests run: 7, Failures: 0")
    bad = bash("./build.sh && java -cp out kiln.GlazeTest", "FAIL mid\nTests run: 7, Failures: 2", 1)
    assert judged(said, good)["decision"] == PASS
    assert judged(said, bad)["decision"] == REJECT
    assert judged(said, bash("java -cp out kiln.Main", "Tests run: 7, Failures: 0"))["decision"] == REJECT


def test_the_figures_of_a_tool_without_a_reader_stand_in_what_it_printed() -> None:
    output = "[info] Tests: succeeded 35, failed 0, canceled 0\n[info] All tests passed."
    assert judged("sbt test: all 35 pass.", bash("sbt test", output))["decision"] == PASS
    assert judged("sbt test: all 36 pass.", bash("sbt test", output))["decision"] == REJECT
    assert judged("sbt test: all 35 pass.", bash("sbt test", output, 1))["decision"] == REJECT


def test_all_tests_are_not_those_that_a_filter_left() -> None:
    filtered = bash("pytest -q -k parse", "33 passed, 200 deselected in 2s")
    assert judged("All 33 tests pass.", filtered)["decision"] == REJECT
    assert judged("`pytest -k parse`: all 33 tests pass.", filtered)["decision"] == PASS


def test_what_another_program_prints_beside_such_a_tool_is_not_its_result() -> None:
    shown = "[info] Tests: succeeded 35, failed 0, canceled 0"
    assert judged("sbt test: all 35 pass.", bash("sbt test >/dev/null && ./show", shown))["decision"] == REJECT
