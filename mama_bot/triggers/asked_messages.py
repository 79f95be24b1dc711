"""The messages of triggers, and the lines by which a channel sees them."""

from datetime import datetime

from mama_bot.model import (
    Author,
    AuthorKind,
    ConversationKey,
    InboundMessage,
    MessageId,
    Notice,
    NoticeKind,
    Platform,
    PostId,
)
from mama_bot.wording import Language

# There the message itself is shown; elsewhere nobody wrote it, and a line says what asks.
SHOWS_MESSAGES = frozenset({Platform("web")})


def place_of(channel: str) -> ConversationKey:
    """Return the conversation that settings name: `slack/C1/17.2` is the thread 17.2 of a channel."""
    platform, channel_id, *thread = channel.split("/", 2)
    return ConversationKey(Platform(platform), channel_id, thread[0] if thread else "")


def asker_of(kind: AuthorKind, name: str) -> Author:
    """Return a trigger as an author: its id is that of no person on any platform."""
    return Author(id=f"{kind.value}:{name}", name=f"{kind.value} {name}", kind=kind)


def asked_message(
    asker: Author, mark: str, *, key: ConversationKey, text: str, persona: str, at: datetime, language: Language
) -> InboundMessage:
    """Return what a trigger asks; `mark` is the same whenever the same is asked again."""
    return InboundMessage(
        id=MessageId(f"{asker.id}:{mark}"),
        key=key,
        author=asker,
        text=text,
        received_at=at,
        language=language,
        addressed_to=persona,
    )


def line_about(message_id: MessageId, name: str, key: ConversationKey, text: str) -> Notice:
    """Return a line about what a trigger asked, or did not ask; there is one of each name."""
    return Notice(id=PostId(f"{message_id}.{name}"), key=key, notice=NoticeKind.TRIGGER, text=text)
