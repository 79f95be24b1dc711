"""`mama-bot judge`: the chain's decisions about messages in a file, as JSON and for a person."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mama_bot.commands.command_line import run_command


def judged(
    path: Path, capsys: pytest.CaptureFixture[str], *messages: dict[str, Any], arguments: tuple[str, ...] = ()
) -> list[Any]:
    path.write_text("".join(json.dumps(message, ensure_ascii=False) + "\n" for message in messages), encoding="utf-8")
    assert run_command(["judge", str(path), *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "messages.jsonl"


def test_each_message_gets_one_line_with_every_stage(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flattering, plain = judged(
        file,
        capsys,
        {"id": "a", "text": "정말 훌륭한 구현입니다! LGTM", "agent_to_agent": True},
        {"id": 2, "text": "Moved the lock into pool.py; 12/12 tests pass."},
    )
    assert flattering["id"] == "a"
    assert flattering["decision"] == "reject"
    assert flattering["flattery"]["decision"] == "reject"
    assert flattering["flattery"]["share"] > 0.2
    found = flattering["flattery"]["found"][0]
    assert found == {"kind": "praise", "text": "정말 훌륭한 구현입니다!", "start": 0, "end": 13}
    assert flattering["review"] == {"decision": "reject", "is_approval": True, "evidence": []}
    assert plain["id"] == 2
    assert plain["decision"] == "pass"
    assert plain["review"]["is_approval"] is False


def test_the_evidence_of_an_approval_is_named_with_its_strength(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (approval,) = judged(file, capsys, {"id": 1, "text": "APPROVE. I ran pytest: 45 passed in 3.2s."})
    assert approval["review"]["decision"] == "pass"
    assert approval["review"]["is_approval"] is True
    assert "concrete" in {piece["strength"] for piece in approval["review"]["evidence"]}


def test_whom_a_message_is_for_decides_about_the_threshold(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "Great job! The lock moved into pool.py, and the two writers no longer race."
    to_agent, to_person = judged(
        file,
        capsys,
        {"id": 1, "text": f"Great job! {text}", "agent_to_agent": True},
        {"id": 2, "text": f"Great job! {text}", "agent_to_agent": False},
    )
    assert to_agent["flattery"]["share"] == to_person["flattery"]["share"]
    assert (to_agent["flattery"]["decision"], to_person["flattery"]["decision"]) == ("reject", "pass")


def test_files_of_the_record_are_compared_with_the_delegation(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    delegation = "Fix the login\nEXPECTED OUTCOME:\n- src/auth.py is changed\n"
    runs = [
        {"tool": "Write", "input": {"path": name}, "ok": True, "files": [name]} for name in ("a.py", "b.py", "c.py")
    ]
    (message,) = judged(file, capsys, {"id": 1, "text": "src/auth.py done.", "delegation": delegation, "record": runs})
    assert "a.py" in message["scope"]["reason"]
    assert message["scope"]["decision"] == "pass"
    # Warned of is not rejected; that src/auth.py was done is what no call shows.
    assert message["decision"] == ("reject" if message["claims"] else "pass")


def test_explain_prints_for_a_person(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text('{"id": 1, "text": "Brilliant work, everyone!"}\n', encoding="utf-8")
    assert run_command(["judge", str(file), "--explain"]) == 0
    said = capsys.readouterr().out
    assert "1: reject" in said
    assert "response_validator: block: 100% of the reply is praise" in said
    assert "prose characters" in said  # for a person no name of the program
    assert "'Brilliant work, everyone!'" in said


def test_a_pasted_reply_is_explained_as_one_message(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("\nBrilliant work, everyone!\nA second line.\n", encoding="utf-8")
    assert run_command(["judge", str(file), "--explain"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("text: reject\n  Brilliant work, everyone! A second line.\n")
    assert run_command(["judge", str(file)]) == 2  # what programs read stays JSON


def test_a_dash_reads_the_input(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file.write_bytes(b'\n{"id": 1, "text": "ok \xff"}\n')
    with file.open(encoding="utf-8") as given:
        monkeypatch.setattr(sys, "stdin", given)
        assert run_command(["judge", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == 1


def test_plain_text_from_the_input_is_one_message_and_in_a_file_it_is_told_how(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("All tests pass.\n\n정말 훌륭합니다!\n", encoding="utf-8")
    with file.open(encoding="utf-8") as given:
        monkeypatch.setattr(sys, "stdin", given)
        assert run_command(["judge", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == "text"
    assert run_command(["judge", str(file)]) == 2
    assert "plain text is judged from the input" in capsys.readouterr().err


def test_the_configuration_beside_it_is_used(file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("enforcement: {response_validator: {enabled: false}}\n", encoding="utf-8")
    (message,) = judged(file, capsys, {"id": 1, "text": "Brilliant work, everyone!"})
    assert message["decision"] == "pass"
    assert "flattery" not in message


@pytest.mark.parametrize("configured", [True, False])
def test_settings_from_the_file_of_secrets_hold_as_for_the_service(
    file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, configured: bool
) -> None:
    if configured:
        (tmp_path / "config.yaml").write_text("enforcement: {max_retries: 1}\n", encoding="utf-8")
    secrets = tmp_path / "secrets.env"
    secrets.write_text("MAMA_ENFORCEMENT__RESPONSE_VALIDATOR__ENABLED=false\n", encoding="utf-8")
    secrets.chmod(0o600)
    (message,) = judged(file, capsys, {"id": 1, "text": "Brilliant work, everyone!"})
    assert (message["decision"], "flattery" in message) == ("pass", False)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "messages.jsonl:2: "),
        ('{"id": 1}', "messages.jsonl:2: text: "),
        ('{"text": "x"}', "messages.jsonl:2: id: "),
        ('{"id": 1, "text": 5}', "messages.jsonl:2: text: "),
        ("[]", "messages.jsonl:2: "),
        ('{"id": 1, "text": "x", "agent_to_agent": "perhaps"}', "messages.jsonl:2: agent_to_agent: "),
        ('{"id": true, "text": "x"}', "messages.jsonl:2: id"),
        ('{"id": 1, "text": "x", "record": [{"output": "y"}]}', "messages.jsonl:2: record.0.tool: "),
        ("[" * 100_000, "messages.jsonl:2: expected JSON that is less deep"),
    ],
)
def test_a_line_that_is_no_message_is_named(
    file: Path, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    file.write_text(f'{{"id": 0, "text": "fine"}}\n{line}\n', encoding="utf-8")
    assert run_command(["judge", str(file)]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert "Traceback" not in captured.err
    assert len(captured.out.splitlines()) == 1


def test_a_missing_file_is_a_sentence(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["judge", "nowhere.jsonl"]) == 2
    assert "nowhere.jsonl: It cannot be read: No such file or directory." in capsys.readouterr().err


RUNS = [
    {"tool": "Write", "input": {"file_path": "/workspace/a.py"}},
    {"name": "Edit", "input": {"file_path": "b.py"}, "type": "tool_use", "id": "x"},
    {"tool_name": "MultiEdit", "tool_input": {"file_path": "c.py"}, "tool_response": [{"type": "text", "text": "ok"}]},
    {"tool": "Bash", "arguments": '{"command": "ls"}', "exit_code": 0, "result": None, "working_directory": "/x"},
    {"tool": "Write", "input": {"file_path": "failed.py"}, "is_error": True, "output": {"stdout": ""}},
    {"tool": "Read", "input": None, "output": None},
]


def test_records_are_read_in_the_forms_that_agents_write(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    delegation = "Fix the login\nEXPECTED OUTCOME:\n- src/auth.py is changed\n"
    (message,) = judged(file, capsys, {"id": 1, "text": "Moved it.", "delegation": delegation, "record": RUNS})
    for name in ("a.py", "b.py", "c.py"):
        assert name in message["scope"]["reason"]
    assert "failed.py" not in message["scope"]["reason"]


def test_half_an_emoji_and_a_byte_order_mark_are_read(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(b'\xef\xbb\xbf{"id": "a", "text": "done \\ud83d", "record": null}\r\n')
    assert run_command(["judge", str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == "a"


def test_a_reader_that_has_seen_enough_ends_it_quietly(tmp_path: Path) -> None:
    many = tmp_path / "many.jsonl"
    many.write_text('{"id": 1, "text": "Fixed."}\n' * 3000, encoding="utf-8")
    command = f"{sys.executable} -m mama_bot judge {many} | head -1"
    ended = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert ended.returncode == 141
    assert ended.stderr == ""


FIX: dict[str, Any] = {
    "tool": "Edit",
    "input": {"file_path": "/home/dev/repo/src/rate.py", "old_string": "a", "new_string": "b"},
    "output": "The file /home/dev/repo/src/rate.py has been updated.",
    "at": 5,
    "seconds": 0.1,
    "cwd": "repo",
    "agent": "dev",
}


def pytest_run(summary: str, status: int | None = 0, **more: Any) -> dict[str, Any]:
    return {
        "tool": "Bash",
        "input": {"command": more.pop("command", "pytest -q")},
        "output": summary,
        "exit": status,
        "at": 30,
        "seconds": 3.1,
        "background": False,
        "cwd": "repo",
        "agent": "dev",
    } | more


def turn_of(text: str, *record: dict[str, Any], **more: Any) -> dict[str, Any]:
    asked = {"delegation": "Fix the rate limiter", "agent": "dev", "role": "worker", "agent_to_agent": True}
    return {"id": text, "text": text, "record": list(record)} | asked | more


@pytest.mark.parametrize(
    ("text", "record", "states", "decision"),
    [
        ("45 passed.", [FIX, pytest_run("45 passed in 1.2s")], [("confirmed", "")], "pass"),
        ("테스트 45개 모두 통과했습니다.", [FIX, pytest_run("45 passed in 1.2s")], [("confirmed", "")], "pass"),
        ("All 45 tests pass.", [FIX], [("unsupported", "no_such_run")], "reject"),
        ("All tests pass.", [FIX, pytest_run("3 failed, 42 passed in 1s", 1)], [("contradicted", "failed")], "reject"),
        ("All tests pass.", [pytest_run("45 passed in 1s"), FIX], [("unsupported", "before_last_edit")], "pass"),
        ("45 passed.", [FIX, pytest_run("45 passed in 1s", agent="dev/sub1")], [("confirmed", "")], "pass"),
        ("45 passed.", [FIX, pytest_run("45 passed in 1s", agent="qa")], [("unsupported", "another_agent")], "pass"),
        (
            "All tests pass.",
            [FIX, pytest_run("Running in background", None, background=True)],
            [("unsupported", "background")],
            "reject",
        ),
    ],
)
def test_claims_are_judged_by_the_record(
    text: str,
    record: list[dict[str, Any]],
    states: list[tuple[str, str]],
    decision: str,
    file: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (message,) = judged(file, capsys, turn_of(text, *record))
    assert [(claim["state"], claim["reason"]) for claim in message["claims"]] == states
    assert [claim["kind"] for claim in message["claims"]] == ["tests"]
    assert message["decision"] == decision
    for claim in message["claims"]:
        assert text[claim["start"] : claim["end"]] == claim["text"]


def test_a_reviewer_leans_on_its_own_record(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "APPROVED. pytest: 45 passed in 1.2s."
    own, borrowed = judged(
        file,
        capsys,
        turn_of(text, pytest_run("45 passed in 1.2s", agent="rev"), agent="rev", role="reviewer"),
        turn_of(text, pytest_run("45 passed in 1.2s"), agent="rev", role="reviewer"),
    )
    assert (own["decision"], own["claims"][0]["state"]) == ("pass", "confirmed")
    assert own["review"]["evidence"][0]["strength"] == "confirmed"
    assert (borrowed["decision"], borrowed["claims"][0]["reason"]) == ("reject", "another_agent")


def test_without_a_record_nothing_is_said_of_claims(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (message,) = judged(file, capsys, {"id": 1, "text": "All 45 tests pass."})
    assert "claims" not in message
    assert message["decision"] == "pass"


def test_an_empty_record_shows_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (message,) = judged(file, capsys, turn_of("Pushed to main."))
    assert message["claims"][0]["reason"] == "no_such_run"
    assert message["decision"] == "reject"


RUN = {"tool": "Bash", "input": {"command": "pytest -q"}, "output": "45 passed in 1s", "exit": 0, "at": 1, "seconds": 1}


@pytest.mark.parametrize(
    "told",
    [
        {"at": None, "seconds": None, "cwd": None, "agent": None, "background": None},
        {"input": ["pytest", "-q"]},
        {"input": {"command": ["bash", "-lc", "cd . && pytest -q"]}},
        {"input": '["pytest", "-q"]'},
    ],
)
def test_null_is_not_told_and_a_command_may_be_a_list(
    file: Path, capsys: pytest.CaptureFixture[str], told: dict[str, Any]
) -> None:
    (judged_one,) = judged(file, capsys, {"id": 1, "text": "All 45 tests pass.", "record": [RUN | told]})
    assert [claim["state"] for claim in judged_one["claims"]] == ["confirmed"]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"exit": True}, "record.0.exit: expected a number, not true or false"),
        ({"at": False}, "record.0.at: expected a number, not true or false"),
        ({"cwd": "a\0b"}, "record.0.cwd: expected text without NUL characters"),
        ({"agent": "dev\0"}, "record.0.agent: expected text without NUL characters"),
    ],
)
def test_what_is_no_value_of_a_record_is_a_sentence(
    file: Path, capsys: pytest.CaptureFixture[str], told: dict[str, Any], words: str
) -> None:
    file.write_text(json.dumps({"id": 1, "text": "x", "record": [RUN | told]}) + "\n", encoding="utf-8")
    assert run_command(["judge", str(file)]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said


def test_a_path_that_cannot_be_is_no_place(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit = {"tool": "Edit", "input": {"file_path": "/w\0/repo/x.py"}, "output": "ok", "cwd": "repo"}
    (judged_one,) = judged(
        file, capsys, {"id": 1, "text": "All 45 tests pass.", "record": [edit, RUN | {"cwd": "repo"}]}
    )
    assert [claim["kind"] for claim in judged_one["claims"]] == ["tests"]
