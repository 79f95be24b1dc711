"""Files, interactions, and messages as a reader sees them."""

import time
from dataclasses import dataclass, field

from tests.platforms.discord_server.refusals import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file as it was sent."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A message as a reader sees it."""

    id: str
    author: str
    text: str
    avatar: str | None
    answers: str
    files: tuple[str, ...]
    buttons: tuple[str, ...]
    webhook: bool


@dataclass(slots=True)
class Interaction:
    """A pressed button or a given command, and what the bot said to it."""

    kind: int
    channel: str
    bot: Json
    message: str = ""
    at: float = field(default_factory=time.monotonic)
    answered: int | None = None
    original: str = ""
    texts: list[str] = field(default_factory=list)
    hidden: bool = False
