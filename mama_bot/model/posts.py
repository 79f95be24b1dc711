"""Replies and notices as they are posted, and what the shared context remembers."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Literal

from mama_bot.model.conversations import Author, AuthorKind, ConversationKey, InboundMessage
from mama_bot.model.ids import ChangeId, MessageId, PostId, TurnId
from mama_bot.model.judgements import Cleared, Judgement, Verdict
from mama_bot.model.parts import OutgoingFile
from mama_bot.model.texts import keep_well_formed
from mama_bot.wording import Language, language_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What an agent says, cleared by the chain: `judgement` is of exactly this `text`.

    `answers` is the person's message that the exchange is about; `files` lie outside the workspace, as they were.
    `record_line` says in one line of the service what the record shows of the work ("": nothing). `change` is what the
    turn changed in a work tree that can be shown and undone; `can_merge` says that the tree has a branch to merge,
    `publishes` how it leaves: by a pull request ("pr"), or as a branch ("push").
    `language` is that of the person (None: of an earlier release, which kept none); the agent may write in another.
    """

    id: PostId
    turn_id: TurnId
    key: ConversationKey
    persona: str
    display_name: str
    text: str
    judgement: Judgement
    avatar: str = ""
    verdict: Verdict = Verdict.PASSED
    banners: tuple[str, ...] = ()
    answers: MessageId | None = None
    files: tuple[OutgoingFile, ...] = ()
    record_line: str = ""
    language: Language | None = None
    change: ChangeId | None = None
    can_merge: bool = False
    publishes: Literal["", "push", "pr"] = ""
    kind: Literal["reply"] = "reply"

    def __post_init__(self) -> None:
        keep_well_formed(self, "text", "banners", "record_line")

    @property
    def body(self) -> str:
        """The banners, each on its own line, then the text as the agent wrote it."""
        return "\n".join((*self.banners, self.text))

    @property
    def for_agents(self) -> str:
        """What other agents read of it."""
        outcome = self.judgement.outcome
        words = outcome.for_agents if isinstance(outcome, Cleared) else None
        return self.text if words is None else words


class NoticeKind(StrEnum):
    """The reason for which the service itself writes a line."""

    WITHHELD = "withheld"
    FAILED = "failed"
    STOPPED = "stopped"
    HOPS_SPENT = "hops_spent"
    LOOP = "loop"
    REFUSED = "refused"
    NOT_ROUTED = "not_routed"
    DELEGATION = "delegation"
    BREAKER = "breaker"
    OWNER_ALARM = "rule_alarm"  # as it stands in databases since rules had alarms alone
    NEEDS_PERSON = "needs_person"
    BEGUN_ANEW = "begun_anew"
    BACKEND = "backend"
    PAIRING = "pairing"
    DEED = "deed"
    UNDONE = "undone"  # a deed too: what it took back can be brought back
    DIFF = "diff"
    PULL_REQUEST = "pull_request"
    TRIGGER = "trigger"
    QUESTION = "question"
    ASKED = "asked"
    CHECKPOINT = "checkpoint"
    ANSWERED = "answered"
    REPOSITORY = "repository"
    CONSENSUS = "consensus"
    ISSUES_FILED = "issues_filed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A line by the service itself; it holds no words of an agent but the findings of a review that was cleared.

    With an `approval` (its id) it asks for a decision: the gateway shows buttons to approve and to deny, or `choices`,
    the answers that an agent offers to its question, and below its text `ending`, how to decide. `settles` is a post
    that asked: a gateway that can shows this text as the ending of that post. `change` is what was changed in a work
    tree that can be shown and undone, `undoes` the change that it took back.
    `language` is that of the person (None: that of the text).
    """

    id: PostId
    key: ConversationKey
    notice: NoticeKind
    text: str
    turn_id: TurnId | None = None
    answers: MessageId | None = None
    approval: str = ""
    ending: str = ""
    choices: tuple[str, ...] = ()
    settles: PostId | None = None
    change: ChangeId | None = None
    undoes: ChangeId | None = None
    language: Language | None = None
    kind: Literal["notice"] = "notice"

    def __post_init__(self) -> None:
        keep_well_formed(self, "text", "ending")

    @property
    def body(self) -> str:
        """The text, and its ending as a paragraph of its own."""
        return "\n\n".join(filter(None, (self.text, self.ending)))

    def settled(self, outcome: str) -> "Notice":
        """Return the post once it was decided: nothing is asked any more, and its ending says what came of it."""
        return replace(self, ending=outcome, approval="", choices=())


Post = Reply | Notice


def language_of_post(post: Post) -> Language:
    """Return the language of the person whom a post is for, in which its buttons speak."""
    return post.language or language_of(post.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof of posting."""

    post_id: PostId
    platform_ids: tuple[str, ...]
    posted_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextEntry:
    """One line of a conversation's shared context: what a person said, or what passed enforcement.

    `part` is the delegated task that an agent's words are about ("": what a person asked), `work_tree` the delegation
    in whose own work tree they were written (None: in that of the conversation).
    """

    author: Author
    text: str
    at: datetime
    verdict: Verdict | None = None
    part: str = ""
    work_tree: TurnId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedContext:
    """What an agent is shown of a conversation: the latest entries, and before them the beginnings of `earlier` ones.

    `left_out` counts those that are older still, and told nowhere.
    """

    entries: tuple[ContextEntry, ...] = ()
    earlier: tuple[ContextEntry, ...] = ()
    left_out: int = 0

    def without(self, kind: AuthorKind) -> "SharedContext":
        """Return the context without what authors of a kind said."""
        entries, earlier = (
            tuple(entry for entry in part if entry.author.kind is not kind) for part in (self.entries, self.earlier)
        )
        return replace(self, entries=entries, earlier=earlier)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldBefore:
    """What an agent is told of its conversation before it is asked: the context, and earlier messages in `full`, which
    came with files or are long. `is_added` says that something was added to the request that no agent was told of.
    """

    context: SharedContext
    full: tuple[InboundMessage, ...] = ()
    is_added: bool = False
