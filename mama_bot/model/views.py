"""What is read back from the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from mama_bot.model.claims import ClaimReceipt
from mama_bot.model.conversations import ConversationKey, InboundMessage
from mama_bot.model.facts import Facts
from mama_bot.model.ids import MessageId
from mama_bot.model.judgements import Attempt
from mama_bot.model.message_standings import WaitingLine
from mama_bot.model.posts import Post
from mama_bot.model.reports import ReportStanding
from mama_bot.model.turns import Turn, TurnState


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A turn with all that the store knows of it.

    `asked` is the attempt that the agent was last asked for (-1: never): an attempt that was asked for and has no
    entry in `attempts` was cut off. `earlier` is what the persona's turns showed in the conversation before this one,
    since it began or began anew, as long as this one is not final: empty for the first, None where nobody knows; its
    `ci` is what the forge says now.
    """

    turn: Turn
    state: TurnState
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    asked: int = -1
    attempts: tuple[Attempt, ...] = ()
    earlier: Facts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One person's message and every turn that answers it, oldest first.

    `stop_asked_by` is who asked for a stop while it ran (None: nobody), `stopped` says that nothing more comes of it.
    `added` are the messages that were told to an agent at work in it, in order.
    """

    message: InboundMessage
    turns: tuple[StoredTurn, ...] = ()
    stopped: bool = False
    stop_asked_by: str | None = None
    added: tuple[InboundMessage, ...] = ()

    @property
    def request(self) -> InboundMessage:
        """All that was asked for: the message with the words and files of those that were added to it."""
        if not self.added:
            return self.message
        asked = (self.message, *self.added)
        requests = [message.request or message.text for message in asked]
        return replace(
            self.message,
            text="\n\n".join(message.text for message in asked if message.text),
            request="\n\n".join(filter(None, requests)) if self.message.request else "",
            attachments=tuple(file for message in asked for file in message.attachments),
        )


class StopScope(StrEnum):
    """What of a conversation is to stop: USUAL is what runs, else what waits."""

    USUAL = "usual"
    WAITING = "waiting"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopAsked:
    """What a request to stop led to: the exchange that runs and is to stop, and those that waited and are stopped.

    `already` says that what runs was to stop before.
    """

    running: MessageId | None = None
    ended: tuple[Exchange, ...] = ()
    already: bool = False

    def __bool__(self) -> bool:
        """Whether the request changed anything: asking for the same stop again does not."""
        return self.running is not None or bool(self.ended)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxEntry:
    """A post and how far it got.

    `tried` has the platform's id of each part that was ever about to be sent, "" where the outcome is not known; it is
    read for posts that wait, and for one that is asked for by its id.
    """

    post: Post
    created_at: datetime
    posted_at: datetime | None = None
    failure: str = ""
    tried: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSummary:
    """One line of the list of conversations; `waiting` counts messages that are not answered yet."""

    key: ConversationKey
    title: str
    last_at: datetime
    waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationView:
    """All that a person may see of a conversation: what was said, posted, done, proven and reported, oldest first.

    `added` are the messages that were told to an agent at work on another one.
    """

    key: ConversationKey
    messages: tuple[InboundMessage, ...] = ()
    posts: tuple[OutboxEntry, ...] = ()
    turns: tuple[StoredTurn, ...] = ()
    queued: tuple[MessageId, ...] = ()
    reports: tuple[ReportStanding, ...] = ()
    receipts: tuple[ClaimReceipt, ...] = ()
    added: tuple[MessageId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of the messages that were added to an exchange: `taken` by its agents, or `left` in line again.

    `line` is who waits in the conversation.
    """

    taken: tuple[InboundMessage, ...] = ()
    left: tuple[InboundMessage, ...] = ()
    line: WaitingLine = field(default_factory=WaitingLine)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """How much waits and how much runs, in messages."""

    waiting: int
    running: int
    limit: int
