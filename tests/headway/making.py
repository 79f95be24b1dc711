"""Tool calls and attempts, for the tests of headway."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from mama_bot.model import (
    Attempt,
    Cleared,
    Counts,
    Draft,
    Judgement,
    Run,
    RunEnd,
    RunKind,
    ToolRecord,
    ToolRun,
    TurnId,
    text_hash,
)
from mama_bot.tool_names import with_kind

START = datetime(2026, 1, 1, tzinfo=UTC)


def ran(command: str, output: str = "", *, failed: int | None = None, minute: int = 0) -> ToolRun:
    """A command of a shell; with `failed`, a run of tests of which so many failed."""
    counts = () if failed is None else (_tests(command, failed),)
    at = START + timedelta(minutes=minute)
    return with_kind(
        ToolRun(
            id=f"{command}{output}{minute}",
            tool="Bash",
            arguments=f'{{"command":"{command}"}}',
            started_at=at,
            ended_at=at,
            ok=not failed,
            output_head=output,
            ran=counts,
        )
    )


def _tests(command: str, failed: int) -> Run:
    end = RunEnd.FAILED if failed else RunEnd.PASSED
    return Run(kind=RunKind.TESTS, tool="pytest", command=command, end=end, counts=Counts(failed=failed))


def attempt(text: str, runs: Sequence[ToolRun] = (), *, turn: str = "m.0", number: int = 0) -> Attempt:
    """A cleared attempt at a reply, with all calls of its turn so far."""
    draft = Draft(turn_id=TurnId(turn), attempt=number, text=text, record=ToolRecord(runs=tuple(runs)))
    judgement = Judgement(turn_id=TurnId(turn), attempt=number, text_sha256=text_hash(text), outcome=Cleared())
    return Attempt(draft=draft, judgement=judgement, at=START)
