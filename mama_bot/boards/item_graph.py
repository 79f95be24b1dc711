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
    ways: list[tuple[ItemId, ...]] = [(item, on) for on in _held_by(dependencies)]
    seen: set[ItemId] = set()
    while ways:
        way = ways.pop()
        last = way[-1]
        if last == item:
            return way
        if last in seen or last not in items:
            continue
        seen.add(last)
        ways += [(*way, on) for on in _held_by(items[last].dependencies)]
    return ()


def most_urgent_first(items: Iterable[WorkItem]) -> Sequence[WorkItem]:
    """Return items with the most urgent first, of equal ones the oldest."""
    return sorted(items, key=lambda item: (item.priority, item.created_at, item.id))


def _held_by(dependencies: Iterable[Dependency]) -> Sequence[ItemId]:
    return [each.on for each in dependencies if each.kind in HOLDS and not each.other]
