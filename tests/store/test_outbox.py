"""Posts wait in order until the platform has them or they are given up."""

import pytest

from mama_bot.model import NoticeKind, PostId, TurnState
from mama_bot.store import Store
from tests.store.making import ELSEWHERE, HERE, START, message, notice, receipt, reply, turn


async def test_posts_wait_in_the_order_in_which_they_were_written(store: Store) -> None:
    for number in (3, 1, 2):
        await store.outbox.add(notice(number))
    await store.outbox.add(notice(4, ELSEWHERE))
    assert [entry.post.id for entry in await store.outbox.pending(HERE)] == ["n3", "n1", "n2"]
    assert await store.outbox.conversations_with_pending() == [HERE, ELSEWHERE]


async def test_a_post_is_queued_once(store: Store) -> None:
    await store.outbox.add(notice(1))
    await store.outbox.add(notice(1, ELSEWHERE))
    (entry,) = await store.outbox.pending(HERE)
    assert entry.post == notice(1)
    assert notice(1).notice is NoticeKind.FAILED


async def test_what_is_posted_or_given_up_waits_no_more(store: Store) -> None:
    await store.outbox.add(notice(1))
    await store.outbox.add(notice(2))
    await store.outbox.mark_posted(receipt(PostId("n1"), "77", "78"))
    await store.outbox.mark_failed(PostId("n2"), "the channel \ud800 is gone")
    assert await store.outbox.pending(HERE) == []
    assert await store.outbox.conversations_with_pending() == []
    posted, failed = (await store.history.view(HERE, 10)).posts
    assert posted.posted_at == START
    assert (failed.posted_at, failed.failure) == (None, "the channel \ufffd is gone")


async def test_a_receipt_outlives_a_later_failure(store: Store) -> None:
    await store.outbox.add(notice(1))
    await store.outbox.mark_posted(receipt(PostId("n1")))
    await store.outbox.mark_failed(PostId("n1"), "late")
    (entry,) = (await store.history.view(HERE, 10)).posts
    assert (entry.posted_at, entry.failure) == (START, "")


async def test_a_failure_without_words_is_a_failure(store: Store) -> None:
    await store.outbox.add(notice(1))
    await store.outbox.mark_failed(PostId("n1"), "")
    assert await store.outbox.pending(HERE) == []


async def test_only_what_an_earlier_life_wrote_may_have_been_sent(store: Store, next_life: Store) -> None:
    await store.inbox.accept(message(1))
    answer = turn(message(1))
    await store.turns.add_turns([answer])
    await store.turns.finish(answer, TurnState.ANSWERED, posts=[reply(answer)])
    await next_life.outbox.add(notice(2))
    assert [entry.attempted for entry in await store.outbox.pending(HERE)] == [False, True]
    assert [entry.attempted for entry in await next_life.outbox.pending(HERE)] == [True, False]


async def test_a_reply_is_queued_by_finishing_its_turn_only(store: Store) -> None:
    with pytest.raises(TypeError, match="only a turn that is finished"):
        await store.outbox.add(reply(turn(message(1))))  # type: ignore[arg-type]
    assert await store.outbox.pending(HERE) == []
