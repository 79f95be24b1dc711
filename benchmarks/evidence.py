"""How well claims are checked against records: labelled turns through `mama-bot judge`'s own code, and what it costs.

python -m benchmarks.evidence TURNS.jsonl ... [--show]     prints tables; texts of turns only with --show
python -m benchmarks.evidence --time                       reconciling a turn with 1,000 tool calls and 10 MB of output
"""

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.judgement import Tally
from mama_bot.commands.judge import judge_lines
from mama_bot.config import EnforcementSettings
from mama_bot.enforcement.claims.admissions import Admissions
from mama_bot.enforcement.claims.comparison import Comparison, compared
from mama_bot.enforcement.claims.prose_claims import claims_in
from mama_bot.facts import facts_of
from mama_bot.model import ToolRecord, ToolRun
from mama_bot.runs import RunReader
from mama_bot.text.sentences import reading_of
from mama_bot.tool_names import with_kind
from mama_bot.wording import Language

Turn = Mapping[str, Any]
STATES = ("confirmed", "unsupported", "contradicted")
FATES = ("sent back", "marked", "confirmed", "no claim read")
CALLS = 1_000
OUTPUT_CHARACTERS = 10_000
ROUNDS = 30
BEGINNING = datetime(2026, 1, 1, 12, tzinfo=UTC)
TEXT = (
    "All 628 tests pass (628/628), `mypy` and `ruff check` are clean. Changed src/module_7.py and src/module_9.py, "
    "created tests/test_module_9.py. Committed as 1a2b3c4 and pushed to main. The build succeeds. "
    "전체 테스트 628개 통과, 커밋하고 푸시했습니다. 다른 파일은 건드리지 않았습니다."
)


def judged(turns: Sequence[Turn]) -> list[Turn]:
    """What `mama-bot judge` answers to turns, in their order; it does not see their labels."""
    lines = (json.dumps({k: v for k, v in one.items() if k != "expected"}, ensure_ascii=False) for one in turns)
    return [
        json.loads(line) for line in judge_lines(lines, name="turns", settings=EnforcementSettings(), explain=False)
    ]


def tallies(turns: Sequence[Turn], verdicts: Sequence[Turn], by: str) -> dict[str, Tally]:
    """Rejected turns by one property."""
    found: dict[str, Tally] = {}
    for turn, verdict in zip(turns, verdicts, strict=True):
        tally = found.setdefault(str(turn.get(by, "")), Tally())
        tally.count(wanted=turn["expected"]["decision"] == "reject", got=verdict["decision"] == "reject")
    return dict(sorted(found.items()))


def whole(turns: Sequence[Turn], verdicts: Sequence[Turn]) -> Tally:
    """All of them."""
    tally = Tally()
    for turn, verdict in zip(turns, verdicts, strict=True):
        tally.count(wanted=turn["expected"]["decision"] == "reject", got=verdict["decision"] == "reject")
    return tally


def matching(expected: Turn, text: str, claims: Sequence[Turn]) -> Turn | None:
    """The found claim that a labelled one is: of its kind, or else any, whose span overlaps its words most."""
    start = text.find(expected["text"])
    end = start + len(expected["text"])
    best: tuple[bool, int] = (False, 0)
    found: Turn | None = None
    for claim in claims:
        shared = min(end, claim["end"]) - max(start, claim["start"])
        rank = (claim["kind"] == expected["kind"], shared)
        if shared > 0 and rank > best:
            best, found = rank, claim
    return found


def exposure(turns: Sequence[Turn], verdicts: Sequence[Turn]) -> dict[bool, Counter[str]]:
    """What became of false turns and of honest ones: sent back, marked (a claim that is not confirmed), or neither."""
    fates: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for turn, verdict in zip(turns, verdicts, strict=True):
        states = [claim["state"] for claim in verdict.get("claims", [])]
        if verdict["decision"] == "reject":
            fate = "sent back"
        elif any(state != "confirmed" for state in states):
            fate = "marked"
        else:
            fate = "confirmed" if states else "no claim read"
        fates[turn["expected"]["decision"] == "reject"][fate] += 1
    return fates


def exposed(turns: Sequence[Turn], verdicts: Sequence[Turn]) -> float:
    """The share of false turns that are sent back or marked."""
    fates = exposure(turns, verdicts)[True]
    return (fates["sent back"] + fates["marked"]) / max(1, fates.total())


def confusion(turns: Sequence[Turn], verdicts: Sequence[Turn]) -> tuple[Counter[tuple[str, str]], Counter[str], int]:
    """Labelled states against found ones, false claims by reason, and how many were found beside the labelled."""
    states: Counter[tuple[str, str]] = Counter()
    reasons: Counter[str] = Counter()
    matched = 0
    total = 0
    for turn, verdict in zip(turns, verdicts, strict=True):
        claims = verdict.get("claims", [])
        total += len(claims)
        used: set[tuple[int, int, str]] = set()
        for expected in turn["expected"]["claims"]:
            found = matching(expected, turn["text"], claims)
            states[expected["state"], found["state"] if found else "not found"] += 1
            if found:
                used.add((found["start"], found["end"], found["kind"]))
            right = found is not None and found["state"] != "confirmed"
            if expected["state"] != "confirmed":
                reasons[f"{expected['reason'] or 'none'}|{'found' if right else 'missed'}"] += 1
        matched += len(used)
    return states, reasons, total - matched


def stopped_by(verdicts: Iterable[Turn]) -> Counter[str]:
    """Which stage rejects."""
    found: Counter[str] = Counter()
    for verdict in verdicts:
        for name, said in verdict.items():
            if isinstance(said, dict) and said.get("decision") == "reject":
                found[name] += 1
    return found


def report(turns: Sequence[Turn], verdicts: Sequence[Turn]) -> Iterator[str]:
    """The tables."""
    tally = whole(turns, verdicts)
    yield f"{len(turns)} turns: precision {tally.precision:.3f}, recall {tally.recall:.3f}, honest turns rejected "
    yield f"{tally.false_alarm_rate:.1%} ({tally.false_alarms}/{tally.false_alarms + tally.passes})\n"
    yield f"False turns exposed (sent back or marked): {exposed(turns, verdicts):.1%}\n"
    yield f"\n| turns | {' | '.join(FATES)} |\n|---|---|---|---|---|"
    for false, name in ((True, "false"), (False, "honest")):
        fates = exposure(turns, verdicts)[false]
        yield f"| {name} | {' | '.join(str(fates[fate]) for fate in FATES)} |"
    for by in ("language", "role", "agent_to_agent", "category"):
        yield f"\n| {by} | n | precision | recall | F1 | honest ones rejected |\n|---|---|---|---|---|---|"
        yield from (one.row(name.replace("_", " ")) for name, one in tallies(turns, verdicts, by).items())
    states, reasons, beside = confusion(turns, verdicts)
    yield f"\n| labelled claim | {' | '.join((*STATES, 'not found'))} |\n|---|---|---|---|---|"
    for labelled in STATES:
        row = " | ".join(str(states[labelled, found]) for found in (*STATES, "not found"))
        yield f"| {labelled} | {row} |"
    yield f"\nClaims found beside the labelled ones: {beside}\n"
    yield "| reason of a false claim | found | missed |\n|---|---|---|"
    for reason in sorted({key.partition("|")[0] for key in reasons}):
        yield f"| {reason} | {reasons[f'{reason}|found']} | {reasons[f'{reason}|missed']} |"
    pairs = list(zip(turns, verdicts, strict=True))
    wrong = stopped_by(v for t, v in pairs if t["expected"]["decision"] == "pass")
    yield f"\nStages that rejected honest turns: {dict(wrong)}"
    late = stopped_by(v for t, v in pairs if t["expected"]["decision"] == "reject")
    yield f"Stages that rejected false turns: {dict(late)}"


def shown(turns: Sequence[Turn], verdicts: Sequence[Turn]) -> Iterator[str]:
    """Every turn that came out wrong, to look at."""
    for turn, verdict in zip(turns, verdicts, strict=True):
        if turn["expected"]["decision"] != verdict["decision"]:
            yield f"\n=== {turn['id']} {turn['category']} {turn['role']}"
            yield f"wanted {turn['expected']['decision']}: {turn['why']}"
            yield turn["text"]
            for expected in turn["expected"]["claims"]:
                yield f"  label {expected['state']} {expected['reason']} {expected['kind']}: {expected['text']!r}"
            for claim in verdict.get("claims", []):
                yield f"  found {claim['state']} {claim['reason']} {claim['kind']}: {claim['text']!r} ({claim['says']})"
            for name, said in verdict.items():
                if isinstance(said, dict) and said.get("decision") == "reject":
                    yield f"  rejected by {name}: {said.get('reason', '')}"


def long_record() -> tuple[ToolRecord, list[float]]:
    """A turn with 1,000 calls and 10 MB of output, and how long each call took to read, in ms."""
    reader = RunReader(commands=EnforcementSettings().claim_check.commands, workspace=Path("/workspace"))
    calls: list[ToolRun] = []
    spent: list[float] = []
    for number in range(CALLS):
        call, arguments, output = one_call(number)
        started = time.perf_counter()
        read = reader.read(call, arguments=arguments, output=output)
        spent.append((time.perf_counter() - started) * 1000)
        calls.append(
            ToolRun(
                **{name: getattr(call, name) for name in call.__slots__ if name not in ("ran", "touched")},
                ran=read.ran,
                touched=read.touched,
            )
        )
    return ToolRecord(runs=tuple(calls)), spent


def one_call(number: int) -> tuple[ToolRun, dict[str, Any], str]:
    """One call of a long turn: now an edit, now a test run, now a search."""
    arguments: dict[str, Any]
    tool = ("Edit", "Bash", "Bash", "Read", "Grep")[number % 5]
    file = f"/workspace/src/module_{number % 97}.py"
    if tool == "Bash":
        command = (
            "cd /workspace && timeout 600 uv run pytest -q 2>&1 | tail -40"
            if number % 2
            else "git status && ruff check ."
        )
        arguments = {"command": command}
    else:
        arguments = {"file_path": file, "old_string": "a", "new_string": "b", "pattern": "def "}
    line = f"src/module_{number % 97}.py::test_{number} PASSED [ 50%] some more words in the line of an output\n"
    output = (line * (OUTPUT_CHARACTERS // len(line))) + f"\n{600 + number % 29} passed, 3 skipped in 4.2s\n"
    begun = BEGINNING + timedelta(seconds=10 * number)
    call = with_kind(
        ToolRun(
            id=f"run-{number}",
            tool=tool,
            arguments=json.dumps(arguments),
            working_directory="/workspace",
            started_at=begun,
            ended_at=begun + timedelta(seconds=4),
            ok=True,
            exit_status=0 if tool == "Bash" else None,
            output_head=output[:2000],
            output_tail=output[-2000:],
            output_size=len(output),
        )
    )
    return call, arguments, output


def timing() -> Iterator[str]:
    """What reconciling adds to a long turn, and what was read as it went."""
    record, spent = long_record()
    took = []
    for _ in range(ROUNDS):
        claims = claims_in(reading_of(TEXT))
        started = time.process_time()
        facts = facts_of(record, agent="developer")
        compared(claims, Comparison(facts, admissions=Admissions(), language=Language.ENGLISH))
        took.append((time.process_time() - started) * 1000)
    started = time.perf_counter()
    found = claims_in(reading_of(TEXT))
    reading = (time.perf_counter() - started) * 1000
    yield f"{CALLS} calls, {CALLS * OUTPUT_CHARACTERS / 1e6:.0f} MB: reconciling {len(found)} claims takes "
    yield f"{statistics.median(took):.1f} ms of processor time (worst of {ROUNDS}: {max(took):.1f} ms); "
    yield f"finding them in the text {reading:.1f} ms."
    yield f"Read as it went: {statistics.mean(spent):.2f} ms a call, {max(spent):.1f} ms at worst."


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="labelled turns, JSON Lines")
    parser.add_argument("--show", action="store_true", help="print the turns that came out wrong")
    parser.add_argument("--time", action="store_true", help="measure how long reconciling takes")
    options = parser.parse_args()
    lines: list[str] = []
    for file in options.files:
        turns = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        verdicts = judged(turns)
        lines += [f"\n## {file.name}\n", *report(turns, verdicts)]
        if options.show:
            lines += shown(turns, verdicts)
    if options.time or not options.files:
        lines += timing()
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
