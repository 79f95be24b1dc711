"""Deeds are stored before they are done, one at a time, and settled once."""

from dataclasses import replace

from mama_bot.model import (
    ChangeId,
    DeedId,
    DeedRequest,
    DiscardWork,
    MergeBranch,
    Merged,
    NotDone,
    Notice,
    NoticeKind,
    PostId,
    Refusal,
    StoredDeed,
    TreeMark,
    UndoChange,
    Undone,
    UndoPlan,
    WorkChange,
)
from mama_bot.store import Store
from tests.store.making import HERE, START, message

BEFORE, AFTER = TreeMark(files="a" * 40), TreeMark(files="b" * 40, commit="c" * 40)
CHANGE = WorkChange(id=ChangeId("t1"), key=HERE, repository="app", before=BEFORE, at=START, after=AFTER, files=1)
REQUEST = DeedRequest(
    id=DeedId("d1"), key=HERE, repository="app", deed=MergeBranch(), by=message(1).author, at=START, title="Mend it"
)
MERGED = Merged(branch="main", commit="e" * 40, committed=2)


def told(request: DeedRequest) -> Notice:
    return Notice(id=PostId(f"deed.{request.id}"), key=request.key, notice=NoticeKind.DEED, text="done")


async def test_a_deed_is_open_until_it_is_settled(store: Store, next_life: Store) -> None:
    assert await store.deeds.ask(REQUEST)
    plan = UndoPlan(before=BEFORE, after=AFTER)
    await store.deeds.plan(REQUEST.id, plan)
    assert await next_life.deeds.unsettled() == [StoredDeed(request=REQUEST, plan=plan)]
    await next_life.deeds.settle(REQUEST, MERGED, told(REQUEST))
    assert not await store.deeds.unsettled()
    assert await store.deeds.deeds(HERE, 10) == [StoredDeed(request=REQUEST, plan=plan, outcome=MERGED)]


async def test_a_conversation_has_one_open_deed(store: Store) -> None:
    assert await store.deeds.ask(REQUEST)
    assert not await store.deeds.ask(replace(REQUEST, id=DeedId("d2"), deed=DiscardWork()))
    await store.deeds.settle(REQUEST, MERGED, told(REQUEST))
    assert await store.deeds.ask(replace(REQUEST, id=DeedId("d2"), deed=DiscardWork()))


async def test_a_deed_is_settled_and_told_once(store: Store) -> None:
    await store.deeds.ask(REQUEST)
    await store.deeds.settle(REQUEST, MERGED, told(REQUEST))
    await store.deeds.settle(REQUEST, NotDone(why=Refusal.FAILED), replace(told(REQUEST), id=PostId("again")))
    [settled] = await store.deeds.deeds(HERE, 10)
    assert settled.outcome == MERGED
    assert [entry.post.id for entry in await store.outbox.pending(HERE)] == ["deed.d1"]


async def test_what_began_stays_as_it_began_after_a_crash(store: Store, next_life: Store) -> None:
    begun = replace(CHANGE, after=None, files=0)
    assert await store.deeds.begin(begun) == begun
    assert await next_life.deeds.begin(replace(begun, before=AFTER)) == begun
    assert not await store.deeds.changes(HERE, 10)
    await store.deeds.end(CHANGE)
    await store.deeds.forget(CHANGE.id)  # it has ended: it stays
    assert await next_life.deeds.changes(HERE, 10) == [CHANGE]


async def test_an_undo_and_its_undo_are_noted_at_what_they_took_back(store: Store) -> None:
    await store.deeds.end(CHANGE)
    undo = replace(CHANGE, id=ChangeId("undo.d1"), before=AFTER, after=BEFORE, undoes=CHANGE.id)
    for number, change in enumerate((undo, replace(CHANGE, id=ChangeId("undo.d2"), undoes=undo.id)), start=1):
        assert change.undoes is not None
        request = replace(REQUEST, id=DeedId(f"d{number}"), deed=UndoChange(change=change.undoes))
        await store.deeds.ask(request)
        await store.deeds.settle(request, Undone(change=change.id, files=("a",)), told(request), change)
        first = await store.deeds.change(HERE, CHANGE.id)
        assert first is not None
        assert first.undone_by == ("d1" if number == 1 else None)
    second = await store.deeds.change(HERE, undo.id)
    assert second is not None
    assert second.undone_by == "d2"
