"""Topics: posts are kept in the order they came, a turn says a thing once, and nobody misses what a file brings."""

from dataclasses import replace

import pytest

from mama_bot.errors import BoardRefused
from mama_bot.model import BoardId, NewTopicPost, TopicPostId, TurnId, Verdict
from mama_bot.store import Store
from mama_bot.store.database import Database
from mama_bot.store.stored_topics import StoredTopics
from tests.boards.making import BOARD, DEVELOPER, KIM, post
from tests.store.making import TickingClock

OTHER = BoardId("repository/docs")


def said(text: str, *, turn: str = "t1", topic: str = "deploy", reply: str = "") -> NewTopicPost:
    return NewTopicPost(
        topic=topic,
        text=text,
        by=DEVELOPER,
        turn_id=TurnId(turn),
        verdict=Verdict.PASSED,
        in_reply_to=TopicPostId(reply) or None,
    )


async def test_what_was_posted_is_there_in_the_next_life_with_its_author(store: Store, next_life: Store) -> None:
    first = await store.topics.add(BOARD, said("세 개가 남았습니다."))
    second = await store.topics.add(BOARD, NewTopicPost(topic="deploy", text="Which?", by=KIM, in_reply_to=first.id))
    assert await next_life.topics.read(BOARD, "deploy") == [first, second]
    assert (first.by, first.verdict, second.verdict) == (DEVELOPER, Verdict.PASSED, None)
    assert first.id < second.id
    assert await next_life.topics.read(OTHER, "deploy") == []


async def test_since_tells_what_came_after_also_where_a_file_brought_an_older_post(store: Store) -> None:
    first = await store.topics.add(BOARD, said("one"))
    old = post(1)
    assert old.id < first.id
    taken = await store.topics.take_in(BOARD, [old])
    assert (taken.new, taken.known) == (1, 0)
    assert await store.topics.read(BOARD, "deploy", since=first.id) == [replace(old, imported=True)]
    assert (await store.topics.take_in(BOARD, [old])).known == 1
    assert [each.id for each in await store.topics.all_posts(BOARD)] == [old.id, first.id]


async def test_a_limit_gives_the_newest_or_with_since_the_next(store: Store) -> None:
    posts = [await store.topics.add(BOARD, said(f"post {number}")) for number in range(5)]
    assert await store.topics.read(BOARD, "deploy", limit=2) == posts[3:]
    assert await store.topics.read(BOARD, "deploy", since=posts[0].id, limit=2) == posts[1:3]


async def test_a_turn_that_goes_on_after_a_crash_posts_nothing_twice(store: Store) -> None:
    first = await store.topics.add(BOARD, said("done with rates"))
    assert await store.topics.add(BOARD, said("done with rates")) == first
    assert await store.topics.add(BOARD, said("done with rates", turn="t2")) != first


async def test_topics_are_listed_the_latest_first(store: Store) -> None:
    await store.topics.add(BOARD, said("a"))
    await store.topics.add(OTHER, said("b", topic="review:환율"))
    await store.topics.add(BOARD, said("c"))
    assert [(each.board, each.topic, each.posts) for each in await store.topics.topics()] == [
        (BOARD, "deploy", 2),
        (OTHER, "review:환율", 1),
    ]
    assert len(await store.topics.topics(OTHER)) == 1


@pytest.mark.parametrize(
    ("new", "sentence"),
    [
        (said(" "), "nothing to post"),
        (said("x" * 16_001), "too long"),
        (said("a", topic="two words"), "A topic is named by one word"),
        (said("a", topic="x" * 101), "A topic is named by one word"),
        (said("a", reply="01ARYZ6S410000000000000000"), "There is no post 01ARYZ6S410000000000000000"),
    ],
)
async def test_what_is_no_post_is_refused(store: Store, new: NewTopicPost, sentence: str) -> None:
    with pytest.raises(BoardRefused, match=sentence):
        await store.topics.add(BOARD, new)
    assert await store.topics.topics() == []


async def test_a_board_is_bounded(database: Database, clock: TickingClock) -> None:
    topics = StoredTopics(database=database, clock=clock, most=2)
    for number in range(2):
        await topics.add(BOARD, said(f"{number}"))
    with pytest.raises(BoardRefused, match="holds 2 entries"):
        await topics.add(BOARD, said("more"))
    with pytest.raises(BoardRefused, match="holds 2 entries"):
        await topics.take_in(BOARD, [post(1)])
