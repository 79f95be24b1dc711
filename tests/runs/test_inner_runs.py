"""The runs inside of a run: wrappers, tasks, hooks of git, and what filters leave of an output."""

import pytest

from mama_bot.model import RunEnd, RunKind
from tests.runs.test_runs import FAILING, PASSING, read

TESTS, LINT, TYPES, FORMAT, BUILD = (RunKind.TESTS, RunKind.LINT, RunKind.TYPES, RunKind.FORMAT, RunKind.BUILD)
COMMIT, PUSH, MERGE = RunKind.COMMIT, RunKind.PUSH, RunKind.MERGE
PASSED, FAILED, MASKED, NOTHING = RunEnd.PASSED, RunEnd.FAILED, RunEnd.MASKED, RunEnd.NOTHING
MADE = "[topic 1a2b3c4] Round prices\n 2 files changed, 9 insertions(+)\n"


@pytest.mark.parametrize(
    ("command", "tools"),
    [
        ("wrapit git commit -m x", ["git commit"]),
        ("keepalive test pytest -q", ["pytest"]),
        ("mise exec -- golangci-lint run", ["golangci-lint"]),
        ("mise x node@22 -- vitest run", ["vitest"]),
        ("doppler run -- pytest", ["pytest"]),
        ("nix develop . -c sh -c 'cargo test'", ["cargo test"]),
        ("brew install pytest", []),
        ("man pytest", []),
        ("pgrep -f pytest", []),
        ("command -v pytest", []),
        ("ssh build-host pytest", []),
        ("mise use pytest", []),
    ],
)
def test_an_unknown_word_before_a_known_program_is_a_wrapper(command: str, tools: list[str]) -> None:
    assert [run.tool for run in read(command, "").ran] == tools


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("mise run lint", LINT),
        ("mise r test:ci", TESTS),
        ("just fmt-check", FORMAT),
        ("task typecheck", TYPES),
        ("turbo run build --filter=web", BUILD),
        ("nx run shop:lint", LINT),
        ("nx test shop", TESTS),
        ("nx run-many -t lint", LINT),
        ("poe types", TYPES),
        ("hatch run lint", LINT),
        ("composer run-script test", TESTS),
        ("uv run poe test", TESTS),
    ],
)
def test_a_task_is_what_its_name_says(command: str, kind: RunKind) -> None:
    assert [(run.kind, run.end) for run in read(command, "").ran] == [(kind, PASSED)]


def test_tasks_of_one_call_are_runs_of_their_own() -> None:
    assert [run.kind for run in read("make lint test", "").ran] == [LINT, TESTS]
    assert {run.end for run in read("make lint test", "", 2).ran} == {FAILED, MASKED}


@pytest.mark.parametrize(
    ("command", "output", "status", "ran"),
    [
        ("mise run all", "[all] $ go test ./...\nok  \tshop/cart\t0.2s\n", 0, [(TESTS, "go test", PASSED)]),
        ("npm run gate", "> shop@1.0.0 gate\n> eslint . && tsc --noEmit\n", 0, [(LINT, "eslint"), (TYPES, "tsc")]),
        ("./gate.sh", "All checks passed!\n3 passed in 0.1s\n", 0, [(TESTS, "pytest"), (LINT, "ruff")]),
        ("yarn verify", "$ eslint src\n$ vitest run\n      Tests  1 failed | 2 passed (3)\n", 1, [(LINT, "eslint")]),
        ("make -s gate", "nothing that anybody knows\n", 0, []),
    ],
)
def test_what_a_task_shows_says_what_it_ran(
    command: str, output: str, status: int, ran: list[tuple[object, ...]]
) -> None:
    runs = read(command, output, status).ran
    assert [(run.kind, run.tool, run.end)[: len(want)] for run, want in zip(runs, ran, strict=False)] == ran
    assert bool(runs) is bool(ran)


def test_the_task_that_failed_is_the_one_that_is_named() -> None:
    output = (
        "[lint:go] $ golangci-lint run\n[lint:js] $ eslint .\n[lint:go] 1 issues:\n[lint:go] ERROR task failed\n"
        "[lint:js] Finished in 1s\n"
    )
    ends = {run.tool: run.end for run in read("mise run lint", output, 1).ran}
    assert ends["golangci-lint"] is FAILED


@pytest.mark.parametrize(
    ("output", "status", "ran"),
    [
        (
            f"ruff check.....................Passed\nmypy....................(no files to check)Skipped\n{MADE}",
            0,
            [(LINT, "ruff", PASSED), (COMMIT, "git commit", PASSED)],
        ),
        (
            f"trim trailing whitespace......Passed\npython tests naming......Passed\n{MADE}",
            0,
            [(LINT, "pre-commit", PASSED), (COMMIT, "git commit", PASSED)],
        ),
        (
            "ruff check.....................Failed\n- hook id: ruff\n- exit code: 1\n",
            1,
            [(LINT, "ruff", FAILED), (COMMIT, "git commit", FAILED)],
        ),
        (f"{PASSING}{MADE}", 0, [(TESTS, "pytest", PASSED), (COMMIT, "git commit", PASSED)]),
        (f"{FAILING}{MADE}", 0, [(TESTS, "pytest", FAILED), (COMMIT, "git commit", PASSED)]),
        (
            f"[STARTED] eslint --fix\n[COMPLETED] eslint --fix\n{MADE}",
            0,
            [(LINT, "eslint", PASSED), (COMMIT, "git commit", PASSED)],
        ),
        (f"$ tsc --noEmit\n{MADE}", 0, [(TYPES, "tsc", PASSED), (COMMIT, "git commit", PASSED)]),
        (MADE, 0, [(COMMIT, "git commit", PASSED)]),
    ],
)
def test_what_a_hook_prints_is_what_it_ran(output: str, status: int, ran: list[tuple[RunKind, str, RunEnd]]) -> None:
    runs = read("git commit -am 'Round prices'", output, status).ran
    assert [(run.kind, run.tool, run.end) for run in runs] == ran
    assert [run.hook for run in runs] == [True] * (len(ran) - 1) + [False]


def test_a_suite_before_a_commit_is_no_hook() -> None:
    runs = read("pytest -q && git commit -am x", PASSING + MADE).ran
    assert [(run.tool, run.hook) for run in runs] == [("pytest", False), ("git commit", False)]


def test_a_commit_without_its_hooks_ran_none() -> None:
    assert [run.tool for run in read("git commit --no-verify -am x", PASSING + MADE).ran] == ["git commit"]


@pytest.mark.parametrize(
    ("command", "output", "end"),
    [
        ("git commit -am x && git status", MADE + "nothing to commit, working tree clean\n", PASSED),
        ("git commit -qam x && git status", "nothing to commit, working tree clean\n", PASSED),
        ("git status; git commit -am x", "no changes added to commit\n" + MADE, PASSED),
        ("git commit -am x; git diff --stat HEAD~1", "nothing to commit\n 1 file changed\n", NOTHING),
        ("git push -q origin main 2>/dev/null || true", "", MASKED),
        ("git push -q origin main || true", "", PASSED),
        ("git push -q origin main || true", "fatal: 'origin' does not appear to be a git repository\n", FAILED),
        ("gh pr merge 7 --squash || true", "✓ Squashed and merged pull request #7\n", PASSED),
        ("gh repo create shop --source=. --push", "✓ Pushed commits to the remote\n", PASSED),
    ],
)
def test_what_git_says_is_its_own(command: str, output: str, end: RunEnd) -> None:
    runs = [run for run in read(command, output).ran if run.kind in {COMMIT, PUSH, MERGE}]
    assert [run.end for run in runs] == [end]


@pytest.mark.parametrize(
    ("command", "output", "end"),
    [
        ("pytest -q 2>&1 | tail -3", PASSING, PASSED),
        ("pytest -q 2>&1 | grep passed", PASSING, MASKED),
        ("pytest -q 2>&1 | grep -E 'passed|failed'", FAILING, FAILED),
        ("pytest -q 2>&1 | tail -c 20", PASSING, MASKED),
        ("pytest -q 2>&1 | tail -20 | head -5", PASSING, MASKED),
        ("pytest -q 2>&1 | head -50", PASSING, PASSED),
        ("pytest -q 2>&1 | head -2", PASSING, MASKED),
        ("pytest -v 2>&1 | head -2", FAILING, FAILED),
        ("set -o pipefail; pytest -q | grep passed", "3 passed in 0.1s\n", PASSED),
        ("go test ./... | grep '^ok'", "ok  \tshop/cart\t0.2s\n", MASKED),
        ("tsc --noEmit 2>&1 | tail -5", "", PASSED),
        ("tsc --noEmit 2>/dev/null | tail -5", "", MASKED),
        ("tsc --noEmit 2>&1 | grep src", "", MASKED),
        ("tsc --noEmit 2>&1 | tail -5", "a.ts(1,7): error TS2322: Type\n", FAILED),
        ("pnpm build 2>&1 | tail -4", "○  (Static)   prerendered\n", PASSED),
        ("pnpm build 2>&1 | tail -4", " ELIFECYCLE  Command failed with exit code 1.\n", FAILED),
        ("pnpm -s build 2>&1 | tail -4", "○  (Static)   prerendered\n", MASKED),
        ("npm run build 2>&1 | tail -4", "○  (Static)   prerendered\n", MASKED),
        ("pnpm build 2>/dev/null | tail -4", "○  (Static)   prerendered\n", MASKED),
        ("bun run build 2>&1 | tail -3", 'error: script "build" exited with code 1\n', FAILED),
        ("pytest -q > run.log 2>&1; grep passed run.log", PASSING, MASKED),
        ("pytest -q > run.log 2>&1; tail -1 run.log", PASSING, PASSED),
    ],
)
def test_what_a_filter_leaves_is_what_counts(command: str, output: str, end: RunEnd) -> None:
    assert [run.end for run in read(command, output).ran] == [end]


def test_figures_that_a_filter_chose_are_not_told() -> None:
    (run,) = read("set -o pipefail; pytest -q | grep passed", "3 passed in 0.1s\n").ran
    assert run.counts.passed is None


@pytest.mark.parametrize(
    ("command", "selected"),
    [
        ("ruff check --ignore ALL", ("--ignore ALL",)),
        ("ruff check --exclude '*' .", ("--exclude *",)),
        ("flake8 --select=E999", ("--select E999",)),
        ("mypy --ignore-errors .", ("--ignore-errors",)),
        ("mypy empty.py", ("empty.py",)),
        ("npm run build --if-present", ("--if-present",)),
        ("npm test -- -t half", ("-t half",)),
        ("make test TEST=cart", ("TEST=cart",)),
        ("ruff check .", ()),
    ],
)
def test_what_narrows_a_run_is_told(command: str, selected: tuple[str, ...]) -> None:
    assert [run.selected for run in read(command, "done").ran] == [selected]


def test_only_tests_of_the_top_level_are_counted() -> None:
    output = "--- PASS: TestCart (0.00s)\n    --- PASS: TestCart/empty (0.00s)\nok  \tshop\t0.1s\n"
    assert read("go test -v ./...", output).ran[0].counts.passed == 1
    events = "\n".join(
        f'{{"Action":"pass","Package":"shop","Test":"{name}"}}' for name in ("TestCart", "TestCart/empty")
    )
    assert read("go test -json ./...", events).ran[0].counts.passed == 1
