"""What a file of items changes on a board: the newer line counts, and no item comes to wait for itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mama_bot.boards import sentences as says
from mama_bot.boards.item_graph import Items, first_cycle, is_holding
from mama_bot.errors import BoardRefused
from mama_bot.model import ItemId, TakenIn, WorkItem
from mama_bot.wording import Language

# Each cycle costs a walk over the board, and its way is told: a file with more of them is none that a program wrote.
MOST_CYCLES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingItems:
    """The items that a board is to keep after a file, and what is told of it."""

    items: tuple[WorkItem, ...]
    taken_in: TakenIn


def incoming_items(items: Sequence[WorkItem], there: Items, *, own_too: bool) -> IncomingItems:
    """Return what items of a file are to change, those that were made here only with `own_too`.

    Raises BoardRefused for a file with many cycles.
    """
    taken: dict[ItemId, WorkItem] = {}
    known = 0
    for item in items:
        other = taken.get(item.id) or there.get(item.id)
        is_kept = other is not None and not (other.imported or own_too)
        if is_kept or (other is not None and other.updated_at >= item.updated_at):
            known += item.id not in taken
        else:
            taken[item.id] = replace(item, imported=True)
    new = sum(identifier not in there for identifier in taken)
    kept, ways = _without_cycles(taken, there)
    problems = tuple(says.LEFT_CYCLE.to(Language.ENGLISH, id=way[0], path=" → ".join(way)) for way in ways)
    told = TakenIn(new=new, changed=len(taken) - new, known=known, problems=problems)
    return IncomingItems(items=kept, taken_in=told)


def _without_cycles(
    taken: dict[ItemId, WorkItem], there: Items
) -> tuple[tuple[WorkItem, ...], Sequence[tuple[ItemId, ...]]]:
    """Return the items without the dependencies by which one would wait for itself, and the ways of those."""
    items, kept, ways = {**there, **taken}, dict(taken), list[tuple[ItemId, ...]]()
    while cycle := first_cycle(taken, items):
        if len(ways) == MOST_CYCLES:
            raise BoardRefused(says.MANY_CYCLES.of(most=MOST_CYCLES))
        # What a file brought gives way to what was there.
        at = next((place for place, each in enumerate(cycle) if each in taken), 0)
        way = (*cycle[at:-1], *cycle[: at + 1])
        item = items[way[0]]
        left = tuple(each for each in item.dependencies if each.on != way[1] or not is_holding(each))
        items[item.id] = kept[item.id] = replace(item, dependencies=left)
        ways.append(way)
    return tuple(kept.values()), ways
