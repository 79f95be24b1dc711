"""/schedules: what it lists, and who may let a trigger rest."""

from pathlib import Path

import pytest

from mama_bot.intake.schedules_command import SchedulesCommand
from mama_bot.model import Author, Command, CommandName, Origin, Platform
from mama_bot.wording import Language
from tests.triggers.making import C1, Life, SetClock, at, opened, schedule

OWNER, OTHER = Author(id="U1", name="Kim"), Author(id="U2", name="Lee")
SETTINGS = {"nightly": schedule("0 3 * * *", zone="Asia/Seoul"), "weekly": schedule("0 0 * * 1")}


def asking(life: Life) -> SchedulesCommand:
    def is_owner(platform: Platform, author: Author) -> bool:
        return platform == C1.platform and author == OWNER

    return SchedulesCommand(
        standings=life.schedules.standings, hooks=[("ci", "slack/C2")], pauses=life.pauses, is_owner=is_owner
    )


def command(argument: str = "", author: Author = OWNER) -> Command:
    return Command(name=CommandName.SCHEDULES, key=C1, author=author, origin=Origin(), argument=argument)


async def test_it_lists_what_asks_and_when_next_in_its_own_time_zone(tmp_path: Path) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    async with opened(tmp_path, clock) as store:
        life = Life(store, clock, SETTINGS)
        shown = await asking(life).answer(command(author=OTHER), Language.ENGLISH)
        assert shown.text.splitlines() == [
            "- **nightly** · `0 3 * * *` Asia/Seoul · `slack/C1` · next 2026-01-02 03:00",
            "- **weekly** · `0 0 * * 1` UTC · `slack/C1` · next 2026-01-05 00:00",
            "- **ci** · hook · `slack/C2`",
        ]
        await life.look("2026-01-04 23:59")
        await life.look("2026-01-05 00:00")
        korean = await asking(life).answer(command(), Language.KOREAN)
        assert "- **weekly** · `0 0 * * 1` UTC · `slack/C1` · 다음 2026-01-12 00:00 · 지금 작업 중" in korean.text


async def test_an_owner_lets_it_rest_and_ask_again(tmp_path: Path) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    async with opened(tmp_path, clock) as store:
        life = Life(store, clock, SETTINGS)
        await life.look("2026-01-01 12:00")
        answer = await asking(life).answer(command("pause nightly"), Language.ENGLISH)
        assert (answer.done, answer.text.startswith("**nightly** asks nothing until an owner resumes it.")) == (
            True,
            True,
        )
        assert await life.look("2026-01-01 18:00") == []
        assert (await asking(life).answer(command("중지 ci"), Language.KOREAN)).done
        shown = (await asking(life).answer(command(), Language.ENGLISH)).text
        assert "- **nightly** · `0 3 * * *` Asia/Seoul · `slack/C1` · paused by Kim (2026-01-01 12:00 UTC)" in shown
        assert "- **ci** · hook · `slack/C2` · paused by Kim" in shown
        again = await asking(life).answer(command("resume nightly"), Language.ENGLISH)
        assert again.text.splitlines()[1].endswith("next 2026-01-03 03:00")
        assert len(await life.look("2026-01-02 18:00")) == 1


@pytest.mark.parametrize(
    ("argument", "author", "words"),
    [
        ("pause nightly", OTHER, "Only an owner can pause and resume."),
        ("pause nightl", OWNER, "There is no schedule or hook nightl. Did you mean 'nightly'?"),
        ("pause", OWNER, "Write /schedules alone, /schedules pause NAME, or /schedules resume NAME."),
        ("nightly", OWNER, "Write /schedules alone"),
    ],
)
async def test_what_cannot_be_done_is_told_and_changes_nothing(
    tmp_path: Path, argument: str, author: Author, words: str
) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    async with opened(tmp_path, clock) as store:
        life = Life(store, clock, SETTINGS)
        answer = await asking(life).answer(command(argument, author), Language.ENGLISH)
        assert not answer.done
        assert words in answer.text
        assert await life.pauses.every() == {}


async def test_where_nothing_asks_it_says_so(tmp_path: Path) -> None:
    clock = SetClock(at("2026-01-01 12:00"))
    async with opened(tmp_path, clock) as store:
        life = Life(store, clock, {})
        nothing = SchedulesCommand(
            standings=life.schedules.standings, hooks=(), pauses=life.pauses, is_owner=lambda *_: True
        )
        assert "Nothing asks here" in (await nothing.answer(command(), Language.ENGLISH)).text
