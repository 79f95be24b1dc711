"""Work trees that delegations have of their own, and what becomes of the work in them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from mama_bot.model.checked_out import Checkout
from mama_bot.model.conversations import ConversationKey
from mama_bot.model.ids import MessageId, TurnId
from mama_bot.model.work_deeds import TreeMark


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegateTree:
    """The work tree of a delegation, made from how its sender's stood (`began`).

    `path` is below the data directory, `into` the delegation in whose work tree the sender works (None: it is that of
    the conversation), `ignored` what git ignored there from the beginning.
    """

    id: TurnId
    message_id: MessageId
    key: ConversationKey
    repository: str
    persona: str
    path: Path
    branch: str
    began: TreeMark
    made_at: datetime
    into: TurnId | None = None
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BringingPlan:
    """How the sender's work tree stood when work was about to be brought into it, and how it stands afterwards."""

    before: TreeMark
    after: TreeMark
    commits: int = 0
    branch: str = ""


class BroughtHow(StrEnum):
    """What became of the work of a delegation: it is in its sender's work tree, on a branch of its own (as is set, for
    a conflict, or because it came to no good end), still where it was made, lost with its work tree; or there is none.
    """

    MERGED = "merged"
    BRANCH = "branch"
    CONFLICT = "conflict"
    LEFT = "left"
    STAYS = "stays"
    LOST = "lost"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkBrought:
    """What became of the work of a delegation, and of how many files; `files` of a conflict are those that conflict.

    `branch` holds what is not in the sender's work tree, or not as commits ("": there is nothing of that), `beside` are
    the branches that hold the other branches and the stash of the delegation, `ignored` what was made of files that git
    ignores: they went with the work tree.
    """

    how: BroughtHow
    files: tuple[str, ...] = ()
    commits: int = 0
    branch: str = ""
    beside: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDelegateTree:
    """A work tree of a delegation with what is planned for its work and what became of it."""

    tree: DelegateTree
    plan: BringingPlan | None = None
    outcome: WorkBrought | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPlace:
    """Where a conversation works: its repository (None: not assigned), its work trees, put away or not, and those of
    its delegations whose work is not settled, the oldest first.
    """

    repository: str | None
    checkouts: tuple[Checkout, ...] = ()
    delegate_trees: tuple[DelegateTree, ...] = ()
