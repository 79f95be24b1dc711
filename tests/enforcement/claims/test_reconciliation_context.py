"""Reconciliation: what stands around a claim, in what it quotes, lists and owns up to."""

from dataclasses import replace

import pytest

from mama_bot.enforcement.claims.reconciliation import reconcile
from mama_bot.enforcement.claims.reconciliation.context import owns_up, sentence_around, tells_failures
from mama_bot.model import Claim, ClaimKind, Counts, FileFate, FileTouch, Run, RunEnd, RunKind
from tests.enforcement.claims.records import Recorded, claim, verdict

CONFIRMED = ("confirmed", "")
RED = Counts(failed=1, passed=21)


def within(reply: str, words: str, **known: object) -> Claim:
    """A claim that stands in a reply."""
    start = reply.index(words)
    return replace(claim(text=words, **known), start=start, end=start + len(words))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("21 passed, but overflow fails", True),
        ("통과 21, 나머지 하나는 실패", True),
        ("21 passed, no test failed", False),
        ("21 passed, 0 failed", False),
        ("Failures: 0, Errors: 0", False),
        ("실패 없이 통과", False),
        ("실패: 0건", False),
    ],
)
def test_a_failure_is_told_or_denied(text: str, said: bool) -> None:
    assert owns_up(text) is said


@pytest.mark.parametrize("text", ["one failed", "1 failing", "**1 failed**", "1개가 실패", "failures=1", "실패: 1"])
def test_how_many_failed_is_told_in_many_ways(text: str) -> None:
    assert tells_failures(text, RED)
    assert not tells_failures(text, Counts(failed=3))


def test_the_sentence_around_a_claim_ends_where_it_ends() -> None:
    reply = "First this. The core: 21 passed, `x` fails. Then that.\nAnd more."
    assert sentence_around(within(reply, "21 passed"), reply) == "The core: 21 passed, `x` fails"
    assert sentence_around(claim(text="alone"), "") == "alone"


def test_figures_of_a_failed_run_are_honest_beside_its_failure() -> None:
    recorded = Recorded().edited("a.py").ran("pytest", end=RunEnd.FAILED, counts=RED)
    for reply in ("21 passed, 1 failed (test_x)", "1개 실패해요(통과 21)", "21 passed; `test_x` still fails"):
        words = "통과 21" if "통과" in reply else "21 passed"
        assert verdict(recorded, within(reply, words, counts=Counts(passed=21)), reply=reply) == CONFIRMED
    alone = "21 passed."
    assert verdict(recorded, within(alone, "21 passed", counts=Counts(passed=21)), reply=alone)[0] == "contradicted"


def test_an_earlier_state_has_the_figures_of_an_earlier_run() -> None:
    recorded = Recorded().ran("mocha", end=RunEnd.FAILED, counts=Counts(passed=10, failed=2, skipped=1))
    recorded.edited("a.js").ran("mocha", counts=Counts(passed=12, skipped=1))
    before, now = "**Before:** 10 passing, 1 pending", "Now: 10 passing, 1 pending"
    figures = Counts(passed=10, skipped=1)
    assert verdict(recorded, within(before, "10 passing, 1 pending", counts=figures), reply=before) == CONFIRMED
    assert verdict(recorded, within(now, "10 passing, 1 pending", counts=figures), reply=now)[0] == "contradicted"


def test_a_line_that_is_quoted_from_the_output_is_what_it_is() -> None:
    output = "test result: ok. 8 passed; 0 failed; 0 ignored\ntest result: ok. 0 passed; 0 failed; 0 ignored\n"
    recorded = Recorded().edited("a.rs").ran("cargo test", tool="cargo test", counts=Counts(passed=8), output=output)
    quoted = claim(text="test result: ok. 0 passed; 0 failed; 0 ignored", counts=Counts(passed=0, failed=0))
    assert verdict(recorded, quoted) == CONFIRMED
    other = claim(text="test result: ok. 9 passed; 0 failed; 0 ignored", counts=Counts(passed=9, failed=0))
    assert verdict(recorded, other)[0] == "contradicted"


def test_a_named_selection_is_judged_by_its_own_run() -> None:
    recorded = Recorded().ran("pytest -q -k fenced", selected=("-k fenced",), counts=Counts(passed=1, deselected=21))
    recorded.ran("pytest -q", end=RunEnd.FAILED, counts=RED)
    assert verdict(recorded, claim(text="`-k fenced`: 1 passed", counts=Counts(passed=1))) == CONFIRMED
    empty = Recorded().ran("cargo test", tool="cargo test", counts=Counts(passed=12))
    empty.ran("cargo test -p evalr", RunKind.TESTS, RunEnd.NOTHING, tool="cargo test", selected=("-p evalr", "never"))
    said = claim(text="`cargo test -p evalr never` is ok", tool="cargo test")
    assert verdict(empty, said) == ("contradicted", "ran_nothing")


def test_a_failed_suite_that_a_claim_names_contradicts_it() -> None:
    recorded = Recorded().ran(
        "npm test -w @acme/core", tool="mocha", selected=("@acme/core",), counts=Counts(passed=42)
    )
    recorded.ran(
        "npm test -w @acme/cli",
        end=RunEnd.FAILED,
        tool="mocha",
        selected=("@acme/cli",),
        counts=Counts(passed=9, failed=1),
    )
    said = claim(text="core 42, cli 10 all pass", counts=Counts(passed=42))
    assert verdict(recorded, said) == ("contradicted", "failed")
    assert verdict(recorded, claim(text="core 42 pass", counts=Counts(passed=42))) == CONFIRMED


def test_a_filter_that_left_most_out_is_not_all() -> None:
    recorded = Recorded().ran("vitest -t x", selected=("-t max 3",), counts=Counts(passed=1, skipped=6))
    assert verdict(recorded, claim(text="the queue tests all pass")) == ("unsupported", "no_such_run")


def test_another_place_is_told_beside_the_right_one() -> None:
    recorded = Recorded().edited("src/a.py").ran("pytest", counts=Counts(passed=20))
    recorded.ran("pytest", counts=Counts(passed=18), directory="/srv/main")
    right, other = claim(text="20 passed", counts=Counts(passed=20)), claim(text="18 passed", counts=Counts(passed=18))
    found = reconcile((right, other), recorded.record, agent=recorded.agent)
    assert [one.state.value for one in found] == ["confirmed", "confirmed"]
    assert verdict(recorded, other) == ("unsupported", "elsewhere")


@pytest.mark.parametrize("times", ["fifty times", "50 times", "50번 반복"])
def test_many_repetitions_are_seen_in_a_command_or_in_what_it_printed(times: str) -> None:
    said = claim(text=f"ran it {times}, 3 passing each", counts=Counts(passed=3))
    five = Recorded().ran("for i in 1 2 3; do mocha; done", counts=Counts(passed=3), output="3 passing\n" * 5)
    assert verdict(five, said)[0] == "unsupported"
    fifty = Recorded().ran("for i in $(seq 50); do mocha; done", counts=Counts(passed=3), output="3 passing\n")
    assert verdict(fifty, said) == CONFIRMED


def test_a_log_that_was_read_shows_how_a_linter_ended() -> None:
    recorded = Recorded().ran("npm run lint > lint.log 2>&1 || true", RunKind.LINT, RunEnd.MASKED, tool="eslint")
    said = claim(ClaimKind.LINT, text="the lint log is clean")
    assert verdict(recorded, said) == ("unsupported", "masked")
    assert verdict(recorded.shell("cat lint.log", output="> eslint src\n"), said) == CONFIRMED
    bad = Recorded().ran("npm run lint > lint.log 2>&1 || true", RunKind.LINT, RunEnd.MASKED, tool="eslint")
    assert verdict(bad.shell("cat lint.log", output="3:1 error no-var"), said) == ("contradicted", "failed")


def only(reply: str, recorded: Recorded, words: str) -> tuple[str, str]:
    return verdict(recorded, within(reply, words, kind=ClaimKind.ONLY_THESE), reply=reply)


def test_only_these_are_the_files_that_the_sentence_lists() -> None:
    recorded = Recorded().edited("src/merge.py").edited("tests/test_how.py", FileFate.CREATED).edited("README.md")
    false = "The change is confined to src/merge.py; no other file was touched. How it works: see the tests."
    assert only(false, recorded, "no other file was touched")[0] == "contradicted"
    true = "Changed src/merge.py, tests/test_how.py and README.md, nothing else."
    assert only(true, recorded, "nothing else") == CONFIRMED
    below = Recorded().edited("src/a.js").edited("src/b.js")
    assert only("Nothing outside src/ changed.", below, "Nothing outside src/ changed") == CONFIRMED
    assert only("바꾼 파일은 src/a.js 하나예요.", below, "바꾼 파일은 src/a.js 하나예요")[0] == "contradicted"


def test_files_that_were_left_alone_are_not_the_only_ones() -> None:
    recorded = Recorded().edited("src/a.py")
    assert only("pyproject.toml은 건드리지 않았습니다.", recorded, "pyproject.toml은 건드리지 않았습니다") == CONFIRMED
    recorded.edited("pyproject.toml")
    assert only("I did not touch pyproject.toml.", recorded, "did not touch pyproject.toml")[0] == "contradicted"


def test_what_a_formatter_says_it_wrote_was_touched() -> None:
    run = Run(kind=RunKind.FORMAT, tool="prettier", command="prettier --write .", end=RunEnd.PASSED)
    recorded = (
        Recorded()
        .edited("src/a.ts")
        .call(
            "Bash",
            {"command": "prettier --write ."},
            ran=(run,),
            touched=(FileTouch(path="", fate=FileFate.CHANGED),),
            output="src/a.ts 3ms\nsrc/b.ts 4ms",
        )
    )
    assert only("Only src/a.ts changed.", recorded, "Only src/a.ts changed")[0] == "contradicted"


def test_a_command_that_says_what_it_made_made_it() -> None:
    packed = Recorded().shell("npm pack --silent", output="tiny-2.1.1.tgz")
    assert verdict(packed, claim(ClaimKind.CREATED, subjects=("tiny-2.1.1.tgz",))) == CONFIRMED
    tested = Recorded().ran("pytest tests/test_new.py", selected=("tests/test_new.py",), output="tests/test_new.py ..")
    assert verdict(tested, claim(ClaimKind.CREATED, subjects=("tests/test_new.py",)))[0] != "confirmed"


def test_what_was_removed_from_a_file_is_no_removed_file() -> None:
    recorded = Recorded().edited("repro.py", FileFate.CREATED).edited("src/window.py")
    recorded.edited("repro.py", FileFate.DELETED)
    said = claim(ClaimKind.DELETED, subjects=("repro.py", "src/window.py"))
    assert verdict(recorded, said) == CONFIRMED
    assert verdict(recorded, claim(ClaimKind.DELETED, subjects=("src/window.py",)))[0] == "contradicted"


def test_a_measured_figure_has_to_be_printed_a_ratio_not() -> None:
    recorded = Recorded().shell("python bench.py", output="mean 12.41 ms").edited("a.py")
    recorded.shell("python bench.py", output="mean 3.02 ms")
    for good in ("from 12.41 ms to 3.02 ms, 4.1x", "12.4 ms → 3 ms"):
        assert verdict(recorded, claim(ClaimKind.BENCHMARK, text=good)) == CONFIRMED
    bad = claim(ClaimKind.BENCHMARK, text="12.41 ms, and 31 ms for a million")
    assert verdict(recorded, bad)[0] == "unsupported"


def test_a_file_that_was_opened_is_more_than_one_that_tests_name() -> None:
    recorded = Recorded().ran("pytest", output="tests/test_lru.py ....")
    said = claim(ClaimKind.CHECKED, text="opened tests/test_lru.py", subjects=("tests/test_lru.py",))
    assert verdict(recorded, said)[0] == "unsupported"
    assert verdict(recorded.call("Read", {"file_path": "tests/test_lru.py"}), said) == CONFIRMED


def test_a_quiet_commit_before_a_log_is_one() -> None:
    said = claim(ClaimKind.COMMITTED, text="committed as 8b0426f", subjects=("8b0426f",))
    recorded = Recorded().ran("git commit -qam x", RunKind.COMMIT, RunEnd.MASKED, output="8b0426f x")
    assert verdict(recorded, said) == CONFIRMED
    empty = Recorded().ran("git commit -qam x", RunKind.COMMIT, RunEnd.MASKED, output="nothing to commit")
    assert verdict(empty, said)[0] == "unsupported"


@pytest.mark.parametrize(
    ("kind", "tool", "command"),
    [
        (ClaimKind.LINT, "shellcheck", "shellcheck scripts/*.sh"),
        (ClaimKind.BUILD, "", "mkdocs build --strict"),
        (ClaimKind.TYPES, "pyre check", "pyre check api"),
    ],
)
def test_a_tool_that_only_the_claim_knows_ends_as_its_exit_status_says(
    kind: ClaimKind, tool: str, command: str
) -> None:
    said = claim(kind, text="it is clean", tool=tool)
    assert verdict(Recorded().shell(command), said) == CONFIRMED
    assert verdict(Recorded().shell(command, ok=False), said) == ("contradicted", "failed")
    assert verdict(Recorded().shell(command).edited("a.py"), said) == ("unsupported", "before_last_edit")
    assert verdict(Recorded().shell(f"echo {command}"), said)[0] == "unsupported"


def test_tests_that_were_left_out_by_name_did_not_run() -> None:
    recorded = Recorded().ran("pytest", selected=("-m not integration",), counts=Counts(passed=30, deselected=15))
    assert verdict(recorded, claim(text="unit and integration tests pass")) == ("unsupported", "no_such_run")
    assert verdict(recorded, claim(text="the unit tests pass")) == CONFIRMED


def test_figures_that_others_told_are_no_claim_beside_the_own_failure() -> None:
    recorded = Recorded().ran("pytest", end=RunEnd.FAILED, counts=Counts(failed=2, passed=43))
    reply = "직접 돌려 보니 2개 실패(43 통과), 보고서의 '45 passed'와 다릅니다."
    found = verdict(recorded, within(reply, "45 passed", counts=Counts(passed=45)), reply=reply)
    assert found == ("unsupported", "failed")
    assert verdict(recorded, claim(text="45 passed", counts=Counts(passed=45)), reply="45 passed")[0] == "contradicted"


def test_what_git_took_back_is_not_changed() -> None:
    said = claim(ClaimKind.CHANGED, text="week support is in lib/relative.js", subjects=("lib/relative.js",))
    back = FileTouch(path="lib/relative.js", fate=FileFate.CHANGED)
    recorded = Recorded().edited("lib/relative.js")
    recorded.call("Bash", {"command": "git checkout -- lib/relative.js"}, touched=(back,))
    assert verdict(recorded, said) == ("contradicted", "other_figures")
    undone = claim(ClaimKind.CHANGED, text="reverted lib/relative.js", subjects=("lib/relative.js",))
    assert verdict(recorded, undone) == CONFIRMED
    assert verdict(recorded.edited("lib/relative.js"), said) == CONFIRMED
    reset = Recorded().edited("lib/relative.js").shell("git reset --hard", touched=[""])
    assert verdict(reset, said)[0] == "contradicted"
    kept = Recorded().edited("lib/relative.js").shell("git commit -qam x").shell("git reset --hard", touched=[""])
    assert verdict(kept, said) == CONFIRMED


def test_what_is_added_up_was_printed() -> None:
    recorded = Recorded().edited("a.py").ran("pytest", counts=Counts(passed=45), output="45 passed in 1s")
    assert verdict(recorded, claim(text="all of them pass, e2e too (45 + 6)"))[0] == "unsupported"
    recorded.ran("playwright test", tool="playwright", counts=Counts(passed=6), output="6 passed (2s)")
    assert verdict(recorded, claim(text="all of them pass, e2e too (45 + 6)")) == CONFIRMED


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("Full run: 1 failed, 21 passed. It failed before as well.", True),
        ("Fixed the 1 failing test.", False),
        ("At first 1 failed, 21 passed.", False),
        ("Before: 1 failed. Now still 1 failed.", True),
        ("처음엔 1개 실패했지만 지금은 괜찮습니다.", False),
        ("수정 후에도 1개 실패합니다.", True),
        ("21 failed", False),
    ],
)
def test_a_failure_that_was_is_none_that_is(reply: str, told: bool) -> None:
    assert tells_failures(reply, RED) is told


def test_who_says_that_it_is_mended_while_it_fails_is_contradicted() -> None:
    recorded = Recorded().edited("a.py").ran("pytest", end=RunEnd.FAILED, counts=RED)
    reply = "Fixed the 1 failing test, all tests pass now."
    assert verdict(recorded, within(reply, "all tests pass now"), reply=reply) == ("contradicted", "failed")


def test_hooks_say_by_name_how_they_ended() -> None:
    output = "ruff.....................Passed\nblack....................Failed\n- files were modified"
    recorded = Recorded().shell("pre-commit run --all-files", output=output, ok=False)
    assert verdict(recorded, claim(ClaimKind.LINT, text="ruff is clean", tool="ruff")) == CONFIRMED
    assert verdict(recorded, claim(ClaimKind.FORMAT, text="black too", tool="black")) == ("contradicted", "failed")
