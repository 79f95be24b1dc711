"""How each message stands on its way to an answer: what gateways show of it."""

from collections.abc import Awaitable, Callable, Iterator, Mapping

import structlog

from mama_bot.errors import StoreUnavailable
from mama_bot.model import (
    ConversationKey,
    InboundMessage,
    InLine,
    MessageId,
    MessageStanding,
    Platform,
    StandingState,
    WaitingLine,
)
from mama_bot.protocols import Gateway, Inbox

log = structlog.get_logger(__name__)

MOST_MOVED = 12  # of a long queue only the first are told where they stand: each answer moves all of them


class MessageStandings:
    """Tells by `mark` how messages stand; what cannot be told is left out, and never hurts a message."""

    def __init__(self, *, inbox: Inbox, mark: Callable[[MessageStanding], Awaitable[None]]) -> None:
        self._inbox = inbox
        self._mark = mark

    async def taken(self, message: InboundMessage, place: InLine) -> None:
        """Tell that a message is stored, and what is before it."""
        await self._mark(_standing(message, StandingState.WAITING, ahead=place.ahead))

    async def left(self, message: InboundMessage, line: WaitingLine) -> None:
        """Tell that a message is in a line again, and what is before it."""
        known = next((standing for standing in _standings(line) if standing.message_id == message.id), None)
        last = _standing(message, StandingState.WAITING, ahead=max(0, line.length - 1 + line.running))
        await self._mark(known or last)

    async def moved(self, key: ConversationKey, line: WaitingLine | None = None) -> None:
        """Tell of the first messages that wait in a conversation what is before them now, where that is known."""
        for standing in _standings(await self._line(key) if line is None else line):
            await self._mark(standing)

    async def all_waiting(self, platform: Platform | None = None) -> None:
        """Tell of every message that waits, in whatever conversation: the service, or a platform, has just begun."""
        try:
            keys = await self._inbox.waited_in()
        except StoreUnavailable as error:
            log.warning("standings_not_read", reason=str(error))
            return
        for key in keys:
            if platform in (None, key.platform):
                await self.moved(key)

    async def working(self, message: InboundMessage) -> None:
        """Tell that the exchange of a message has begun."""
        await self._mark(_standing(message, StandingState.WORKING))

    async def added(self, message: InboundMessage) -> None:
        """Tell that a message was made part of the exchange that runs."""
        await self._mark(_standing(message, StandingState.ADDED))

    async def done(self, key: ConversationKey, message_id: MessageId, line: WaitingLine | None = None) -> None:
        """Tell that nothing more comes of a message, and that those behind it, the `line`, have moved."""
        standing = MessageStanding(message_id=message_id, key=key, state=StandingState.DONE)
        await self._mark(standing)
        await self.moved(key, line)

    async def _line(self, key: ConversationKey) -> WaitingLine:
        try:
            return await self._inbox.line(key, most=MOST_MOVED)
        except StoreUnavailable as error:
            log.warning("standings_not_read", reason=str(error))
            return WaitingLine()


def marked_by(gateways: Mapping[Platform, Gateway]) -> Callable[[MessageStanding], Awaitable[None]]:
    """Return what marks a message on its platform."""

    async def mark(standing: MessageStanding) -> None:
        gateway = gateways.get(standing.key.platform)
        if gateway is not None:
            await gateway.mark(standing)

    return mark


def _standings(line: WaitingLine) -> Iterator[MessageStanding]:
    """Yield how the first of a line stand."""
    for place, message in enumerate(line.waiting):
        yield _standing(message, StandingState.WAITING, ahead=place + line.running)


def _standing(message: InboundMessage, state: StandingState, *, ahead: int = 0) -> MessageStanding:
    return MessageStanding(
        message_id=message.id,
        key=message.key,
        state=state,
        ahead=ahead,
        language=message.language,
        words=message.text_with_files,
    )
