"""When a line of cron comes next: in a time zone, over the changes of its clocks."""

from datetime import timedelta
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.config import CronLine
from tests.triggers.making import at

BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"


def times(line: str, zone: str, after: str, count: int) -> list[str]:
    return [f"{time:%Y-%m-%d %H:%M}" for time in islice(CronLine(line, zone).after(at(after)), count)]


def test_the_hour_is_that_of_the_time_zone() -> None:
    assert times("0 9 * * 1-5", "Asia/Seoul", "2026-01-02 00:00", 2) == ["2026-01-05 00:00", "2026-01-06 00:00"]
    assert times("30 3 * * *", "UTC", "2026-01-02 03:30", 1) == ["2026-01-03 03:30"]


def test_an_hour_that_the_clock_skips_is_made_up_for_right_after_it_and_once() -> None:
    # Berlin, 29 March 2026: 02:00 is 03:00.
    assert times("30 2 * * *", BERLIN, "2026-03-28 00:00", 3) == [
        "2026-03-28 01:30",
        "2026-03-29 01:00",  # 03:00 in summer
        "2026-03-30 00:30",
    ]


def test_an_hour_that_comes_twice_is_asked_in_once() -> None:
    # New York, 1 November 2026: 02:00 is 01:00 again, at 06:00 UTC.
    assert times("30 1 * * *", NEW_YORK, "2026-11-01 00:00", 2) == ["2026-11-01 05:30", "2026-11-02 06:30"]
    # Somebody who looks in the second of the two hours finds it over.
    assert times("45 1 * * *", NEW_YORK, "2026-11-01 06:20", 1) == ["2026-11-02 06:45"]


def test_two_in_an_hour_that_is_skipped_are_made_up_for_by_one() -> None:
    assert times("15,45 2 * * *", BERLIN, "2026-03-28 12:00", 3) == [
        "2026-03-29 01:00",
        "2026-03-30 00:15",
        "2026-03-30 00:45",
    ]


@given(
    line=st.sampled_from(["30 2 * * *", "0,45 1 * * *", "*/20 * * * *", "15,45 2 * * 0", "10 */3 * * *", "0 0 1 * *"]),
    zone=st.sampled_from([BERLIN, NEW_YORK, "Australia/Lord_Howe", "Asia/Seoul", "Africa/Casablanca", "UTC"]),
    minutes=st.integers(0, 365 * 24 * 60),
)
def test_whoever_goes_on_from_any_time_finds_the_same_times(line: str, zone: str, minutes: int) -> None:
    cron, moment = CronLine(line, zone), at("2026-01-01 00:00") + timedelta(minutes=minutes)
    following = list(islice(cron.after(moment), 12))
    assert [moment, *following] == sorted({moment, *following})
    assert [next(cron.after(time)) for time in following[:-1]] == following[1:]


def test_what_comes_every_so_often_goes_by_the_time_that_passes() -> None:
    assert times("*/30 * * * *", NEW_YORK, "2026-11-01 05:00", 4) == [
        "2026-11-01 05:30",
        "2026-11-01 06:00",
        "2026-11-01 06:30",
        "2026-11-01 07:00",
    ]
    assert times("0 * * * *", BERLIN, "2026-03-29 00:00", 2) == ["2026-03-29 01:00", "2026-03-29 02:00"]


@pytest.mark.parametrize(
    ("line", "zone", "words"),
    [
        ("0 3 * *", "UTC", "'0 3 * *' is no line of cron: it has 4 fields in place of 5. Write minute, hour,"),
        ("0 0 3 * * *", "UTC", "it has 6 fields in place of 5"),
        ("61 * * * *", "UTC", "is no line of cron: bad minute."),
        ("0 0 * * x", "UTC", "bad day-of-week"),
        ("0 0 30 2 *", "UTC", "bad day-of-month"),
        ("0 3 * * *", "Europe/Berlim", "'Europe/Berlim' is no time zone. Did you mean 'Europe/Berlin'?"),
        ("0 3 * * *", "Q", "'Q' is no time zone. Write it as"),
    ],
)
def test_what_is_no_line_is_a_sentence(line: str, zone: str, words: str) -> None:
    with pytest.raises(ValueError, match=r"no line of cron|no time zone") as caught:
        CronLine(line, zone)
    assert words in str(caught.value)
