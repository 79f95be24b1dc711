"""How Slack shows that someone works."""

import structlog
from slack_sdk.errors import SlackApiError

from mama_bot.errors import DeliveryFailed
from mama_bot.gateways.chat.labels import labels
from mama_bot.gateways.slack.accounts import Accounts
from mama_bot.gateways.slack.blocks import Block, stop_button, with_buttons
from mama_bot.gateways.slack.calls import TROUBLE, code_of, delivery_error
from mama_bot.gateways.slack.pace import Pace
from mama_bot.gateways.slack.rendering import line_of
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, Turn
from mama_bot.model.wording import is_korean

log = structlog.get_logger(__name__)

_NEVER = frozenset(
    {"unknown_method", "missing_scope", "not_allowed_token_type", "no_permission", "feature_not_enabled"}
)


class SlackSurface:
    """A ProgressSurface: a status in threads, and one message that is edited within Slack's pace."""

    def __init__(self, *, accounts: Accounts, pace: Pace, metrics: Metrics) -> None:
        self._accounts = accounts
        self._pace = pace
        self._metrics = metrics
        self._statuses = True

    async def typing(self, turn: Turn) -> None:
        """Set the status of the thread; channels outside threads have none."""
        if not self._statuses or not turn.key.thread:
            return
        status = "작업 중…" if is_korean(turn.prompt) else "is working…"
        try:
            await self._accounts.client(posting=True).assistant_threads_setStatus(
                channel_id=turn.key.channel, thread_ts=turn.key.thread, status=status
            )
        except SlackApiError as error:
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
        if self._pace.seconds_until(turn.key.channel):
            self._metrics.count("slack_progress_skipped")
            return
        marked, blocks = _form(turn, text)
        try:
            await self._accounts.client(posting=True).chat_update(
                channel=turn.key.channel, ts=platform_id, text=marked, blocks=blocks
            )
        except TROUBLE as error:
            self._note(turn.key.channel, error)
            raise

    async def remove(self, key: ConversationKey, platform_id: str) -> None:
        """Delete the message."""
        await self._accounts.client(posting=False).chat_delete(channel=key.channel, ts=platform_id)

    def _note(self, channel: str, error: BaseException) -> None:
        outcome = delivery_error(error)
        if isinstance(outcome, DeliveryFailed) and outcome.retry_after_seconds is not None:
            self._pace.refused(channel, outcome.retry_after_seconds)


def _form(turn: Turn, text: str) -> tuple[str, list[Block]]:
    marked, _ = line_of(text)
    return marked, with_buttons(marked, [stop_button(labels(korean=is_korean(turn.prompt)))])
