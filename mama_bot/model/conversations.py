"""Conversations, and what people write in them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from mama_bot.model.access import Origin
from mama_bot.model.file_names import safe_name
from mama_bot.model.ids import MessageId, Platform, TurnId
from mama_bot.model.texts import keep_well_formed
from mama_bot.wording import Language, language_of

_OF_THE_TEXT = Language("")


@dataclass(frozen=True, slots=True, order=True)
class ConversationKey:
    """Where a conversation lives; at most one turn runs at a time for each key."""

    platform: Platform
    channel: str
    thread: str = ""

    def __post_init__(self) -> None:
        keep_well_formed(self, "channel", "thread")

    def __str__(self) -> str:
        return "/".join(part for part in (self.platform, self.channel, self.thread) if part)


class AuthorKind(StrEnum):
    """Who wrote something: a person, one of our personas, a bot that is not ours, or a trigger (no person asked)."""

    PERSON = "person"
    AGENT = "agent"
    BOT = "bot"
    SCHEDULE = "schedule"
    HOOK = "hook"


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who wrote something; for an agent, `id` is the persona's name."""

    id: str
    name: str
    kind: AuthorKind = AuthorKind.PERSON

    def __post_init__(self) -> None:
        keep_well_formed(self, "id", "name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that came with a message, already stored locally."""

    name: str
    media_type: str
    size: int
    path: Path

    def __post_init__(self) -> None:
        keep_well_formed(self, "name", "media_type")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """That a message asks again what another one asked; with a `turn`, that one goes on where it was cut off, or its
    work is looked at in a `review`.
    """

    of: MessageId
    turn: TurnId | None = None
    review: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundMessage:
    """One message from a person or a bot; `id` is unique over all platforms and the same on redelivery.

    `origin` is None where access was decided before (the page has a key of its own). `language` is the one in which
    the person is answered; where it is not given, as by earlier releases, that of the text. `repeat` says that nobody
    wrote it: somebody pressed a button, or gave a command, under what came of an earlier one. `addressed_to` names the
    persona that a trigger, or a command of that persona, asks, whatever the words say ("": the words decide).
    `request` is what the command of a persona makes of the words ("": the words themselves are what is asked).
    """

    id: MessageId
    key: ConversationKey
    author: Author
    text: str
    received_at: datetime
    attachments: tuple[Attachment, ...] = ()
    origin: Origin | None = None
    language: Language = _OF_THE_TEXT
    repeat: Repeat | None = None
    addressed_to: str = ""
    request: str = ""

    def __post_init__(self) -> None:
        keep_well_formed(self, "id", "text", "request")
        if self.language == _OF_THE_TEXT:
            object.__setattr__(self, "language", language_of(self.text))

    @property
    def text_with_files(self) -> str:
        """The text and the names of its files, as agents see the message: `see this` and `[attached: a.png]`."""
        names = ", ".join(safe_name(attachment.name) for attachment in self.attachments)
        return "\n".join(line for line in (self.text, f"[attached: {names}]" if names else "") if line)
