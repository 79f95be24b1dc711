"""A posted reply that claims something has a receipt, durable, and found by number, turn and post."""

from dataclasses import replace

import pytest

from mama_bot.errors import NoSuchReceipt
from mama_bot.model import (
    Allow,
    Badge,
    BadgeKind,
    Cleared,
    Evidence,
    Figure,
    FigureName,
    PostId,
    StageVerdict,
    ToolRecord,
    TurnState,
    badge_of,
    receipt_of,
)
from mama_bot.store import Store
from tests.store.making import ELSEWHERE, HERE, attempt, message, notice, reply, sent_back, turn
from tests.store.receipts import CHECK, CLAIMS, RUNS, TEXT, claiming

MESSAGE = message(1)
TURN = turn(MESSAGE)


async def finished(store: Store) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns([TURN])
    await store.turns.finish(TURN, TurnState.ANSWERED, attempt=claiming(TURN), posts=[reply(TURN, TEXT)])


async def test_the_receipt_of_a_reply_survives_a_restart(store: Store, next_life: Store) -> None:
    await finished(store)
    found = await next_life.receipts.receipt("1")
    assert (found.number, found.claims, found.checks) == (1, CLAIMS, (CHECK,))
    (run,) = found.runs
    assert (run.run_id, run.command, run.exit_status, run.counts[0].passed) == ("call-2", "pytest -q", 0, 45)
    assert run.after == RUNS[1].after
    assert found == await next_life.receipts.receipt(TURN.id) == await next_life.receipts.receipt("#1")


async def test_a_receipt_is_found_by_its_post_in_its_own_conversation_alone(store: Store) -> None:
    await finished(store)
    post = reply(TURN, TEXT).id
    found = await store.receipts.of_post(HERE, post)
    assert found is not None
    assert found.turn_id == TURN.id
    assert await store.receipts.of_post(ELSEWHERE, post) is None
    assert await store.receipts.of_post(HERE, PostId("nothing")) is None
    assert await store.receipts.latest(HERE, 5) == (found,)
    assert (await store.history.view(HERE, 10)).receipts == (found,)


async def test_a_turn_that_ends_twice_has_one_receipt(store: Store) -> None:
    await finished(store)
    await store.turns.finish(TURN, TurnState.ANSWERED, attempt=claiming(TURN), posts=[reply(TURN, TEXT)])
    assert len(await store.receipts.latest(HERE, 5)) == 1


async def test_what_is_not_posted_has_no_receipt(store: Store) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns([TURN])
    back = replace(claiming(TURN), judgement=replace(claiming(TURN).judgement, outcome=sent_back()))
    await store.turns.add_attempt(back)
    await store.turns.finish(TURN, TurnState.WITHHELD, posts=[notice()])
    assert await store.receipts.latest(HERE, 5) == ()


async def test_a_reply_that_claims_nothing_has_no_receipt() -> None:
    assert receipt_of(TURN, attempt(TURN, 0, "Which of the two do you mean?")) is None


async def test_the_receipt_of_an_agent_that_does_not_report_its_calls_says_so() -> None:
    plain = attempt(TURN, 0, "All 45 tests pass.")
    receipt = receipt_of(TURN, replace(plain, draft=replace(plain.draft, record=ToolRecord(complete=False))))
    assert receipt is not None
    assert not receipt.recorded


async def test_a_receipt_holds_the_deciding_calls_of_many() -> None:
    claimed = claiming(TURN)
    many = tuple(replace(RUNS[1], id=f"other-{number}") for number in range(200))
    receipt = receipt_of(TURN, replace(claimed, draft=replace(claimed.draft, record=ToolRecord(runs=many + RUNS))))
    assert receipt is not None
    assert len(receipt.runs) == 40
    kept = {run.run_id for run in receipt.runs}
    assert "call-2" in kept
    assert {"other-199", "other-170"} <= kept  # what was run last says how the work stands
    assert "other-0" not in kept


@pytest.mark.parametrize("reference", ["2", "#9", "0", "", "nobody", "9" * 30, "１", "\x00", "\ud800"])
async def test_a_reference_to_nothing_is_refused_with_a_sentence(store: Store, reference: str) -> None:
    with pytest.raises(NoSuchReceipt, match="There is no receipt"):
        await store.receipts.receipt(reference)


async def test_a_reply_that_calls_work_done_without_a_single_call_has_a_receipt_that_says_so() -> None:
    plain = attempt(TURN, 0, "Done. The refactoring is complete.")
    judgement = replace(plain.judgement, outcome=Cleared(unworked=True))
    unworked = replace(plain, draft=replace(plain.draft, record=ToolRecord()), judgement=judgement)
    receipt = receipt_of(TURN, unworked, record_line="Record: nothing was run")
    assert receipt is not None
    assert (receipt.empty, receipt.record_line) == (True, "Record: nothing was run")
    assert badge_of(receipt) == Badge(kind=BadgeKind.NOTHING_RUN)
    looked = replace(unworked, draft=replace(unworked.draft, record=ToolRecord(runs=RUNS[:1])))
    assert receipt_of(TURN, looked) is None


def test_an_approval_by_its_authors_own_run_alone_has_a_badge_that_says_so() -> None:
    approved = attempt(TURN, 0, "Approved.")
    figure = Figure(name=FigureName.OWN_RUN, value=True)
    stage = StageVerdict(stage="review_gate", decision=Allow(evidence=Evidence(figures=(figure,))), elapsed_ms=0)
    judgement = replace(approved.judgement, stages=(stage,))
    receipt = receipt_of(
        TURN, replace(approved, draft=replace(approved.draft, record=ToolRecord(runs=RUNS)), judgement=judgement)
    )
    assert receipt is not None
    assert badge_of(receipt) == Badge(kind=BadgeKind.OWN_RUN)
