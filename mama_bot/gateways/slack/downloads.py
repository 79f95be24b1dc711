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
from mama_bot.gateways.chat.files import keep_attachment, message_directory
from mama_bot.gateways.chat.labels import labels
from mama_bot.gateways.slack.accounts import Accounts
from mama_bot.gateways.slack.calls import TROUBLE, is_of_slack, reason_of
from mama_bot.gateways.slack.wire import SharedFile
from mama_bot.metrics import Metrics
from mama_bot.model import Attachment

log = structlog.get_logger(__name__)

# For all files of a message: the channel waits meanwhile, and so does Slack for its acknowledgement.
SECONDS = 40.0
_CHUNK = 2**16
_REDIRECTS = 3
_MEGABYTE = 2**20


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
        self, message_id: str, files: Sequence[SharedFile], *, korean: bool
    ) -> tuple[tuple[Attachment, ...], tuple[str, ...]]:
        """What was kept, and a sentence about each file that was not."""
        kept, refused = [], []
        deadline = asyncio.get_running_loop().time() + self._seconds
        for index, file in enumerate(files):
            try:
                if index >= self._settings.max_attachments:
                    raise self._too_many()
                kept.append(await self._keep_one(message_id, file, deadline))
            except FileRefused as error:
                refused.append(self._refusal(file, error.told(korean=korean), korean=korean))
                log.info("slack_file_refused", message=message_id, file=file.name, reason=error.reason)
        return tuple(kept), tuple(refused)

    async def forget(self, message_id: str) -> None:
        """Remove the files of a message that was not taken."""
        await asyncio.to_thread(shutil.rmtree, message_directory(self._uploads, message_id), ignore_errors=True)

    def _refusal(self, file: SharedFile, reason: str, *, korean: bool) -> str:
        self._metrics.count("files_refused", platform="slack")
        return labels(korean=korean).file_refused.format(name=file.name, reason=reason)

    def _too_many(self) -> FileRefused:
        most = self._settings.max_attachments
        return FileRefused(f"A message may have {most} files.", f"메시지 하나에 파일은 {most}개까지입니다.")

    async def _keep_one(self, message_id: str, file: SharedFile, deadline: float) -> Attachment:
        limit = self._settings.max_attachment_megabytes * _MEGABYTE
        if file.size > limit:
            raise FileRefused(
                f"It is larger than {self._settings.max_attachment_megabytes} MB. Send a smaller file.",
                f"{self._settings.max_attachment_megabytes} MB보다 큽니다. 더 작은 파일을 보내 주세요.",
            )
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
            raise FileRefused(
                "Slack did not hand it out. Send it again later.", "Slack에서 받지 못했습니다. 나중에 다시 보내 주세요."
            ) from error

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
            raise FileRefused("It does not lie on Slack.", "Slack에 있는 파일이 아닙니다.")
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
        return FileRefused("The bot may not read files here.", "봇에게 파일을 읽을 권한이 없습니다.")
