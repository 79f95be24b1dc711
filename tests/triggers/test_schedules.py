"""What schedules ask: at their times, once for what was missed, never beside themselves, in any life of the service."""

import asyncio
from pathlib import Path

import pytest

from mama_bot.errors import MessageRefused, StoreUnavailable
from mama_bot.model import AuthorKind
from tests.triggers.making import C1, STATE, Life, SetClock, at, opened, schedule
from tests.waiting import SECONDS

NIGHTLY = {"nightly": schedule("0 3 * * *", persona="developer")}


async def test_what_is_due_is_asked_once_by_the_schedule(tmp_path: Path) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    async with opened(tmp_path, clock) as store:
        life = Life(store, clock, NIGHTLY)
        assert await life.look("2026-01-01 12:00") == [], "a new schedule begins now"
        assert await life.look("2026-01-02 02:59") == []
        assert await life.look("2026-01-02 03:00") == ["schedule:nightly:20260102T0300Z"]
        assert await life.look("2026-01-02 03:00") == []
        asked = life.inlet.delivered[0]
        assert (asked.author.kind, asked.author.id) == (AuthorKind.SCHEDULE, "schedule:nightly")
        assert (asked.key, asked.text, asked.addressed_to) == (C1, "Report what broke.", "developer")
        assert await life.lines() == ["🕒 Schedule **nightly** asks: Report what broke."]
        assert (life.counted("asked"), life.counted("late")) == (1, 0)


async def test_a_run_that_was_missed_is_made_up_for_once_and_it_is_said(tmp_path: Path) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    korean = {"nightly": schedule("0 3 * * *", zone="Asia/Seoul", prompt="깨진 것을 알려 주세요.")}
    async with opened(tmp_path, clock) as store:
        await Life(store, clock, korean).look("2026-01-01 12:00")
        later = Life(store, clock, korean)
        assert len(await later.look("2026-01-05 12:00")) == 1, "for four runs"
        assert await later.look("2026-01-05 12:01") == []
        assert (later.counted("late"), later.counted("asked")) == (1, 0)
        line = "🕒 일정 **nightly**: 2026-01-02 03:00(Asia/Seoul)부터 4번 실행 시각에 서비스가 꺼져 있었습니다. "
        assert await later.lines() == [f"{line}지금 한 번 실행합니다."]
        await later.answered()
        assert len(await later.look("2026-01-06 00:00")) == 1, "one run that is six hours late"
        assert "was due at" not in (await later.lines())[-1], "it is said in the language of the prompt"


async def test_a_minute_that_was_missed_for_a_month_is_counted_up_to_a_bound(tmp_path: Path) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    often = {"often": schedule("* * * * *")}
    async with opened(tmp_path, clock) as store:
        await Life(store, clock, often).look("2026-01-01 12:00")
        later = Life(store, clock, often)
        assert len(await later.look("2026-02-01 12:00")) == 1
        assert "was due more than 100 times since 2026-01-01 12:01 (UTC)" in (await later.lines())[0]
        await later.answered()
        assert len(await later.look("2026-02-01 12:01")) == 1


async def test_while_a_run_works_the_next_is_left_out_said_once_and_counted(tmp_path: Path) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    hourly = {"hourly": schedule("0 * * * *")}
    async with opened(tmp_path, clock) as store:
        life = Life(store, clock, hourly)
        await life.look("2026-01-01 12:00")
        assert len(await life.look("2026-01-01 13:00")) == 1
        assert await life.look("2026-01-01 14:00") == []
        next_life = Life(store, clock, hourly)
        assert await next_life.look("2026-01-01 15:00") == []
        assert (life.counted("left_out"), next_life.counted("left_out")) == (1, 1)
        (line,) = (line for line in await life.lines() if "left out" in line)
        assert line.startswith(
            "🕒 Schedule **hourly**: the run of 2026-01-01 14:00 (UTC) is left out, for the one before"
        )
        assert [standing.working for standing in await life.schedules.standings()] == [True]
        await life.answered()
        assert len(await next_life.look("2026-01-01 16:00")) == 1


async def test_who_was_killed_after_the_message_was_stored_asks_no_second_time(tmp_path: Path) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    async with opened(tmp_path, clock) as store:
        life = Life(store, clock, NIGHTLY)
        await life.look("2026-01-01 12:00")
        kept = await store.gateway_state(STATE).entries("schedule/")
        await life.look("2026-01-02 03:00")
        await store.gateway_state(STATE).put(kept)  # as if the kill came before this was kept
        next_life = Life(store, clock, NIGHTLY)
        assert await next_life.look("2026-01-02 03:00") == []
        assert len(await next_life.lines()) == 1
        assert await next_life.look("2026-01-02 03:01") == []


@pytest.mark.parametrize(
    "refusal",
    [StoreUnavailable(url="sqlite:///x", reason="locked", remedy="Wait."), MessageRefused("The service is stopping.")],
)
async def test_what_could_not_be_stored_is_asked_when_it_can_be(tmp_path: Path, refusal: Exception) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    async with opened(tmp_path, clock) as store:
        life = Life(store, clock, NIGHTLY)
        await life.look("2026-01-01 12:00")
        assert isinstance(refusal, StoreUnavailable | MessageRefused)
        life.inlet.refusal = refusal
        assert await life.look("2026-01-02 03:00") == []
        assert await life.lines() == []
        life.inlet.refusal = None
        assert len(await life.look("2026-01-02 03:01")) == 1


async def test_where_the_queue_is_full_the_run_is_left_out_and_it_is_said(tmp_path: Path) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    async with opened(tmp_path, clock, limit=1) as store:
        life = Life(store, clock, {"first": schedule("0 3 * * *"), "second": schedule("0 3 * * *")})
        await life.look("2026-01-01 12:00")
        assert await life.look("2026-01-02 03:00") == ["schedule:first:20260102T0300Z"]
        assert life.counted("refused") == 1
        assert (
            "Schedule **second**: the run of 2026-01-02 03:00 (UTC) is left out. The queue" in (await life.lines())[-1]
        )


async def test_what_rests_asks_nothing_and_makes_up_for_nothing(tmp_path: Path) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    async with opened(tmp_path, clock) as store:
        life = Life(store, clock, NIGHTLY)
        await life.look("2026-01-01 12:00")
        await life.pauses.begin("nightly", by="Kim")
        next_life = Life(store, clock, NIGHTLY)
        assert await next_life.look("2026-01-02 03:00") == []
        assert [standing.pause is not None for standing in await next_life.schedules.standings()] == [True]
        await next_life.pauses.end("nightly")
        assert await next_life.look("2026-01-02 12:00") == []
        assert len(await next_life.look("2026-01-03 03:00")) == 1


async def test_new_times_begin_now(tmp_path: Path) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    async with opened(tmp_path, clock) as store:
        await Life(store, clock, NIGHTLY).look("2026-01-01 12:00")
        changed = Life(store, clock, {"nightly": schedule("0 4 * * *")})
        assert await changed.look("2026-01-03 12:00") == []
        assert len(await changed.look("2026-01-04 04:00")) == 1


async def test_as_long_as_it_runs_it_wakes_at_the_times_and_never_sleeps_for_long(tmp_path: Path) -> None:
    clock = SetClock(at("2026-01-01 02:58"))
    async with opened(tmp_path, clock) as store:
        life = Life(store, clock, NIGHTLY)
        async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as group:
            running = group.create_task(life.schedules.run(life.inlet))
            while not life.inlet.delivered:
                await asyncio.sleep(0)
            running.cancel()
        assert life.inlet.delivered[0].received_at == at("2026-01-01 03:00")
        assert max(life.slept) <= 20


async def test_a_clock_that_was_ahead_and_is_set_right_holds_nothing_up(tmp_path: Path) -> None:
    clock = SetClock(at("2036-01-01 12:00"))
    async with opened(tmp_path, clock) as store:
        life = Life(store, clock, NIGHTLY)
        await life.look("2036-01-01 12:00")
        assert await life.look("2026-01-01 12:00") == []
        assert len(await life.look("2026-01-02 03:00")) == 1
        assert await life.look("2026-01-02 02:59") == [], "set back over a time that was asked"
        assert await life.look("2026-01-02 03:00") == []
