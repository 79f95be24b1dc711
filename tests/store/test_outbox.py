"""Posts wait in order until the platform has them or they are given up."""

import pytest

from mama_bot.model import ConversationKey, NoticeKind, PostId
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


async def tried(store: Store) -> list[dict[int, str]]:
    return [dict(entry.tried) for entry in await store.outbox.pending(HERE)]


async def test_what_was_about_to_be_sent_and_what_was_sent_outlives_the_process(store: Store, next_life: Store) -> None:
    for number in (1, 2):
        await store.outbox.add(notice(number))
    assert await tried(next_life) == [{}, {}]
    await store.outbox.mark_sending(notice(1), 0)
    await store.outbox.mark_sending(notice(1), 1, sent={0: "70"})
    assert await tried(next_life) == [{0: "70", 1: ""}, {}]
    await store.outbox.mark_sent(notice(1), {1: "71"})
    await store.outbox.mark_sending(notice(1), 1)
    assert await tried(next_life) == [{0: "70", 1: "71"}, {}]


async def test_what_the_platform_certainly_did_not_take_was_never_tried(store: Store) -> None:
    await store.outbox.add(notice(1))
    await store.outbox.mark_sending(notice(1), 0)
    await store.outbox.mark_sending(notice(1), 1, sent={0: "70"})
    await store.outbox.mark_unsent(notice(1), 1)
    await store.outbox.mark_unsent(notice(1), 0)
    assert await tried(store) == [{0: "70"}]


async def test_a_post_is_known_by_each_of_its_messages_in_any_thread_of_its_channel(store: Store) -> None:
    await store.outbox.add(notice(1))
    await store.outbox.add(notice(2, ELSEWHERE))
    await store.outbox.mark_sending(notice(1), 0)
    assert await store.outbox.post_of(HERE, "") is None
    await store.outbox.mark_posted(receipt(PostId("n1"), "70", "71"))
    await store.outbox.mark_posted(receipt(PostId("n2"), "70"))
    opened = ConversationKey(HERE.platform, HERE.channel, "opened for it")
    for key in (HERE, opened):
        assert [await store.outbox.post_of(key, name) for name in ("70", "71", "72")] == ["n1", "n1", None]
    assert await store.outbox.post_of(ELSEWHERE, "70") == "n2"
    for other in (f"{HERE.channel}2", HERE.channel[:-1], f'{HERE.channel}", "'):
        assert await store.outbox.post_of(ConversationKey(HERE.platform, other), "70") is None


async def test_a_reply_is_queued_by_finishing_its_turn_only(store: Store) -> None:
    with pytest.raises(TypeError, match="only a turn that is finished"):
        await store.outbox.add(reply(turn(message(1))))  # type: ignore[arg-type]
    assert await store.outbox.pending(HERE) == []
