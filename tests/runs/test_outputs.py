"""Outputs that people recorded who never saw the code, each with what really happened (data/runs/outputs.jsonl)."""

import json
from pathlib import Path
from typing import Any

import pytest

from mama_bot.model import Run, RunEnd, RunKind
from tests.runs.test_recorded import read

FILE = Path(__file__).parents[1] / "data" / "runs" / "outputs.jsonl"
RECORDS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
UNTOLD = frozenset({RunEnd.MASKED, RunEnd.OPEN})
# A compiler checks types, and some linters check the format: either name is right.
ALIKE = ({"types", "build"}, {"lint", "format"}, {"tests", "benchmark"})


def alike(kind: str, other: str) -> bool:
    return kind == other or {kind, other} in ALIKE


def difference(run: Run, truth: dict[str, Any]) -> str:
    """What a run says that is not so; "" where nothing is."""
    end = run.end.value
    if end != truth["outcome"] and not (run.dry and truth["outcome"] == "nothing"):
        return f"{truth['tool']} {end}, really {truth['outcome']}"
    if truth["kind"] == "tests":
        for name in ("passed", "skipped"):
            told, real = getattr(run.counts, name), truth.get(name)
            if told is not None and real and told != real:
                return f"{truth['tool']}: {told} {name}, really {real}"
        told, real = run.counts.failed, truth.get("failed")
        broken = (real or 0) + (truth.get("errors") or 0)
        if told is not None and real is not None and told != real and told + (run.counts.errors or 0) != broken:
            return f"{truth['tool']}: {told} failed, really {real}"
    filters = [chosen for chosen in run.selected if chosen.startswith("-")]
    return f"{truth['tool']} is whole, not {filters}" if filters and truth.get("whole") else ""


def of_packages(truths: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One task that runs a tool in several packages is one run: failed where any of them failed."""
    whole: dict[tuple[str, str], dict[str, Any]] = {}
    for truth in truths:
        key = (truth["kind"], truth["tool"])
        before = whole.get(key)
        if before is None or truth["kind"] != "tests":
            whole[(*key, len(whole)) if before else key] = dict(truth)  # type: ignore[index]
            continue
        for name in ("passed", "failed", "errors", "skipped"):
            before[name] = (before.get(name) or 0) + (truth.get(name) or 0)
        before["outcome"] = "failed" if "failed" in {before["outcome"], truth["outcome"]} else before["outcome"]
    return list(whole.values())


def compared(record: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What is told wrong of a record, and what of it is not known."""
    directory = record["cwd"].removeprefix("/repo").strip("/")
    reading = read(record["command"], record["output"], record["exit"], directory)
    left = [run for run in reading.ran if run.kind is not RunKind.DIFF]
    truths = [truth for truth in record["truth"] if truth["kind"] != "other"]
    if len(left) < len(truths):
        truths = of_packages(truths)
    wrong: list[str] = []
    unknown: list[str] = []
    for truth in truths:
        same = [run for run in left if alike(run.kind.value, truth["kind"])]
        same.sort(key=lambda run: (run.kind.value != truth["kind"], truth["tool"].split()[0] not in run.tool))
        if not same:
            unknown.append(truth["tool"])
            continue
        left.remove(same[0])
        if same[0].end in UNTOLD:
            unknown += [truth["tool"]] if truth["outcome"] != "unknown" else []
        elif (problem := difference(same[0], truth)) != "":
            wrong.append(problem)
    # A task that failed before it came to what its name says failed.
    broke = any(truth["outcome"] == "failed" for truth in truths)
    others = [run for run in left if run.end is RunEnd.PASSED or (run.end is RunEnd.FAILED and not broke)]
    return [*wrong, *(f"{run.tool} {run.end.value} did not run" for run in others)], unknown


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_a_real_output_is_read_as_what_happened(record: dict[str, Any]) -> None:
    wrong, unknown = compared(record)
    assert bool(wrong) is record["wrong"], wrong
    assert bool(unknown) is bool(record["unknown"]), "what is known of an output now must stay known"


def test_most_is_known_and_next_to_nothing_wrong() -> None:
    assert len(RECORDS) >= 280
    assert sum(not record["unknown"] for record in RECORDS) >= 0.85 * len(RECORDS)
    assert sum(record["wrong"] for record in RECORDS) <= 2
