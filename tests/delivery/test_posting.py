"""What the outbox holds is posted in order, and once where the platform lets us look."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from mama_bot.delivery.delivery import ATTEMPTS, CONVERSATIONS_AT_ONCE, LOOK_SECONDS
from mama_bot.delivery.post_sender import REPEATS
from mama_bot.errors import DeliveryFailed, StoreUnavailable
from mama_bot.model import ConversationKey, Platform, Post
from mama_bot.protocols import Outbox
from mama_bot.store.store import Store
from tests.delivery.platform import ELSEWHERE, FAILED, GONE, UNKNOWN, WEB, Desk, FakeTime, Wall, a_life, notice, until
from tests.people import HERE


async def test_everything_is_posted_in_order(store: Store, wall: Wall, desk: Desk) -> None:
    for name in "abc":
        await store.outbox.add(notice(name))
    await desk.delivery.flush(HERE)
    assert wall.posted == ["a", "b", "c"]
    assert wall.looked == []
    assert await desk.left() == []
    assert desk.counted("posts") == 3


async def test_flushes_of_one_conversation_wait_for_each_other(store: Store, wall: Wall, desk: Desk) -> None:
    for name in "abc":
        await store.outbox.add(notice(name))
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(desk.delivery.flush(HERE))
        group.create_task(desk.notice(notice("d")))
    assert wall.posted == ["a", "b", "c", "d"]


async def test_a_failed_post_is_tried_again_after_the_time_that_the_platform_asks_for(
    wall: Wall, desk: Desk, time: FakeTime
) -> None:
    wall.before += [FAILED, DeliveryFailed(platform="web", reason="slow down", retry_after_seconds=7), FAILED]
    await desk.notice(notice("a"))
    assert wall.posted == ["a"]
    assert time.slept == [0.5, 7, 2]
    assert wall.looked == []


async def test_when_it_is_not_known_the_platform_is_looked_at_first(wall: Wall, desk: Desk) -> None:
    wall.after.append(UNKNOWN)
    await desk.notice(notice("a"))
    assert wall.posted == ["a"]
    assert wall.looked == ["a"]
    assert await desk.left() == []


async def test_what_certainly_is_not_there_is_posted_again(wall: Wall, desk: Desk) -> None:
    wall.before.append(UNKNOWN)
    await desk.notice(notice("a"))
    assert (wall.posted, wall.looked) == (["a"], ["a"])


async def test_where_we_may_not_look_twice_is_better_than_never(wall: Wall, desk: Desk) -> None:
    wall.blind = True
    wall.after.append(UNKNOWN)
    await desk.notice(notice("a"))
    assert wall.posted == ["a", "a"]
    assert wall.labelled == ["a"]
    assert desk.counted("possible_duplicates") == 1


async def test_a_part_that_fails_is_tried_again_without_those_before_it(wall: Wall, desk: Desk) -> None:
    wall.down.add(HERE.channel)
    await desk.store.outbox.add(notice("a", text="one two"))
    wall.down.clear()
    wall.after += [UNKNOWN]
    wall.before += [FAILED]
    await desk.delivery.flush(HERE)
    assert (wall.posted, wall.labelled) == (["a", "a1"], [])


async def test_a_gateway_that_breaks_leaves_an_unknown_outcome(wall: Wall, desk: Desk) -> None:
    wall.after.append(KeyError("channel"))
    await desk.notice(notice("a"))
    assert (wall.posted, wall.looked) == (["a"], ["a"])


async def test_what_was_cut_off_in_this_life_is_looked_for(wall: Wall, desk: Desk) -> None:
    wall.gate = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        posting = group.create_task(desk.notice(notice("a")))
        await until(lambda: HERE in wall.busy)
        posting.cancel()
    wall.gate = None
    wall.posted.append("a")
    await desk.delivery.flush(HERE)
    assert wall.posted == ["a"]
    assert await desk.left() == []


async def test_what_the_platform_will_never_take_is_given_up_at_once(wall: Wall, desk: Desk, time: FakeTime) -> None:
    wall.before.append(GONE)
    await desk.notice(notice("a"))
    await desk.notice(notice("b"))
    assert (wall.posted, time.slept) == (["b"], [])
    assert desk.counted("posts_given_up") == 1
    assert await desk.left() == []


async def test_what_cannot_be_rendered_holds_up_nothing(wall: Wall, desk: Desk) -> None:
    await desk.notice(notice("a", text=" "))
    await desk.notice(notice("b"))
    assert wall.posted == ["b"]
    assert desk.counted("posts_given_up") == 1


async def test_after_an_outage_everything_is_posted_in_order(wall: Wall, desk: Desk, time: FakeTime) -> None:
    wall.down.add(HERE.channel)
    for name in "ab":
        await desk.notice(notice(name))
    assert await desk.left() == ["a", "b"]
    assert len(time.slept) == ATTEMPTS - 1, "the second one waits for the first, and costs its turn no time"
    async with desk.running():
        await until(lambda: time.seconds > 600)
        assert wall.posted == []
        await desk.notice(notice("c"))
        wall.down.clear()
        await until(lambda: desk.counted("posts") == 3)
    assert wall.posted == ["a", "b", "c"]
    assert time.seconds < 1200
    assert wall.labelled == []
    assert await desk.left() == []


async def test_a_slow_platform_does_not_keep_a_turn_for_each_post_that_waits(
    wall: Wall, desk: Desk, time: FakeTime
) -> None:
    for name in "abcd":
        await desk.store.outbox.add(notice(name))
    wall.every_other = DeliveryFailed(platform="web", reason="slow down", retry_after_seconds=10)
    await desk.delivery.flush(HERE)
    assert time.slept == [10]
    assert wall.posted == ["a"]
    assert await desk.left() == ["b", "c", "d"]
    async with desk.running():
        await until(lambda: desk.counted("posts") == 4)
    assert wall.posted == ["a", "b", "c", "d"]


async def test_a_platform_that_hangs_gets_its_posts_in_order_when_it_answers(wall: Wall, desk: Desk) -> None:
    wall.gate = asyncio.Event()
    async with desk.running():
        await desk.store.outbox.add(notice("p1"))
        await until(lambda: HERE in wall.busy)
        await desk.store.outbox.add(notice("p2"))
        assert wall.posted == []
        wall.gate.set()
        await until(lambda: len(wall.posted) == 2)
    assert wall.posted == ["p1", "p2"]
    assert wall.labelled == []


async def test_a_conversation_in_trouble_holds_up_no_other(wall: Wall, desk: Desk) -> None:
    wall.down.add(HERE.channel)
    await desk.store.outbox.add(notice("a"))
    await desk.store.outbox.add(notice("b", ELSEWHERE))
    async with desk.running():
        await until(lambda: wall.posted == ["b"])
        await desk.notice(notice("c", ELSEWHERE))
        assert wall.posted == ["b", "c"]
    assert await desk.left() == ["a"]


async def test_a_platform_that_hangs_holds_so_many_of_its_conversations_and_none_of_another(
    store: Store, wall: Wall, time: FakeTime
) -> None:
    class OtherWall(Wall):
        @property
        def platform(self) -> Platform:
            return Platform("other")

    wall.gate, other = asyncio.Event(), OtherWall()
    desk = Desk(store, wall, time, others=(other,))
    keys = [ConversationKey(WEB, str(number)) for number in range(2 * CONVERSATIONS_AT_ONCE)]
    elsewhere = ConversationKey(other.platform, "general")
    for key in keys:
        await store.outbox.add(notice(f"p{key.channel}", key))
    async with desk.running():
        for key in keys:
            await store.outbox.add(notice(f"q{key.channel}", key))
        await until(lambda: len(wall.busy) >= CONVERSATIONS_AT_ONCE)
        await store.outbox.add(notice("there", elsewhere))
        await until(lambda: other.posted == ["there"])
        assert len(wall.busy) == CONVERSATIONS_AT_ONCE
        wall.gate.set()
        await until(lambda: len(wall.posted) == 2 * len(keys))
    for key in keys:
        own = [posted for posted in wall.posted if posted[1:] == key.channel]
        assert own == [f"p{key.channel}", f"q{key.channel}"]


async def test_after_a_day_a_post_is_given_up_and_the_next_one_gets_its_try(
    wall: Wall, desk: Desk, time: FakeTime
) -> None:
    wall.down.add(HERE.channel)
    await desk.notice(notice("a"))
    async with desk.running():
        time.seconds += 23 * 3600
        await desk.store.outbox.add(notice("b"))
        start = time.seconds
        await until(lambda: time.seconds > start + 400)
        assert desk.counted("posts_given_up") == 0
        time.seconds += 3600
        await until(lambda: desk.counted("posts_given_up") == 1)
        wall.down.clear()
        await until(lambda: desk.counted("posts") == 1)
    await desk.delivery.flush(HERE)
    assert wall.posted == ["b"]
    assert await desk.left() == []


@pytest.mark.parametrize("ahead", [timedelta(days=1, hours=1), timedelta(hours=-1)])
async def test_a_clock_that_is_set_forward_a_day_or_back_an_hour_gives_no_post_up_and_holds_none_back(
    wall: Wall, desk: Desk, time: FakeTime, ahead: timedelta
) -> None:
    async with desk.running():
        time.seconds += 5 * 3600  # the service has run for long
        wall.down.add(HERE.channel)
        await desk.store.outbox.add(notice("a"))
        await until(lambda: desk.counted("posts_left_for_later") >= 2)
        time.ahead = ahead
        left = desk.counted("posts_left_for_later")
        await until(lambda: desk.counted("posts_left_for_later") >= left + 2)
        assert desk.counted("posts_given_up") == 0
        wall.down.clear()
        await until(lambda: wall.posted == ["a"])


async def test_where_we_may_not_look_a_post_is_not_repeated_for_ever(wall: Wall, desk: Desk, time: FakeTime) -> None:
    wall.blind = True
    wall.after += [UNKNOWN] * 100
    await desk.notice(notice("a"))
    async with desk.running():
        await until(lambda: desk.counted("posts_given_up") == 1)
    assert [name for name in wall.posted if name == "a"] == ["a"] * (1 + REPEATS)
    assert wall.labelled == ["a"] * REPEATS
    assert time.seconds > 10 * 60


async def test_what_is_queued_wakes_the_delivery(wall: Wall, desk: Desk, time: FakeTime) -> None:
    time.ends = LOOK_SECONDS / 2  # after the first look at the outbox, before the second
    async with desk.running():
        await until(lambda: time.seconds > 1)
        for name in "abc":
            await desk.store.outbox.add(notice(name))
        await until(lambda: wall.posted == ["a", "b", "c"])


async def test_what_nobody_rang_for_is_found_by_and_by(
    tmp_path: Path, store: Store, wall: Wall, desk: Desk, time: FakeTime
) -> None:
    async with desk.running(), a_life(tmp_path / "store.sqlite", time) as another_process:
        await until(lambda: time.seconds > 1)
        await another_process.outbox.add(notice("a"))
        await until(lambda: wall.posted == ["a"])


class LockedOnce:
    """An outbox that is locked the first time that somebody writes that a part is being sent."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._locked = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._outbox, name)

    async def mark_sending(self, post: Post, part: int, *, sent: Mapping[int, str] | None = None) -> None:
        if self._locked:
            self._locked = False
            raise StoreUnavailable(url="sqlite://", reason="database is locked", remedy="Wait.")
        await self._outbox.mark_sending(post, part, sent=sent)


async def test_a_store_that_was_locked_for_a_moment_is_asked_again_soon(
    store: Store, wall: Wall, time: FakeTime
) -> None:
    desk = Desk(store, wall, time, outbox=cast("Outbox", LockedOnce(store.outbox)))
    time.ends = 2.0
    async with desk.running():
        await until(lambda: time.seconds > 1)
        await store.outbox.add(notice("a"))
        time.ends = LOOK_SECONDS - 1  # it is tried again by itself: no look at the outbox finds it
        await until(lambda: wall.posted == ["a"])


async def test_it_is_settled_when_nothing_is_left_but_what_waits(wall: Wall, desk: Desk) -> None:
    wall.gate = asyncio.Event()
    wall.down.add(ELSEWHERE.channel)
    async with desk.running(), asyncio.TaskGroup() as group:
        await desk.store.outbox.add(notice("a"))
        await desk.store.outbox.add(notice("b", ELSEWHERE))
        settled = group.create_task(desk.delivery.settled())
        await until(lambda: HERE in wall.busy)
        assert not settled.done()
        wall.gate.set()
        await settled
        assert wall.posted == ["a"]
    assert await desk.left(ELSEWHERE) == ["b"]


async def test_secrets_are_taken_out_of_what_is_posted_and_not_of_what_is_stored(wall: Wall, desk: Desk) -> None:
    await desk.notice(notice("a", text="It is hunter2 there."))
    assert wall.texts == ["It", "is", "[redacted]", "there."]
    [entry] = (await desk.store.history.view(HERE, 5)).posts
    assert entry.post.text == "It is hunter2 there."


async def test_without_its_gateway_a_post_waits(store: Store, wall: Wall, time: FakeTime) -> None:
    desk = Desk(store, wall, time, present=False)
    await desk.notice(notice("a"))
    async with desk.running():
        await until(lambda: time.seconds > 200)
    assert await desk.left() == ["a"]
    await Desk(store, wall, time).delivery.flush(HERE)
    assert wall.posted == ["a"]
