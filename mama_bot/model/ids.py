"""Ids, and the hash that ties a judgement to a text."""

from hashlib import sha256
from typing import NewType

MessageId = NewType("MessageId", str)
TurnId = NewType("TurnId", str)
PostId = NewType("PostId", str)
SessionId = NewType("SessionId", str)
Platform = NewType("Platform", str)


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal; lone surrogates are hashed as they are."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
