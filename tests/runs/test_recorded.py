"""Real outputs of real tools (recorded.jsonl), and formats of tools that were not at hand (formats.jsonl)."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mama_bot.config import RunCommands
from mama_bot.model import CallReading, Run, ToolRun
from mama_bot.runs import RunReader
from mama_bot.shell.syntax import commands_of
from mama_bot.tool_names import with_kind

DATA = Path(__file__).parents[1] / "data" / "runs"
CALLS: list[dict[str, Any]] = [
    json.loads(line)
    for name in ("recorded.jsonl", "formats.jsonl")
    for line in (DATA / name).read_text(encoding="utf-8").splitlines()
]
READER = RunReader(commands=RunCommands(), workspace=Path("/repo"))
AT = datetime(2026, 11, 21, tzinfo=UTC)


def read(command: str, output: str, status: int | None, directory: str = "") -> CallReading:
    call = with_kind(
        ToolRun(
            id="1",
            tool="Bash",
            arguments="{}",
            working_directory=f"/repo/{directory}".rstrip("/"),
            started_at=AT,
            ok=None if status is None else status == 0,
            exit_status=status,
        )
    )
    return READER.read(call, arguments={"command": command}, output=output)


def told(run: Run, directory: str) -> dict[str, Any]:
    """A run as the files of expectations write it: what is empty is left out."""
    counts = {name: figure for name in run.counts.__slots__ if (figure := getattr(run.counts, name)) is not None}
    found: dict[str, Any] = {"kind": run.kind.value, "tool": run.tool, "end": run.end.value}
    if run.directory != directory:
        found["directory"] = run.directory
    if run.selected:
        found["selected"] = list(run.selected)
    if run.target:
        found["target"] = run.target
    if run.dry:
        found["dry"] = True
    return found | ({"counts": counts} if counts else {})


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call["command"][:60])
def test_what_a_real_output_says(call: dict[str, Any]) -> None:
    reading = read(call["command"], call["output"], call["exit"], call["directory"])
    assert [told(run, call["directory"]) for run in reading.ran] == call["ran"]
    assert [[touch.path, touch.fate.value] for touch in reading.touched] == call["touched"]


PIECES = st.sampled_from(
    [
        *"'\"\\$`(){}<>|&;#\n \t!=*?[]",
        *[
            "&&",
            "||",
            "|&",
            ";;",
            "<<",
            ">>",
            "2>&1",
            "$(",
            "${",
            "<(",
            "[[",
            "]]",
            "if",
            "then",
            "fi",
            "for",
            "in",
            "do",
            "done",
            "case",
            "esac",
            "while",
            "{",
            "}",
            "cd",
            "x",
        ],
        *[
            "pytest",
            "-q",
            "tests",
            "make",
            "test",
            "npm",
            "run",
            "lint",
            "git",
            "commit",
            "-m",
            "push",
            "bash",
            "-lc",
            "env",
            "A=1",
            "timeout",
            "60",
            "uv",
            "run",
            "exit",
            "$?",
        ],
        *[
            "sed",
            "-i",
            "rm",
            "mv",
            "tee",
            "cat",
            "tail",
            "EOF",
            "<<EOF",
            "echo",
            "set",
            "-eo",
            "pipefail",
            "eval",
            "ruff",
            "format",
            "한글",
            "\x00",
            "�",
        ],
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=40), st.booleans(), st.sampled_from([None, 0, 1, 5, 124, 137, 143, 255]))
def test_no_command_raises(pieces: list[str], spaced: bool, status: int | None) -> None:
    command = (" " if spaced else "").join(pieces)
    commands_of(command)
    read(command, "1 failed, 2 passed in 0.1s", status)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_no_mutated_output_raises(data: st.DataObject) -> None:
    call = data.draw(st.sampled_from(CALLS))
    other = data.draw(st.sampled_from(CALLS))
    output: str = call["output"]
    start = data.draw(st.integers(0, len(output)))
    stop = data.draw(st.integers(start, len(output)))
    middle = data.draw(st.one_of(st.text(max_size=40), st.just(other["output"]), st.just("9" * 5_000)))
    status = data.draw(st.sampled_from([None, 0, 1, 2, 5]))
    reading = read(call["command"], output[:start] + middle + output[stop:], status, call["directory"])
    assert len(reading.ran) <= 10


@pytest.mark.parametrize(
    "command",
    [
        "a && " * 50_000,
        "(" * 100_000,
        '"$(' * 50_000,
        "pytest " * 40_000,
        "'" * 200_001,
        "<<A " * 50_000,
        "bash -c " * 20_000,
        "eval " * 50_000,
        "env " * 50_000 + "pytest",
        "x" * 300_000,
    ],
    ids=lambda command: command[:8],
)
def test_hostile_commands_are_read_or_given_up(command: str) -> None:
    assert len(read(command, "", 0).ran) <= 1


def test_a_large_output_is_read_from_its_end() -> None:
    output = "tests/test_a.py::test_one PASSED\n" * 300_000 + "=== 1 failed, 299999 passed in 9.00s ===\n"
    (run,) = read("pytest -v || true", output, 0).ran
    assert (run.counts.failed, run.counts.passed) == (1, 299_999)
