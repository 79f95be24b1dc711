"""Dependencies block, a way that leads back is found, and ready means that nothing open is in the way."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mama_bot.boards.item_graph import BLOCKS, HOLDS, cycle_of, first_cycle, is_ready, open_blockers
from mama_bot.model import Dependency, DependencyKind, ItemId, ItemStatus, WorkItem
from tests.boards.making import item

IDS = [ItemId(letter) for letter in "abcdef"]
EDGES = st.lists(
    st.tuples(st.sampled_from(IDS), st.sampled_from(IDS), st.sampled_from(list(DependencyKind))), max_size=20
)
STATUSES = st.lists(st.sampled_from(list(ItemStatus)), min_size=len(IDS), max_size=len(IDS))


def board(edges: list[tuple[ItemId, ItemId, DependencyKind]], statuses: list[ItemStatus]) -> dict[ItemId, WorkItem]:
    """The items with those of the edges that are not refused, added one after the other."""
    items = {each: item(each, status=status) for each, status in zip(IDS, statuses, strict=True)}
    for source, target, kind in edges:
        dependency = Dependency(on=target, kind=kind)
        if not cycle_of(source, [dependency], items):
            kept = (*items[source].dependencies, dependency)
            items[source] = WorkItem(
                id=source,
                title=source,
                created_by=items[source].created_by,
                created_at=items[source].created_at,
                updated_at=items[source].updated_at,
                status=items[source].status,
                dependencies=kept,
            )
    return items


def reach(start: ItemId, items: Mapping[ItemId, WorkItem]) -> set[ItemId]:
    """What an item waits for over any number of steps, told the slow way: until nothing comes to it."""
    reached: set[ItemId] = set()
    while True:
        ends = reached | {start}
        wider = {each.on for end in ends for each in items[end].dependencies if each.kind in HOLDS}
        if wider <= reached:
            return reached
        reached |= wider


@given(EDGES, STATUSES)
def test_no_item_ever_waits_for_itself(
    edges: list[tuple[ItemId, ItemId, DependencyKind]], statuses: list[ItemStatus]
) -> None:
    items = board(edges, statuses)
    assert not any(each in reach(each, items) for each in IDS)


@given(EDGES, STATUSES, st.sampled_from(IDS), st.sampled_from(IDS))
def test_a_refusal_names_a_way_that_is_there(
    edges: list[tuple[ItemId, ItemId, DependencyKind]], statuses: list[ItemStatus], source: ItemId, target: ItemId
) -> None:
    items = board(edges, statuses)
    path = cycle_of(source, [Dependency(on=target)], items)
    assert bool(path) == (source == target or source in reach(target, items))
    if path:
        assert path[:2] == (source, target)
        assert path[-1] == source
        for here, there in pairwise(path[1:]):
            assert there in {each.on for each in items[here].dependencies if each.kind in HOLDS}


@given(EDGES)
def test_of_a_whole_board_a_way_that_leads_back_is_found_where_one_is(
    edges: list[tuple[ItemId, ItemId, DependencyKind]],
) -> None:
    items = {each: item(each) for each in IDS}
    for source, target, kind in edges:
        dependencies = (*items[source].dependencies, Dependency(on=target, kind=kind))
        items[source] = replace(items[source], dependencies=dependencies)
    way = first_cycle(IDS, items)
    assert bool(way) == any(each in reach(each, items) for each in IDS)
    assert way[:1] == way[-1:]
    for here, there in pairwise(way):
        assert there in {each.on for each in items[here].dependencies if each.kind in HOLDS}


@given(EDGES, STATUSES)
def test_ready_is_what_is_open_and_neither_it_nor_a_parent_is_blocked(
    edges: list[tuple[ItemId, ItemId, DependencyKind]], statuses: list[ItemStatus]
) -> None:
    items = board(edges, statuses)

    def blocked(each: ItemId) -> bool:
        return any(
            (dependency.kind in BLOCKS and items[dependency.on].is_open)
            or (dependency.kind is DependencyKind.PARENT_CHILD and blocked(dependency.on))
            for dependency in items[each].dependencies
        )

    for each in IDS:
        assert is_ready(items[each], items) == (items[each].status is ItemStatus.OPEN and not blocked(each))
        assert bool(open_blockers(items[each], items)) == blocked(each)


def test_what_is_not_there_and_what_is_closed_block_nothing() -> None:
    items = {each.id: each for each in (item("a", "b", "gone"), item("b", status=ItemStatus.CLOSED))}
    assert is_ready(items[ItemId("a")], items)


def test_an_open_parent_blocks_no_child_but_what_blocks_it_does() -> None:
    child = item("child", "parent", kind=DependencyKind.PARENT_CHILD)
    items = {each.id: each for each in (child, item("parent", "first"), item("first"))}
    assert open_blockers(child, items) == ("first",)
    items[ItemId("first")] = item("first", status=ItemStatus.CLOSED)
    assert is_ready(child, items)
