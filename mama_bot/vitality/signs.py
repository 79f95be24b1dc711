"""What shows that a service is not well: each sign is looked at anew, in little time."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from mama_bot.errors import StoreUnavailable
from mama_bot.model import Hearing, Lack, Platform, Trouble, TroubleKind, text_hash
from mama_bot.vitality import sentences as says
from mama_bot.wording import Language, Said

PROBE_SECONDS = 15.0
MEGABYTE = 2**20
MOST_LOST = 20  # of a platform at once, the latest

# Looks once; returns what is wrong.
Sign = Callable[[], Awaitable[Sequence[Trouble]]]


def hearing_sign(hearing: Callable[[], Mapping[Platform, Hearing]]) -> Sign:
    """Return the sign that tells which gateways hear nothing, or have not read what they missed."""

    async def look() -> Sequence[Trouble]:
        deaf = [
            Trouble(
                kind=TroubleKind.DEAF,
                subject=platform,
                sentence=says.DEAF.of(platform=platform, reason=heard.reasons[0] if heard.reasons else says.NO_REASON),
                stops_work=False,
            )
            for platform, heard in hearing().items()
            if not heard.ok
        ]
        behind = [
            Trouble(kind=TroubleKind.BEHIND, subject=platform, sentence=heard.behind[0], stops_work=False)
            for platform, heard in hearing().items()
            if heard.behind
        ]
        lost = [
            Trouble(
                kind=TroubleKind.LOST, subject=platform, instance=_mark_of(line), sentence=line, stops_work=False
            )  # each is news, also where an earlier one still stands, or was told by an earlier life
            for platform, heard in hearing().items()
            for line in heard.lost[-MOST_LOST:]
        ]
        return [*deaf, *behind, *lost]

    return look


def _mark_of(line: Said) -> str:
    return text_hash(line.to(Language.ENGLISH))[:12]


def store_sign(write: Callable[[], Awaitable[None]], *, seconds: float = PROBE_SECONDS) -> Sign:
    """Return the sign that tells whether the store takes what is written; `write` writes something of no account."""

    async def look() -> Sequence[Trouble]:
        try:
            async with asyncio.timeout(seconds):
                await write()
        except StoreUnavailable as error:
            return [Trouble(kind=TroubleKind.STORE, sentence=says.UNWRITABLE.of(reason=str(error)))]
        except TimeoutError:
            reason = says.NO_ANSWER.of(seconds=f"{seconds:g}")
            return [Trouble(kind=TroubleKind.STORE, sentence=says.UNWRITABLE.of(reason=reason))]
        return ()

    return look


def disk_sign(directory: Path, *, least_megabytes: int) -> Sign:
    """Return the sign that tells whether the disk of a directory is nearly full."""

    async def look() -> Sequence[Trouble]:
        try:
            free = (await asyncio.to_thread(shutil.disk_usage, directory)).free // MEGABYTE
        except OSError:  # the directory is gone: the store tells that
            return ()
        if free >= least_megabytes:
            return ()
        return [Trouble(kind=TroubleKind.DISK, sentence=says.DISK_LOW.of(free=free), stops_work=False)]

    return look


def lacking_sign(lacking: Callable[[], Sequence[Lack]]) -> Sign:
    """Return the sign that tells what agents lack to work."""

    async def look() -> Sequence[Trouble]:
        return [
            Trouble(kind=TroubleKind.LACKING, subject=lack.need.value, sentence=says.LACKS.of(sentence=lack.sentence))
            for lack in await asyncio.to_thread(lacking)
            if lack.stops_work
        ]

    return look
