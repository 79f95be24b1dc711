"""How files of people's messages are fetched: with the bot's token, which is sent to Slack alone."""

from collections.abc import AsyncGenerator
from urllib.parse import urljoin, urlsplit

import aiohttp
import structlog

from mama_bot.config import SlackSettings
from mama_bot.errors import FileRefused
from mama_bot.gateways.chat.attachments import CHUNK_BYTES, FetchLimits, OfferedFile
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.calls import is_of_slack
from mama_bot.gateways.slack.sentences import ELSEWHERE, NO_SCOPE

log = structlog.get_logger(__name__)

# For all files of a message: the channel waits meanwhile, and so does Slack for its acknowledgement.
MESSAGE_SECONDS = 40.0
_REDIRECTS = 3


def slack_limits(settings: SlackSettings) -> FetchLimits:
    """Return how much is fetched."""
    return FetchLimits(
        files=settings.max_attachments,
        megabytes=settings.max_attachment_megabytes,
        seconds=MESSAGE_SECONDS,
        message_seconds=MESSAGE_SECONDS,
    )


class SlackFileServer:
    """Slack's server of files."""

    def __init__(self, *, accounts: SlackAccounts, settings: SlackSettings) -> None:
        self._accounts = accounts
        self._settings = settings

    async def chunks(self, file: OfferedFile) -> AsyncGenerator[bytes, None]:
        """Yield the content of a file; raises FileRefused, and what a call raises (TROUBLE)."""
        session, url = self._accounts.session, file.address
        if session is None:
            raise OSError("the gateway has ended")
        for _ in range(_REDIRECTS):
            self._check_host(url)
            headers = {"Authorization": f"Bearer {self._accounts.token}"}
            async with session.get(url, headers=headers, allow_redirects=False) as response:
                if response.status in {301, 302, 303, 307, 308}:
                    url = urljoin(url, response.headers.get("Location", ""))
                    continue
                _check_answer(file, response)
                async for chunk in response.content.iter_chunked(CHUNK_BYTES):
                    yield chunk
                return
        raise _no_scope()

    def _check_host(self, url: str) -> None:
        if not is_of_slack(url, self._settings.api_url):
            raise FileRefused(ELSEWHERE)
        path = urlsplit(url).path
        if path.startswith("/login") or path == "/":
            raise _no_scope()


def _check_answer(file: OfferedFile, response: aiohttp.ClientResponse) -> None:
    if response.status != 200:
        raise OSError(f"HTTP status {response.status}")
    # Without the scope Slack answers with its sign-in page, as if it were the file.
    if response.content_type == "text/html" and "html" not in file.media_type:
        raise _no_scope()


def _no_scope() -> FileRefused:
    log.warning("slack_files_not_readable", reason="Slack wants a sign-in: add the scope files:read to the app")
    return FileRefused(NO_SCOPE)
