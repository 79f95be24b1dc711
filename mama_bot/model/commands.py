"""What people ask of the service itself, and what it answers."""

from dataclasses import dataclass
from enum import StrEnum

from mama_bot.model.access import Origin
from mama_bot.model.conversations import Author, ConversationKey
from mama_bot.model.ids import PostId
from mama_bot.wording import Language


class CommandName(StrEnum):
    """What can be asked by a command, or (the last two) by a button alone."""

    AGENTS = "agents"
    STATUS = "status"
    QUEUE = "queue"
    STOP = "stop"
    RESET = "reset"
    USAGE = "usage"
    RECEIPT = "receipt"
    REPORT = "report"
    HELP = "help"
    APPROVE = "approve"
    DENY = "deny"


BUTTONS_ONLY = frozenset({CommandName.APPROVE, CommandName.DENY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command or a pressed button; it is answered at once, outside the conversation's queue.

    `argument` is what stands behind the name (for APPROVE and DENY the id of the approval). `platform_id` is the
    platform's id of the message that the button stands under, or that the command answers: RECEIPT and REPORT are
    about it, or about the latest reply where it is "". `post_id` says the same where the gateway knows it.
    `language` is that of the answer.
    """

    name: CommandName
    key: ConversationKey
    author: Author
    origin: Origin
    argument: str = ""
    platform_id: str = ""
    post_id: PostId | None = None
    language: Language = Language.ENGLISH


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command led to, as Markdown; `done` is false when it could not be carried out, and the text says why."""

    text: str
    done: bool = True
