"""The record of tools: bounded, redacted, storable, whatever a tool is given or gives back."""

import json
import os
import tracemalloc
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import ToolResultBlock, UserMessage
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.agents.bounded_arguments import ARGUMENT_CHARACTERS
from mama_bot.agents.claude_events import read_events
from mama_bot.agents.outputs import KEPT_CHARACTERS, read_output
from mama_bot.agents.record import (
    MAX_RUNS,
    ToolRecorder,
    clean,
    edited_files,
    exit_status,
)
from mama_bot.model import CallReading, ToolKind, ToolRun, WorkTreeState
from mama_bot.tool_names import call_of

DATA = Path(__file__).parents[1] / "data"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
WORKSPACE = Path("/srv/project")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=12,
)


def recorder(workspace: Path = WORKSPACE, outputs: Path = Path("/srv/state")) -> ToolRecorder:
    return ToolRecorder(
        workspace=workspace, outputs=outputs, redact=lambda text: text.replace("hunter2", "[redacted]"), now=lambda: NOW
    )


@given(st.dictionaries(st.text(), JSON, max_size=6))
def test_arguments_stay_json_and_within_their_bound(arguments: dict[str, object]) -> None:
    kept = recorder().started(run_id="1", tool="Bash", arguments=arguments).arguments
    assert len(kept) <= ARGUMENT_CHARACTERS
    json.loads(kept)
    kept.encode()


@pytest.mark.parametrize(
    "arguments", [{"a": "x" * 10_000}, {"all": ["가" * 50] * 500}, {str(n): n for n in range(5000)}]
)
def test_long_arguments_are_cut_and_still_json(arguments: dict[str, object]) -> None:
    kept = recorder().started(run_id="1", tool="Bash", arguments=arguments).arguments
    assert len(kept) <= ARGUMENT_CHARACTERS
    assert json.loads(kept)


@pytest.mark.parametrize("told_first", [True, False])
def test_a_call_that_is_kept_from_running_is_refused_whenever_that_is_told(told_first: bool) -> None:
    tools = recorder()
    if told_first:
        tools.refused("1")
    tools.started(run_id="1", tool="Bash", arguments={"command": "pytest"})
    if not told_first:
        tools.refused("1")
    run = tools.finished(run_id="1", text="PreToolUse:Bash hook error: no", is_error=True)
    assert run is not None
    assert (run.refused, run.ok, run.ran) == (True, False, ())


@pytest.mark.parametrize("line", (DATA / "runs" / "refused.jsonl").read_text(encoding="utf-8").splitlines())
def test_what_the_cli_kept_from_running_is_refused(line: str) -> None:
    recorded = json.loads(line)
    tools = recorder()
    tools.started(run_id="1", tool=recorded["tool"], arguments=recorded["arguments"])
    if recorded["came_back"]:
        tools.returned(run_id="1")
    block = ToolResultBlock(tool_use_id="1", content=recorded["text"], is_error=True)
    read_events(UserMessage(content=[block]), tools)
    (run,) = tools.record.runs
    assert run.refused is recorded["refused"]


@pytest.mark.parametrize("words", ["Permission to use Bash has been denied.", "<tool_use_error>Blocked: no"])
def test_what_came_back_from_its_tool_ran_whatever_it_says(words: str) -> None:
    tools = recorder()
    tools.started(run_id="1", tool="Bash", arguments={"command": "pytest"})
    tools.returned(run_id="1")
    read_events(UserMessage(content=[ToolResultBlock(tool_use_id="1", content=words, is_error=True)]), tools)
    assert not tools.record.runs[0].refused


@given(st.text(st.characters(), max_size=9000))
def test_an_output_is_kept_by_its_ends_with_hash_and_size(text: str) -> None:
    tools = recorder()
    tools.started(run_id="1", tool="Bash", arguments={"command": "x"})
    run = tools.finished(run_id="1", text=text, is_error=False)
    assert run is not None
    whole = clean(text)
    assert whole.startswith(run.output_head)
    assert whole.endswith(run.output_tail)
    assert len(run.output_head) <= KEPT_CHARACTERS
    assert len(run.output_tail) <= KEPT_CHARACTERS
    assert run.output_size == len(whole)
    assert run.output_sha256 == sha256(whole.encode()).hexdigest()
    if len(whole) <= 2 * KEPT_CHARACTERS:
        assert run.output_head + run.output_tail == whole


@given(st.text(st.characters()))
def test_clean_text_can_be_stored_and_ordinary_text_is_untouched(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert "\0" not in cleaned
    assert clean(cleaned) == cleaned
    if "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text):
        assert cleaned == text


def test_a_surrogate_pair_becomes_its_character() -> None:
    assert clean("\ud83d\ude42") == "🙂"


def test_secrets_are_gone_from_arguments_and_output() -> None:
    tools = recorder()
    tools.started(run_id="1", tool="Bash", arguments={"command": "echo hunter2", "env": [{"k": "hunter2"}]})
    tools.finished(run_id="1", text="hunter2\n", is_error=False)
    assert "hunter2" not in repr(tools.record)
    assert "[redacted]" in tools.record.runs[0].arguments


@pytest.mark.parametrize(
    ("text", "ok", "expected"),
    [
        ("fine", True, 0),
        ("Exit code 3\nnope", False, 3),
        ("Exit code 127", False, 127),
        ("Error: Exit code 2\n", False, 2),
        ("Permission to use Bash has been denied", False, None),
        ("it said: Exit code 3", False, None),
    ],
)
def test_the_exit_status_of_bash(text: str, ok: bool, expected: int | None) -> None:
    assert exit_status(ToolKind.SHELL, text, ok=ok) == expected
    assert exit_status(ToolKind.READ, text, ok=ok) is None


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("Write", {"file_path": "/srv/project/src/a.py"}, ("src/a.py",)),
        ("Edit", {"file_path": "src/../b.py"}, ("b.py",)),
        ("MultiEdit", {"file_path": "/etc/passwd"}, ("/etc/passwd",)),
        ("Write", {"file_path": "/srv/project/../other/a"}, ("/srv/other/a",)),
        ("Write", {"file_path": "/srv/project-two/a"}, ("/srv/project-two/a",)),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, ("n.ipynb",)),
        ("Write", {}, ()),
        ("Write", {"file_path": 3}, ()),
        ("Read", {"file_path": "a"}, ()),
    ],
)
def test_the_files_that_editing_tools_name(tool: str, arguments: dict[str, object], expected: tuple[str, ...]) -> None:
    assert edited_files(call_of(tool, arguments), WORKSPACE) == expected


def test_a_linked_workspace_is_the_workspace(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    assert edited_files(call_of("Write", {"file_path": str(real / "a.py")}), link) == ("a.py",)


def test_a_directory_in_a_linked_workspace_is_named_as_the_workspace_is(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    tools = recorder(link)
    places = {"": link, str(real): link, str(real / "sub"): link / "sub", str(link): link, "/srv/other": "/srv/other"}
    for number, directory in enumerate(places):
        tools.started(run_id=str(number), tool="Bash", arguments={}, directory=directory)
    assert [run.working_directory for run in tools.record.runs] == [str(place) for place in places.values()]


def test_a_failed_edit_touched_no_file() -> None:
    tools = recorder()
    assert tools.started(run_id="1", tool="Edit", arguments={"file_path": "a"}).files == ("a",)
    run = tools.finished(run_id="1", text="String not found", is_error=True)
    assert run is not None
    assert (run.ok, run.files) == (False, ())


def test_runs_beyond_the_bound_are_counted_only() -> None:
    tools = recorder()
    for number in range(MAX_RUNS + 7):
        tools.started(run_id=str(number), tool="Read", arguments={})
    assert len(tools.record.runs) == MAX_RUNS
    assert tools.record.dropped == 7
    assert tools.finished(run_id=str(MAX_RUNS + 1), text="", is_error=False) is None


def test_a_tool_runs_until_its_end_is_reported() -> None:
    tools = recorder()
    seen = [tools.running]
    tools.started(run_id="1", tool="Bash", arguments={})
    tools.started(run_id="2", tool="Read", arguments={})
    tools.finished(run_id="1", text="", is_error=False)
    seen.append(tools.running)
    tools.finished(run_id="2", text="", is_error=True)
    seen.append(tools.running)
    assert seen == [False, True, False]


def test_a_run_that_was_cut_off_has_no_end() -> None:
    tools = recorder()
    tools.started(run_id="1", tool="Bash", arguments={"command": "sleep 100"})
    (run,) = tools.record.runs
    assert (run.ended_at, run.ok, run.exit_status) == (None, None, None)


def test_an_interrupted_command_is_not_ok_and_has_no_exit_status() -> None:
    tools = recorder()
    tools.started(run_id="1", tool="Bash", arguments={})
    run = tools.finished(run_id="1", text="", is_error=False, structured={"stdout": "a", "interrupted": True})
    assert run is not None
    assert (run.ok, run.exit_status) == (False, None)


def test_the_output_that_the_cli_put_aside_is_read(tmp_path: Path) -> None:
    aside = tmp_path / "out.txt"
    aside.write_text("x" * 50_000 + "\n628 passed in 9s\n")
    tools = recorder(outputs=tmp_path)
    tools.started(run_id="1", tool="Bash", arguments={})
    structured = {"stdout": "x" * 10, "stderr": "", "persistedOutputPath": str(aside)}
    run = tools.finished(run_id="1", text="preview", is_error=False, structured=structured)
    assert run is not None
    assert run.output_tail.endswith("628 passed in 9s\n")
    assert run.output_size == aside.stat().st_size


@pytest.mark.parametrize("path", ["/etc/hostname", "missing.txt"])
def test_no_other_file_is_read_as_an_output(tmp_path: Path, path: str) -> None:
    tools = recorder(outputs=tmp_path)
    tools.started(run_id="1", tool="Bash", arguments={})
    structured = {"stdout": "shown", "stderr": "err", "persistedOutputPath": str(tmp_path / path)}
    run = tools.finished(run_id="1", text="preview", is_error=False, structured=structured)
    assert run is not None
    assert run.output_head == "shown\nerr"


@pytest.mark.parametrize("make", ["fifo", "link", "linked_directory", "directory", "null"])
def test_what_is_no_file_of_the_place_is_neither_read_nor_waited_for(tmp_path: Path, make: str) -> None:
    place, aside = tmp_path / "place", tmp_path / "place" / "task.output"
    place.mkdir()
    (tmp_path / "other").write_text("another conversation")
    match make:
        case "fifo":
            os.mkfifo(aside)
        case "link":
            aside.symlink_to(tmp_path / "other")
        case "linked_directory":
            aside = place / "out" / "other"
            (place / "out").symlink_to(tmp_path)
        case "directory":
            aside.mkdir()
        case _:
            aside = place / "a\0b"
    assert read_output(str(aside), places=(place,)) is None


def test_a_place_that_is_reached_by_a_link_is_the_place(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "a.output").write_text("시작")
    found = read_output(str(tmp_path / "link" / "a.output"), places=(tmp_path / "link",))
    assert found is not None
    assert found.text == "시작"


def test_an_output_of_a_hundred_megabytes_is_read_by_its_ends(tmp_path: Path) -> None:
    aside = tmp_path / "out.txt"
    with aside.open("wb") as stream:
        stream.write("시작 hunter2\n".encode())
        stream.truncate(100 * 2**20)
        stream.seek(0, 2)
        stream.write(b"\nhunter2 3 failed, 625 passed\n")
    tools = recorder(outputs=tmp_path)
    tools.started(run_id="1", tool="Bash", arguments={})
    tracemalloc.start()
    structured = {"stdout": "", "stderr": "", "persistedOutputPath": str(aside)}
    run = tools.finished(run_id="1", text="preview", is_error=False, structured=structured)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert run is not None
    assert run.output_head.startswith("시작 [redacted]\n")
    assert run.output_tail.endswith("[redacted] 3 failed, 625 passed\n")
    assert run.output_size == aside.stat().st_size
    assert peak < 40 * 2**20


def test_a_long_text_is_kept_by_its_ends_and_counted_whole() -> None:
    tools = recorder()
    tools.started(run_id="1", tool="Bash", arguments={})
    text = "".join(f"{number} 통과\n" for number in range(300_000))
    run = tools.finished(run_id="1", text=text, is_error=False)
    assert run is not None
    assert run.output_size == len(text)
    assert run.output_head == text[:KEPT_CHARACTERS]
    assert run.output_tail == text[-KEPT_CHARACTERS:]


def test_a_reader_meets_the_ends_of_a_long_output_with_a_line_between(tmp_path: Path) -> None:
    class Reads:
        output = ""

        def read(self, call: ToolRun, *, arguments: Mapping[str, Any], output: str) -> CallReading:
            self.output = output
            return CallReading()

    reads = Reads()
    tools = ToolRecorder(workspace=WORKSPACE, outputs=tmp_path, redact=str, now=lambda: NOW, reader=reads)
    tools.started(run_id="1", tool="Bash", arguments={})
    tools.finished(run_id="1", text="".join(f"{number}\n" for number in range(300_000)), is_error=False)
    lines = reads.output.splitlines()
    (gap,) = [line for line in lines if not line.isdigit()]
    assert "left out" in gap
    assert (lines[0], lines[-1]) == ("0", "299999")


def test_it_does_not_matter_whether_the_message_or_the_hook_comes_first() -> None:
    state = WorkTreeState(commit="abc", dirty=True)
    records = []
    for hook_first in (True, False):
        tools = recorder()
        for hook in (hook_first, not hook_first):
            told = {"directory": "/srv/project/sub", "before": state} if hook else {}
            tools.started(run_id="1", tool="Bash", arguments={"command": "x"}, **told)  # type: ignore[arg-type]
        tools.returned(run_id="1", account={"stdout": "whole", "stderr": ""}, after=state)
        tools.finished(run_id="1", text="preview", is_error=False)
        tools.started(run_id="1", tool="Bash", arguments={"command": "x"})
        assert not tools.running
        records.append(tools.record)
    assert records[0] == records[1]
    (run,) = records[0].runs
    assert (run.working_directory, run.before, run.after) == ("/srv/project/sub", state, state)
    assert run.output_head == "whole"


def test_a_command_in_the_background_is_open_until_its_end_is_told(tmp_path: Path) -> None:
    aside = tmp_path / "task.output"
    aside.write_text("3 failed\n")
    tools = recorder(outputs=tmp_path)
    tools.started(run_id="1", tool="Bash", arguments={"command": "pytest"})
    started = tools.finished(
        run_id="1", text="running", is_error=False, structured={"stdout": "", "backgroundTaskId": "b1"}
    )
    assert started is not None
    assert (started.background, started.ended_at, started.ok, started.exit_status) == (True, None, None, None)
    ended = tools.left_background(run_id="1", ok=True, summary="failed with exit code 1", output_file=str(aside))
    assert ended is not None
    assert (ended.background, ended.ok, ended.exit_status, ended.output_head) == (True, False, 1, "3 failed\n")
    assert tools.left_background(run_id="1", ok=True, summary="", output_file=str(aside)) is None


def test_a_search_that_found_nothing_ended_with_one() -> None:
    tools = recorder()
    tools.started(run_id="1", tool="Bash", arguments={"command": "grep nothing x"})
    structured = {"stdout": "", "stderr": "", "returnCodeInterpretation": "No matches found"}
    run = tools.finished(run_id="1", text="", is_error=False, structured=structured)
    assert run is not None
    assert (run.ok, run.exit_status) == (True, 1)


def test_a_subagents_call_is_its_own_and_its_agents() -> None:
    tools = ToolRecorder(workspace=WORKSPACE, outputs=WORKSPACE, redact=str, now=lambda: NOW, agent="dev")
    tools.subagent_began("call-1", "a1")
    tools.started(run_id="1", tool="Bash", arguments={}, subagent=tools.subagent_of("call-1"))
    tools.started(run_id="2", tool="Bash", arguments={})
    assert [run.agent for run in tools.record.runs] == ["dev/a1", "dev"]
