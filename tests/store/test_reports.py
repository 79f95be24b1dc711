"""A person's word that a verdict was wrong is kept with what was judged, once for each attempt, and settled once."""

from dataclasses import replace

import pytest

from mama_bot.errors import ReportRefused
from mama_bot.model import (
    Allow,
    Attempt,
    Author,
    Block,
    Evidence,
    Finding,
    PostId,
    ReportState,
    SentBack,
    StageVerdict,
    TurnId,
    TurnState,
    Withheld,
)
from mama_bot.store import Store
from mama_bot.store.reports import MAX_FURTHER_NOTES, MAX_NOTE_CHARACTERS, MAX_OPEN_REPORTS
from tests.store.making import ELSEWHERE, HERE, attempt, message, notice, reply, sent_back, turn

MESSAGE = message(1)
TURN = turn(MESSAGE)
KIM = Author(id="kim", name="김민수")
PRAISE = Finding(kind="praise", text="정말 훌륭합니다!", start=0, end=9)
BLOCK = Block(
    rule="praise_share",
    reason="100 % praise",
    feedback="again",
    evidence=Evidence(findings=(PRAISE,)),
)


def judged(
    number: int = 0,
    outcome: SentBack | Withheld | None = None,
    *,
    observed: bool = False,
    text: str = "정말 훌륭합니다!",
) -> Attempt:
    """An attempt that the first stage objects to, or only would have."""
    plain = attempt(TURN, number, text, outcome)
    stages = (
        StageVerdict(stage="response_validator", decision=BLOCK, observed=observed),
        StageVerdict(stage="review_gate", decision=Allow()),
    )
    return replace(plain, judgement=replace(plain.judgement, stages=stages))


async def sent_back_once(store: Store) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns([TURN])
    await store.turns.add_attempt(judged(0, sent_back()))


async def refused(code: str, store: Store, **changes: object) -> str:
    with pytest.raises(ReportRefused) as caught:
        await store.reports.report_attempt(
            **{"key": HERE, "turn_id": TURN.id, "attempt": 0, "reporter": KIM, **changes}  # type: ignore[arg-type]
        )
    assert caught.value.code == code
    return str(caught.value)


async def test_a_report_holds_the_text_the_objection_and_the_note(store: Store, next_life: Store) -> None:
    await sent_back_once(store)
    made = await store.reports.report_attempt(HERE, TURN.id, 0, reporter=KIM, note="  인용문입니다  ")
    (report,) = await next_life.reports.reports(settled=False, limit=10)
    assert report == made == await next_life.reports.report(made.number)
    assert (report.number, report.state, report.text) == (1, ReportState.OPEN, "정말 훌륭합니다!")
    assert (report.reporter, report.note, report.turn) == (KIM, "인용문입니다", TURN)
    (held,) = report.objections
    assert (held.stage, held.decision) == ("response_validator", BLOCK)
    assert report.outcome == sent_back()


async def test_a_reply_and_a_withheld_turn_are_reported_by_their_post(store: Store) -> None:
    await sent_back_once(store)
    given_up = judged(1, Withheld(stage="response_validator", rule="praise_share", reason="why"))
    line = replace(notice(), turn_id=TURN.id)
    await store.turns.finish(TURN, TurnState.WITHHELD, attempt=given_up, posts=[line])
    assert (await store.reports.report_post(HERE, line.id, reporter=KIM)).attempt == 1

    other = turn(MESSAGE, "t2")
    await store.turns.add_turns([other])
    observed = judged(observed=True, text="Three files changed.")
    moved = replace(
        observed,
        draft=replace(observed.draft, turn_id=other.id),
        judgement=replace(observed.judgement, turn_id=other.id),
    )
    await store.turns.finish(other, TurnState.ANSWERED, attempt=moved, posts=[reply(other)])
    assert (await store.reports.report_post(HERE, reply(other).id, reporter=KIM)).turn == other


async def test_a_reply_that_passed_is_reported_as_missed_with_its_record(store: Store, next_life: Store) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns([TURN])
    passed = attempt(TURN)
    await store.turns.finish(TURN, TurnState.ANSWERED, attempt=passed, posts=[reply(TURN, "All tests pass.")])
    made = await store.reports.report_post(HERE, reply(TURN).id, reporter=KIM, note="one fails")
    assert (made.missed, made.objections, made.attempt) == (True, (), 0)
    kept = await next_life.reports.report(made.number)
    assert (kept, kept.record) == (made, passed.draft.record)


async def test_a_draft_that_was_neither_objected_to_nor_posted_cannot_be_reported(store: Store) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns([TURN])
    await store.turns.add_attempt(attempt(TURN, 0, "Great job!", sent_back()))
    await refused("nothing_objected", store)


async def test_a_reply_that_passed_after_a_draft_was_sent_back_is_reported_as_either(store: Store) -> None:
    await sent_back_once(store)
    second = attempt(TURN, 1)
    posted = replace(reply(TURN, second.draft.text), judgement=second.judgement)
    await store.turns.finish(TURN, TurnState.ANSWERED, attempt=second, posts=[posted])
    post = posted.id
    draft = await store.reports.report_post(HERE, post, reporter=KIM)
    passed = await store.reports.report_post(HERE, post, reporter=KIM, missed=True)
    assert (draft.attempt, draft.missed, passed.attempt, passed.missed) == (0, False, 1, True)


async def test_further_notes_are_added_to_an_open_report_and_a_settled_one_says_that_they_are_not(
    store: Store, next_life: Store
) -> None:
    await sent_back_once(store)
    made = await store.reports.report_attempt(HERE, TURN.id, 0, reporter=KIM, note="first")
    await refused("already_reported", store, note="first")
    lee = Author(id="lee", name="Lee")
    again = await store.reports.report_attempt(HERE, TURN.id, 0, reporter=lee, note="둘째")
    assert (again.number, again.note) == (made.number, "first")
    [kept] = await next_life.reports.reports(settled=False, limit=10)
    assert [(note.author, note.text) for note in kept.further_notes] == [(lee, "둘째")]
    for number in range(MAX_FURTHER_NOTES - 1):
        await store.reports.report_attempt(HERE, TURN.id, 0, reporter=lee, note=f"more {number}")
    await refused("too_many_notes", store, note="one too many")
    await store.reports.settle(made.number, ReportState.DISMISSED)
    assert "was not kept" in await refused("already_reported", store, note="too late")


async def test_a_verdict_of_another_conversation_or_none_at_all_is_unknown(store: Store) -> None:
    await sent_back_once(store)
    await refused("no_such_verdict", store, key=ELSEWHERE)
    await refused("no_such_verdict", store, attempt=1)
    await refused("no_such_verdict", store, turn_id=TurnId("other"))
    with pytest.raises(ReportRefused):
        await store.reports.report_post(HERE, PostId("other"), reporter=KIM)
    await store.outbox.add(notice())
    with pytest.raises(ReportRefused):
        await store.reports.report_post(HERE, notice().id, reporter=KIM)
    assert await store.reports.reports(settled=True, limit=10) == []


async def test_a_verdict_is_reported_once(store: Store) -> None:
    await sent_back_once(store)
    first = await store.reports.report_attempt(HERE, TURN.id, 0, reporter=KIM)
    assert "report 1 (open)" in await refused("already_reported", store)
    await store.reports.settle(first.number, ReportState.DISMISSED)
    assert "report 1 (dismissed)" in await refused("already_reported", store)


async def test_a_note_has_a_bound(store: Store) -> None:
    await sent_back_once(store)
    await refused("note_too_long", store, note="n" * (MAX_NOTE_CHARACTERS + 1))
    made = await store.reports.report_attempt(HERE, TURN.id, 0, reporter=KIM, note="n" * MAX_NOTE_CHARACTERS)
    assert len(made.note) == MAX_NOTE_CHARACTERS


async def test_open_reports_have_a_bound_and_settling_one_makes_room(store: Store) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns([TURN])
    for number in range(MAX_OPEN_REPORTS + 1):
        await store.turns.add_attempt(judged(number, sent_back()))
    for number in range(MAX_OPEN_REPORTS):
        await store.reports.report_attempt(HERE, TURN.id, number, reporter=KIM)
    await refused("too_many_reports", store, attempt=MAX_OPEN_REPORTS)
    await store.reports.settle(7, ReportState.DISMISSED)
    await store.reports.report_attempt(HERE, TURN.id, MAX_OPEN_REPORTS, reporter=KIM)


async def test_a_report_is_settled_once(store: Store) -> None:
    await sent_back_once(store)
    made = await store.reports.report_attempt(HERE, TURN.id, 0, reporter=KIM)
    settled = await store.reports.settle(made.number, ReportState.ACCEPTED, whitelisted=["정말\\s+훌륭합니다"])
    assert (settled.state, settled.whitelisted) == (ReportState.ACCEPTED, ("정말\\s+훌륭합니다",))
    assert settled.settled_at is not None
    with pytest.raises(ReportRefused, match="accepted already"):
        await store.reports.settle(made.number, ReportState.DISMISSED)
    with pytest.raises(ReportRefused, match="no report 9"):
        await store.reports.settle(9, ReportState.DISMISSED)
    assert await store.reports.reports(settled=False, limit=10) == []
    assert await store.reports.reports(settled=True, limit=10) == [settled]


async def test_the_conversation_shows_how_far_its_reports_got(store: Store) -> None:
    await sent_back_once(store)
    made = await store.reports.report_attempt(HERE, TURN.id, 0, reporter=KIM)
    (standing,) = (await store.history.view(HERE, 10)).reports
    assert (standing.number, standing.turn_id, standing.attempt) == (made.number, TURN.id, 0)
    assert standing.state is ReportState.OPEN
    assert (await store.history.view(ELSEWHERE, 10)).reports == ()


async def test_a_reported_text_stays_out_of_the_shared_context_and_the_outbox(store: Store) -> None:
    await sent_back_once(store)
    await store.reports.report_attempt(HERE, TURN.id, 0, reporter=KIM, note="정말 훌륭합니다!")
    entries = await store.context.window(HERE, before=None, max_entries=100, max_characters=10_000)
    assert [entry.text for entry in entries] == [MESSAGE.text]
    assert await store.outbox.pending(HERE) == []
