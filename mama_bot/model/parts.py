"""A post as a platform takes it: in parts, each one message there."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingFile:
    """A file that goes out with a post: kept on disk (`path`), or made of the post itself (`content`)."""

    name: str
    media_type: str
    size: int
    path: Path | None = None
    content: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One message of a post.

    `text` is in the platform's own markup, `plain` the same words without any, for a platform that refuses the markup.
    `last` carries the buttons. `file` comes with the text as its caption ("" for none).
    """

    index: int
    text: str
    plain: str
    last: bool = False
    file: OutgoingFile | None = None
