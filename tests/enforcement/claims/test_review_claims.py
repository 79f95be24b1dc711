""" "The reviewer approved" is held against the reviews that the service knows of."""

from dataclasses import replace

import pytest

from mama_bot.enforcement import Case
from mama_bot.model import Draft, Facts, ReviewFact, ReviewStatus
from tests.enforcement.claims.records import Recorded
from tests.store.making import message, turn

TURN = turn(message(), persona="developer")
ASSERTED = (
    "The reviewer approved it.",
    "`a.py` is mended, and it was approved by the reviewer.",
    "리뷰어가 승인했습니다.",
    "리뷰어의 승인을 받았습니다.",
)
NOT_ASSERTED = (
    "I merge it once the reviewer approved.",
    "The reviewer has not approved it yet.",
    "Has it been approved by the reviewer?",
    "리뷰어가 승인하면 머지합니다.",
    "아직 리뷰어가 승인하지 않았습니다.",
)


def states(text: str, *statuses: ReviewStatus) -> list[tuple[str, str]]:
    """What is said of the claims of a review in a text, where the reviews of the exchange stand like this."""
    reviews = tuple(ReviewFact(reviewer="reviewer", status=status) for status in statuses)
    draft = Draft(turn_id=TURN.id, attempt=0, text=text, record=Recorded().edited("a.py").record)
    case = Case(draft, replace(TURN, earlier=Facts(reviews=reviews)))
    return [(claim.state.value, claim.says) for claim in case.claims if claim.claim.kind.value == "reviewed"]


@pytest.mark.parametrize("text", ASSERTED)
def test_it_is_so_where_the_review_approved_and_the_opposite_where_it_did_not(text: str) -> None:
    for status, state in (
        (ReviewStatus.APPROVED, "confirmed"),
        (ReviewStatus.REJECTED, "contradicted"),
        (ReviewStatus.IN_REVIEW, "contradicted"),
    ):
        assert [told for told, _ in states(text, status)] == [state]


@pytest.mark.parametrize("text", ASSERTED)
def test_where_there_was_no_review_or_they_do_not_agree_it_is_only_not_shown(text: str) -> None:
    for statuses in ((), (ReviewStatus.APPROVED, ReviewStatus.REJECTED)):
        assert [told for told, _ in states(text, *statuses)] == ["unsupported"]


@pytest.mark.parametrize("text", NOT_ASSERTED)
def test_what_is_supposed_asked_or_denied_claims_nothing(text: str) -> None:
    assert states(text, ReviewStatus.REJECTED) == []


def test_it_is_said_who_did_not_approve() -> None:
    ((_, says),) = states("The reviewer approved it.", ReviewStatus.REJECTED)
    assert says == "reviewer did not approve it"
