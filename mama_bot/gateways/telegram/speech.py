"""What the gateway itself says: answers to commands, refusals."""

import asyncio
from dataclasses import dataclass

import structlog

from mama_bot.gateways.telegram.accounts import Account
from mama_bot.gateways.telegram.rendering import line_of
from mama_bot.gateways.telegram.sending import CALL_ERRORS, Outgoing, Sender
from mama_bot.gateways.telegram.timing import Timing
from mama_bot.gateways.telegram.transport import Refused
from mama_bot.metrics import Metrics

log = structlog.get_logger(__name__)

TRIES = 3


@dataclass(frozen=True, slots=True)
class Place:
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

    async def tell(self, account: Account, place: Place, markdown: str) -> None:
        """Say a line."""
        text, plain = line_of(markdown)
        message = Outgoing(chat=place.chat, thread=place.topic, reply_to=place.message, text=text, plain=plain)
        reason = ""
        for attempt in range(1, TRIES + 1):
            try:
                await self._sender.send(account, message)
            except CALL_ERRORS as error:
                reason = f"{type(error).__name__}: {error}"
                if isinstance(error, Refused) and error.status < 500 and error.status != 429:
                    break
                wait = error.retry_after if isinstance(error, Refused) else 0.0
                if attempt < TRIES:
                    await asyncio.sleep(min(self._timing.longest_pause, wait or self._timing.pause(attempt)))
            else:
                return
        self._metrics.count("lines_not_said", platform="telegram")
        log.warning("line_not_said", chat=place.chat, reason=reason)


def plain_of(markdown: str) -> str:
    """A text without markup, as the short answers in the app take it."""
    return line_of(markdown)[1] if markdown.strip() else ""
