"""Work items outlive turns and restarts; a change that a board does not take changes nothing."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mama_bot.boards import sentences as says
from mama_bot.errors import BoardRefused
from mama_bot.model import (
    SCRATCH,
    BoardId,
    ConversationKey,
    Dependency,
    DependencyKind,
    ItemChange,
    ItemId,
    ItemQuery,
    ItemStatus,
    ListedItem,
    NewItem,
    Platform,
    TakenIn,
    TurnId,
    board_of,
)
from mama_bot.store import Store
from mama_bot.wording import Language
from tests.boards.making import BOARD, DEVELOPER, KIM, item

ALL = ItemQuery(closed_too=True)


def new(title: str, *on: str, turn: str | None = None, **fields: object) -> NewItem:
    return NewItem(
        title=title,
        by=DEVELOPER,
        dependencies=tuple(Dependency(on=ItemId(each)) for each in on),
        turn_id=TurnId(turn) if turn else None,
        **fields,  # type: ignore[arg-type]
    )


def titles(listed: "list[ListedItem] | object") -> list[str]:
    assert isinstance(listed, list)
    return [each.item.title for each in listed]


async def test_an_item_is_ready_once_its_blocker_is_closed(store: Store, next_life: Store) -> None:
    rates = await store.items.create(BOARD, new("환율을 찾는다"))
    prices = await store.items.create(BOARD, new("Convert the prices", rates.id, kind="feature", assignee="developer"))
    assert titles(await store.items.query(BOARD, ItemQuery(ready=True))) == ["환율을 찾는다"]
    assert await store.items.find(BOARD, prices.id) == ListedItem(item=prices, blockers=(rates.id,))
    closed = await store.items.close(BOARD, rates.id, "`rates.py` holds them", KIM)
    assert (closed.status, closed.updated_by, closed.closed_at) == (ItemStatus.CLOSED, KIM, closed.updated_at)
    assert titles(await next_life.items.query(BOARD, ItemQuery(ready=True))) == ["Convert the prices"]
    assert titles(await next_life.items.query(BOARD, ALL)) == ["환율을 찾는다", "Convert the prices"]


async def test_a_query_tells_by_status_type_and_assignee_the_most_urgent_first(store: Store) -> None:
    await store.items.create(BOARD, new("later", priority=3))
    await store.items.create(BOARD, new("bug", kind="bug", priority=1, assignee="reviewer"))
    begun = await store.items.create(BOARD, new("begun"))
    await store.items.update(BOARD, begun.id, ItemChange(status=ItemStatus.IN_PROGRESS), DEVELOPER)
    query = store.items.query
    assert titles(await query(BOARD, ItemQuery())) == ["bug", "begun", "later"]
    assert titles(await query(BOARD, ItemQuery(limit=1))) == ["bug"]
    assert titles(await query(BOARD, ItemQuery(kind="bug"))) == ["bug"]
    assert titles(await query(BOARD, ItemQuery(assignee="reviewer"))) == ["bug"]
    assert titles(await query(BOARD, ItemQuery(status=ItemStatus.IN_PROGRESS))) == ["begun"]
    assert titles(await query(BOARD, ItemQuery(ready=True))) == ["bug", "later"]


async def test_a_cycle_is_refused_with_its_way_in_both_languages_and_nothing_is_changed(store: Store) -> None:
    first = await store.items.create(BOARD, new("first"))
    second = await store.items.create(BOARD, new("second", first.id))
    third = await store.items.create(BOARD, new("third", second.id))
    for kind in (DependencyKind.BLOCKS, DependencyKind.PARENT_CHILD, DependencyKind.WAITS_FOR):
        with pytest.raises(BoardRefused) as refusal:
            await store.items.update(
                BOARD, first.id, ItemChange(title="x", adds=(Dependency(on=third.id, kind=kind),)), KIM
            )
        path = f"{first.id} → {third.id} → {second.id} → {first.id}"
        for language in (Language.ENGLISH, Language.KOREAN):
            assert refusal.value.to(language) == says.CYCLE.to(language, path=path)
    linked = await store.items.update(
        BOARD, first.id, ItemChange(adds=(Dependency(on=third.id, kind=DependencyKind.RELATED),)), KIM
    )
    assert linked.title == "first"
    assert titles(await store.items.query(BOARD, ItemQuery(ready=True))) == ["first"]


async def test_a_turn_that_goes_on_after_a_crash_creates_nothing_twice(store: Store) -> None:
    created = await store.items.create(BOARD, new("Add  rates", turn="t1"))
    assert await store.items.create(BOARD, new("Add rates", turn="t1")) == created
    assert await store.items.create(BOARD, new("Add rates", turn="t2")) != created
    assert await store.items.create(BOARD, new("Add rates")) != await store.items.create(BOARD, new("Add rates"))


async def test_to_close_again_for_the_same_reason_changes_nothing_and_for_another_is_refused(store: Store) -> None:
    created = await store.items.create(BOARD, new("a"))
    closed = await store.items.close(BOARD, created.id, "merged", DEVELOPER)
    assert await store.items.close(BOARD, created.id, "merged", KIM) == closed
    with pytest.raises(BoardRefused, match="is closed already: merged"):
        await store.items.close(BOARD, created.id, "given up", KIM)
    opened = await store.items.update(BOARD, created.id, ItemChange(status=ItemStatus.OPEN), KIM)
    assert (opened.closed_at, opened.close_reason) == (None, "")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (new(" "), "An item needs a title"),
        (new("x" * 501), "An item needs a title"),
        (new("a", kind="two words"), "The type of an item is a plain word"),
        (new("a", priority=5), "A priority is a number from 0"),
        (new("a", description="x" * 16_001), "too long"),
        (new("a", "mb-none"), "There is no item mb-none"),
    ],
)
async def test_what_is_no_item_is_refused(store: Store, given: NewItem, sentence: str) -> None:
    with pytest.raises(BoardRefused, match=sentence):
        await store.items.create(BOARD, given)
    assert await store.items.all_items(BOARD) == []


async def test_nobody_closes_without_a_reason_nor_what_is_not_there(store: Store) -> None:
    created = await store.items.create(BOARD, new("a"))
    with pytest.raises(BoardRefused, match="needs a reason"):
        await store.items.close(BOARD, created.id, " ", KIM)
    with pytest.raises(BoardRefused, match="There is no item"):
        await store.items.close(BoardId("repository/docs"), created.id, "done", KIM)


async def test_of_a_file_the_newer_counts_and_a_cycle_in_it_is_cut_and_told(store: Store) -> None:
    await store.items.take_in(BOARD, [item("a", minutes=5), item("b", minutes=5)])
    taken = await store.items.take_in(
        BOARD,
        [item("a", "b", minutes=6, title="newer"), item("b", minutes=4, title="older"), item("c", "d"), item("d", "c")],
    )
    assert (taken.new, taken.changed, taken.known) == (2, 1, 1)
    assert len(taken.problems) == 1
    assert "c → d → c" in taken.problems[0]
    assert [(each.id, each.title, each.imported) for each in await store.items.all_items(BOARD)][:2] == [
        ("a", "newer", True),
        ("b", "b", True),
    ]
    assert titles(await store.items.query(BOARD, ItemQuery(ready=True))) == ["b", "c"]


async def test_a_file_changes_an_item_that_was_made_here_only_where_a_person_asked(store: Store) -> None:
    made = await store.items.create(BOARD, new("a"))
    later = replace(made, title="b", updated_at=made.updated_at + timedelta(days=1), status=ItemStatus.CLOSED)
    assert await store.items.take_in(BOARD, [later]) == TakenIn(known=1)
    assert await store.items.all_items(BOARD) == [made]
    assert await store.items.take_in(BOARD, [later], own_too=True) == TakenIn(changed=1)
    assert await store.items.all_items(BOARD) == [replace(later, imported=True)]


async def test_a_file_of_a_chain_as_long_as_a_board_is_taken_in_and_one_with_many_cycles_is_not(store: Store) -> None:
    chain = [item(f"i{number}", f"i{number + 1}") for number in range(5_000)]
    assert (await store.items.take_in(BOARD, chain)).new == 5_000
    # The chain of the board stays as it is: what the file brought is cut.
    closing = await store.items.take_in(BOARD, [item("i5000", "i0", "i1")])
    assert [problem.count("→") for problem in closing.problems] == [5_001, 5_000]
    pairs = [item(f"{here}{number}", f"{there}{number}") for number in range(21) for here, there in ("ab", "ba")]
    with pytest.raises(BoardRefused, match="More than 20 items of the file wait for themselves"):
        await store.items.take_in(BOARD, pairs)
    assert len(await store.items.all_items(BOARD)) == 5_001


async def test_a_board_is_that_of_the_repository_or_of_the_conversation(store: Store) -> None:
    thread = ConversationKey(Platform("slack"), "C1/x", "17.5")
    assert board_of("shop", thread) == BOARD
    assert board_of(SCRATCH, thread) == "conversation/slack/C1%2Fx/17.5"
    assert board_of(SCRATCH, ConversationKey(Platform("slack"), "C1", "x/17.5")) != board_of(SCRATCH, thread)
    await store.items.create(board_of(SCRATCH, thread), new("a"))
    assert await store.items.boards() == [board_of(SCRATCH, thread)]
    assert await store.conversations.delete(thread)
    assert await store.items.boards() == []


async def test_what_only_differs_in_time_is_no_change(store: Store) -> None:
    created = await store.items.create(BOARD, new("a"))
    assert await store.items.update(BOARD, created.id, ItemChange(priority=created.priority), KIM) == created
    changed = await store.items.update(BOARD, created.id, ItemChange(labels=("x",)), KIM)
    assert changed == replace(created, labels=("x",), updated_by=KIM, updated_at=changed.updated_at)
