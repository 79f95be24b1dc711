"""What a service that died was about to post is posted by the next one, and labelled where nobody may look."""

import asyncio
from pathlib import Path

from mama_bot.delivery import Delivery
from mama_bot.errors import DeliveryFailed
from mama_bot.model import Notice, Part, Post
from mama_bot.store.store import Store
from tests.delivery.platform import ELSEWHERE, FAILED, WEB, Desk, FakeTime, Wall, a_life, notice, until
from tests.people import HERE


async def test_what_an_earlier_life_was_sending_is_found_and_not_posted_again(
    store: Store, wall: Wall, time: FakeTime
) -> None:
    await die_in(Desk(store, wall, time), wall, notice("a"), taken=True)
    await store.outbox.add(notice("b"))
    second = Desk(store, wall, time)
    await second.delivery.flush(HERE)
    assert (wall.posted, wall.looked, wall.labelled) == (["a", "b"], ["a"], [])
    assert await second.left() == []
    assert await store.outbox.post_of(HERE, "at-a") == "a"


async def test_what_an_earlier_life_was_sending_in_vain_is_posted_without_a_label(
    store: Store, wall: Wall, time: FakeTime
) -> None:
    await die_in(Desk(store, wall, time), wall, notice("a"), taken=False)
    await Desk(store, wall, time).delivery.flush(HERE)
    assert (wall.posted, wall.looked, wall.labelled) == (["a"], ["a"], [])


async def test_where_we_may_not_look_what_an_earlier_life_was_sending_is_labelled(
    store: Store, wall: Wall, time: FakeTime
) -> None:
    wall.blind = True
    await die_in(Desk(store, wall, time), wall, notice("a"), taken=True)
    await store.outbox.add(notice("b"))
    second = Desk(store, wall, time)
    await second.delivery.flush(HERE)
    assert (wall.posted, wall.labelled) == (["a", "a", "b"], ["a"])
    assert second.counted("possible_duplicates") == 1


async def test_what_was_never_tried_is_not_labelled_and_not_looked_for(
    tmp_path: Path, wall: Wall, time: FakeTime
) -> None:
    wall.blind = True
    async with a_life(tmp_path / "lives.sqlite", time) as first:
        await first.outbox.add(notice("a"))
        wall.before.append(FAILED)
        wall.before.append(DeliveryFailed(platform="web", reason="slow down", retry_after_seconds=100))
        await Desk(first, wall, time).delivery.flush(HERE)
    assert wall.posted == []
    async with a_life(tmp_path / "lives.sqlite", time) as second:
        await Desk(second, wall, time).delivery.flush(HERE)
    assert (wall.posted, wall.looked, wall.labelled) == (["a"], [], [])


async def test_of_several_parts_only_the_missing_ones_are_sent_after_a_death(
    store: Store, wall: Wall, time: FakeTime
) -> None:
    wall.blind = True
    await die_in(Desk(store, wall, time), wall, notice("a", text="one two three four"), taken=True, part=2)
    assert wall.posted == ["a", "a1", "a2"]
    await Desk(store, wall, time).delivery.flush(HERE)
    assert wall.posted == ["a", "a1", "a2", "a2", "a3"]
    assert wall.labelled == ["a2"]
    assert [await store.outbox.post_of(HERE, f"at-{name}") for name in ("a", "a1", "a2", "a3")] == ["a"] * 4


async def die_in(desk: Desk, wall: Wall, post: Notice, *, taken: bool, part: int = 0) -> None:
    """Let the service die in the middle of a post."""
    await desk.store.outbox.add(post)
    reached = asyncio.Event()

    class Death(Wall):
        async def post(self, post: Post, one: Part, *, repeated: bool = False) -> str:
            if one.index < part:
                return await wall.post(post, one, repeated=repeated)
            if taken:
                await wall.post(post, one, repeated=repeated)
            reached.set()
            return await asyncio.Future()

    dying = Delivery(
        gateways={WEB: Death()},
        outbox=desk.store.outbox,
        bell=desk.store.post_bell,
        metrics=desk.metrics,
        clock=FakeTime(),
    )
    async with asyncio.TaskGroup() as group:
        task = group.create_task(dying.flush(post.key))
        await reached.wait()
        task.cancel()


async def test_what_waited_while_the_service_was_away_for_days_outlives_the_first_trouble(
    tmp_path: Path, wall: Wall, time: FakeTime
) -> None:
    async with a_life(tmp_path / "s", time) as store:
        await store.outbox.add(notice("p1"))
        time.seconds += 3 * 24 * 3600
        desk = Desk(store, wall, time)
        wall.before.extend([FAILED, FAILED])
        async with desk.running():
            await until(lambda: wall.posted == ["p1"])
    assert desk.counted("posts_given_up") == 0


async def test_what_an_earlier_life_left_is_posted_at_the_start(tmp_path: Path, wall: Wall, time: FakeTime) -> None:
    async with a_life(tmp_path / "lives.sqlite", time) as first:
        await first.outbox.add(notice("a"))
        await first.outbox.add(notice("b", ELSEWHERE))
    async with a_life(tmp_path / "lives.sqlite", time) as second, Desk(second, wall, time).running():
        await until(lambda: sorted(wall.posted) == ["a", "b"])
    assert wall.looked == []
