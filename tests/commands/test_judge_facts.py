"""`mama-bot judge` prints what a record shows, with the turns of the conversation before it."""

import json
from pathlib import Path
from typing import Any

import pytest

from mama_bot.commands.command_line import run_command

PYTEST = {"tool": "Bash", "arguments": {"command": "pytest -q"}, "exit_status": 0, "output": "45 passed in 1.20s"}
EDIT = {
    "tool": "Edit",
    "arguments": {"file_path": "/workspace/pay.py", "old_string": "a = 1", "new_string": "a = 2"},
    "output": "The file was updated.",
}
COMMENT = {
    "tool": "Edit",
    "arguments": {"file_path": "/workspace/pay.py", "old_string": "# old\na = 1", "new_string": "# new\na = 1"},
    "output": "The file was updated.",
}
READ = {"tool": "Read", "arguments": {"file_path": "/workspace/pay.py"}, "output": "1\ta = 2"}
COMMIT = {
    "tool": "Bash",
    "arguments": {"command": "git commit -am 'Pay'"},
    "exit_status": 0,
    "output": "[main abc1234] Pay\n 1 file changed, 1 insertion(+), 1 deletion(-)",
}


def facts(
    path: Path, capsys: pytest.CaptureFixture[str], record: list[Any] | None, *earlier: list[Any], **more: Any
) -> dict[str, Any]:
    """The facts of one line, whose record has these turns before it."""
    line: dict[str, Any] = {"id": 1, "text": "The tests pass.", "record": record, **more}
    if earlier:
        line["earlier"] = earlier
    file = path / "messages.jsonl"
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert run_command(["judge", str(file)]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return {**answer["facts"], "record_line": answer["record_line"]} if "facts" in answer else {}


def test_a_check_of_the_turn_before_is_one_turn_old_and_speaks_of_the_code_as_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = facts(tmp_path, capsys, [], [PYTEST])
    assert (told["calls"], told["earlier_calls"], told["from_beginning"]) == (0, 1, True)
    (check,) = told["checks"]
    assert (check["kind"], check["end"], check["counts"]) == ("tests", "passed", {"passed": 45, "failed": 0})
    assert (check["age"], check["freshness"], check["call"], check["own"]) == (1, "fresh", "earlier-0-run-0", True)
    assert 45 in told["figures"]


def test_each_turn_makes_what_came_before_it_older(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = facts(tmp_path, capsys, [PYTEST], [PYTEST, EDIT], [], [PYTEST])
    assert [check["age"] for check in told["checks"]] == [3, 1, 0]
    assert (told["calls"], told["earlier_calls"]) == (1, 3)


@pytest.mark.parametrize(
    ("record", "freshness", "edited"),
    [([EDIT], "stale", "pay.py"), ([COMMENT], "restyled", ""), ([PYTEST], "fresh", "")],
)
def test_what_a_turn_writes_decides_about_the_checks_before_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], record: list[Any], freshness: str, edited: str
) -> None:
    check = facts(tmp_path, capsys, record, [PYTEST])["checks"][0]
    assert (check["age"], check["freshness"], check["edited"]) == (1, freshness, edited)


def test_what_was_stale_at_the_end_of_its_turn_stays_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (check,) = facts(tmp_path, capsys, [], [PYTEST, EDIT], [])["checks"]
    assert (check["age"], check["freshness"], check["edited"]) == (2, "stale", "pay.py")


def test_files_and_commits_of_earlier_turns_are_told_once_with_all_that_happened_to_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = {"tool": "Write", "arguments": {"file_path": "/workspace/pay.py", "content": "a = 1\n"}, "output": "ok"}
    told = facts(tmp_path, capsys, [EDIT], [written, COMMIT])
    (file,), (deed,) = told["files"], told["deeds"]
    assert (file["path"], file["fate"], file["age"]) == ("pay.py", "changed", 0)
    assert len(file["fates"]) >= 1
    assert (deed["kind"], deed["end"], deed["age"]) == ("commit", "passed", 1)


def test_a_line_without_earlier_turns_is_a_conversation_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = facts(tmp_path, capsys, [])
    assert (told["calls"], told["earlier_calls"], told["from_beginning"], told["recorded"]) == (0, 0, True, True)
    assert told["checks"] == []


def test_a_line_without_a_record_has_no_facts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert facts(tmp_path, capsys, None) == {}


def test_the_help_names_every_fact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = facts(tmp_path, capsys, [PYTEST, EDIT, COMMIT, READ])
    with pytest.raises(SystemExit):
        run_command(["judge", "--help"])
    explanation = capsys.readouterr().out
    names = {*told, *(name for kind in ("checks", "files", "deeds", "looks") for fact in told[kind] for name in fact)}
    assert {"counts", "fates", "target"} <= names
    assert [name for name in sorted(names) if name not in explanation] == []


def test_the_line_of_facts_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = facts(tmp_path, capsys, [EDIT, PYTEST])
    assert told["record_line"] == "Record: 1 file · pytest 45 passed · not committed"
    assert facts(tmp_path, capsys, [])["record_line"] == "Record: nothing was run"
