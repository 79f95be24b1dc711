"""What was not dealt with in a channel is known to the next life, whatever was written there since."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

import pytest

from mama_bot.app.system_clock import SystemClock
from mama_bot.gateways.chat.gaps import Gaps
from mama_bot.gateways.chat.read_marks import Marks
from mama_bot.testing.memory_core import MemoryState


class Life:
    """The marks and gaps of one life over a state that outlives it."""

    def __init__(self, state: MemoryState) -> None:
        self.gaps = Gaps(state=state, clock=SystemClock())
        self.marks = Marks(state, seconds=1.0, gaps=self.gaps)

    async def next(self, state: MemoryState) -> "Life":
        await self.marks.write()
        life = Life(state)
        await life.marks.load()
        return life


async def test_a_mark_stays_before_a_message_that_is_being_dealt_with() -> None:
    state = MemoryState()
    life = Life(state)
    with life.marks.dealing_with("c", "100"):
        pass
    with life.marks.dealing_with("c", "200"):
        with life.marks.dealing_with("c", "300"):
            pass
        assert (await life.next(state)).marks.of("c") == 199
    assert (await life.next(state)).marks.of("c") == 300
    assert not life.gaps.channels()


async def test_a_message_that_failed_opens_a_gap_which_outlives_the_mark() -> None:
    state = MemoryState()
    life = Life(state)
    with suppress(ZeroDivisionError), life.marks.dealing_with("c", "200"):
        raise ZeroDivisionError
    with life.marks.dealing_with("c", "300"):
        pass
    life = await life.next(state)
    assert (life.marks.of("c"), life.gaps.of("c")) == (300, 199)
    assert life.gaps.begin("c") == 199
    life = await life.next(state)  # it ended before the channel was read
    assert life.gaps.of("c") == 199
    life.gaps.begin("c")
    life.gaps.close("c")
    assert (await life.next(state)).gaps.of("c") is None


async def test_a_gap_that_opens_while_its_channel_is_read_is_read_as_well() -> None:
    state = MemoryState()
    life = Life(state)
    life.gaps.open("c", 100)
    life.gaps.begin("c")
    life.gaps.open("c", 500)
    assert life.gaps.next(lambda _: True) is None
    life.gaps.close("c")
    assert (await life.next(state)).gaps.of("c") == 500
    life.gaps.begin("c")
    life.gaps.open("c", 900)
    life.gaps.put_back("c")
    assert life.gaps.of("c") == 500


@pytest.mark.parametrize("closes", [True, False])
async def test_what_is_told_waits_for_the_gap_of_its_channel_but_not_for_long(closes: bool) -> None:
    life = Life(MemoryState())
    life.gaps.open("c", 100)
    life.gaps.hold(60.0 if closes else 0.05)
    life.gaps.open("later", 100)
    assert await life.gaps.filled("another")
    assert await life.gaps.filled("later")
    if closes:
        life.gaps.begin("c")
        life.gaps.close("c")
    assert await life.gaps.filled("c") is closes


class _SlowState(MemoryState):
    """A store that takes its time."""

    async def put(self, values: Mapping[str, str]) -> None:
        await asyncio.sleep(0.01)
        await super().put(values)


async def test_a_gap_that_is_closed_while_it_is_written_is_none_for_the_next_life() -> None:
    state = _SlowState()
    life = Life(state)
    life.gaps.open("c", 100)
    async with asyncio.TaskGroup() as group:
        group.create_task(life.marks.write())
        await asyncio.sleep(0)
        life.gaps.begin("c")
        life.gaps.close("c")
        group.create_task(life.marks.write())
    assert (await life.next(state)).gaps.of("c") is None


async def test_what_another_node_has_dealt_with_meanwhile_is_no_gap_any_more() -> None:
    state = MemoryState()
    first = Life(state)
    first.gaps.open("c", 100)
    second = await first.next(state)  # another node has the connection now
    second.gaps.begin("c")
    second.gaps.close("c")
    second.gaps.open("d", 500)
    await second.marks.write()
    first.gaps.open("unwritten", 700)
    await first.marks.load()  # and this one has it again
    assert {channel: first.gaps.of(channel) for channel in ("c", "d", "unwritten")} == {
        "c": None,
        "d": 500,
        "unwritten": 700,
    }
