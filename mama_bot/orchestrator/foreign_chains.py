"""Whether a bot is answered: those who are no people shall not keep each other busy."""

import asyncio
from collections.abc import Sequence

import structlog

from mama_bot.config import LoopSettings
from mama_bot.headway.loops import FOREIGN, chain_before, is_idle_with
from mama_bot.metrics import Metrics
from mama_bot.model import AgentPersona, AuthorKind, ConversationView, InboundMessage, Notice, Platform
from mama_bot.protocols import Clock, ConversationHistory, Outbox
from mama_bot.recent import Recent
from mama_bot.turns import notices

log = structlog.get_logger(__name__)

LATEST_MESSAGES = 60
REMEMBERED = 10_000


class ForeignChains:
    """Stops what bots and hooks ask again and again with nobody there, and lets agents rest between their answers.

    A stop is told in the conversation once an hour at most: a bot may answer that line as well.
    """

    def __init__(self, *, history: ConversationHistory, outbox: Outbox, clock: Clock, metrics: Metrics) -> None:
        self._history = history
        self._outbox = outbox
        self._clock = clock
        self._metrics = metrics
        self._answered: Recent[tuple[str, Platform, str], float] = Recent(REMEMBERED)

    async def stopped(self, message: InboundMessage, personas: Sequence[AgentPersona], settings: LoopSettings) -> bool:
        """Return whether nobody answers a message, once the agents that would have rested."""
        if message.author.kind not in FOREIGN:
            return False
        view = await self._view(message, settings.chain_limit)
        before = chain_before(view, message, self._clock.now(), settings.chain_seconds)
        line: Notice | None = None
        if len(before) >= settings.chain_limit:
            line = notices.chain_stopped(message, len(before), self._clock.now())
        elif message.author.kind is AuthorKind.BOT and is_idle_with(view, message, rounds=settings.idle_rounds):
            line = notices.idle_stopped(message, settings.idle_rounds, self._clock.now())
        if line is None:
            await self._rest(message, personas, settings.cooldown_seconds)
            return False
        self._metrics.count("loops_stopped", platform=message.key.platform)
        log.warning("loop_stopped", author=message.author.id, chain=len(before), conversation=str(message.key))
        await self._outbox.add(line)
        return True

    async def _view(self, message: InboundMessage, chain_limit: int) -> ConversationView:
        """Return the conversation, with as many messages before this one as a chain may have."""
        # The latest alone may all wait behind it.
        limit = LATEST_MESSAGES
        while True:
            view = await self._history.view(message.key, limit)
            before = next((number for number, known in enumerate(view.messages) if known.id == message.id), 0)
            if before >= chain_limit or len(view.messages) < limit:
                return view
            limit *= 4

    async def _rest(self, message: InboundMessage, personas: Sequence[AgentPersona], seconds: float) -> None:
        places = [(persona.name, message.key.platform, message.key.channel) for persona in personas]
        now = self._clock.monotonic()
        rest = max((self._answered.get(place, now - seconds) + seconds - now for place in places), default=0.0)
        if rest > 0:
            log.info("agent_rests", seconds=round(rest, 1), conversation=str(message.key))
            await asyncio.sleep(min(rest, seconds))
        for place in places:
            self._answered[place] = self._clock.monotonic()
