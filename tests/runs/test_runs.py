"""What shell commands ran, and how that ended."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mama_bot.config import RunCommands
from mama_bot.errors import ConfigurationError
from mama_bot.model import CallReading, Counts, RunEnd, RunKind, ToolRun
from mama_bot.runs import RunReader
from mama_bot.shell.syntax import commands_of
from mama_bot.tool_names import with_kind

WORKSPACE = Path("/w")


PASSING = "....\n3 passed, 1 skipped in 0.12s\n"


FAILING = "F..\n=== 1 failed, 2 passed in 0.12s ===\n"


AT = datetime(2026, 11, 21, tzinfo=UTC)


def read(
    command: str | Mapping[str, Any],
    output: str = "",
    status: int | None = 0,
    *,
    tool: str = "Bash",
    background: bool = False,
    commands: RunCommands | None = None,
    ok: bool | None = None,
) -> CallReading:
    reader = RunReader(commands=commands or RunCommands(), workspace=WORKSPACE)
    arguments = {"command": command} if isinstance(command, str) else command
    call = with_kind(
        ToolRun(
            id="1",
            tool=tool,
            arguments=json.dumps(arguments),
            working_directory=str(WORKSPACE),
            started_at=AT,
            ok=ok if status is None else status == 0,
            exit_status=status,
            background=background,
        )
    )
    return reader.read(call, arguments=arguments, output=output)


@pytest.mark.parametrize(
    ("command", "output", "status", "end"),
    [
        ("pytest", PASSING, 0, RunEnd.PASSED),
        ("pytest", FAILING, 1, RunEnd.FAILED),
        ("pytest || true", "", 0, RunEnd.MASKED),
        ("pytest || true", FAILING, 0, RunEnd.FAILED),
        ("pytest -q | tail -1", PASSING, 0, RunEnd.PASSED),
        ("pytest | grep -c passed", "3", 0, RunEnd.MASKED),
        ("set -o pipefail; pytest | tail -1", "", 0, RunEnd.PASSED),
        ("pytest > out.txt 2>&1; tail -3 out.txt", FAILING, 0, RunEnd.FAILED),
        ("pytest > out.txt 2>&1; true", PASSING, 0, RunEnd.MASKED),
        ('pytest > out.txt 2>&1; echo "exit: $?"', "exit: 1\n", 0, RunEnd.FAILED),
        ("pytest | tee log; exit ${PIPESTATUS[0]}", "", 1, RunEnd.FAILED),
        ("pytest --collect-only -q", "3 tests collected in 0.01s", 0, RunEnd.NOTHING),
        ("pytest -k nothing", "4 deselected in 0.01s", 5, RunEnd.NOTHING),
        ("pytest &", "", 0, RunEnd.OPEN),
        ("timeout 60 pytest", "...", 124, RunEnd.OPEN),
        ("bash -lc 'cd x && uv run pytest -q'", FAILING, 1, RunEnd.FAILED),
    ],
)
def test_how_a_run_ended(command: str, output: str, status: int, end: RunEnd) -> None:
    assert [run.end for run in read(command, output, status).ran] == [end]


def test_a_chain_that_failed_says_which_part_did() -> None:
    ran = read("ruff check . && mypy . && pytest", "All checks passed!\nFound 2 errors in 1 file (checked 2)\n", 1).ran
    assert [(run.kind, run.end) for run in ran] == [
        (RunKind.LINT, RunEnd.PASSED),
        (RunKind.TYPES, RunEnd.FAILED),
    ]


def test_a_test_that_prints_a_summary_does_not_beat_the_last_one() -> None:
    (run,) = read("pytest -s || true", "==== 100 passed in 1.00s ====\n" + FAILING).ran
    assert (run.end, run.counts.failed, run.counts.passed) == (RunEnd.FAILED, 1, 2)


def test_touched_files_know_what_ran_before_them() -> None:
    reading = read("sed -i s/a/b/ a.py && pytest -q && rm b.py", PASSING)
    assert [(touch.path, touch.after) for touch in reading.touched] == [("a.py", 0), ("b.py", 1)]


def test_what_is_no_shell_is_not_understood() -> None:
    assert commands_of("echo 'open") is None


@pytest.mark.parametrize(
    ("command", "touched"),
    [
        ("echo x > a.txt", [("a.txt", "created")]),
        ("echo x >> docs/a.md", [("docs/a.md", "changed")]),
        ("cd src && cat > a.py <<'EOF'\nx > y\nEOF", [("src/a.py", "created")]),
        ("pytest 2>/dev/null", []),
        ("echo x > /tmp/out", [("/tmp/out", "created")]),
        ("echo x | tee -a notes.md", [("notes.md", "changed")]),
        ("sed -i 's/a/b/' a.py b.py", [("a.py", "changed"), ("b.py", "changed")]),
        ("sed -i -e 's/a/b/' -e 's/c/d/' a.py", [("a.py", "changed")]),
        ("sed -n 's/a/b/p' a.py", []),
        ("perl -pi -e 's/a/b/' a.py", [("a.py", "changed")]),
        ("rm -rf old/ a.py", [("old", "deleted"), ("a.py", "deleted")]),
        ("git rm a.py", [("a.py", "deleted")]),
        ("git mv a.py b.py", [("a.py", "deleted"), ("b.py", "created")]),
        ("mv a.py lib/", [("a.py", "deleted"), ("lib/a.py", "created")]),
        ("cp a.py b.py", [("b.py", "created")]),
        ("git checkout -- a.py", [("a.py", "changed")]),
        ("git checkout -b topic", []),
        ("git stash pop", [("", "changed")]),
        ("git reset --soft HEAD~1", []),
        ("git reset --hard", [("", "changed")]),
        ("ruff check --fix src", [("", "changed")]),
        ("ruff format a.py", [("a.py", "changed")]),
        ("ruff format --check .", []),
        ("prettier --write src/a.ts", [("src/a.ts", "changed")]),
        ("prettier --check src", []),
        ("npx eslint --fix .", [("", "changed")]),
        ("npm install", [("package-lock.json", "changed")]),
        ("patch -p1 < fix.diff", [("", "changed")]),
        ("rm *.pyc", [("", "deleted")]),
        ("grep -rn pattern src | head", []),
        ("touch /w/a.py", [("a.py", "created")]),
        ("pytest -k '열기", [("", "changed")]),
        ("python - <<'EOF'\nfrom pathlib import Path\nPath('a').write_text('x')\nEOF", [("", "changed")]),
        ("python3 -c 'print(1)'", []),
    ],
)
def test_files_that_a_command_wrote(command: str, touched: list[tuple[str, str]]) -> None:
    assert [(touch.path, touch.fate.value) for touch in read(command).touched] == touched


def test_a_command_that_did_not_run_wrote_nothing() -> None:
    assert read("pytest -q && rm a.py", FAILING, 1).touched == ()


@pytest.mark.parametrize(
    ("tool", "arguments", "output", "status", "touched"),
    [
        ("Write", {"file_path": "/w/a.py"}, "File created successfully at: /w/a.py", 0, [("a.py", "created")]),
        ("Write", {"file_path": "/w/a.py"}, "The file /w/a.py has been updated.", 0, [("a.py", "changed")]),
        ("Edit", {"file_path": "/w/a.py", "old_string": "a"}, "has been updated", 0, [("a.py", "changed")]),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, "", 0, [("n.ipynb", "changed")]),
        ("Edit", {"file_path": "/w/a.py"}, "String to replace not found", 1, []),
        ("Write", {"file_path": "/elsewhere/a.py"}, "", 0, [("/elsewhere/a.py", "created")]),
        ("Read", {"file_path": "/w/a.py"}, "x", 0, []),
    ],
)
def test_files_that_an_editing_tool_wrote(
    tool: str, arguments: Mapping[str, Any], output: str, status: int, touched: list[tuple[str, str]]
) -> None:
    reading = read(arguments, output, status, tool=tool)
    assert [(touch.path, touch.fate.value) for touch in reading.touched] == touched


@pytest.mark.parametrize(
    ("command", "directory"),
    [
        ("cd api && pytest", "api"),
        ("cd api/../web; pytest", "web"),
        ("pushd api > /dev/null && pytest", "api"),
        ("(cd api); pytest", ""),
        ("bash -c 'cd api && pytest'", "api"),
        ("make -C api test", "api"),
        ("npm --prefix web test", "web"),
        ("cargo test --manifest-path core/Cargo.toml", "core"),
        ("pytest --rootdir=api", "api"),
        ("git -C api push", "api"),
        ("cd /other && pytest", "/other"),
        ("uv run --directory api pytest", "api"),
        ("env -C api pytest", "api"),
    ],
)
def test_where_a_run_ran(command: str, directory: str) -> None:
    assert {run.directory for run in read(command, PASSING).ran} == {directory}


@pytest.mark.parametrize(
    ("command", "output", "end"),
    [
        ('out=$(pytest -q 2>&1); echo "$out" | tail -3', FAILING, RunEnd.FAILED),
        ("out=$(pytest -q 2>&1); echo done", PASSING, RunEnd.MASKED),
        ("git ls-files '*.py' | xargs ruff check", "Found 2 errors.\n", RunEnd.FAILED),
        ("pytest; pytest || true", FAILING + PASSING, RunEnd.FAILED),
        ("python3.12 -m pytest -q", PASSING, RunEnd.PASSED),
        (".venv/bin/pytest -q", PASSING, RunEnd.PASSED),
        ("./scripts/run_tests.sh | tail -5", PASSING, RunEnd.PASSED),
        ("yarn workspace web jest", "Tests:       1 failed, 2 passed, 3 total\n", RunEnd.FAILED),
        ("! pytest -q", FAILING, RunEnd.FAILED),
    ],
)
def test_further_ways_to_run(command: str, output: str, end: RunEnd) -> None:
    assert read(command, output).ran[0].end == end


@pytest.mark.parametrize(
    "command", ["pytest --version", "grep -rn pytest .", "cat tests/test_a.py", "echo pytest", "which mypy", "ls tests"]
)
def test_what_is_no_run(command: str) -> None:
    assert read(command, PASSING).ran == ()


def test_a_call_that_was_not_allowed_ran_nothing() -> None:
    reader = RunReader(commands=RunCommands(), workspace=WORKSPACE)
    call = with_kind(ToolRun(id="1", tool="Bash", arguments="{}", working_directory="/w", started_at=AT, ok=False))
    reading = reader.read(call, arguments={"command": "pytest > a"}, output="Permission to use Bash has been denied.")
    assert reading == CallReading()


def test_a_call_in_the_background_is_open() -> None:
    assert read("pytest -q", "", 0, background=True).ran[0].end is RunEnd.OPEN
    assert read({"command": "pytest -q", "run_in_background": True}, "").ran[0].end is RunEnd.OPEN
    assert read("pytest -q", "", None).ran[0].end is RunEnd.OPEN


def test_a_projects_own_commands() -> None:
    commands = RunCommands(tests=(r"^\./verify\.sh\b",), deploy=("^ship (?:prod|staging)",))
    (run,) = read("./verify.sh --fast", PASSING, commands=commands).ran
    assert (run.kind, run.end, run.counts.passed) == (RunKind.TESTS, RunEnd.PASSED, 3)
    assert [run.kind for run in read("ship prod", commands=commands).ran] == [RunKind.DEPLOY]


def test_a_broken_expression_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="RE2"):
        RunReader(commands=RunCommands(tests=("(?=x)",)), workspace=WORKSPACE)


@pytest.mark.parametrize(
    ("command", "output", "end"),
    [
        ('pytest -q; echo "628 passed in 3.20s"', "628 passed in 3.20s\n", RunEnd.MASKED),
        ('pytest -q; echo "628 passed in 3.20s"', FAILING + "628 passed in 3.20s\n", RunEnd.FAILED),
        ('pytest -q; echo "$n passed in 3.20s"', "628 passed in 3.20s\n", RunEnd.MASKED),
        ('pytest -q; echo "$report"', "628 passed in 3.20s\n", RunEnd.MASKED),
        ('echo "== tests in $PWD"; pytest -q; echo', "== tests in /w\n" + PASSING, RunEnd.PASSED),
        ("pytest -q || cat old.log", "628 passed in 3.20s\n", RunEnd.MASKED),
        ("pytest -q > new.log || true; cat new.log", PASSING, RunEnd.PASSED),
        ("pytest -q; python -c 'print(1)'", PASSING, RunEnd.MASKED),
        ("pytest -q; cat old.log", FAILING, RunEnd.FAILED),
        ("pytest -q | tail -3; echo exit ${PIPESTATUS[0]}", "exit 1\n", RunEnd.FAILED),
        ("pytest -q | tail -3; git status --short", PASSING, RunEnd.PASSED),
    ],
)
def test_what_a_command_prints_itself_is_no_evidence(command: str, output: str, end: RunEnd) -> None:
    assert read(command, output).ran[0].end == end


def test_a_push_after_a_commit_of_nothing_did_not_run() -> None:
    ran = read("git add -A && git commit -m x && git push", "nothing to commit, working tree clean\n", 1).ran
    assert [(run.kind, run.end) for run in ran] == [(RunKind.COMMIT, RunEnd.NOTHING)]


@pytest.mark.parametrize(
    ("command", "directory"),
    [
        ("cd api && cd - && pytest", ""),
        ("pushd api; popd; pytest", ""),
        ('cd "$(git rev-parse --show-toplevel)" && pytest', ""),
        ("docker run --rm -v $PWD:/app -w /app python:3.12 pytest -q", ""),
    ],
)
def test_ways_back(command: str, directory: str) -> None:
    assert [run.directory for run in read(command, PASSING).ran] == [directory]


COMMIT = """git add -A && git commit -m "$(cat <<'EOF'
fix: it's (done

EOF
)" && git push"""


@pytest.mark.parametrize(
    ("command", "output", "ends"),
    [
        (COMMIT, "[main 1a2b3c4] fix\n   1..2  main -> main\n", [RunEnd.PASSED, RunEnd.PASSED]),
        ("npm run build > /dev/null 2>&1 || echo broken", "broken\n", [RunEnd.FAILED]),
        ("npm run build > /dev/null 2>&1 || echo broken", "", [RunEnd.PASSED]),
        ("npm run build > /dev/null 2>&1 && echo built; true", "built\n", [RunEnd.PASSED]),
        ("npm run build > /dev/null 2>&1 && echo built; true", "", [RunEnd.FAILED]),
        ("yarn build", "Done in 1s\n", [RunEnd.PASSED]),
        ("make test | tail -3", "3 passed in 0.1s\nmake: *** [Makefile:2: test] Error 1\n", [RunEnd.FAILED]),
        ("git commit -m x | tail -1", " 1 file changed, 1 insertion(+)\n", [RunEnd.PASSED]),
    ],
)
def test_what_people_really_write(command: str, output: str, ends: list[RunEnd]) -> None:
    assert [run.end for run in read(command, output).ran] == ends


def test_a_script_of_the_project_is_what_it_prints() -> None:
    output = "== geo\n22 passed in 0.03s\n== tiles\n1 failed, 15 passed in 0.02s\n"
    (run,) = read("./run_all.sh", output, 1).ran
    assert (run.kind, run.tool, run.end) == (RunKind.TESTS, "pytest", RunEnd.FAILED)
    assert (run.counts.passed, run.counts.failed) == (37, 1)
    assert not read("./run_all.sh", "all fine\n").ran
    assert not read("cat report.txt", output).ran
    assert not read("./run_all.sh & sleep 1", output, background=True).ran


def test_sessions_of_nox_and_environments_of_tox_are_runs_of_their_own() -> None:
    output = (
        "nox > Running session tests\n10 passed in 0.41s\nnox > Session tests was successful in 2 seconds.\n"
        "nox > Session lint failed.\nnox > Ran 2 sessions:\nnox > * tests: success, took 2 seconds\n"
        "nox > * lint: failed\n"
    )
    tests, lint = read("nox", output, 1).ran
    assert (tests.kind, tests.end, tests.counts.passed) == (RunKind.TESTS, RunEnd.PASSED, 10)
    assert (lint.kind, lint.end) == (RunKind.LINT, RunEnd.FAILED)
    ended = {run.kind: run.end for run in read("tox", "  unit: OK (2.7 seconds)\n  lint: FAIL code 1\n", 1).ran}
    assert ended == {RunKind.TESTS: RunEnd.PASSED, RunKind.LINT: RunEnd.FAILED}


def test_mocha_of_several_workspaces_is_added_up() -> None:
    output = "  42 passing (1ms)\n\n  9 passing (2ms)\n  1 failing\n\n  5 passing (3ms)\n"
    (run,) = read("npm test --workspaces", f"> a@1 test\n> mocha\n\n{output}", 1).ran
    assert (run.counts.passed, run.counts.failed, run.end) == (56, 1, RunEnd.FAILED)


def test_a_build_of_one_target_is_of_a_part() -> None:
    assert read("cmake --build build --target demo").ran[0].selected == ("--target demo",)
    assert read("cmake --build build --target all").ran[0].selected == ()


GRADLE_TESTS = "> Task :app:test\n\nShopTest > pays() PASSED\nShopTest > refunds() {} \n\nBUILD SUCCESSFUL in 14s\n"


@pytest.mark.parametrize(
    ("end", "counts"), [("PASSED", Counts(passed=2, failed=0)), ("SKIPPED", Counts(passed=1, failed=0, skipped=1))]
)
def test_a_gradle_build_that_logs_its_tests_tells_how_many(end: str, counts: Counts) -> None:
    (run,) = read("./gradlew test", GRADLE_TESTS.replace("{} ", end)).ran
    assert (run.end, run.counts) == (RunEnd.PASSED, counts)
