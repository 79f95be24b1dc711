"""ULIDs sort by time, also where the clock stands still or goes back."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mama_bot.boards.ulids import RANDOM_BYTES, is_ulid, ulid

AT = datetime(2026, 1, 1, tzinfo=UTC)
RANDOMNESS = st.binary(min_size=RANDOM_BYTES, max_size=RANDOM_BYTES)


def test_an_id_is_that_of_the_specification() -> None:
    at = datetime.fromtimestamp(1469918176.385, UTC)  # the example of the specification: 01ARYZ6S41...
    assert ulid(at, bytes(RANDOM_BYTES)) == "01ARYZ6S410000000000000000"
    assert not is_ulid("01ARYZ6S41000000000000000U")
    assert not is_ulid("8" + "0" * 25)  # more than 128 bits


@given(st.lists(st.tuples(st.integers(-5, 5), RANDOMNESS), min_size=2, max_size=20))
def test_each_sorts_behind_the_one_before(steps: list[tuple[int, bytes]]) -> None:
    ids, at = [""], AT
    for milliseconds, randomness in steps:
        at += timedelta(milliseconds=milliseconds)
        ids.append(ulid(at, randomness, after=ids[-1]))
    assert ids == sorted(set(ids))
    assert all(map(is_ulid, ids[1:]))
