"""Reviews: legal steps only, nobody approves their own work, and every step may be repeated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.errors import ReviewRefused
from mama_bot.model import Review, ReviewMove, ReviewStatus, TurnState
from mama_bot.store import Store
from mama_bot.store.review_states import moved, who
from mama_bot.wording import Language
from tests.store.making import START, TickingClock, message, turn

PENDING, IN_REVIEW, APPROVED, REJECTED = ReviewStatus
LEGAL = {
    (None, PENDING),
    (PENDING, PENDING),
    (PENDING, IN_REVIEW),
    (IN_REVIEW, IN_REVIEW),
    (IN_REVIEW, APPROVED),
    (IN_REVIEW, REJECTED),
    (IN_REVIEW, PENDING),
    (REJECTED, PENDING),
    (REJECTED, REJECTED),
    (APPROVED, PENDING),
    (APPROVED, APPROVED),
}


def step(to: ReviewStatus, agent: str = "", *issues: str, session: str = "s1") -> ReviewMove:
    return ReviewMove(session_id=session, to=to, agent=agent or ("dev" if to is PENDING else "reviewer"), issues=issues)


async def through(store: Store, *steps: ReviewMove) -> Review:
    for one in steps[:-1]:
        await store.reviews.move(one)
    return await store.reviews.move(steps[-1])


async def test_a_review_goes_from_pending_over_rejections_to_approved(store: Store, next_life: Store) -> None:
    assert await store.reviews.review("s1") is None
    rejected = await through(store, step(PENDING), step(IN_REVIEW), step(REJECTED, "", "`a.py:3` 0으로 나눔"))
    assert (rejected.status, rejected.issues_found, rejected.attempts) == (REJECTED, ("`a.py:3` 0으로 나눔",), 1)
    approved = await through(store, step(PENDING), step(IN_REVIEW), step(APPROVED))
    assert (approved.worker_agent, approved.reviewer_agent) == ("dev", "reviewer")
    assert (approved.status, approved.issues_found, approved.attempts) == (APPROVED, (), 2)
    assert approved.created_at == rejected.created_at < rejected.updated_at < approved.updated_at
    assert await next_life.reviews.review("s1") == approved


async def test_work_that_changes_again_after_its_approval_waits_for_a_new_one(store: Store) -> None:
    again = await through(store, step(PENDING), step(IN_REVIEW), step(APPROVED), step(PENDING))
    assert (again.status, again.attempts) == (PENDING, 0)


@pytest.mark.parametrize("agent", ["dev", "Dev", " dev ", "dev/sub1"])
async def test_an_agent_cannot_review_its_own_work(store: Store, agent: str) -> None:
    await store.reviews.move(step(PENDING))
    for to in (IN_REVIEW, APPROVED, REJECTED):
        with pytest.raises(ReviewRefused, match=r"did the work of session s1 and cannot .* another agent has to"):
            await store.reviews.move(step(to, agent))
    review = await store.reviews.review("s1")
    assert review is not None
    assert review.status is PENDING


async def test_a_worker_cannot_hand_its_work_to_another_name_to_approve_it_itself(store: Store) -> None:
    await store.reviews.move(step(PENDING))
    with pytest.raises(ReviewRefused, match="is dev's: reviewer cannot ask for its review"):
        await store.reviews.move(step(PENDING, "reviewer"))


async def test_a_step_that_is_refused_says_so_in_both_languages(store: Store) -> None:
    await store.reviews.move(step(PENDING))
    with pytest.raises(ReviewRefused) as refused:
        await store.reviews.move(step(APPROVED))
    assert str(refused.value) == (
        "The review of session s1 is pending: it becomes approved only after a reviewer has begun it (in_review)."
    )
    assert refused.value.to(Language.KOREAN) == (
        "세션 s1의 리뷰 상태는 대기 중입니다. 리뷰어가 시작한(in_review) 뒤에만 바꿀 수 있습니다(승인됨)."
    )


async def test_only_who_began_a_review_settles_it(store: Store) -> None:
    await through(store, step(PENDING), step(IN_REVIEW))
    with pytest.raises(ReviewRefused, match="other has to begin it"):
        await store.reviews.move(step(APPROVED, "other"))
    assert (await through(store, step(IN_REVIEW, "other"), step(APPROVED, "other"))).reviewer_agent == "other"


async def test_a_review_that_was_not_asked_for_cannot_be_approved(store: Store) -> None:
    with pytest.raises(ReviewRefused, match="request one first"):
        await store.reviews.move(step(APPROVED))


async def test_a_step_that_is_repeated_changes_nothing(store: Store) -> None:
    rejected = (step(PENDING), step(IN_REVIEW), step(REJECTED, "", "a"))
    for one in (*rejected, step(PENDING), step(IN_REVIEW), step(APPROVED)):
        first = await store.reviews.move(one)
        assert await store.reviews.move(one) == first


async def test_the_latest_reviews_come_first_and_issues_are_bounded(store: Store) -> None:
    await store.reviews.move(step(PENDING, session="old"))
    await through(store, step(PENDING), step(IN_REVIEW), step(REJECTED, "", *["x" * 5000] * 100))
    new, old = await store.reviews.latest(5)
    assert (new.session_id, old.session_id) == ("s1", "old")
    assert (len(new.issues_found), len(new.issues_found[0])) == (50, 1000)


async def test_the_end_of_a_turn_and_the_step_of_its_review_are_one(store: Store) -> None:
    said = message()
    await store.inbox.accept(said)
    work = turn(said, persona="dev")
    await store.turns.add_turns([work])
    await store.turns.finish(work, TurnState.ANSWERED, reviews=[step(PENDING), step(APPROVED)])
    review = await store.reviews.review("s1")
    assert review is not None
    assert review.status is PENDING  # what is not legal is left out, and the turn has ended all the same
    await store.turns.finish(work, TurnState.ANSWERED, reviews=[step(PENDING)])
    assert await store.reviews.review("s1") == review
    await store.turns.finish(work, TurnState.STOPPED, reviews=[step(IN_REVIEW)])
    assert await store.reviews.review("s1") == review


@given(st.lists(st.tuples(st.sampled_from(list(ReviewStatus)), st.sampled_from(["dev", "reviewer", "other"]))))
def test_whatever_is_tried_only_legal_steps_are_taken_and_never_by_the_worker(
    tried: list[tuple[ReviewStatus, str]],
) -> None:
    review, clock = None, TickingClock()
    for to, agent in tried:
        try:
            after = moved(review, step(to, agent), clock.now())
        except ReviewRefused:
            continue
        assert (review.status if review else None, after.status) in LEGAL
        assert after.created_at >= START
        if after.status in (APPROVED, REJECTED, IN_REVIEW):
            assert who(after.reviewer_agent) != who(after.worker_agent)
        review = after
