"""Items in words, for people at a terminal and in a chat."""

from collections.abc import Iterator

from mama_bot.boards import sentences as says
from mama_bot.model import ItemStatus, ListedItem
from mama_bot.wording import Language, one_line

ROW_CHARACTERS = 100
MARKS = {
    ItemStatus.OPEN: "○",
    ItemStatus.IN_PROGRESS: "◐",
    ItemStatus.BLOCKED: "■",
    ItemStatus.DEFERRED: "…",
    ItemStatus.CLOSED: "●",
}


def item_row(listed: ListedItem, language: Language) -> str:
    """Return an item on one line: `○ mb-7k2f3  P1 bug  Rates are old (developer) · waits for mb-1`."""
    item = listed.item
    title = one_line(item.title, ROW_CHARACTERS)
    row = f"{MARKS[item.status]} {item.id}  P{item.priority} {item.kind}  {title}"
    if item.assignee:
        row += f" ({one_line(item.assignee, 40)})"
    if item.is_open and listed.blockers:
        row += f" · {says.WAITS_FOR.to(language, ids=', '.join(listed.blockers))}"
    return row


def item_lines(listed: ListedItem, language: Language) -> Iterator[str]:
    """Yield an item with all that is known of it."""
    item = listed.item
    yield item_row(listed, language)
    yield says.STANDS.to(language, status=STATUS_WORDS[item.status])
    at = f"{item.created_at.astimezone():%Y-%m-%d %H:%M}"
    yield says.CREATED_BY.to(language, name=item.created_by.name, at=at)
    if item.updated_by is not None:
        at = f"{item.updated_at.astimezone():%Y-%m-%d %H:%M}"
        yield says.CHANGED_BY.to(language, name=item.updated_by.name, at=at)
    if item.labels:
        yield says.LABELS.to(language, labels=", ".join(item.labels))
    for dependency in item.dependencies:
        yield f"{dependency.other or dependency.kind.value}: {dependency.on}"
    if item.close_reason:
        yield says.CLOSED_FOR.to(language, reason=item.close_reason)
    if item.description:
        yield ""
        yield from item.description.splitlines()


STATUS_WORDS = {
    ItemStatus.OPEN: says.OPEN,
    ItemStatus.IN_PROGRESS: says.IN_PROGRESS,
    ItemStatus.BLOCKED: says.BLOCKED,
    ItemStatus.DEFERRED: says.DEFERRED,
    ItemStatus.CLOSED: says.CLOSED,
}
