"""What a team keeps on its boards: topics with their posts, and work items with what they depend on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType
from urllib.parse import quote

from mama_bot.model.checked_out import SCRATCH
from mama_bot.model.conversations import AuthorKind, ConversationKey
from mama_bot.model.ids import TurnId
from mama_bot.model.judgements import Verdict
from mama_bot.model.texts import keep_well_formed

BoardId = NewType("BoardId", str)
ItemId = NewType("ItemId", str)
TopicPostId = NewType("TopicPostId", str)

MOST_PRIORITY = 4
USUAL_PRIORITY = 2
REPOSITORY_BOARD = "repository/"
CONVERSATION_BOARD = "conversation/"


def board_of(repository: str, key: ConversationKey) -> BoardId:
    """Return the board of a conversation: that of the repository it works in, or one of its own where it has none."""
    if repository != SCRATCH:
        return BoardId(f"{REPOSITORY_BOARD}{repository}")
    parts = (key.platform, key.channel, key.thread) if key.thread else (key.platform, key.channel)
    return BoardId(CONVERSATION_BOARD + "/".join(quote(part, safe=":@.,+-_ ") for part in parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributor:
    """Who wrote on a board: a persona, with its model and its role in that turn, or a person."""

    name: str
    kind: AuthorKind = AuthorKind.PERSON
    model: str = ""
    role: str = ""

    def __post_init__(self) -> None:
        keep_well_formed(self, "name", "model", "role")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTopicPost:
    """What is to be posted; in one turn the same words are posted to a topic once, however often that is asked.

    `verdict` is the chain's (None: a person wrote it).
    """

    topic: str
    text: str
    by: Contributor
    in_reply_to: TopicPostId | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    turn_id: TurnId | None = None
    verdict: Verdict | None = None

    def __post_init__(self) -> None:
        keep_well_formed(self, "topic", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPost:
    """One post of a topic: never changed, never removed; its `id` is a ULID, so ids sort by time.

    `imported` says that it came with a file of a repository: nobody here judged it, and its author is whoever that
    file names.
    """

    id: TopicPostId
    topic: str
    text: str
    by: Contributor
    at: datetime
    in_reply_to: TopicPostId | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    turn_id: TurnId | None = None
    verdict: Verdict | None = None
    imported: bool = False

    def __post_init__(self) -> None:
        keep_well_formed(self, "topic", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSummary:
    """A topic of a board with how much was posted to it, and when last."""

    board: BoardId
    topic: str
    posts: int
    last_at: datetime


class ItemStatus(StrEnum):
    """Where a work item stands."""

    OPEN = "open"
    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    DEFERRED = "deferred"
    CLOSED = "closed"


class DependencyKind(StrEnum):
    """How an item hangs on another; the names are those of beads.

    The first three block it. A child is blocked by what blocks its parent, not by its parent. The others only link.
    """

    BLOCKS = "blocks"
    CONDITIONAL_BLOCKS = "conditional-blocks"
    WAITS_FOR = "waits-for"
    PARENT_CHILD = "parent-child"
    RELATED = "related"
    DISCOVERED_FROM = "discovered-from"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """That an item hangs on another one; `other` is a kind of another program, which only links."""

    on: ItemId
    kind: DependencyKind = DependencyKind.BLOCKS
    other: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """A piece of work that outlives sessions and turns.

    `kind` is a plain word (task, bug, feature, chore, epic), `priority` 0 (first) to 4. `turn_id` is the turn that made
    it, `extra` what another program wrote of it, kept for it.
    """

    id: ItemId
    title: str
    created_by: Contributor
    created_at: datetime
    updated_at: datetime
    description: str = ""
    status: ItemStatus = ItemStatus.OPEN
    kind: str = "task"
    priority: int = USUAL_PRIORITY
    assignee: str = ""
    labels: tuple[str, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    updated_by: Contributor | None = None
    closed_at: datetime | None = None
    close_reason: str = ""
    turn_id: TurnId | None = None
    imported: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        keep_well_formed(self, "id", "title", "description", "kind", "assignee", "labels", "close_reason")

    @property
    def is_open(self) -> bool:
        """Whether there is something left to do."""
        return self.status is not ItemStatus.CLOSED


@dataclass(frozen=True, slots=True, kw_only=True)
class NewItem:
    """An item to be created; in one turn the same title of the same kind is created once."""

    title: str
    by: Contributor
    description: str = ""
    kind: str = "task"
    priority: int = USUAL_PRIORITY
    assignee: str = ""
    labels: tuple[str, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    turn_id: TurnId | None = None

    def __post_init__(self) -> None:
        keep_well_formed(self, "title", "description", "kind", "assignee", "labels")


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange:
    """What of an item is to be otherwise; None leaves it as it is. Dependencies are added and taken away by id."""

    title: str | None = None
    description: str | None = None
    status: ItemStatus | None = None
    kind: str | None = None
    priority: int | None = None
    assignee: str | None = None
    labels: tuple[str, ...] | None = None
    close_reason: str | None = None
    adds: tuple[Dependency, ...] = ()
    removes: tuple[ItemId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemQuery:
    """Which items are asked for; None asks for all. `ready` asks for open ones that nothing blocks."""

    status: ItemStatus | None = None
    kind: str | None = None
    assignee: str | None = None
    ready: bool = False
    closed_too: bool = False
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedItem:
    """An item with the open ones that block it, by whatever way."""

    item: WorkItem
    blockers: tuple[ItemId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """What came of taking in lines from a file: how many were new, newer than what was there, or known; and what was
    left out, a sentence for each."""

    new: int = 0
    changed: int = 0
    known: int = 0
    problems: tuple[str, ...] = ()
