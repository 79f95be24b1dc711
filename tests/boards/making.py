"""Contributors, posts and items for the tests of boards."""

from datetime import UTC, datetime, timedelta

from mama_bot.model import (
    AuthorKind,
    BoardId,
    Contributor,
    Dependency,
    DependencyKind,
    ItemId,
    ItemStatus,
    TopicPost,
    TopicPostId,
    WorkItem,
)

BOARD = BoardId("repository/shop")
KIM = Contributor(name="김민수")
DEVELOPER = Contributor(name="developer", kind=AuthorKind.AGENT, model="opus", role="worker")
AT = datetime(2026, 1, 1, tzinfo=UTC)


def item(
    identifier: str,
    *on: str,
    status: ItemStatus = ItemStatus.OPEN,
    kind: DependencyKind = DependencyKind.BLOCKS,
    minutes: int = 0,
    title: str = "",
    priority: int = 2,
) -> WorkItem:
    return WorkItem(
        id=ItemId(identifier),
        title=title or identifier,
        priority=priority,
        created_by=DEVELOPER,
        created_at=AT,
        updated_at=AT + timedelta(minutes=minutes),
        status=status,
        dependencies=tuple(Dependency(on=ItemId(each), kind=kind) for each in on),
    )


def post(number: int, text: str = "네 개가 남았습니다.", topic: str = "deploy") -> TopicPost:
    identifier = TopicPostId(f"01J{number:023d}")
    return TopicPost(id=identifier, topic=topic, text=text, by=DEVELOPER, at=AT + timedelta(seconds=number))
