"""Items as JSON Lines in the form of `bd export` (beads), one issue to a line, so that both programs read both."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mama_bot.boards import sentences as says
from mama_bot.boards.item_steps import MOST_TEXT, MOST_TITLE
from mama_bot.boards.json_lines import BadLine, JsonLine, json_line, lines_of, moment_field, text_field
from mama_bot.model import (
    MOST_PRIORITY,
    USUAL_PRIORITY,
    AuthorKind,
    Contributor,
    Dependency,
    DependencyKind,
    ItemId,
    ItemStatus,
    WorkItem,
)
from mama_bot.wording import one_line

DELETED = "tombstone"
# So that what is written of an item is a line that can be read again.
MOST_DEPENDENCIES = 500
# What beads writes and an item has: everything else of a line is kept as it stands.
OWN_FIELDS = frozenset(
    (
        *("id", "title", "description", "status", "priority", "issue_type", "assignee", "labels", "dependencies"),
        *("created_at", "created_by", "updated_at", "updated_by", "closed_at", "close_reason"),
    )
)
_ID = re.compile(r"\w[\w.:-]{0,99}")
_KIND = re.compile(r"[^\W\d_][\w-]{0,30}")
# A status of beads, or of whoever uses it, that an item has not: it is open, or waits for something.
_STATUSES: Mapping[str, ItemStatus] = {
    **{status.value: status for status in ItemStatus},
    "in-progress": ItemStatus.IN_PROGRESS,
    "hooked": ItemStatus.IN_PROGRESS,
}


def item_line(item: WorkItem) -> str:
    """Return an item as a line."""
    line = {
        "id": item.id,
        "title": item.title,
        "description": item.description,
        "status": item.status.value,
        "priority": item.priority,
        "issue_type": item.kind,
        "assignee": item.assignee,
        "labels": list(item.labels),
        "created_at": item.created_at.isoformat(),
        "created_by": item.created_by.name,
        "updated_at": item.updated_at.isoformat(),
        "updated_by": item.updated_by.name if item.updated_by is not None else "",
        "closed_at": item.closed_at.isoformat() if item.closed_at is not None else None,
        "close_reason": item.close_reason,
        "dependencies": [
            {
                "issue_id": item.id,
                "depends_on_id": each.on,
                "type": each.other or each.kind.value,
                "created_at": item.created_at.isoformat(),
                "created_by": item.created_by.name,
            }
            for each in item.dependencies
        ],
    }
    return json_line({**item.extra, **line})


def items_of(text: str) -> tuple[list[WorkItem], list[BadLine]]:
    """Return the items of a text, of those with one id the newest, and the lines that hold none."""
    items: dict[str, WorkItem] = {}
    bad: list[BadLine] = []
    for line in lines_of(text):
        if isinstance(line, JsonLine) and line.value.get("status") == DELETED:
            continue
        item = _item(line) if isinstance(line, JsonLine) else line
        if isinstance(item, BadLine):
            bad.append(item)
        elif item.id not in items or items[item.id].updated_at < item.updated_at:
            items[item.id] = item
    return list(items.values()), bad


def _item(line: JsonLine) -> WorkItem | BadLine:
    value = line.value
    identifier, title = text_field(value, "id"), one_line(text_field(value, "title"))
    if _ID.fullmatch(identifier) is None:
        return _lacks(line, "id")
    if not title:
        return _lacks(line, "title")
    updated_at = moment_field(value, "updated_at", "created_at")
    if updated_at is None:
        return _lacks(line, "updated_at")
    return _item_of(value, ItemId(identifier), title[:MOST_TITLE], updated_at)


def _item_of(value: Mapping[str, Any], identifier: ItemId, title: str, updated_at: datetime) -> WorkItem:
    status = _STATUSES.get(text_field(value, "status"), ItemStatus.OPEN)
    is_closed = status is ItemStatus.CLOSED
    kind = text_field(value, "issue_type")
    labels = value.get("labels")
    return WorkItem(
        id=identifier,
        title=title,
        description=text_field(value, "description")[:MOST_TEXT],
        status=status,
        kind=kind if _KIND.fullmatch(kind) else "task",
        priority=_priority(value),
        assignee=one_line(text_field(value, "assignee"), 100),
        labels=tuple(one_line(label, 100) for label in labels[:50] if isinstance(label, str))
        if isinstance(labels, list)
        else (),
        dependencies=_dependencies(value.get("dependencies"), identifier),
        created_by=_contributor(text_field(value, "created_by")),
        created_at=moment_field(value, "created_at") or updated_at,
        updated_at=updated_at,
        updated_by=_contributor(text_field(value, "updated_by")) if text_field(value, "updated_by") else None,
        closed_at=(moment_field(value, "closed_at") or updated_at) if is_closed else None,
        close_reason=text_field(value, "close_reason")[:MOST_TEXT] if is_closed else "",
        imported=True,
        extra={name: field for name, field in value.items() if name not in OWN_FIELDS},
    )


def _priority(value: Mapping[str, Any]) -> int:
    """Return the priority of an issue: 0 where its line has none, which some releases of beads leave out."""
    priority = value.get("priority", 0)
    return priority if isinstance(priority, int) and 0 <= priority <= MOST_PRIORITY else USUAL_PRIORITY


def _dependencies(given: object, identifier: ItemId) -> tuple[Dependency, ...]:
    dependencies: dict[tuple[str, str], Dependency] = {}
    for each in given if isinstance(given, list) else ():
        if not isinstance(each, dict) or text_field(each, "issue_id") not in ("", identifier):
            continue
        on, kind = text_field(each, "depends_on_id", "id"), text_field(each, "type") or DependencyKind.BLOCKS.value
        if _ID.fullmatch(on) is None:
            continue
        known = kind in set(DependencyKind)
        if len(dependencies) == MOST_DEPENDENCIES:
            break
        dependencies[on, kind] = Dependency(
            on=ItemId(on),
            kind=DependencyKind(kind) if known else DependencyKind.RELATED,
            other="" if known else kind[:60],
        )
    return tuple(dependencies.values())


def _contributor(name: str) -> Contributor:
    return Contributor(name=one_line(name, 100) or "?", kind=AuthorKind.AGENT)


def _lacks(line: JsonLine, field: str) -> BadLine:
    return BadLine(number=line.number, reason=says.LACKS.of(field=field))
