"""How each message stands on its way to an answer: what gateways show of it."""

from collections.abc import Mapping
from dataclasses import replace

import structlog

from mama_bot.errors import StoreUnavailable
from mama_bot.model import ConversationKey, InboundMessage, MessageId, MessageStanding, Platform, StandingState
from mama_bot.protocols import Gateway, Inbox

log = structlog.get_logger(__name__)

MOST_MOVED = 20


class MessageStandings:
    """Tells the gateways how messages stand; what cannot be told is left out, and never hurts a message."""

    def __init__(self, *, inbox: Inbox, gateways: Mapping[Platform, Gateway]) -> None:
        self._inbox = inbox
        self._gateways = gateways

    async def taken(self, message: InboundMessage) -> None:
        """Tell that a message is stored, and what is before it."""
        waiting = {standing.message_id: standing for standing in await self._line(message.key)}
        await self._mark(waiting.get(message.id) or _standing(message, StandingState.WAITING))

    async def moved(self, key: ConversationKey) -> None:
        """Tell of the first messages that wait in a conversation what is before them now."""
        for standing in (await self._line(key))[:MOST_MOVED]:
            await self._mark(standing)

    async def all_waiting(self) -> None:
        """Tell of every message that waits, in whatever conversation: the service has just begun."""
        try:
            keys = await self._inbox.waited_in()
        except StoreUnavailable as error:
            log.warning("standings_not_read", reason=str(error))
            return
        for key in keys:
            await self.moved(key)

    async def working(self, message: InboundMessage) -> None:
        """Tell that the exchange of a message has begun."""
        await self._mark(_standing(message, StandingState.WORKING))

    async def added(self, message: InboundMessage) -> None:
        """Tell that a message was made part of the exchange that runs."""
        await self._mark(_standing(message, StandingState.ADDED))

    async def done(self, key: ConversationKey, message_id: MessageId) -> None:
        """Tell that nothing more comes of a message, and that those behind it have moved."""
        standing = MessageStanding(message_id=message_id, key=key, state=StandingState.DONE)
        await self._mark(standing)
        await self.moved(key)

    async def _line(self, key: ConversationKey) -> list[MessageStanding]:
        try:
            line = await self._inbox.line(key)
        except StoreUnavailable as error:
            log.warning("standings_not_read", reason=str(error))
            return []
        return [
            replace(_standing(message, StandingState.WAITING), ahead=place + line.running)
            for place, message in enumerate(line.waiting)
        ]

    async def _mark(self, standing: MessageStanding) -> None:
        gateway = self._gateways.get(standing.key.platform)
        if gateway is not None:
            await gateway.mark(standing)


def _standing(message: InboundMessage, state: StandingState) -> MessageStanding:
    return MessageStanding(
        message_id=message.id,
        key=message.key,
        state=state,
        language=message.language,
        words=message.text_with_files,
    )
