"""What can be done with a change is shown anew below its posts once it was undone, or brought back."""

from dataclasses import replace

from mama_bot.model import ChangeId, Notice, NoticeKind
from tests.delivery.platform import FAILED, Desk, Wall, notice

WORK = replace(notice("t1", text="Changed."), notice=NoticeKind.WITHHELD, change=ChangeId("t1"))
OTHER = replace(notice("t2", text="Changed t1."), notice=NoticeKind.WITHHELD, change=ChangeId("t2"))


def line(number: int, undoes: str) -> Notice:
    kind = NoticeKind.UNDONE if number % 2 else NoticeKind.DEED
    return replace(
        notice(f"deed.{number}", text="Done."), notice=kind, change=ChangeId(f"undo.{number}"), undoes=ChangeId(undoes)
    )


async def test_an_undo_shows_that_at_the_post_it_takes_back_alone(wall: Wall, desk: Desk) -> None:
    for post in (WORK, OTHER, line(1, "t1")):
        await desk.notice(post)
    assert wall.undone == {"at-t1": True}
    assert await desk.left() == []


async def test_what_is_undone_and_brought_back_in_turn_shows_so_all_the_way(wall: Wall, desk: Desk) -> None:
    for post in (WORK, line(1, "t1"), line(2, "undo.1")):
        await desk.notice(post)
    assert wall.undone == {"at-t1": False, "at-deed.1": True}
    await desk.notice(line(3, "undo.2"))
    assert wall.undone == {"at-t1": True, "at-deed.1": False, "at-deed.2": True}


async def test_a_platform_that_refuses_the_edit_has_the_line_all_the_same(wall: Wall, desk: Desk) -> None:
    wall.offering.append(FAILED)
    await desk.notice(WORK)
    await desk.notice(line(1, "t1"))
    assert (wall.undone, wall.posted[-1]) == ({}, "deed.1")
    assert await desk.left() == []
