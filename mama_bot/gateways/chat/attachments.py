"""Files of people's messages: fetched from the platform before their message is stored."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import structlog

from mama_bot.backoff import Backoff
from mama_bot.errors import FileRefused
from mama_bot.gateways.chat.message_files import MEGABYTE, keep_attachment, message_directory
from mama_bot.gateways.chat.sentences import FILE_LEFT_OUT, NOT_FETCHED, TOO_LARGE, TOO_MANY_FILES
from mama_bot.metrics import Metrics
from mama_bot.model import Attachment, MessageId, Platform
from mama_bot.wording import Language

log = structlog.get_logger(__name__)

CHUNK_BYTES = 2**16


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedFile:
    """A file of a message, still on the platform; `size` in bytes, 0 where it was not told."""

    name: str
    media_type: str
    size: int
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """The files of a message that were kept, and a sentence for the person about each that was not.

    `new` are those of the kept that were not there before, so that no stored message names them.
    """

    kept: tuple[Attachment, ...] = ()
    left_out: tuple[str, ...] = ()
    new: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """How much is fetched: files of a message, megabytes of a file; seconds for an attempt, and for a whole message.

    A fetch that fails is tried again up to `attempts` times; `at_once` files are fetched side by side.
    """

    files: int
    megabytes: int
    seconds: float
    message_seconds: float | None = None
    attempts: int = 1
    pauses: Backoff = Backoff(first=0.0, longest=0.0)  # noqa: RUF009 - frozen
    at_once: int = 32


class Attachments:
    """Keeps the files of messages below `uploads`; `trouble` are the errors of a fetch that may be tried again."""

    def __init__(
        self,
        *,
        platform: Platform,
        limits: FetchLimits,
        uploads: Path,
        metrics: Metrics,
        trouble: tuple[type[Exception], ...],
    ) -> None:
        self._platform = platform
        self._limits = limits
        self._max_bytes = limits.megabytes * MEGABYTE
        self._uploads = uploads
        self._metrics = metrics
        self._trouble = trouble
        self._slots = asyncio.Semaphore(limits.at_once)

    async def keep(
        self,
        message_id: MessageId,
        files: Sequence[OfferedFile],
        chunks: Callable[[OfferedFile], AsyncGenerator[bytes, None]],
        *,
        language: Language,
    ) -> Fetched:
        """Fetch the files of a message by `chunks`; never raises for a file that cannot be had."""
        kept: list[Attachment] = []
        left_out: list[str] = []
        directory = message_directory(self._uploads, message_id)
        before = await asyncio.to_thread(_names_in, directory)
        seconds = self._limits.message_seconds
        deadline = None if seconds is None else asyncio.get_running_loop().time() + seconds
        for number, file in enumerate(files):
            try:
                self._check(number, file)
                async with self._slots, asyncio.timeout_at(deadline):
                    kept.append(await self._keep(file, chunks, directory))
            except (FileRefused, TimeoutError) as error:
                refused = error if isinstance(error, FileRefused) else self._not_fetched()
                left_out.append(self._sentence(message_id, file, refused, language))
        new = tuple(attachment for attachment in kept if attachment.path.name not in before)
        return Fetched(kept=tuple(kept), left_out=tuple(left_out), new=new)

    def _check(self, number: int, file: OfferedFile) -> None:
        if number >= self._limits.files:
            raise FileRefused(TOO_MANY_FILES.of(most=self._limits.files))
        if file.size > self._max_bytes:
            raise FileRefused(TOO_LARGE.of(size=f"{self._limits.megabytes} MB"))

    async def _keep(
        self, file: OfferedFile, chunks: Callable[[OfferedFile], AsyncGenerator[bytes, None]], directory: Path
    ) -> Attachment:
        for attempt in range(1, self._limits.attempts + 1):
            try:
                async with asyncio.timeout(self._limits.seconds), aclosing(chunks(file)) as content:
                    return await keep_attachment(
                        content,
                        directory=directory,
                        name=file.name,
                        media_type=file.media_type,
                        max_bytes=self._max_bytes,
                    )
            except self._trouble as error:
                reason = f"{type(error).__name__}: {error}"
                log.warning("file_not_fetched", platform=self._platform, name=file.name, reason=reason)
            if attempt < self._limits.attempts:
                await asyncio.sleep(self._limits.pauses.pause(attempt))
        raise self._not_fetched()

    def _not_fetched(self) -> FileRefused:
        return FileRefused(NOT_FETCHED.of(platform=self._platform.capitalize()))

    def _sentence(self, message_id: MessageId, file: OfferedFile, refused: FileRefused, language: Language) -> str:
        self._metrics.count("chat_files_refused", platform=self._platform)
        log.info("file_refused", platform=self._platform, message=message_id, name=file.name, reason=str(refused))
        return FILE_LEFT_OUT.to(language, name=file.name, reason=refused.to(language))


def _names_in(directory: Path) -> frozenset[str]:
    return frozenset(path.name for path in directory.iterdir()) if directory.is_dir() else frozenset()
