"""What the service gave up and somebody may want to look at: messages without an answer, posts that never arrived."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from mama_bot.model.conversations import ConversationKey
from mama_bot.model.ids import MessageId, PostId


class LetterKind(StrEnum):
    """What was given up: an answer to a message, or the posting of a reply or line."""

    ANSWER = "answer"
    POST = "post"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """Something that was given up, by its `number`, with the message that it is about.

    `post_id` is the line that told of it, or the post that no platform took.
    """

    number: int
    kind: LetterKind
    key: ConversationKey
    at: datetime
    reason: str
    post_id: PostId
    message_id: MessageId | None
