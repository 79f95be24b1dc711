"""Ids, and the hash that ties a judgement to a text."""

from hashlib import sha256
from typing import NewType

MessageId = NewType("MessageId", str)
TurnId = NewType("TurnId", str)
PostId = NewType("PostId", str)
SessionId = NewType("SessionId", str)
Platform = NewType("Platform", str)
PAGE = Platform("web")  # the local page: whoever opens it is one person
ChangeId = NewType("ChangeId", str)
DeedId = NewType("DeedId", str)


_AGAIN = "+"


def repeated_id(message_id: MessageId) -> MessageId:
    """Return the id of the message that asks again what this one asked: `a` -> `a+1` -> `a+2`."""
    written, count = _parted(message_id)
    return MessageId(f"{written}{_AGAIN}{count + 1}")


def written_id(message_id: MessageId) -> MessageId:
    """Return the id of the message that somebody wrote: of `a+2` it is `a`."""
    return _parted(message_id)[0]


def _parted(message_id: MessageId) -> tuple[MessageId, int]:
    written, sign, count = message_id.rpartition(_AGAIN)
    return (MessageId(written), int(count)) if sign and count.isascii() and count.isdigit() else (message_id, 0)


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal; lone surrogates are hashed as they are."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
