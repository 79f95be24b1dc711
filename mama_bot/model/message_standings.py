"""How a message stands on its way to an answer."""

from dataclasses import dataclass
from enum import StrEnum

from mama_bot.model.conversations import ConversationKey, InboundMessage
from mama_bot.model.ids import MessageId
from mama_bot.wording import Language


class StandingState(StrEnum):
    """WAITING: it is stored; WORKING: its exchange has begun; ADDED: it was told to the agent at work; DONE."""

    WAITING = "waiting"
    WORKING = "working"
    ADDED = "added"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageStanding:
    """How a message stands: `ahead` counts the messages of its conversation before it while it is WAITING.

    With none before it, it waits for a free agent. `words` are its own.
    """

    message_id: MessageId
    key: ConversationKey
    state: StandingState
    ahead: int = 0
    language: Language = Language.ENGLISH
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InLine:
    """That a message was stored, and how many of its conversation come before it, the one that runs included."""

    ahead: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingLine:
    """The first that wait in a conversation, oldest first, how many wait in all, and how many (0 or 1) run there."""

    running: int = 0
    waiting: tuple[InboundMessage, ...] = ()
    length: int = 0
