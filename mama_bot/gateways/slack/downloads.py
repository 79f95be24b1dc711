"""Files of people's messages: fetched with the bot's token, which is sent to Slack alone."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import aiohttp
import structlog

from mama_bot.config import SlackSettings
from mama_bot.errors import FileRefused
from mama_bot.gateways.chat.files import TOO_LARGE, TOO_MANY, keep_attachment, message_directory
from mama_bot.gateways.chat.labels import labels
from mama_bot.gateways.slack.accounts import Accounts
from mama_bot.gateways.slack.calls import TROUBLE, is_of_slack, reason_of
from mama_bot.gateways.slack.wire import SharedFile
from mama_bot.metrics import Metrics
from mama_bot.model import Attachment
from mama_bot.wording import Language, Said

log = structlog.get_logger(__name__)

# For all files of a message: the channel waits meanwhile, and so does Slack for its acknowledgement.
SECONDS = 40.0
_CHUNK = 2**16
_REDIRECTS = 3
_MEGABYTE = 2**20
_NOT_FETCHED = Said(
    "Slack did not hand it out. Send it again later.", "Slack에서 받지 못했습니다. 나중에 다시 보내 주세요."
)
_ELSEWHERE = Said("It does not lie on Slack.", "Slack에 있는 파일이 아닙니다.")
_NOT_ALLOWED = Said("The bot may not read files here.", "봇에게 파일을 읽을 권한이 없습니다.")


class Downloads:
    """Keeps the files of a message below `uploads`, as far as the settings let it."""

    def __init__(
        self,
        *,
        accounts: Accounts,
        settings: SlackSettings,
        uploads: Path,
        metrics: Metrics,
        seconds: float = SECONDS,
    ) -> None:
        self._accounts = accounts
        self._settings = settings
        self._uploads = uploads
        self._metrics = metrics
        self._seconds = seconds

    async def keep(
        self, message_id: str, files: Sequence[SharedFile], language: Language
    ) -> tuple[tuple[Attachment, ...], tuple[str, ...]]:
        """What was kept, and a sentence about each file that was not."""
        kept, refused = [], []
        deadline = asyncio.get_running_loop().time() + self._seconds
        for index, file in enumerate(files):
            try:
                kept.append(await self._keep_one(message_id, file, index, deadline))
            except FileRefused as error:
                refused.append(self._refusal(file, error, language))
                log.info("slack_file_refused", message=message_id, file=file.name, reason=str(error))
        return tuple(kept), tuple(refused)

    async def forget(self, message_id: str) -> None:
        """Remove the files of a message that was not taken."""
        await asyncio.to_thread(shutil.rmtree, message_directory(self._uploads, message_id), ignore_errors=True)

    def _refusal(self, file: SharedFile, error: FileRefused, language: Language) -> str:
        self._metrics.count("files_refused", platform="slack")
        label = labels(korean=language == Language.KOREAN).file_refused
        return label.format(name=file.name, reason=error.to(language))

    async def _keep_one(self, message_id: str, file: SharedFile, index: int, deadline: float) -> Attachment:
        if index >= self._settings.max_attachments:
            raise FileRefused(TOO_MANY.of(most=self._settings.max_attachments))
        limit = self._settings.max_attachment_megabytes * _MEGABYTE
        if file.size > limit:
            raise FileRefused(TOO_LARGE.of(size=f"{self._settings.max_attachment_megabytes} MB"))
        try:
            async with asyncio.timeout_at(deadline), aclosing(self._chunks(file)) as chunks:
                return await keep_attachment(
                    chunks,
                    directory=message_directory(self._uploads, message_id),
                    name=file.name,
                    media_type=file.media_type,
                    max_bytes=limit,
                )
        except TROUBLE as error:
            log.warning("slack_file_not_fetched", message=message_id, file=file.name, reason=reason_of(error))
            raise FileRefused(_NOT_FETCHED) from error

    async def _chunks(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        session, url = self._accounts.session, file.url
        if session is None:
            raise OSError("the gateway has ended")
        for _ in range(_REDIRECTS):
            self._check_host(url)
            headers = {"Authorization": f"Bearer {self._accounts.token}"}
            async with session.get(url, headers=headers, allow_redirects=False) as response:
                if response.status in {301, 302, 303, 307, 308}:
                    url = urljoin(url, response.headers.get("Location", ""))
                    continue
                self._check_answer(file, response)
                async for chunk in response.content.iter_chunked(_CHUNK):
                    yield chunk
                return
        raise self._no_scope()

    def _check_host(self, url: str) -> None:
        if not is_of_slack(url, self._settings.api_url):
            raise FileRefused(_ELSEWHERE)
        path = urlsplit(url).path
        if path.startswith("/login") or path == "/":
            raise self._no_scope()

    def _check_answer(self, file: SharedFile, response: aiohttp.ClientResponse) -> None:
        if response.status != 200:
            raise OSError(f"HTTP status {response.status}")
        # Without the scope Slack answers with its sign-in page, as if it were the file.
        if response.content_type == "text/html" and "html" not in file.media_type:
            raise self._no_scope()

    def _no_scope(self) -> FileRefused:
        log.warning("slack_files_not_readable", reason="Slack wants a sign-in: add the scope files:read to the app")
        return FileRefused(_NOT_ALLOWED)
