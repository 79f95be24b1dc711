"""Replies of any length: the work grows with the text, up to a bound, and what lies beyond is said to be unread."""

import sys
from types import FrameType
from typing import TYPE_CHECKING

import pytest

from mama_bot.enforcement.claims.prose_claims import MOST_READ, claims_in
from mama_bot.model import ClaimState
from mama_bot.text.sentences import reading_of
from tests.enforcement.claims.records import Recorded
from tests.enforcement.claims.test_grades import case_of

if TYPE_CHECKING:
    from _typeshed import TraceFunction

ENDLESS = ("파일{}을 수정하고 확인하고 ", "and updated file{}.py and ran tests and ")


def work(text: str) -> int:
    """How many lines of Python run while a text is read for claims."""
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> "TraceFunction":
        nonlocal count
        count += event == "line"
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        claims_in(reading_of(text))
    finally:
        sys.settrace(before)
    return count


def endless(words: str, times: int) -> str:
    return "".join(words.format(place) for place in range(10_000, 10_000 + times))


@pytest.mark.parametrize("words", ENDLESS, ids=ascii)
def test_a_sentence_without_end_is_read_in_time_that_grows_with_it(words: str) -> None:
    once, twice = work(endless(words, 400)), work(endless(words, 800))
    assert twice <= 2.2 * once


def test_what_lies_beyond_the_bound_is_said_to_be_unread() -> None:
    text = endless(ENDLESS[0], MOST_READ // 10) + "\n전체 테스트 628개가 통과했습니다."
    *_, last = case_of(text, Recorded().ran("pytest -q")).claims
    assert (last.state, last.claim.text[:2]) == (ClaimState.UNSUPPORTED, "파일")
    assert last.says == "여기부터 읽지 않음: 답변이 너무 깁니다"


def test_a_reply_within_the_bound_is_read_to_its_end() -> None:
    text = endless(ENDLESS[0], 1_000) + "\n전체 테스트 12개가 통과했습니다."
    *_, last = case_of(text, Recorded().ran("pytest -q")).claims
    assert last.claim.text.startswith("전체 테스트 12개")
