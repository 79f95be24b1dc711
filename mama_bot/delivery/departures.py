"""A post on its way out: what of it was tried, and what may go in its place where it does not pass."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import structlog

from mama_bot.errors import DeliveryError, DeliveryUnknown
from mama_bot.model import Notice, NoticeKind, OutboxEntry, Part, Post, PostId, Reply, language_of_post
from mama_bot.protocols import Gateway
from mama_bot.sentences import FILE_DOES_NOT_PASS, POST_DOES_NOT_PASS

R = TypeVar("R")
log = structlog.get_logger(__name__)

LONG_CHARACTERS = 8_000
_ABOUT = "about:"


@dataclass(slots=True)
class Sending:
    """A post on its way, with the platform's ids of the parts that were tried ("": unknown).

    `question` is the post that it settles, where it can be shown there; `instead` has what goes in the place of parts.
    """

    post: Post
    parts: Sequence[Part]
    tried: dict[int, str]
    question: OutboxEntry | None = None
    unwritten: dict[int, str] = field(default_factory=dict)
    instead: Mapping[int, Part] = field(default_factory=dict)

    def keep(self, index: int, platform_id: str) -> None:
        """Keep a part that the platform has; the store is told later."""
        self.tried[index] = self.unwritten[index] = platform_id


def trouble_line(post: Post, number: int) -> Notice:
    """Return the line that tells of a post which does not get through, for the so manieth time (from 0)."""
    language = language_of_post(post)
    return Notice(
        id=PostId(f"{_ABOUT}{number}:{post.id}"),
        key=post.key,
        notice=NoticeKind.REFUSED,
        text=POST_DOES_NOT_PASS.to(language),
        answers=post.answers,
        language=language,
    )


def told_subject(post: Post) -> PostId | None:
    """Return the post that a line of `trouble_line` tells of; None for any other post."""
    if not post.id.startswith(_ABOUT):
        return None
    return PostId(post.id.removeprefix(_ABOUT).partition(":")[2])


def instead_of_files(gateway: Gateway, sending: Sending) -> Mapping[int, Part]:
    """Return for each part with a file that the platform lacks what goes without it: its text, and a line."""
    post, language = sending.post, language_of_post(sending.post)
    instead = {}
    for part in sending.parts:
        if part.file is not None and not sending.tried.get(part.index):
            words = FILE_DOES_NOT_PASS.to(language, name=part.file.name)
            line = Notice(id=post.id, key=post.key, notice=NoticeKind.REFUSED, text=words, language=language)
            shown = gateway.parts(line)[0]
            text, plain = (
                "\n".join(filter(None, pair)) for pair in ((part.text, shown.text), (part.plain, shown.plain))
            )
            instead[part.index] = replace(part, text=text, plain=plain, file=None)
    return instead


def redacted(redact: Callable[[str], str], post: Post) -> Post:
    """Return a post as it leaves the house; drafts were redacted before they were judged, this is for all else."""
    text = redact(post.text)
    if isinstance(post, Reply):
        banners, line = tuple(map(redact, post.banners)), redact(post.record_line)
        if (text, banners, line) == (post.text, post.banners, post.record_line):
            return post
        return replace(post, text=text, banners=banners, record_line=line)
    ending = redact(post.ending)
    return post if (text, ending) == (post.text, post.ending) else replace(post, text=text, ending=ending)


async def departing(redact: Callable[[str], str], post: Post) -> Post:
    """Return a post as it leaves the house; nobody else waits for a long one."""
    if len(post.text) > LONG_CHARACTERS:
        return await asyncio.to_thread(redacted, redact, post)
    return redacted(redact, post)


async def post_parts(gateway: Gateway, post: Post) -> Sequence[Part]:
    """Return the parts of a post; a long text may take a second, for which nobody else shall wait."""
    if len(post.text) > LONG_CHARACTERS:
        return await asyncio.to_thread(gateway.parts, post)
    return gateway.parts(post)


async def called(gateway: Gateway, call: Awaitable[R]) -> R:
    """Return what a call of a gateway returns; where it breaks, nobody knows how far it came."""
    try:
        return await call
    except (DeliveryError, TimeoutError):
        raise
    except Exception as error:
        log.exception("gateway_broke", platform=gateway.platform)
        raise DeliveryUnknown(platform=gateway.platform, reason=f"{type(error).__name__}: {error}") from error
