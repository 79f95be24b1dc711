"""What an earlier release stored is read as what it is: a call without its kind, a message without its language."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from mama_bot.model import Author, MessageId, ToolKind, ToolRun
from mama_bot.runs.written import files_written, ran_anything
from mama_bot.store.codec import ATTEMPT, MESSAGE, TURN
from mama_bot.wording import Language
from tests.store.making import attempt, message, turn

STORED = Path(__file__).parents[1] / "data" / "stored"
# As release 0.9 wrote them: no kind, no command, no paths.
OLD_RUNS = json.loads("""[
    {"id": "r1", "tool": "Bash", "arguments": "{\\"command\\":\\"pytest -q\\",\\"description\\":\\"x\\"}",
     "working_directory": "/w", "started_at": "2026-11-21T09:00:00Z", "ended_at": "2026-11-21T09:00:04Z", "ok": true,
     "exit_status": 0, "output_head": "3 passed", "output_tail": "", "output_sha256": "", "output_size": 8,
     "files": [], "agent": "lead", "background": false, "before": null, "after": null, "ran": [], "touched": []},
    {"id": "r2", "tool": "Write", "arguments": "{\\"file_path\\":\\"/w/a.py\\",\\"content\\":\\"x\\"}",
     "working_directory": "/w", "started_at": "2026-11-21T09:00:05Z", "ended_at": "2026-11-21T09:00:06Z", "ok": true,
     "exit_status": null, "output_head": "", "output_tail": "", "output_sha256": "", "output_size": 0,
     "files": ["a.py"], "agent": "lead", "background": false, "before": null, "after": null, "ran": [], "touched": []},
    {"id": "r3", "tool": "mcp__mail__send", "arguments": "{\\"command\\":\\"x\\"}",
     "started_at": "2026-11-21T09:00:07Z"}
]""")


def old(body: str, *path: str) -> str:
    """The body with the tool calls of an earlier release in it."""
    parsed: dict[str, Any] = json.loads(body)
    inner = parsed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = OLD_RUNS
    return json.dumps(parsed)


def told(runs: tuple[ToolRun, ...]) -> list[tuple[ToolKind, str, tuple[str, ...]]]:
    return [(run.kind, run.command, run.paths) for run in runs]


EXPECTED = [
    (ToolKind.SHELL, "pytest -q", ()),
    (ToolKind.WRITE, "", ("/w/a.py",)),
    (ToolKind.OTHER, "", ()),
]


def test_the_calls_of_an_old_attempt_have_their_kinds() -> None:
    body = old(ATTEMPT.dump(attempt(turn(message(1)))), "draft", "record", "runs")
    record = ATTEMPT.load(body).draft.record
    assert told(record.runs) == EXPECTED
    assert files_written(record) == {"a.py"}
    assert ran_anything(record)


def test_the_calls_of_an_old_turn_have_their_kinds() -> None:
    body = TURN.dump(turn(message(1)))
    assert told(TURN.load(old(body, "told")).told) == EXPECTED
    assert told(TURN.load(old(body, "undrafted", "runs")).undrafted.runs) == EXPECTED


def test_a_body_of_today_comes_back_as_it_was() -> None:
    kept = ATTEMPT.load(old(ATTEMPT.dump(attempt(turn(message(1)))), "draft", "record", "runs"))
    assert ATTEMPT.load(ATTEMPT.dump(kept)) == kept


def test_an_old_message_is_in_the_language_of_its_text() -> None:
    body = (STORED / "message.json").read_text(encoding="utf-8")
    kept = MESSAGE.load(body)
    assert (kept.id, kept.author) == (MessageId("telegram:1:7"), Author(id="9", name="민수"))
    assert kept.language is Language.KOREAN
    assert MESSAGE.load(body.replace("테스트를 돌려 줘", "run the tests")).language is Language.ENGLISH


def test_the_language_of_a_message_is_kept() -> None:
    thumb = replace(message(1), text="👍", language=Language.KOREAN)
    assert MESSAGE.load(MESSAGE.dump(thumb)) == thumb
