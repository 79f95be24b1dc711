"""What the gateway itself says: answers to commands, refusals."""

import asyncio
from dataclasses import dataclass

import structlog
from telegram import InlineKeyboardMarkup

from mama_bot.gateways.chat.markdown.posts import parts_of, short_message
from mama_bot.gateways.telegram.accounts import TELEGRAM, TelegramAccount
from mama_bot.gateways.telegram.dialect import DIALECT
from mama_bot.gateways.telegram.posts import CALL_ERRORS, OutgoingMessage, Sender
from mama_bot.gateways.telegram.timings import Timing
from mama_bot.gateways.telegram.transport import TelegramRefused
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, Notice, NoticeKind, PostId

log = structlog.get_logger(__name__)

TRIES = 3


@dataclass(frozen=True, slots=True)
class TelegramPlace:
    """Where something is said: a chat, a topic of it, the message that is answered."""

    chat: int
    topic: int = 0
    message: int = 0


class Speech:
    """Says lines; what cannot be said after some tries is logged and counted, and raises nothing."""

    def __init__(self, *, sender: Sender, metrics: Metrics, timing: Timing) -> None:
        self._sender = sender
        self._metrics = metrics
        self._timing = timing

    async def tell(
        self,
        account: TelegramAccount,
        place: TelegramPlace,
        markdown: str,
        keyboard: InlineKeyboardMarkup | None = None,
    ) -> None:
        """Say something, in as many messages as it needs, with buttons under the last of them."""
        key = ConversationKey(TELEGRAM, str(place.chat))
        for part in parts_of(Notice(id=PostId(""), key=key, notice=NoticeKind.REFUSED, text=markdown), DIALECT):
            told = await self._say(
                account,
                OutgoingMessage(
                    chat=place.chat,
                    thread=place.topic,
                    reply_to=place.message if part.index == 0 else 0,
                    text=part.text,
                    plain=part.plain,
                    file=part.file,
                    keyboard=keyboard if part.last else None,
                ),
            )
            if not told:
                return

    async def _say(self, account: TelegramAccount, message: OutgoingMessage) -> bool:
        reason = ""
        for attempt in range(1, TRIES + 1):
            try:
                await self._sender.send(account, message)
            except CALL_ERRORS as error:
                reason = f"{type(error).__name__}: {error}"
                if isinstance(error, TelegramRefused) and error.status < 500 and error.status != 429:
                    break
                wait = error.retry_after if isinstance(error, TelegramRefused) else 0.0
                if attempt < TRIES:
                    await asyncio.sleep(min(self._timing.longest_pause, wait or self._timing.pause(attempt)))
            else:
                return True
        self._metrics.count("chat_lines_not_told", platform=TELEGRAM)
        log.warning("line_not_told", chat=message.chat, reason=reason)
        return False


def plain_of(markdown: str) -> str:
    """Return a text without markup, as the short answers in the app take it."""
    return short_message(markdown, DIALECT)[1] if markdown.strip() else ""
