"""Where the files of a message are, and how they are fetched."""

from collections.abc import AsyncGenerator, Callable
from urllib.parse import quote

import aiohttp
import yarl

from mama_bot.config.platform_settings import DiscordSettings
from mama_bot.gateways.chat.attachments import CHUNK_BYTES, FetchLimits, OfferedFile

TROUBLE = (aiohttp.ClientError, TimeoutError, ValueError)
_WRITTEN = "%:/?#[]@!$&'()*+,;=~"  # stays as it is in an address: signatures cover it


def discord_limits(settings: DiscordSettings) -> FetchLimits:
    """Return how much is fetched: a file that fails is tried once more."""
    return FetchLimits(
        files=settings.max_attachments, megabytes=settings.max_attachment_megabytes, seconds=60.0, attempts=2
    )


class DiscordFileServer:
    """Discord's own server of files: no other one is asked, whatever a message says."""

    def __init__(self, *, settings: DiscordSettings, session: Callable[[], aiohttp.ClientSession]) -> None:
        self._base = yarl.URL(settings.files_url)
        self._session = session

    async def chunks(self, file: OfferedFile) -> AsyncGenerator[bytes, None]:
        """Yield the content of a file; raises TROUBLE."""
        async with self._session().get(self._address(file.address)) as response:
            response.raise_for_status()
            async for chunk in response.content.iter_chunked(CHUNK_BYTES):
                yield chunk

    def _address(self, url: str) -> yarl.URL:
        """Return where a file is: always below the configured address."""
        address = yarl.URL(quote(url, safe=_WRITTEN), encoded=True)
        if address.is_absolute() and address.origin() == self._base.origin():
            return address
        return yarl.URL(f"{str(self._base).rstrip('/')}{address.raw_path_qs}", encoded=True)
