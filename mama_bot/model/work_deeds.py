"""What turns changed in a work tree, and what people do with it: undo, merge, discard, restore, push, publish."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from mama_bot.model.checked_out import Checkout
from mama_bot.model.conversations import Author, ConversationKey
from mama_bot.model.ids import ChangeId, DeedId
from mama_bot.model.pull_requests import ForgeKind
from mama_bot.wording import Language

# --- what changed


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeMark:
    """How a work tree stood: the git tree of its files, the commit that was checked out ("" before the first)."""

    files: str
    commit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkChange:
    """What a turn, or an undo, changed in the work tree of a conversation; `after` is None until it has ended.

    `asker` is the id of the person whom the turn worked for. `shared` says that others worked in the same directory
    meanwhile, `undoes` is the change that this one took back, `undone_by` the deed that took this one back.
    """

    id: ChangeId
    key: ConversationKey
    repository: str
    before: TreeMark
    at: datetime
    after: TreeMark | None = None
    files: int = 0
    added: int = 0
    removed: int = 0
    asker: str = ""
    shared: bool = False
    undoes: ChangeId | None = None
    undone_by: DeedId | None = None


# --- what people ask for


class DeedRight(StrEnum):
    """What somebody may do with the work of a conversation."""

    UNDO = "undo"
    MERGE = "merge"
    DISCARD = "discard"
    PUSH = "push"


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoChange:
    """Take a change back: of a turn, or of an earlier undo."""

    change: ChangeId
    kind: Literal["undo"] = "undo"


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeBranch:
    """Merge the branch of the conversation into the branch that its work began from.

    `anyway` says that it was asked for although something spoke against it.
    """

    anyway: bool = False
    kind: Literal["merge"] = "merge"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardWork:
    """Put the branch and the work tree of the conversation away, so that the next message begins anew."""

    kind: Literal["discard"] = "discard"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreWork:
    """Bring back what was discarded last; what the conversation has by then is put away in its place."""

    kind: Literal["restore"] = "restore"


@dataclass(frozen=True, slots=True, kw_only=True)
class PushBranch:
    """Push what is checked out in the conversation to its own branch at the source."""

    kind: Literal["push"] = "push"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPullRequest:
    """Push the branch, and open its pull request with this title ("": how the thread begins) where none is open."""

    title: str = ""
    kind: Literal["pull_request"] = "pull_request"


# Whoever adds a deed adds it here, to `RIGHT_OF`, and to `deeds.Deeds`: the type checker names the places.
Deed = UndoChange | MergeBranch | DiscardWork | RestoreWork | PushBranch | OpenPullRequest

RIGHT_OF: dict[type[Deed], DeedRight] = {
    UndoChange: DeedRight.UNDO,
    MergeBranch: DeedRight.MERGE,
    DiscardWork: DeedRight.DISCARD,
    RestoreWork: DeedRight.DISCARD,
    PushBranch: DeedRight.PUSH,
    OpenPullRequest: DeedRight.PUSH,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeedRequest:
    """A deed that a person asked for, in the repository that the conversation works in.

    `title` is the title of the conversation, `language` the one in which the thread is told, `node` the node that does
    it ("": one that does all alone).
    """

    id: DeedId
    key: ConversationKey
    repository: str
    deed: Deed
    by: Author
    at: datetime
    title: str = ""
    language: Language = Language.ENGLISH
    node: str = ""


# --- what came of it


class Refusal(StrEnum):
    """Why a deed was not done; what each is to a person stands in `deeds.sentences`.

    REFUSED: whoever was asked (the source, the forge) has a sentence of its own, which is the `detail`.
    """

    BUSY = "busy"
    NOTHING = "nothing"
    UNDONE_ALREADY = "undone_already"
    CHANGED_SINCE = "changed_since"
    SHARED = "shared"
    GONE = "gone"
    IN_PLACE = "in_place"
    NO_REMOTE = "no_remote"
    UNFINISHED_MERGE = "unfinished_merge"
    NOT_TAKEN = "not_taken"
    REPOSITORY_INSIDE = "repository_inside"
    LARGE_FILES_INSIDE = "large_files_inside"
    REFUSED = "refused"
    FAILED = "failed"


class ConflictKind(StrEnum):
    """How two sides of a merge differ in one file."""

    CONTENTS = "contents"
    DELETED = "deleted"
    BOTH_ADDED = "both_added"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictingFile:
    """A file that two sides changed in ways that git cannot bring together."""

    path: str
    how: ConflictKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """A change was taken back by `change`; with a `commit` where the one taken back had made commits.

    `again` says that it was itself an undo: what that had taken back is there again. `merged` is the branch that the
    change had been merged into before ("": none), and which keeps it.
    """

    change: ChangeId
    files: tuple[str, ...]
    commit: str = ""
    again: bool = False
    merged: str = ""
    kind: Literal["undone"] = "undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The work is in `branch`, at `commit`; `committed` files had been in no commit before, and were put into one.

    `left_out` is what runs left in the work tree, and was not.
    """

    branch: str
    commit: str
    committed: int = 0
    left_out: tuple[str, ...] = ()
    kind: Literal["merged"] = "merged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarded:
    """A work tree was put away, as `checkout` tells where it was."""

    checkout: Checkout
    kind: Literal["discarded"] = "discarded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What the deed `of` put away is back; `replaced` is the work tree that was put away in its place."""

    of: DeedId
    replaced: Checkout | None = None
    kind: Literal["restored"] = "restored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicting:
    """The work cannot be merged as it is; nothing was merged. `committed` as for `Merged`."""

    branch: str
    files: tuple[ConflictingFile, ...]
    committed: int = 0
    kind: Literal["conflicting"] = "conflicting"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotDone:
    """A deed was not done, and nothing was changed, but that `committed` files are in a commit of the thread's branch.

    `files` are those that stand in the way, `detail` is what git said.
    """

    why: Refusal
    files: tuple[str, ...] = ()
    detail: str = ""
    committed: int = 0
    kind: Literal["not_done"] = "not_done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """The source has `branch` at `commit`, with `ahead` commits that `target` lacks; the rest as for `Merged`.

    `is_new` says that it did not have it before.
    """

    branch: str
    target: str
    commit: str
    ahead: int
    committed: int = 0
    left_out: tuple[str, ...] = ()
    is_new: bool = True
    kind: Literal["pushed"] = "pushed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A pull request is open for what was pushed.

    `is_new` says that this deed opened it, `is_known` that the conversation was told of it before.
    """

    pushed: Pushed
    forge: ForgeKind
    number: int
    url: str
    title: str
    draft: bool = False
    is_new: bool = True
    is_known: bool = False
    kind: Literal["opened"] = "opened"


DeedOutcome = Undone | Merged | Discarded | Restored | Conflicting | Pushed | Opened | NotDone


# --- how far it is


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoPlan:
    """What an undo is about to do to a work tree: kept before it begins, so that a crash leaves nothing half done."""

    before: TreeMark
    after: TreeMark
    kind: Literal["undo"] = "undo"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardPlan:
    """What a work tree was, whose files and branches are kept, and which is about to go."""

    checkout: Checkout
    kind: Literal["discard"] = "discard"


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePlan:
    """The commit that is about to become the newest one of `branch`; the rest as for `Merged`."""

    branch: str
    commit: str
    committed: int = 0
    left_out: tuple[str, ...] = ()
    kind: Literal["merge"] = "merge"


@dataclass(frozen=True, slots=True, kw_only=True)
class PushPlan:
    """What is about to be pushed; `committed` as for `Merged`."""

    commit: str
    committed: int
    kind: Literal["push"] = "push"


DeedPlan = UndoPlan | DiscardPlan | MergePlan | PushPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDeed:
    """A deed with all that the store knows of it; it is open while it has no `outcome`."""

    request: DeedRequest
    plan: DeedPlan | None = None
    outcome: DeedOutcome | None = None
