"""What blocks what: pure functions of the items of one board."""

from collections.abc import Iterable, Mapping, Sequence

from mama_bot.model import Dependency, DependencyKind, ItemId, ItemStatus, WorkItem

BLOCKS = frozenset({DependencyKind.BLOCKS, DependencyKind.CONDITIONAL_BLOCKS, DependencyKind.WAITS_FOR})
HOLDS = BLOCKS | {DependencyKind.PARENT_CHILD}  # along these no way may lead back to where it began

Items = Mapping[ItemId, WorkItem]


def open_blockers(item: WorkItem, items: Items) -> tuple[ItemId, ...]:
    """Return the open items that block an item or one of its parents, each once; those that are not there do not."""
    blockers: dict[ItemId, None] = {}
    seen, waiting = {item.id}, [item]
    while waiting:
        dependencies = waiting.pop().dependencies
        for dependency in dependencies:
            other = items.get(dependency.on)
            if other is None or dependency.other:
                continue
            if dependency.kind in BLOCKS and other.is_open:
                blockers[other.id] = None
            if dependency.kind is DependencyKind.PARENT_CHILD and other.id not in seen:
                seen.add(other.id)
                waiting.append(other)
    return tuple(blockers)


def is_ready(item: WorkItem, items: Items) -> bool:
    """Return whether an item can be begun: it is open, nobody has it in hand, and nothing open blocks it."""
    return item.status is ItemStatus.OPEN and not open_blockers(item, items)


def cycle_of(item: ItemId, dependencies: Iterable[Dependency], items: Items) -> tuple[ItemId, ...]:
    """Return the way on which an item with these dependencies would wait for itself, from it to it; () for none."""
    before: dict[ItemId, ItemId] = {}
    waiting = [(item, on) for on in _held_by(dependencies)]
    while waiting:
        last, on = waiting.pop()
        if on == item:
            return (*_way(item, last, before), item)
        if on in before or on not in items:
            continue
        before[on] = last
        waiting += [(on, each) for each in _held_by(items[on].dependencies)]
    return ()


def first_cycle(begins: Iterable[ItemId], items: Items) -> tuple[ItemId, ...]:
    """Return a way on which an item waits for itself that can be reached from some, from it to it; () for none."""
    done: set[ItemId] = set()
    for begin in begins:
        # What is on the way, in its order, each with what of its dependencies was not looked at yet.
        way = {begin: iter(_held_by(items[begin].dependencies))} if begin not in done else {}
        while way:
            last = next(reversed(way))
            on = next(way[last], None)
            if on is None:
                done.add(last)
                del way[last]
            elif on in way:
                ids = tuple(way)
                return (*ids[ids.index(on) :], on)
            elif on not in done and on in items:
                way[on] = iter(_held_by(items[on].dependencies))
    return ()


def is_holding(dependency: Dependency) -> bool:
    """Return whether no way along a dependency may lead back to where it began."""
    return dependency.kind in HOLDS and not dependency.other


def most_urgent_first(items: Iterable[WorkItem]) -> Sequence[WorkItem]:
    """Return items with the most urgent first, of equal ones the oldest."""
    return sorted(items, key=lambda item: (item.priority, item.created_at, item.id))


def _held_by(dependencies: Iterable[Dependency]) -> Sequence[ItemId]:
    return [each.on for each in dependencies if is_holding(each)]


def _way(begin: ItemId, end: ItemId, before: Mapping[ItemId, ItemId]) -> Sequence[ItemId]:
    way = [end]
    while way[-1] != begin:
        way.append(before[way[-1]])
    return way[::-1]
