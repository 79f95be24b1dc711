"""Files of a message, fetched before it is stored."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from urllib.parse import quote

import aiohttp
import structlog
import yarl

from mama_bot.config.platforms import DiscordSettings
from mama_bot.errors import FileRefused
from mama_bot.gateways.chat.files import TOO_LARGE, TOO_MANY, keep_attachment, message_directory
from mama_bot.gateways.chat.labels import labels
from mama_bot.gateways.discord.places import PLATFORM
from mama_bot.gateways.discord.wire import Message, SentFile
from mama_bot.metrics import Metrics
from mama_bot.model import Attachment
from mama_bot.wording import Language, Said

log = structlog.get_logger(__name__)

MEGABYTE = 2**20
_NOT_FETCHED = Said(
    "It could not be fetched from Discord. Send it again.", "Discord에서 파일을 받지 못했습니다. 다시 보내 주세요."
)
CHUNK_BYTES = 2**16
FETCH_SECONDS = 60.0
ATTEMPTS = 2
_WRITTEN = "%:/?#[]@!$&'()*+,;=~"  # stays as it is in an address: signatures cover it


class Attachments:
    """Keeps the files of messages below `uploads`, within the limits of the settings."""

    def __init__(
        self,
        *,
        settings: DiscordSettings,
        uploads: Path,
        metrics: Metrics,
        session: Callable[[], aiohttp.ClientSession],
    ) -> None:
        self._most = settings.max_attachments
        self._max_bytes = settings.max_attachment_megabytes * MEGABYTE
        self._base = yarl.URL(settings.files_url)
        self._uploads = uploads
        self._metrics = metrics
        self._session = session

    async def keep(self, message: Message, language: Language) -> tuple[tuple[Attachment, ...], list[str]]:
        """The files that were kept, and a line for each that was not."""
        kept, lines = [], []
        directory = message_directory(self._uploads, f"{PLATFORM}:{message.id}")
        for number, file in enumerate(message.files):
            try:
                kept.append(await self._one(number, file, directory))
            except FileRefused as refused:
                self._metrics.count("chat_files_refused", platform=PLATFORM)
                log.info("file_refused", message=message.id, name=file.name, reason=str(refused))
                label = labels(korean=language == Language.KOREAN).file_refused
                lines.append(label.format(name=file.name, reason=refused.to(language)))
        return tuple(kept), lines

    async def _one(self, number: int, file: SentFile, directory: Path) -> Attachment:
        if number >= self._most:
            raise FileRefused(TOO_MANY.of(most=self._most))
        if file.size > self._max_bytes:
            raise FileRefused(TOO_LARGE.of(size=f"{self._max_bytes // MEGABYTE} MB"))
        for attempt in range(ATTEMPTS):
            try:
                return await keep_attachment(
                    self._chunks(file),
                    directory=directory,
                    name=file.name,
                    media_type=file.media_type,
                    max_bytes=self._max_bytes,
                )
            except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                log.warning("file_not_fetched", name=file.name, attempt=attempt, reason=f"{type(error).__name__}")
        raise FileRefused(_NOT_FETCHED)

    async def _chunks(self, file: SentFile) -> AsyncIterator[bytes]:
        timeout = aiohttp.ClientTimeout(total=FETCH_SECONDS)
        async with self._session().get(self._address(file.url), timeout=timeout) as response:
            response.raise_for_status()
            async for chunk in response.content.iter_chunked(CHUNK_BYTES):
                yield chunk

    def _address(self, url: str) -> yarl.URL:
        """Where a file is: always below the configured address, whatever a message says."""
        said = yarl.URL(quote(url, safe=_WRITTEN), encoded=True)
        if said.is_absolute() and said.origin() == self._base.origin():
            return said
        return yarl.URL(f"{str(self._base).rstrip('/')}{said.raw_path_qs}", encoded=True)
