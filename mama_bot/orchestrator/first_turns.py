"""The turns at the root of an exchange: who is asked, whose work is reviewed, or what goes on."""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from mama_bot.model import InboundMessage, PostId, Turn
from mama_bot.orchestrator.endings import TurnEndings
from mama_bot.orchestrator.foreign_chains import ForeignChains
from mama_bot.orchestrator.team import Team
from mama_bot.protocols import Outbox, TurnStore
from mama_bot.review.review_notices import nobody_to_review
from mama_bot.turns import notices
from mama_bot.turns.new_turns import continued_turn, first_turn
from mama_bot.turns.schedule import work_under_review

log = structlog.get_logger(__name__)


class FirstTurns:
    """Makes the turns that a message begins with."""

    def __init__(self, *, turns: TurnStore, outbox: Outbox, chains: ForeignChains, endings: TurnEndings) -> None:
        self._turns = turns
        self._outbox = outbox
        self._chains = chains
        self._endings = endings

    async def of(self, message: InboundMessage, team: Team) -> Sequence[Turn]:
        """Return the turns at the root of an exchange; none, and a line, where nobody answers."""
        if message.repeat is not None and message.repeat.review:
            return await self._reviewed(message, team)
        if (cut_off := await self._cut_off(message)) is not None and cut_off.persona in team.personas:
            log.info("goes_on", turn=cut_off.id, persona=cut_off.persona)
            return [continued_turn(message, cut_off, team.personas[cut_off.persona])]
        route = team.router.route(message)
        log.debug("routed", stage=route.stage.value, personas=[persona.name for persona in route.personas])
        if route.note:
            await self._outbox.add(notices.not_routed(message, route.note))
        if await self._chains.stopped(message, route.personas, team.loops):
            return []
        return [first_turn(message, persona, index) for index, persona in enumerate(route.personas)]

    async def _reviewed(self, message: InboundMessage, team: Team) -> Sequence[Turn]:
        """Return the reviews that a person asks for; none, and a line, where there is nobody to do it."""
        assert message.repeat is not None
        exchange = await self._turns.load(message.repeat.of)
        stored = next((stored for stored in exchange.turns if stored.turn.id == message.repeat.turn), None)
        if stored is None:
            return []
        work = work_under_review(exchange.turns, stored.turn)
        work = replace(work, baseline=await self._endings.found_by(work))
        until = await self._endings.left_by(work, exchange.turns)
        reviews = await team.reviews.asked_for(message, work, exchange, until=until)
        if not reviews:
            line = nobody_to_review(stored.turn, work, team.reviews.setting)
            await self._outbox.add(replace(line, id=PostId(f"{message.id}.no_reviewer")))
            return []
        return reviews

    async def _cut_off(self, message: InboundMessage) -> Turn | None:
        """Return the turn that a message lets go on; None where it asks for something of its own."""
        if message.repeat is None or message.repeat.turn is None:
            return None
        exchange = await self._turns.load(message.repeat.of)
        return next((stored.turn for stored in exchange.turns if stored.turn.id == message.repeat.turn), None)
