"""An approval holds where the record of its author's own calls bears it out: what was run, and what was read."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from mama_bot.config import EvidenceStrength, ReviewGateSettings
from mama_bot.enforcement.approval.stage import ReviewGate
from mama_bot.enforcement.case import Case
from mama_bot.model import (
    Allow,
    Block,
    ClaimKind,
    Counts,
    Decision,
    Declaration,
    DeclaredOutcome,
    DeclaredVerdict,
    FigureName,
    Look,
    LookKind,
    ToolRecord,
    Turn,
    TurnKind,
)
from tests.enforcement.claims.records import Recorded
from tests.enforcement.examples import draft, turn

REVIEW = replace(turn(), kind=TurnKind.REVIEW, under_review=("shop/rates.py", "shop/cart.py"))
UNKNOWN = replace(REVIEW, under_review=())
APPROVAL = "Verdict: APPROVE\n\nEvidence: pytest: 8 passed."
SUBMITTED = Declaration(verdict=DeclaredVerdict.APPROVE)


def reading(*paths: str, state: str = "shown") -> Recorded:
    """A record of a diff that showed files, and of a run of the tests."""
    recorded = Recorded().ran("pytest", counts=Counts(passed=8)).shell("git diff")
    looks = tuple(Look(kind=LookKind.FILE, subject=path, state=state) for path in paths)
    recorded.calls[-1] = replace(recorded.calls[-1], looked=looks)
    return recorded


async def judged(
    record: ToolRecord,
    text: str = APPROVAL,
    asked: Turn = REVIEW,
    declaration: Declaration | None = None,
    least: EvidenceStrength = EvidenceStrength.CONFIRMED,
) -> Decision:
    gate = ReviewGate(settings=ReviewGateSettings(least_evidence=least))
    return await gate.judge(Case(replace(draft(text, record=record), declaration=declaration), asked))


def rule(decision: Decision) -> str:
    return decision.rule


async def test_who_was_shown_every_changed_file_may_approve() -> None:
    assert isinstance(await judged(reading("shop/rates.py", "shop/cart.py").record), Allow)
    root = reading("/home/dev/repo/shop/rates.py", "repo/shop/cart.py")
    assert isinstance(await judged(root.record), Allow)


@pytest.mark.parametrize("recorded", [reading("shop/rates.py"), reading("shop/rates.py", "cart.py.orig")])
async def test_files_that_were_not_read_are_named(recorded: Recorded) -> None:
    decision = await judged(recorded.record)
    assert isinstance(decision, Block)
    assert decision.rule == "approval_unread"
    assert "`shop/cart.py`" in decision.feedback
    assert "rates.py" not in decision.feedback


async def test_a_listing_is_no_reading() -> None:
    decision = await judged(reading("shop/rates.py", "shop/cart.py", state="present").record)
    assert rule(decision) == "approval_unread"


async def test_feedback_about_files_speaks_korean_and_is_bounded() -> None:
    many = replace(REVIEW, under_review=tuple(f"src/a{number}.py" for number in range(30)))
    decision = await judged(reading().record, "판정: 승인\n\n근거: pytest 8개 통과.", many)
    assert isinstance(decision, Block)
    assert "`src/a9.py` 외 20개" in decision.feedback


async def test_what_nobody_reads_line_by_line_need_not_be_read() -> None:
    asked = replace(REVIEW, under_review=("shop/rates.py", "uv.lock", "logo.png", "package-lock.json"))
    assert isinstance(await judged(reading("shop/rates.py").record, asked=asked), Allow)


async def test_where_the_changes_are_not_known_a_look_or_a_run_is_asked_for() -> None:
    assert isinstance(await judged(Recorded().ran("pytest", counts=Counts(passed=8)).record, asked=UNKNOWN), Allow)
    for empty in (Recorded(), Recorded().shell("ls"), Recorded().shell("echo calc.py")):
        assert rule(await judged(empty.record, asked=UNKNOWN)) == "approval_unseen"
        assert rule(await judged(empty.record, asked=UNKNOWN, declaration=SUBMITTED)) == "approval_unseen"


@pytest.mark.parametrize(
    ("recorded", "own_run"),
    [
        (Recorded().ran("sh -c pytest", counts=Counts(passed=8)), True),
        (Recorded().ran("pytest", counts=Counts(passed=8)), False),
        (reading("shop/rates.py"), False),
    ],
)
@pytest.mark.parametrize("declaration", [None, SUBMITTED])
async def test_an_approval_tells_that_a_run_of_its_author_alone_bears_it_out(
    recorded: Recorded, own_run: bool, declaration: Declaration | None
) -> None:
    decision = await judged(recorded.record, asked=UNKNOWN, declaration=declaration)
    assert isinstance(decision, Allow)
    figures = {figure.name: figure.value for figure in decision.evidence.figures}
    assert figures.get(FigureName.OWN_RUN, False) == own_run


@pytest.mark.parametrize("text", ["Verdict: APPROVE. LGTM, checked 1/1", "LGTM", "승인합니다."])
async def test_words_alone_are_no_approval(text: str) -> None:
    assert isinstance(await judged(ToolRecord(), text, UNKNOWN), Block)
    assert isinstance(await judged(ToolRecord(), text, turn()), Block)


async def test_a_bare_word_is_asked_what_was_verified_though_its_author_looked() -> None:
    decision = await judged(reading("shop/rates.py", "shop/cart.py").record, "LGTM")
    assert rule(decision) == "approval_without_evidence"


async def test_who_read_all_of_it_need_not_name_a_check() -> None:
    record = reading("shop/rates.py", "shop/cart.py").record
    assert isinstance(await judged(record, "Approved. I verified both files."), Allow)


async def test_of_an_agent_that_reports_no_calls_a_named_check_is_asked_for() -> None:
    silent = ToolRecord(complete=False)
    assert isinstance(await judged(silent, "Approved. The tests pass."), Allow)
    assert isinstance(await judged(silent, "Approved."), Block)


async def test_less_may_be_asked_for() -> None:
    assert isinstance(await judged(ToolRecord(), least=EvidenceStrength.CONCRETE), Allow)


# --- a submitted verdict ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paths", "expected"),
    [(("shop/rates.py", "shop/cart.py"), Allow), (("shop/rates.py",), Block), ((), Block)],
)
async def test_a_submitted_approval_needs_the_reading(paths: Sequence[str], expected: type) -> None:
    decision = await judged(reading(*paths).record, "The guard handles the empty list.", declaration=SUBMITTED)
    assert isinstance(decision, expected)
    assert {figure.name: figure.value for figure in decision.evidence.figures}[FigureName.APPROVAL]


async def test_submitted_evidence_is_compared_and_no_span_of_the_text() -> None:
    outcome = DeclaredOutcome(kind=ClaimKind.TESTS, tool="pytest", passed=8)
    declared = replace(SUBMITTED, outcomes=(outcome,))
    ran = Recorded().ran("pytest", counts=Counts(passed=8))
    decision = await judged(ran.record, "The guard is right.", UNKNOWN, declared)
    assert isinstance(decision, Allow)
    assert decision.evidence.findings == ()
    assert {figure.name: figure.value for figure in decision.evidence.figures}[FigureName.EVIDENCE] == 4


async def test_a_submitted_rejection_is_no_approval() -> None:
    rejected = Declaration(verdict=DeclaredVerdict.REJECT, findings=("calc.py:1 divides by zero",))
    decision = await judged(ToolRecord(), "`calc.py:1` divides by zero.", declaration=rejected)
    assert isinstance(decision, Allow)
