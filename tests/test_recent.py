"""The bounded memory, and pauses that grow."""

from hypothesis import given
from hypothesis import strategies as st

from mama_bot.backoff import Backoff
from mama_bot.recent import Recent


@given(st.lists(st.integers(0, 9), max_size=40))
def test_the_latest_entries_are_kept_in_the_order_of_writing(keys: list[int]) -> None:
    recent: Recent[int, int] = Recent(3)
    for at, key in enumerate(keys):
        recent[key] = at
    latest = list(dict.fromkeys(reversed(keys)))[:3]
    assert list(reversed(recent)) == latest
    assert all(keys[at] == key for key, at in recent.items())


def test_setdefault_is_bounded_too() -> None:
    recent: Recent[str, list[str]] = Recent(1)
    recent.setdefault("a", []).append("x")
    recent.setdefault("b", []).append("y")
    assert dict(recent) == {"b": ["y"]}


def test_pauses_double_up_to_the_longest() -> None:
    pauses = Backoff(first=0.5, longest=3.0)
    assert [pauses.pause(failures) for failures in range(6)] == [0.5, 0.5, 1.0, 2.0, 3.0, 3.0]
    assert pauses.pause(10_000) == 3.0
