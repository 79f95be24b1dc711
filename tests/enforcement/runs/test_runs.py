"""What shell commands ran, and how that ended."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mama_bot.config import RunCommands
from mama_bot.enforcement.runs import RunReader, commands_of
from mama_bot.model import CallReading, RunEnd, RunKind, ToolRun

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
) -> CallReading:
    reader = RunReader(commands=commands or RunCommands(), workspace=WORKSPACE)
    call = ToolRun(
        id="1",
        tool=tool,
        arguments="{}",
        working_directory=str(WORKSPACE),
        started_at=AT,
        ok=None if status is None else status == 0,
        exit_status=status,
        background=background,
    )
    arguments = {"command": command} if isinstance(command, str) else command
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
