"""How Slack shows that someone works."""

from collections.abc import Sequence

import structlog

from mama_bot.errors import DeliveryFailed
from mama_bot.gateways.chat.command_forms import STOP_BUTTON, Button
from mama_bot.gateways.chat.markdown.posts import short_message
from mama_bot.gateways.chat.seen import ReactionsRefused, SlowDown
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.blocks import Block, blocks_of
from mama_bot.gateways.slack.calls import TROUBLE, code_of, delivery_error
from mama_bot.gateways.slack.dialect import DIALECT
from mama_bot.gateways.slack.pace import Pace
from mama_bot.gateways.slack.places import ts_of
from mama_bot.gateways.slack.sentences import WORKING
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, MessageId, Turn, written_id
from mama_bot.wording import Language

log = structlog.get_logger(__name__)

# Edits have a limit of their own, for the whole workspace: it holds back no post.
_EDITS = "chat.update"
_NEVER = frozenset(
    {"unknown_method", "missing_scope", "not_allowed_token_type", "no_permission", "feature_not_enabled"}
)
# The sign is there, or gone, as it shall be.
_AS_WANTED = frozenset({"already_reacted", "no_reaction", "message_not_found"})
_REFUSED = _NEVER | {"not_reactable", "too_many_reactions", "too_many_emoji", "is_archived", "thread_locked"}
SEEN = "eyes"


class SlackSurface:
    """A ProgressSurface: a status in threads, and one message that is edited within Slack's pace."""

    def __init__(self, *, accounts: SlackAccounts, pace: Pace, metrics: Metrics) -> None:
        self._accounts = accounts
        self._pace = pace
        self._metrics = metrics
        self._statuses = True

    async def typing(self, turn: Turn) -> None:
        """Set the status of the thread; channels outside threads have none."""
        if turn.key.thread:
            await self._set_status(turn.key, WORKING.to(turn.language))

    async def _set_status(self, key: ConversationKey, status: str) -> None:
        if not self._statuses:
            return
        try:
            await self._accounts.client(posting=True).assistant_threads_setStatus(
                channel_id=key.channel, thread_ts=key.thread, status=status
            )
        except TROUBLE as error:
            if code_of(error) in _NEVER:
                self._statuses = False
                log.info("slack_statuses_off", reason=code_of(error))

    async def create(self, turn: Turn, text: str) -> str:
        """Post the message; "" while Slack asks for a slower pace."""
        if self._pace.seconds_until(turn.key.channel):
            return ""
        marked, blocks = _form(turn, text)
        try:
            answer = await self._accounts.client(posting=True).chat_postMessage(
                channel=turn.key.channel,
                text=marked,
                blocks=blocks,
                thread_ts=turn.key.thread or None,
                unfurl_links=False,
                unfurl_media=False,
            )
        except TROUBLE as error:
            self._note(turn.key.channel, error)
            raise
        return str(answer.get("ts") or "")

    async def edit(self, turn: Turn, platform_id: str, text: str) -> None:
        """Replace the text; left out while Slack asks for a slower pace."""
        if self._pace.seconds_until(turn.key.channel) or self._pace.seconds_until(_EDITS):
            self._metrics.count("slack_progress_skipped")
            return
        marked, blocks = _form(turn, text)
        try:
            await self._accounts.client(posting=True).chat_update(
                channel=turn.key.channel, ts=platform_id, text=marked, blocks=blocks
            )
        except TROUBLE as error:
            self._note(_EDITS, error)
            raise

    async def react(self, key: ConversationKey, message_id: MessageId) -> None:
        """Put the sign of being seen on a message; where it is already, nothing changes."""
        await self._reaction("reactions.add", key, message_id)

    async def unreact(self, key: ConversationKey, message_id: MessageId) -> None:
        """Take it off; where there is none, nothing changes."""
        await self._reaction("reactions.remove", key, message_id)

    async def _reaction(self, method: str, key: ConversationKey, message_id: MessageId) -> None:
        stamp = ts_of(written_id(message_id))
        if not stamp:
            return
        try:
            await self._accounts.client(posting=True).api_call(
                method, params={"channel": key.channel, "timestamp": stamp, "name": SEEN}
            )
        except TROUBLE as error:
            if code_of(error) not in _AS_WANTED:
                raise _heeded(error) from error

    async def say(self, key: ConversationKey, text: str, buttons: Sequence[Button], language: Language) -> str:
        """Post a line with buttons."""
        marked, _ = short_message(text, DIALECT)
        try:
            answer = await self._accounts.client(posting=True).chat_postMessage(
                channel=key.channel,
                text=marked,
                blocks=blocks_of(marked, buttons, language),
                thread_ts=key.thread or None,
                unfurl_links=False,
                unfurl_media=False,
            )
        except TROUBLE as error:
            raise _heeded(error) from error
        return str(answer.get("ts") or "")

    async def say_anew(
        self, key: ConversationKey, platform_id: str, text: str, buttons: Sequence[Button], language: Language
    ) -> None:
        """Replace the text of a line."""
        marked, _ = short_message(text, DIALECT)
        try:
            await self._accounts.client(posting=True).chat_update(
                channel=key.channel, ts=platform_id, text=marked, blocks=blocks_of(marked, buttons, language)
            )
        except TROUBLE as error:
            raise _heeded(error) from error

    async def unsay(self, key: ConversationKey, platform_id: str) -> None:
        """Delete a line."""
        try:
            await self._accounts.client(posting=True).chat_delete(channel=key.channel, ts=platform_id)
        except TROUBLE as error:
            if code_of(error) != "message_not_found":
                raise _heeded(error) from error

    async def remove(self, key: ConversationKey, platform_id: str) -> None:
        """Delete the message, and the status with it."""
        if key.thread:
            await self._set_status(key, "")
        await self._accounts.client(posting=False).chat_delete(channel=key.channel, ts=platform_id)

    def _note(self, place: str, error: BaseException) -> None:
        outcome = delivery_error(error)
        if isinstance(outcome, DeliveryFailed) and outcome.retry_after_seconds is not None:
            self._pace.refused(place, outcome.retry_after_seconds)


def _form(turn: Turn, text: str) -> tuple[str, list[Block]]:
    marked, _ = short_message(text, DIALECT)
    return marked, blocks_of(marked, [STOP_BUTTON], turn.language)


def _heeded(error: BaseException) -> Exception:
    """Return what a refusal means for the next call of its kind."""
    outcome = delivery_error(error)
    if isinstance(outcome, DeliveryFailed) and outcome.retry_after_seconds is not None:
        return SlowDown(outcome.retry_after_seconds)
    return ReactionsRefused(code_of(error)) if code_of(error) in _REFUSED else outcome
