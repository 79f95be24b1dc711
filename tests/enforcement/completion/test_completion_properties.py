"""What holds of every reply that says what is finished: each item has one state, and the work is bounded."""

import sys
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.enforcement.completion.checklist import checklist
from mama_bot.enforcement.completion.completions import ItemState, completion
from mama_bot.enforcement.completion.statements import ClauseStanding, clauses
from mama_bot.model.texts import well_formed
from mama_bot.text.paths import plain_text

# Text is well formed where it enters the service: a lone surrogate is U+FFFD by then.
ANYTHING = st.text(max_size=300).map(well_formed)
TALK = st.lists(
    st.sampled_from(
        ["done", "not yet", "아직", "완료", "- [x] tests", "- [ ] a.py", "## Done", "\n", ", ", "```", "\ud800", ">"]
    )
    | st.text(max_size=8),
    max_size=60,
).map(lambda words: well_formed(" ".join(words)))


@given(ANYTHING | TALK, ANYTHING | TALK)
def test_nothing_raises_and_every_item_has_one_state(reply: str, asked: str) -> None:
    reading = completion(reply, asked)
    assert [item for item, _ in reading.items] == list(checklist(asked))
    assert not reading.supported or reading.claimed
    assert reading == completion(reply, asked)


@given(ANYTHING | TALK)
def test_clauses_are_of_the_text(reply: str) -> None:
    low = plain_text(reply).lower()
    for clause in clauses(plain_text(reply)):
        assert all(word in low for word in clause.text.split())
        assert clause.standing is not ClauseStanding.UNDECIDED


@given(
    st.sampled_from(["Tests: not yet.", "tests 아직", "- [ ] tests", "Tests: abandoned", "tests는 못했습니다"]), TALK
)
def test_a_denial_wins_whatever_else_is_said(denial: str, talk: str) -> None:
    ((_, state),) = completion(
        f"All done.\n{talk.replace('`', '').replace('~', '')}\n\n{denial}", "- Write tests"
    ).items
    assert state is ItemState.DENIED


def calls(reply: str, asked: str) -> int:
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    completion(reply, asked)
    checklist.cache_clear()
    sys.setprofile(counted)
    try:
        completion(reply, asked)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "piece", ["- item done\n", "- [ ] not yet\n", "완료, ", "done. ", "a, b but c ", "?", "## Done\n- a\n"]
)
def test_the_work_is_bounded_however_long_the_texts(piece: str) -> None:
    once, twice = calls(piece * 2000, piece * 2000), calls(piece * 4000, piece * 4000)
    assert twice <= 2.1 * once + 200
