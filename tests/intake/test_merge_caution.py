"""What speaks against a merge, as values: turns without a reply, documents, what was undone or merged before."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from mama_bot.intake.merge_caution import caution_of
from mama_bot.model import (
    ChangeId,
    Cleared,
    ConversationView,
    DeedId,
    OutboxEntry,
    StoredTurn,
    TreeMark,
    TurnState,
    Verdict,
    WorkChange,
)
from mama_bot.wording import Language
from tests.checkouts.making import ONE
from tests.deeds.making import made_turn
from tests.store.making import judgement, reply

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
TURN = StoredTurn(turn=made_turn("t1", ONE), state=TurnState.WITHHELD, created_at=NOON)
VIEW = ConversationView(key=ONE, turns=(TURN,))
CHANGE = WorkChange(id=ChangeId("t1"), key=ONE, repository="app", before=TreeMark(files="a", commit="b"), at=NOON)


def test_a_turn_that_changed_files_and_ended_without_a_reply_is_told() -> None:
    told = caution_of(VIEW, [CHANGE], Language.ENGLISH)
    assert "developer changed files here last, and that turn ended without a reply" in told
    assert "`/merge anyway`" in told
    assert "답변 없이 끝났습니다" in caution_of(VIEW, [CHANGE], Language.KOREAN)


def test_what_changed_nothing_was_undone_or_is_merged_is_not() -> None:
    undone = replace(CHANGE, undone_by=DeedId("d1"))
    assert caution_of(VIEW, [], Language.ENGLISH) == ""
    assert caution_of(VIEW, [undone], Language.ENGLISH) == ""
    assert caution_of(VIEW, [CHANGE], Language.ENGLISH, since=NOON + timedelta(seconds=1)) == ""


def test_of_an_agent_that_tells_no_calls_no_check_is_known_to_have_passed() -> None:
    view = replace(VIEW, turns=(replace(TURN, state=TurnState.ANSWERED),))
    assert "no check is known to have passed" in caution_of(view, [CHANGE], Language.ENGLISH)


def test_a_reply_that_waited_for_a_review_is_in_order_once_that_approved_and_another_is_not() -> None:
    marked = replace(reply(TURN.turn), change=ChangeId("t1"), verdict=Verdict.NEEDS_REVIEW)
    doubted = replace(marked, judgement=judgement(TURN.turn, marked.text, Cleared(verdict=Verdict.NEEDS_REVIEW)))
    views = [replace(VIEW, turns=(), posts=(OutboxEntry(post=post, created_at=NOON),)) for post in (marked, doubted)]
    told = [[caution_of(view, [], Language.ENGLISH, approved=ids) for view in views] for ids in ((), (TURN.turn.id,))]
    assert all(told[0])
    assert [bool(line) for line in told[1]] == [False, True]
