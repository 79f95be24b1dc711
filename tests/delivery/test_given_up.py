"""What another node may post by now is neither posted nor shown here."""

import asyncio
import time

import pytest

from mama_bot.errors import StoreUnavailable
from tests.delivery.platform import WEB, Desk, Wall, notice, until
from tests.delivery.test_answers import ANSWER, QUESTION
from tests.waiting import until_stored


async def test_nothing_is_posted_or_shown_by_who_may_have_been_taken_over(wall: Wall, desk: Desk) -> None:
    await desk.notice(QUESTION)
    desk.may_post = False
    for post in (ANSWER, notice("later")):
        with pytest.raises(StoreUnavailable, match="another node may post"):
            await desk.notice(post)
    assert (wall.settled, wall.posted) == ({}, ["q", "q1"])
    assert await desk.left() == ["q.approved", "later"]


async def test_a_platform_is_given_up_once_what_is_being_sent_there_is_sent_and_no_part_more(
    wall: Wall, desk: Desk
) -> None:
    wall.gate = asyncio.Event()
    await desk.store.outbox.add(notice("long", text="one two three"))
    await desk.store.outbox.add(notice("next"))
    async with asyncio.TaskGroup() as group:
        sending = group.create_task(desk.delivery.settled())
        await until(lambda: bool(wall.busy))
        del desk.gateways[WEB]
        ending = group.create_task(desk.delivery.end(WEB))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not ending.done()
        wall.gate.set()
        await ending
        await sending
    assert wall.posted == ["long"]
    assert await desk.left() == ["long", "next"]


async def test_a_platform_that_never_answers_is_given_up_with_nothing_on_its_way(
    wall: Wall, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mama_bot.delivery.delivery.LEAVE_SECONDS", 0.05)
    wall.gate = asyncio.Event()
    await desk.store.outbox.add(notice("stuck"))
    async with asyncio.TaskGroup() as group:
        sending = group.create_task(desk.delivery.settled())
        await until(lambda: bool(wall.busy))
        del desk.gateways[WEB]
        await desk.delivery.end(WEB)
        assert not wall.busy
        wall.gate.set()
        await sending
    assert (wall.posted, await desk.left()) == ([], ["stuck"])
    desk.gateways[WEB] = wall  # whoever has it next looks first: it may have arrived
    await settled_at_last(desk)
    assert (wall.posted, wall.labelled, wall.looked) == (["stuck"], [], ["stuck"])


async def test_what_is_not_begun_is_not_noted_as_begun(wall: Wall, desk: Desk) -> None:
    desk.may_post = False
    with pytest.raises(StoreUnavailable, match="another node may post"):
        await desk.notice(notice("later"))
    (entry,) = await desk.store.outbox.pending(notice("later").key)
    assert entry.tried == {}
    desk.may_post = True
    await settled_at_last(desk)
    assert (wall.posted, wall.looked) == (["later"], [])


async def test_a_call_that_a_standstill_cut_in_two_sends_nothing_any_more(wall: Wall, desk: Desk) -> None:
    wall.gate = asyncio.Event()
    await desk.store.outbox.add(notice("late"))
    async with asyncio.TaskGroup() as group:
        sending = group.create_task(desk.delivery.settled())
        await until(lambda: bool(wall.busy))
        asyncio.get_running_loop().call_later(0.05, wall.gate.set)  # what the call waits for: its turn, say
        desk.may_post = False
        time.sleep(1)  # the process stands still: both timers are overdue when it goes on
        await sending
    assert (wall.posted, await desk.left()) == ([], ["late"])
    desk.may_post = True
    await settled_at_last(desk)
    assert (wall.posted, wall.labelled, wall.looked) == (["late"], [], ["late"])


async def settled_at_last(desk: Desk) -> None:
    async with desk.running():
        await until_stored(desk.is_empty)
