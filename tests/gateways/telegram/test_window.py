"""Nothing is confirmed before everything below it is settled."""

from hypothesis import given
from hypothesis import strategies as st

from mama_bot.gateways.telegram.window import Window


@given(st.lists(st.integers(100, 130), unique=True), st.data())
def test_what_is_confirmed_is_settled(numbers: list[int], data: st.DataObject) -> None:
    window = Window(100)
    for number in sorted(numbers):
        assert window.take(number)
        assert not window.take(number)
    order = data.draw(st.permutations(numbers))
    settled = set[int]()
    for number in order:
        window.settle(number)
        settled.add(number)
        reached = window.reached()
        assert all(one in settled for one in numbers if one < reached)
        window.confirm(reached)
        assert window.unsettled == (len(settled) < len(numbers))
    assert window.offset == max(numbers, default=99) + 1


def test_nothing_seen_confirms_nothing() -> None:
    assert Window(7).reached() == 7


def test_numbers_that_begin_anew_are_followed() -> None:
    window = Window(1000)
    assert window.take(5)
    window.settle(5)
    window.confirm(window.reached())
    assert window.offset == 6


async def test_waiting_ends_with_the_last_one() -> None:
    window = Window(0)
    window.take(1)
    await window.settled(0.01)
    assert window.unsettled
    window.settle(1)
    await window.settled(60)
