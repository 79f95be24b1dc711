"""How well it is told that an agent is stuck: labelled sequences of `tests/data/drift`, by kind.

python -m benchmarks.drift [development|test]
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mama_bot.config import DriftSettings
from mama_bot.headway.drift import AgentOutput, Drift
from mama_bot.headway.work_marks import WorkMarks, figures_in, marks_of_calls
from mama_bot.model import Counts, FileFate, Run, RunEnd, RunKind, ToolRun, TreeChange, TurnId, WorkTreeState
from mama_bot.tool_names import with_kind

PLACE = Path(__file__).parents[1] / "tests" / "data" / "drift"
START = datetime(2026, 1, 1, tzinfo=UTC)


def outputs(sequence: Mapping[str, Any]) -> Sequence[AgentOutput]:
    """Return a sequence as the outputs of an agent."""
    return [
        AgentOutput(
            turn=TurnId(str(number)),
            text=given["text"],
            marks=marks_of_calls([_run(position, call) for position, call in enumerate(given["calls"])])
            | WorkMarks(figures=figures_in(given["text"]), ticked=frozenset(given["ticked"])),
        )
        for number, given in enumerate(sequence["outputs"])
    ]


def _run(number: int, call: Mapping[str, Any]) -> ToolRun:
    failed, tree = call["failed"], call["tree"]
    end = RunEnd.FAILED if failed else RunEnd.PASSED
    checks = Run(kind=RunKind.TESTS, tool="pytest", command=call["command"], end=end, counts=Counts(failed=failed))
    at = START + timedelta(seconds=number)
    return with_kind(
        ToolRun(
            id=str(number),
            tool="Bash",
            arguments=json.dumps({"command": call["command"]}),
            started_at=at,
            ended_at=at,
            ok=not failed,
            output_head=call["output"],
            ran=() if failed is None else (checks,),
            after=WorkTreeState(tree=tree) if tree else None,
            changed=(TreeChange(path="a", fate=FileFate.CHANGED),) if tree else None,
        )
    )


def labelled(half: str) -> Sequence[Mapping[str, Any]]:
    """Return the sequences of a half."""
    return [json.loads(line) for line in (PLACE / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()]


async def measured(half: str) -> Counter[tuple[str, bool, bool]]:
    """Return how many sequences of each kind there are, by whether they are stuck and were called so."""
    drift = Drift(settings=DriftSettings)
    told: Counter[tuple[str, bool, bool]] = Counter()
    for sequence in labelled(half):
        told[sequence["kind"], sequence["stuck"], await drift.stuck(outputs(sequence)) is not None] += 1
    return told


def lines(told: Counter[tuple[str, bool, bool]]) -> Iterator[str]:
    """Yield what was measured."""
    for is_stuck, title in ((True, "stuck"), (False, "not stuck")):
        known = {kind: number for (kind, stuck, called), number in told.items() if stuck is is_stuck and called}
        kinds = sorted({kind for kind, stuck, _ in told if stuck is is_stuck})
        of = {kind: told[kind, is_stuck, True] + told[kind, is_stuck, False] for kind in kinds}
        yield f"{title}: {sum(known.values())} of {sum(of.values())} were told that they are stuck"
        yield from (f"  {kind.replace('_', ' ')}: {known.get(kind, 0)} of {of[kind]}" for kind in kinds)


def main() -> None:
    """Print the figures of a half."""
    half = sys.argv[1] if len(sys.argv) > 1 else "development"
    sys.stdout.write("\n".join(lines(asyncio.run(measured(half)))) + "\n")


if __name__ == "__main__":
    main()
