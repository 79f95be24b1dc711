"""Posts leave here: one call for each part, and other ways where Slack refuses the first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from mama_bot.errors import DeliveryError, DeliveryFailed, DeliveryUnknown, StoreUnavailable
from mama_bot.gateways.chat.command_forms import buttons_under
from mama_bot.gateways.chat.markdown.posts import parts_of, record_markup, settled_part
from mama_bot.gateways.chat.sentences import DUPLICATE
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.blocks import blocks_of
from mama_bot.gateways.slack.calls import TOKEN_ERRORS, TROUBLE, code_of, delivery_error, reason_of
from mama_bot.gateways.slack.constants import METADATA_TYPE, PLATFORM
from mama_bot.gateways.slack.dialect import DIALECT
from mama_bot.gateways.slack.markup import escaped
from mama_bot.gateways.slack.pace import Pace
from mama_bot.gateways.slack.places import is_direct
from mama_bot.gateways.slack.threads import SlackThreads
from mama_bot.metrics import Metrics
from mama_bot.model import Notice, Part, Post, Reply, language_of_post
from mama_bot.wording import language_of

log = structlog.get_logger(__name__)

_FORM_ERRORS = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"})
_THREAD_ERRORS = frozenset({"thread_not_found", "invalid_thread_ts", "cannot_reply_to_message"})
_PLACE_ERRORS = frozenset({"not_in_channel", "channel_not_found"})
_NOT_EDITED = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", "message_is_deleted"})
_WAYS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How a part is sent: by whose app, under whose name, in which form and where."""

    persona_app: bool
    named: bool
    headed: bool = False
    plain: bool = False
    threaded: bool = True


class SlackOutbound:
    """Posts parts; raises DeliveryFailed or DeliveryUnknown."""

    def __init__(self, *, accounts: SlackAccounts, threads: SlackThreads, pace: Pace, metrics: Metrics) -> None:
        self._accounts = accounts
        self._threads = threads
        self._pace = pace
        self._metrics = metrics
        self._shut: set[str] = set()

    def parts(self, post: Post) -> tuple[Part, ...]:
        """Return a post in Slack's markup; a reply that cannot bear its persona's name begins with it."""
        return parts_of(post, DIALECT, header=isinstance(post, Reply) and self._accounts.needs_header(post.persona))

    async def send(self, post: Post, part: Part, *, repeated: bool) -> str:
        """Post the text of a part, and return its time stamp."""
        await self.take_turn(post.key.channel)
        way = self._usual_way(post)
        for _ in range(_WAYS):
            try:
                ts = await self._send(way, post, part, repeated=repeated)
            except TROUBLE as error:
                other = self._other_way(way, code_of(error), post)
                if other is None:
                    raise self.failure(post.key.channel, error) from error
                way = other
            else:
                await self._join(post)
                return ts
        raise DeliveryFailed(platform=PLATFORM, reason="no way of sending it was taken")

    async def settle(self, question: Notice, answer: Notice, ts: str) -> bool:
        """See Gateway.settle."""
        await self.take_turn(question.key.channel)
        text = settled_part(question, answer, DIALECT).text
        try:
            await self._accounts.client(posting=True).chat_update(
                channel=question.key.channel, ts=ts, text=text, blocks=[]
            )
        except TROUBLE as error:
            if code_of(error) in _NOT_EDITED:
                return False
            raise self.failure(question.key.channel, error) from error
        return True

    async def offer(self, post: Post, ids: Mapping[int, str], *, undone: bool) -> None:
        """See Gateway.offer; what a persona's own app posted has no buttons."""
        [bearing] = [part for part in self.parts(post) if self._bears_buttons(post, part)]
        way = self._usual_way(post)
        if way.persona_app or bearing.file is not None or bearing.index not in ids:
            return
        given = self._arguments(way, post, bearing, repeated=False, undone=undone)
        if "blocks" not in given:
            return
        await self.take_turn(post.key.channel)
        try:
            await self._accounts.client(posting=True).chat_update(
                channel=post.key.channel, ts=ids[bearing.index], text=given["text"], blocks=given["blocks"]
            )
        except TROUBLE as error:
            raise self.failure(post.key.channel, error) from error

    def _usual_way(self, post: Post) -> _Way:
        """Return how a part is sent at first: a direct conversation is with the main app alone."""
        own_app = isinstance(post, Reply) and self._accounts.persona_client(post.persona) is not None
        persona_app = own_app and not is_direct(post.key.channel)
        return _Way(persona_app=persona_app, named=self._accounts.customizes())

    async def take_turn(self, channel: str) -> None:
        """Wait for a short while where Slack asked for it; raises DeliveryFailed where it asked for longer."""
        missing = await self._pace.wait(channel)
        if missing:
            raise DeliveryFailed(platform=PLATFORM, reason="Slack asks for a slower pace", retry_after_seconds=missing)

    def failure(self, channel: str, error: BaseException) -> DeliveryError:
        """Return what an error means for a post; what stays so is said once for each channel."""
        outcome = delivery_error(error)
        if isinstance(outcome, DeliveryFailed) and outcome.retry_after_seconds is not None:
            self._pace.refused(channel, outcome.retry_after_seconds)
            self._metrics.count("slack_rate_limited")
        if code_of(error) in TOKEN_ERRORS:
            self._say_once("slack_token_refused", "", error)
        elif isinstance(outcome, DeliveryFailed) and outcome.permanent:
            self._say_once("slack_channel_refused", channel, error)
        return outcome

    def _say_once(self, event: str, channel: str, error: BaseException) -> None:
        """Once for each channel, or for the token, until something is posted there again."""
        self._metrics.count(event, error=code_of(error))
        if channel not in self._shut:
            self._shut.add(channel)
            log.error(event, channel=channel, reason=reason_of(error))

    async def _send(self, way: _Way, post: Post, part: Part, *, repeated: bool) -> str:
        client, arguments = self._client(way, post), self._arguments(way, post, part, repeated=repeated)
        answer = await client.chat_postMessage(**arguments)
        ts = answer.get("ts")
        if not isinstance(ts, str) or not ts:
            raise DeliveryUnknown(platform=PLATFORM, reason="Slack's answer names no message")
        self._shut -= {post.key.channel, ""}
        return ts

    def _client(self, way: _Way, post: Post) -> AsyncWebClient:
        persona = self._accounts.persona_client(post.persona) if way.persona_app and isinstance(post, Reply) else None
        return persona or self._accounts.client(posting=True)

    def _arguments(self, way: _Way, post: Post, part: Part, *, repeated: bool, undone: bool = False) -> dict[str, Any]:
        # Without markup too, these characters would begin mentions.
        text = escaped(part.plain) if way.plain else part.text
        if way.headed and isinstance(post, Reply) and part.index == 0:
            text = f"{escaped(post.display_name)}\n{text}"
        if repeated:
            text = f"{DUPLICATE.to(language_of(part.plain))}\n{text}"
        arguments: dict[str, Any] = {
            "channel": post.key.channel,
            "text": text or " ",
            "unfurl_links": False,
            "unfurl_media": False,
            "metadata": {"event_type": METADATA_TYPE, "event_payload": {"post": post.id, "part": part.index}},
        }
        if post.key.thread and way.threaded:
            arguments["thread_ts"] = post.key.thread
        if way.plain:
            arguments["mrkdwn"] = False
        else:
            # A press under the post of a persona's own app would go to that app's socket, where nobody listens.
            buttons = (
                buttons_under(post, undone=undone) if self._bears_buttons(post, part) and not way.persona_app else ()
            )
            context = record_markup(post, DIALECT) if part.index == 0 else ""
            arguments |= _given("blocks", blocks_of(text, buttons, language_of_post(post), context=context))
        if isinstance(post, Reply) and way.named and not way.persona_app:
            arguments |= {"username": post.display_name, **_icon(post.avatar)}
        return arguments

    def _bears_buttons(self, post: Post, part: Part) -> bool:
        """Whether it is the last text: a file cannot bear buttons."""
        texts = [text.index for text in self.parts(post) if text.file is None]
        return part.index == max(texts, default=-1) if texts else part.last

    def _other_way(self, way: _Way, code: str, post: Post) -> _Way | None:
        """Return what to try where Slack has certainly not taken a part; None: nothing is left."""
        other: _Way | None = None
        if way.persona_app and code in _PLACE_ERRORS | TOKEN_ERRORS | {"missing_scope"}:
            other = replace(way, persona_app=False)
        elif code == "missing_scope" and way.named and isinstance(post, Reply):
            self._accounts.lose_customizing()
            other = replace(way, named=False, headed=True)
        elif code in _FORM_ERRORS and not way.plain:
            other = replace(way, plain=True)
        elif code in _THREAD_ERRORS and way.threaded and post.key.thread:
            other = replace(way, threaded=False)
        if other is not None:
            self._metrics.count("slack_posts_another_way", error=code)
            log.warning("slack_post_another_way", post=post.id, error=code)
        return other

    async def _join(self, post: Post) -> None:
        key = post.key
        if not key.thread or is_direct(key.channel) or self._threads.joined(key.channel, key.thread):
            return
        try:
            await self._threads.join(key.channel, key.thread)
        except StoreUnavailable as error:
            log.warning("slack_thread_not_remembered", conversation=str(key), reason=str(error))


def _icon(avatar: str) -> Mapping[str, str]:
    if avatar.startswith(("https://", "http://")):
        return {"icon_url": avatar}
    return {"icon_emoji": avatar} if len(avatar) > 2 and avatar[0] == avatar[-1] == ":" else {}


def _given(name: str, value: Sequence[object]) -> dict[str, Any]:
    return {name: value} if value else {}
