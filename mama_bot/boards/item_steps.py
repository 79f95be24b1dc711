"""How an item comes to be and changes: pure functions that refuse what a board does not take."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from mama_bot.boards import sentences as says
from mama_bot.boards.item_graph import Items, cycle_of
from mama_bot.errors import BoardRefused
from mama_bot.model import (
    MOST_PRIORITY,
    Contributor,
    Dependency,
    ItemChange,
    ItemId,
    ItemStatus,
    NewItem,
    WorkItem,
)
from mama_bot.wording import one_line

MOST_TITLE = 500
MOST_TEXT = 16_000
_KIND = re.compile(r"[^\W\d_][\w-]{0,30}")


def item_of(new: NewItem, identifier: ItemId, at: datetime, items: Items) -> WorkItem:
    """Return a new item, checked against those that are there; raises BoardRefused."""
    item = WorkItem(
        id=identifier,
        title=one_line(new.title),
        description=new.description.strip(),
        kind=new.kind,
        priority=new.priority,
        assignee=new.assignee.strip(),
        labels=new.labels,
        created_by=new.by,
        created_at=at,
        updated_at=at,
        turn_id=new.turn_id,
    )
    return _with_dependencies(_checked(item), new.dependencies, items)


def changed_item(item: WorkItem, change: ItemChange, by: Contributor, at: datetime, items: Items) -> WorkItem:
    """Return an item as a change leaves it, itself where nothing of it is otherwise; raises BoardRefused."""
    given = {
        name: value
        for name in ("description", "status", "kind", "priority", "assignee", "labels", "close_reason")
        if (value := getattr(change, name)) is not None
    }
    if change.title is not None:
        given["title"] = one_line(change.title)
    kept = tuple(each for each in item.dependencies if each.on not in change.removes)
    after = _checked(replace(item, dependencies=kept, **given))
    after = _with_dependencies(after, [each for each in change.adds if each not in kept], items)
    if after.status is ItemStatus.CLOSED and not after.close_reason.strip():
        raise BoardRefused(says.NO_REASON)
    if after == item:
        return item
    if not after.is_open and item.is_open:
        after = replace(after, closed_at=at)
    elif after.is_open and not item.is_open:
        after = replace(after, closed_at=None, close_reason="")
    return replace(after, updated_at=max(at, item.updated_at), updated_by=by)


def closed_item(item: WorkItem, reason: str, by: Contributor, at: datetime, items: Items) -> WorkItem:
    """Return an item as it is when it was closed for a reason; raises BoardRefused where it was closed for another."""
    reason = reason.strip()
    if not item.is_open and reason not in ("", item.close_reason):
        raise BoardRefused(says.CLOSED_ALREADY.of(id=item.id, reason=one_line(item.close_reason, 200)))
    return changed_item(item, ItemChange(status=ItemStatus.CLOSED, close_reason=reason), by, at, items)


def _checked(item: WorkItem) -> WorkItem:
    if not item.title or len(item.title) > MOST_TITLE:
        raise BoardRefused(says.NO_TITLE.of(most=MOST_TITLE))
    if len(item.description) > MOST_TEXT or len(item.close_reason) > MOST_TEXT:
        raise BoardRefused(says.TOO_LONG.of(most=MOST_TEXT))
    if _KIND.fullmatch(item.kind) is None:
        raise BoardRefused(says.NO_KIND.of(kind=one_line(item.kind, 40) or "?"))
    if not 0 <= item.priority <= MOST_PRIORITY:
        raise BoardRefused(says.NO_PRIORITY.of(priority=item.priority))
    return item


def _with_dependencies(item: WorkItem, added: Iterable[Dependency], items: Items) -> WorkItem:
    added = tuple(dict.fromkeys(added))
    for dependency in added:
        if dependency.on != item.id and dependency.on not in items:
            raise BoardRefused(says.NO_ITEM.of(id=one_line(dependency.on, 60)))
    if path := cycle_of(item.id, added, items):
        raise BoardRefused(says.CYCLE.of(path=" → ".join(path)))
    return replace(item, dependencies=(*item.dependencies, *added))
