"""Files that go out with a post."""

import asyncio
from dataclasses import replace

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from mama_bot.errors import DeliveryError, DeliveryFailed, StoreUnavailable
from mama_bot.gateways.chat.sentences import DUPLICATE, FILE_LEFT_OUT
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.calls import (
    CALL_SECONDS,
    TOKEN_ERRORS,
    TROUBLE,
    code_of,
    delivery_error,
    reason_of,
    status_of,
)
from mama_bot.gateways.slack.constants import PLATFORM
from mama_bot.gateways.slack.markup import escaped
from mama_bot.gateways.slack.posts import SlackOutbound
from mama_bot.gateways.slack.sent_parts import History
from mama_bot.model import OutgoingFile, Part, Post, Reply
from mama_bot.protocols import GatewayState
from mama_bot.wording import Language, language_of

log = structlog.get_logger(__name__)

# Slack cuts a text at 40,000 characters.
SHOWN_CHARACTERS = 30_000


class Uploads:
    """Uploads a file, notes its id, and only then lets it appear: by the id it is found again after a crash."""

    def __init__(
        self, *, accounts: SlackAccounts, outbound: SlackOutbound, history: History, state: GatewayState
    ) -> None:
        self._accounts = accounts
        self._outbound = outbound
        self._history = history
        self._state = state

    async def share(self, post: Post, part: Part, file: OutgoingFile, *, repeated: bool) -> str:
        """Share a file in the thread of its post; returns the message's time stamp, or the file's id.

        Where Slack takes no files, a message says so, with what the file holds if it was made of the post. Raises
        DeliveryFailed or DeliveryUnknown.
        """
        try:
            return await self._share(post, part, file, repeated=repeated)
        except DeliveryError as error:
            cause = error.__cause__
            if cause is None or not _takes_no_files(cause):
                raise
            log.warning("slack_file_not_taken", post=post.id, file=file.name, reason=reason_of(cause))
            told = _without_file(part, file, reason_of(cause), language_of(post.text))
            return await self._outbound.send(post, told, repeated=repeated)

    async def _share(self, post: Post, part: Part, file: OutgoingFile, *, repeated: bool) -> str:
        await self._outbound.take_turn(post.key.channel)
        persona = self._accounts.persona_client(post.persona) if isinstance(post, Reply) else None
        client = persona or self._accounts.client(posting=True)
        label = [DUPLICATE.to(language_of(post.text))] if repeated else []
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
            raise self._outbound.failure(post.key.channel, error) from error
        try:
            return await self._history.find_file(post, file_id) or file_id
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
            failure = self._outbound.failure(post.key.channel, error)
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


def _takes_no_files(error: BaseException) -> bool:
    """Whether Slack refused for good, and neither the token nor the place is to blame: a text may yet be taken."""
    outcome, code = delivery_error(error), code_of(error)
    refused = isinstance(outcome, DeliveryFailed) and outcome.retry_after_seconds is None
    return refused and code not in TOKEN_ERRORS and (bool(code) or 400 <= status_of(error) < 500)


def _without_file(part: Part, file: OutgoingFile, reason: str, language: Language) -> Part:
    held = file.content.decode(errors="replace") if file.path is None else ""
    held = held if len(held) <= SHOWN_CHARACTERS else f"{held[:SHOWN_CHARACTERS]}…"
    told = FILE_LEFT_OUT.to(language, name=file.name, reason=reason)
    plain = "\n".join(filter(None, [part.plain, told, held]))
    marked = "\n".join(filter(None, [part.text, escaped(told), escaped(held)]))
    return replace(part, text=marked, plain=plain, file=None)


async def _content(file: OutgoingFile) -> bytes:
    # Slack takes no empty file.
    return (file.content if file.path is None else await asyncio.to_thread(file.path.read_bytes)) or b"\n"
