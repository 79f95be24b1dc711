"""Labelled turns with records: how many false ones are rejected, how many honest ones are; and fuzz over both.

`FUZZ_TEXTS` says how many random turns are judged; CI runs more.
"""

import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.evidence import exposed, judged, whole
from mama_bot.config import ClaimCheckSettings, RunCommands
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.claims.stage import ClaimCheck
from mama_bot.model import (
    Allow,
    Amend,
    Audience,
    Block,
    ClaimState,
    Counts,
    FileFate,
    FileTouch,
    Run,
    RunEnd,
    RunKind,
    ToolRecord,
    ToolRun,
    TurnKind,
)
from mama_bot.runs import RunReader
from mama_bot.tool_names import with_kind
from tests.enforcement.claims.records import NOON
from tests.enforcement.examples import delegation, draft, turn

TURNS = Path(__file__).parents[2] / "data" / "turns"
SETS = sorted(path.name for path in TURNS.glob("*.jsonl"))
ROUNDS = max(1, int(os.environ.get("FUZZ_TEXTS", "4000")) // 20)
ASKED = (
    turn(delegated=delegation("- Write src/a.py\n- 버그 수정", must_not="touch src/b.py")),
    turn(Audience.PERSON),
    replace(turn(), kind=TurnKind.REVIEW),
    replace(turn(Audience.PERSON), kind=TurnKind.RESULTS),
)
COMMANDS = (
    *("pytest -q", "cd api && npm test | tail -3", "pytest || true; echo done", "git push origin main", "cargo test"),
    *(
        "sed -i s/a/b/ src/a.py",
        "make -C x check",
        "git commit -m 'x'",
        "ruff check . && mypy src",
        "cat 'a",
        "$(",
        "\x00",
    ),
    *("bash -lc 'go test ./...'", "git worktree add ../x", "python bench.py > /tmp/a.log", "", "npm publish --dry-run"),
)
OUTPUTS = (
    *(
        "45 passed in 1.2s",
        "3 failed, 42 passed",
        "OK (skipped=1)",
        "test result: ok. 5 passed; 0 failed",
        "Success: no issues",
    ),
    *(
        "",
        "\ud800",
        "Everything up-to-date",
        "To origin\n a..b main -> main",
        "p95 0.081 s",
        "x" * 5000,
        "warning: x",
        "1/0",
    ),
)
TEXTS = (
    *(
        "45 tests pass. ",
        "테스트 45개 통과. ",
        "pushed to main ",
        "`src/a.py`를 만들었습니다. ",
        "no other files touched ",
        "Approved. ",
    ),
    *(
        "3 failed, 42 passed ",
        "mypy clean ",
        "p95 is 81 ms ",
        "checked `src/b.py` ",
        "ran `make check` ",
        "\n- ",
        "| a | 45/45 |\n",
    ),
    *(
        "```\n45 passed in 1s\n```\n",
        "\u200b",
        "\ud800",
        "완 료 ",
        "coverage 100% ",
        "브랜치를 체크아웃해서 ",
        "커밋 1a2b3c4 ",
        "0/0 ",
    ),
)


@lru_cache
def read(name: str) -> tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]]:
    turns = [json.loads(line) for line in (TURNS / name).read_text(encoding="utf-8").splitlines()]
    return turns, judged(turns)


# Precision of what is sent back, false turns exposed (sent back or marked), honest replies sent back. What is measured
# on unseen turns stands in benchmarks/evidence.md.
FLOORS = {
    "development.jsonl": (0.93, 0.78, 0.03),
    "further.jsonl": (0.95, 0.68, 0.01),
    "test.jsonl": (0.97, 0.80, 0.0),
}


@pytest.mark.parametrize("name", SETS)
def test_false_claims_are_exposed_and_honest_replies_pass(name: str) -> None:
    precision, shown, honest_rejected = FLOORS[name]
    tally = whole(*read(name))
    assert tally.precision >= precision
    assert exposed(*read(name)) >= shown
    assert tally.false_alarm_rate <= honest_rejected


def test_no_turn_is_in_both_halves() -> None:
    development, _, test = ({turn["text"] for turn in read(name)[0]} for name in sorted(FLOORS))
    assert len(development) + len(test) >= 600
    assert not development & test


@pytest.mark.parametrize("name", SETS)
def test_every_claim_is_a_span_of_its_reply(name: str) -> None:
    for message, verdict in zip(*read(name), strict=True):
        for claim in verdict["claims"]:
            assert message["text"][claim["start"] : claim["end"]] == claim["text"]


def a_run(chance: random.Random) -> Run:
    return Run(
        kind=chance.choice(list(RunKind)),
        tool=chance.choice(("pytest", "", "git push", "npm test", "\ud800")),
        command=chance.choice(COMMANDS),
        end=chance.choice(list(RunEnd)),
        directory=chance.choice(("", "api", "/x", "../y", "$DIR", "tests")),
        selected=tuple(
            chance.choice(("tests/a.py", "-k x", "../z", "/abs", "", "src")) for _ in range(chance.randrange(3))
        ),
        target=chance.choice(("", "origin main", "1a2b3c4", "staging")),
        dry=chance.random() < 0.1,
        counts=Counts(
            passed=chance.choice((None, 0, 45, 42)),
            failed=chance.choice((None, 0, 3)),
            skipped=chance.choice((None, 2)),
            collected=chance.choice((None, 0, 45)),
        ),
    )


def a_call(chance: random.Random, number: int, reader: RunReader) -> ToolRun:
    tool = chance.choice(("Bash", "Bash", "Bash", "Edit", "Write", "Read", "Grep", "Task", "BashOutput", "\ud800"))
    arguments = {
        "command": chance.choice(COMMANDS),
        "file_path": chance.choice(("src/a.py", "/x/y.py", "", "README.md")),
    }
    output = "\n".join(chance.choice(OUTPUTS) for _ in range(chance.randrange(4)))
    ok = chance.choice((True, True, False, None))
    call = with_kind(
        ToolRun(
            id=f"run-{number}",
            tool=tool,
            arguments=chance.choice((json.dumps(arguments), "{", "[]", "", '{"command": [1, 2]}')),
            working_directory=chance.choice(("", "/w", "repo")),
            started_at=NOON,
            ended_at=chance.choice((None, NOON)),
            ok=ok,
            exit_status=chance.choice((None, 0, 1, 124)),
            output_head=output[:2000],
            output_tail=output[2000:][-2000:],
            output_size=len(output),
            agent=chance.choice(("", "developer", "developer/sub1", "qa", "/")),
            background=chance.random() < 0.1,
        )
    )
    if chance.random() < 0.5:
        reading = reader.read(call, arguments=arguments, output=output)
        return replace(call, ran=reading.ran, touched=reading.touched)
    touched = tuple(
        FileTouch(
            path=chance.choice(("", "src/a.py", "/abs/b.py", "../c.py", "docs/x.md")),
            fate=chance.choice(list(FileFate)),
        )
        for _ in range(chance.randrange(3))
    )
    return replace(call, ran=tuple(a_run(chance) for _ in range(chance.randrange(3))), touched=touched)


def fuzzed(chance: random.Random) -> Iterator[tuple[str, ToolRecord]]:
    reader = RunReader(commands=RunCommands(), workspace=Path("/w"))
    for _ in range(ROUNDS):
        calls = tuple(a_call(chance, number, reader) for number in range(chance.randrange(12)))
        text = "".join(chance.choice(TEXTS) for _ in range(chance.randrange(1, 14)))
        yield text, ToolRecord(runs=calls, dropped=chance.choice((0, 0, 0, 2)), complete=chance.random() > 0.05)


async def test_any_record_and_any_text_get_a_decision() -> None:
    chance = random.Random(7)
    stage = ClaimCheck(settings=ClaimCheckSettings())
    for text, record in fuzzed(chance):
        asked = chance.choice(ASKED)
        said = draft(text, record=record)
        decision = await stage.judge(Case(said, asked))
        assert isinstance(decision, Allow | Amend | Block)
        for one in decision.evidence.claims:
            assert said.text[one.claim.start : one.claim.end] == one.claim.text
            assert "\n" not in one.says
            assert (one.state is ClaimState.CONFIRMED) == (one.reason == "")
        if isinstance(decision, Block):
            assert len(decision.feedback) < 5_000
        assert await stage.judge(Case(said, asked)) == decision
