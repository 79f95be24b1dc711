"""Files that go out with a post."""

import asyncio

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from mama_bot.errors import DeliveryFailed, StoreUnavailable
from mama_bot.gateways.chat.labels import labels
from mama_bot.gateways.slack.accounts import Accounts
from mama_bot.gateways.slack.calls import CALL_SECONDS, TROUBLE, reason_of
from mama_bot.gateways.slack.constants import PLATFORM
from mama_bot.gateways.slack.finding import Finder
from mama_bot.gateways.slack.writing import Writer
from mama_bot.model import OutgoingFile, Part, Post, Reply
from mama_bot.model.wording import is_korean
from mama_bot.protocols import GatewayState

log = structlog.get_logger(__name__)


class Sharer:
    """Uploads a file, notes its id, and only then lets it appear: by the id it is found again after a crash."""

    def __init__(self, *, accounts: Accounts, writer: Writer, finder: Finder, state: GatewayState) -> None:
        self._accounts = accounts
        self._writer = writer
        self._finder = finder
        self._state = state

    async def share(self, post: Post, part: Part, file: OutgoingFile, *, repeated: bool) -> str:
        """Share a file in the thread of its post; returns the message's time stamp, or the file's id.

        Raises DeliveryFailed or DeliveryUnknown.
        """
        await self._writer.take_turn(post.key.channel)
        persona = self._accounts.persona_client(post.persona) if isinstance(post, Reply) else None
        client = persona or self._accounts.client(posting=True)
        label = [labels(korean=is_korean(post.text)).duplicate] if repeated else []
        comment = [*label, *([part.text] if part.text else [])]
        file_id = await self._upload(client, post, part, file)
        try:
            await client.files_completeUploadExternal(
                files=[{"id": file_id, "title": file.name}],
                channel_id=post.key.channel,
                thread_ts=post.key.thread or None,
                initial_comment="\n".join(comment) or None,
            )
        except TROUBLE as error:
            raise self._writer.failure(post.key.channel, error) from error
        try:
            return await self._finder.find_file(post, file_id) or file_id
        except TROUBLE as error:
            log.info("slack_share_not_seen", post=post.id, reason=reason_of(error))
            return file_id

    async def _upload(self, client: AsyncWebClient, post: Post, part: Part, file: OutgoingFile) -> str:
        """Bring the content to Slack, where nobody sees it yet; raises DeliveryFailed."""
        try:
            content = await _content(file)
            answer = await client.files_getUploadURLExternal(filename=file.name, length=len(content))
            url, file_id = str(answer.get("upload_url") or ""), str(answer.get("file_id") or "")
            await self._send(url, content)
            await self._state.put({share_name(post, part): file_id})
        except TROUBLE as error:
            failure = self._writer.failure(post.key.channel, error)
            if isinstance(failure, DeliveryFailed):
                raise failure from error
            raise DeliveryFailed(platform=PLATFORM, reason=f"{file.name}: {reason_of(error)}") from error
        except StoreUnavailable as error:
            raise DeliveryFailed(platform=PLATFORM, reason=str(error)) from error
        return file_id

    async def _send(self, url: str, content: bytes) -> None:
        session = self._accounts.session
        if session is None or not url:
            raise OSError("Slack names no place to upload to")
        async with asyncio.timeout(CALL_SECONDS), session.request("POST", url, data=content) as response:
            if response.status != 200:
                raise OSError(f"the upload was answered with HTTP status {response.status}")


def share_name(post: Post, part: Part) -> str:
    """Under which name the id of an uploaded file is kept."""
    return f"file/{post.id}/{part.index}"


async def _content(file: OutgoingFile) -> bytes:
    # Slack takes no empty file.
    return (file.content if file.path is None else await asyncio.to_thread(file.path.read_bytes)) or b"\n"
