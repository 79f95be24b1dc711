"""Whether Slack has a part that an earlier attempt may have left."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from mama_bot.errors import DeliveryUnknown
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.calls import TROUBLE, code_of, reason_of
from mama_bot.gateways.slack.constants import METADATA_TYPE, PLATFORM
from mama_bot.gateways.slack.places import ts_of
from mama_bot.model import Notice, Part, Post, Reply, written_id

PAGE = 200
PAGES = 10
Message = Mapping[str, Any]


class History:
    """Looks through a thread, or what a channel has had since the message that a post answers."""

    def __init__(self, *, accounts: SlackAccounts) -> None:
        self._accounts = accounts

    async def find(self, post: Post, part: Part) -> str | None:
        """Return the time stamp of a part; None when it is not there. Raises DeliveryUnknown."""
        return await self._find(post, lambda message: self._is_part(message, post, part))

    async def find_file(self, post: Post, file_id: str) -> str | None:
        """Return the time stamp of the message that shares a file; None when there is none. Raises DeliveryUnknown."""
        return await self._find(post, lambda message: _shares(message, file_id))

    async def _find(self, post: Post, is_it: Callable[[Message], bool]) -> str | None:
        try:
            async for message in self._messages(post):
                if is_it(message):
                    return str(message["ts"])
        except TROUBLE as error:
            raise DeliveryUnknown(platform=PLATFORM, reason=reason_of(error)) from error
        return None

    def _is_part(self, message: Message, post: Post, part: Part) -> bool:
        metadata = message.get("metadata")
        if isinstance(metadata, Mapping) and metadata.get("event_type") == METADATA_TYPE:
            payload = metadata.get("event_payload")
            return isinstance(payload, Mapping) and (payload.get("post"), payload.get("part")) == (post.id, part.index)
        own = self._accounts.own
        ours = own is not None and (message.get("user") == own.user or message.get("bot_id") == own.bot)
        return ours and bool(part.text) and message.get("text") == part.text

    async def _messages(self, post: Post) -> AsyncIterator[Message]:
        """Yield what stands where the post belongs; where its thread is gone, what stands in the channel."""
        if post.key.thread:
            try:
                async for message in self._pages("conversations.replies", post, {"ts": post.key.thread}):
                    yield message
            except TROUBLE as error:
                if code_of(error) != "thread_not_found":
                    raise
            else:
                return
        async for message in self._pages("conversations.history", post, {}):
            yield message

    async def _pages(self, method: str, post: Post, arguments: Mapping[str, object]) -> AsyncIterator[Message]:
        asked: dict[str, Any] = {"channel": post.key.channel, "limit": PAGE, "include_all_metadata": "true"}
        asked |= arguments
        if since := _since(post):
            asked["oldest"] = since
        for _ in range(PAGES):
            answer = await self._accounts.client().api_call(method, http_verb="GET", params=dict(asked))
            for message in answer.get("messages") or ():
                if isinstance(message, Mapping) and message.get("ts"):
                    yield message
            following = answer.get("response_metadata") or {}
            cursor = following.get("next_cursor") if isinstance(following, Mapping) else None
            if not cursor:
                return
            asked["cursor"] = cursor
        raise DeliveryUnknown(platform=PLATFORM, reason=f"the conversation has more than {PAGE * PAGES} messages")


def _shares(message: Message, file_id: str) -> bool:
    files = message.get("files")
    return isinstance(files, list) and any(isinstance(file, Mapping) and file.get("id") == file_id for file in files)


def _since(post: Post) -> str:
    """No post is older than the message that it answers."""
    match post:
        case Reply(answers=answers) | Notice(answers=answers):
            return ts_of(written_id(answers)) if answers is not None else ""
