"""Replies with claims, for the tests of receipts."""

from dataclasses import replace
from datetime import timedelta

from mama_bot.model import (
    Allow,
    Attempt,
    CheckedClaim,
    Claim,
    ClaimKind,
    ClaimReason,
    ClaimState,
    Counts,
    Evidence,
    HostCheck,
    Run,
    RunEnd,
    RunKind,
    StageVerdict,
    ToolRecord,
    ToolRun,
    Turn,
    WorkTreeState,
)
from mama_bot.tool_names import with_kind
from tests.store.making import START, attempt

TEXT = "All 45 tests pass. Pushed to origin. 테스트 45개 모두 통과."
TESTS = "All 45 tests pass."
PUSHED = "Pushed to origin."
CLAIMS = (
    CheckedClaim(
        claim=Claim(kind=ClaimKind.TESTS, text=TESTS, start=0, end=len(TESTS), counts=Counts(passed=45)),
        state=ClaimState.CONFIRMED,
        run_id="call-2",
        says="The run at 03:04:10 says 45 passed.",
    ),
    CheckedClaim(
        claim=Claim(kind=ClaimKind.PUSHED, text=PUSHED, start=TEXT.index(PUSHED), end=TEXT.index(PUSHED) + len(PUSHED)),
        state=ClaimState.UNSUPPORTED,
        reason=ClaimReason.NO_SUCH_RUN,
        says="No push is in the record.",
    ),
)
CHECK = HostCheck(
    name="tests",
    argv=("python", "-m", "unittest", "-v"),
    ok=True,
    reason="exit status 0",
    exit_status=0,
    seconds=1.25,
    output_tail="Ran 45 tests\n\nOK",
    output_sha256="c" * 64,
    tree="a" * 40,
)
RUNS = (
    with_kind(
        ToolRun(id="call-1", tool="Read", arguments='{"file_path":"a.py"}', started_at=START, ended_at=START, ok=True)
    ),
    with_kind(
        ToolRun(
            id="call-2",
            tool="Bash",
            arguments='{"command":"pytest -q"}',
            started_at=START + timedelta(seconds=5),
            ended_at=START + timedelta(seconds=8.2),
            ok=True,
            exit_status=0,
            output_head=".....\n45 passed in 3.10s\n\x1b[31m",
            output_sha256="b" * 64,
            output_size=26,
            after=WorkTreeState(commit="3fa2c1d" + "0" * 33, dirty=True),
            ran=(
                Run(
                    kind=RunKind.TESTS,
                    tool="pytest",
                    command="pytest -q",
                    end=RunEnd.PASSED,
                    counts=Counts(passed=45, skipped=2),
                ),
            ),
        )
    ),
)


def stages() -> tuple[StageVerdict, ...]:
    return (
        StageVerdict(stage="claim_check", decision=Allow(evidence=Evidence(claims=CLAIMS))),
        StageVerdict(stage="workspace_checks", decision=Allow(evidence=Evidence(checks=(CHECK,)))),
    )


def claiming(turn: Turn, text: str = TEXT) -> Attempt:
    """A cleared attempt that claims something."""
    plain = attempt(turn, 0, text)
    draft = replace(plain.draft, record=ToolRecord(runs=RUNS))
    return replace(plain, draft=draft, judgement=replace(plain.judgement, stages=stages()))
