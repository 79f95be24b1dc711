"""What a file of results counts for beside the output of a run."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mama_bot.config import RunCommands
from mama_bot.model import CallReading, RunEnd, ToolRun
from mama_bot.runs import RunReader
from mama_bot.runs.junit import MAX_BYTES, read_junit
from mama_bot.tool_names import with_kind
from tests.runs.test_runs import PASSING

JUNIT = (
    '<?xml version="1.0"?><testsuites><testsuite tests="3">'
    '<testcase name="a"/><testcase name="b"><failure message="x">no</failure></testcase>'
    '<testcase name="c"><skipped/></testcase></testsuite></testsuites>'
)


@pytest.mark.parametrize("make", ["fifo", "link", "directory", "large"])
def test_a_junit_file_that_is_none_is_neither_read_nor_waited_for(tmp_path: Path, make: str) -> None:
    file, written = tmp_path / "report.xml", b'<testsuite><testcase name="a"/></testsuite>'
    (tmp_path / "other.xml").write_bytes(written)
    match make:
        case "fifo":
            os.mkfifo(file)
        case "link":
            file.symlink_to(tmp_path / "other.xml")
        case "directory":
            file.mkdir()
        case _:
            file.write_bytes(written + b" " * MAX_BYTES)
    assert read_junit(file, since=0.0, until=None) is None
    assert read_junit(tmp_path / "other.xml", since=0.0, until=None) is not None


@pytest.mark.parametrize(
    ("content", "age", "counts"),
    [
        (JUNIT, 0, (1, 1)),
        (JUNIT, 3_600, (3, 0)),
        (JUNIT[:60], 0, (3, 0)),
        ('<!DOCTYPE x [<!ENTITY a "b">]>' + JUNIT[21:], 0, (3, 0)),
    ],
    ids=["fresh", "old", "broken", "entities"],
)
def test_a_junit_file_stands_above_the_output(tmp_path: Path, content: str, age: int, counts: tuple[int, int]) -> None:
    file = tmp_path / "report.xml"
    file.write_text(content, encoding="utf-8")
    now = datetime.now(UTC)
    os.utime(file, (now.timestamp() - age,) * 2)
    reader = RunReader(commands=RunCommands(), workspace=tmp_path, junit_xml=("report.xml",))
    call = with_kind(
        ToolRun(
            id="1", tool="Bash", arguments="{}", working_directory=str(tmp_path), started_at=now, ok=True, exit_status=0
        )
    )
    (run,) = reader.read(call, arguments={"command": "pytest || true"}, output=PASSING).ran
    assert (run.counts.passed, run.counts.failed) == counts


CASES = f"<testsuite>{'<testcase/>' * 45}</testsuite>"


def read_with_file(directory: Path, command: str, output: str, status: int) -> CallReading:
    (directory / "build").mkdir()
    (directory / "build" / "junit.xml").write_text(CASES, encoding="utf-8")
    reader = RunReader(commands=RunCommands(), workspace=directory, junit_xml=("build/junit.xml",))
    call = with_kind(
        ToolRun(
            id="1",
            tool="Bash",
            arguments="{}",
            working_directory=str(directory),
            started_at=datetime.now(UTC),
            ok=status == 0,
            exit_status=status,
        )
    )
    return reader.read(call, arguments={"command": command}, output=output)


@pytest.mark.parametrize(
    ("command", "output", "status", "end"),
    [
        ("pytest -q || cp old.xml build/junit.xml", "3 failed, 42 passed in 1s", 0, RunEnd.FAILED),
        ("pytest -q; python gen.py", "3 failed, 42 passed in 1s", 0, RunEnd.FAILED),
        ("pytest -q --junitxml=build/junit.xml", "3 failed, 42 passed in 1s", 1, RunEnd.FAILED),
        ("pytest -q --junitxml=build/junit.xml || true", "3 failed, 42 passed in 1s", 0, RunEnd.FAILED),
        ("pytest -q --junitxml=build/junit.xml > /dev/null", "", 1, RunEnd.FAILED),
        ("pytest -q >/dev/null 2>&1; cp old.xml build/junit.xml", "", 0, RunEnd.MASKED),
        ("pytest -q >/dev/null 2>&1; python gen.py", "", 0, RunEnd.MASKED),
        ("python gen.py; pytest -q >/dev/null 2>&1 || true", "", 0, RunEnd.MASKED),
        ("pytest -q >/dev/null 2>&1; cat old.xml > build/junit.xml", "", 0, RunEnd.MASKED),
        ("pytest -q >/dev/null 2>&1; cat old.xml | tee build/junit.xml >/dev/null", "", 0, RunEnd.MASKED),
        ("trap 'cp old.xml build/junit.xml' EXIT; pytest -q >/dev/null 2>&1 || true", "", 0, RunEnd.MASKED),
        ("pytest -q >/dev/null 2>&1; git checkout build/junit.xml", "", 0, RunEnd.MASKED),
        ("f=build/junit.xml; pytest -q >/dev/null 2>&1; cat old.xml > $f", "", 0, RunEnd.MASKED),
    ],
)
def test_a_junit_file_that_others_may_have_left_is_no_evidence(
    tmp_path: Path, command: str, output: str, status: int, end: RunEnd
) -> None:
    (run,) = read_with_file(tmp_path, command, output, status).ran
    assert run.end is end
    assert run.counts.passed in (None, 42)


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q >/dev/null 2>&1 || true",
        "rm -f build/junit.xml; mkdir -p build; pytest -q --junitxml=build/junit.xml > test.log 2>&1 || true",
        "source .venv/bin/activate && cd . && pytest -q >/dev/null 2>&1; echo done; cat build/junit.xml >/dev/null",
        "git pull -q; pytest -q >/dev/null 2>&1; git status --short",
        "pytest -q >/dev/null 2>&1; ruff check .",
    ],
)
def test_a_junit_file_that_the_suite_alone_can_have_left_is_evidence(tmp_path: Path, command: str) -> None:
    run = read_with_file(tmp_path, command, "", 0).ran[0]
    assert (run.end, run.counts.passed) == (RunEnd.PASSED, 45)
