"""The prompt that a turn begins with: what is asked, what the conversation holds, what came of an earlier try."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import structlog

from mama_bot.metrics import Metrics
from mama_bot.model import InboundMessage, Notice, Prompt, Reminders, SentBack, SessionId, ToldBefore, TurnKind
from mama_bot.protocols import LeasedSession, TurnStore
from mama_bot.turns.heard import Hearing
from mama_bot.turns.ledger import TurnLedger
from mama_bot.turns.new_turns import came_of, told_calls
from mama_bot.turns.notices import session_gone, session_moved
from mama_bot.turns.prompts import MOVED, long_text, recovery_prompt, results_text, turn_prompt
from mama_bot.turns.schedule import ReportResults, settlement_of
from mama_bot.turns.turn_context import LONG_CHARACTERS, TurnContext

log = structlog.get_logger(__name__)


class FirstPrompts:
    """Writes the first prompt of a turn in a session, of a turn that begins and of one that was cut off.

    `tell` posts a line in the conversation of a turn, `moved` says whether a session was on another machine until now.
    """

    def __init__(
        self,
        *,
        context: TurnContext,
        turns: TurnStore,
        metrics: Metrics,
        tell: Callable[[Notice], Awaitable[None]],
        moved: Callable[[SessionId], Awaitable[bool]] | None = None,
    ) -> None:
        self._context = context
        self._tell = tell
        self._moved = moved
        self._turns = turns
        self._metrics = metrics

    async def of(
        self,
        ledger: TurnLedger,
        message: InboundMessage,
        lease: LeasedSession,
        reminders: Reminders,
        hearing: Hearing,
    ) -> Prompt:
        """Return what an agent is asked at first, with the files of the request and of the messages before it."""
        told = await self._context.told(ledger.turn, fresh=lease.fresh)
        text = await ledger.first_prompt(await self._text(ledger, message, lease, reminders, hearing, told))
        return Prompt(
            text=text,
            attachments=message.attachments,
            earlier=tuple(file for earlier in told.full for file in earlier.attachments),
            texts=tuple(long_text(earlier) for earlier in told.full if len(earlier.text) > LONG_CHARACTERS),
            request=ledger.turn.message_id,
        )

    async def _text(
        self,
        ledger: TurnLedger,
        message: InboundMessage,
        lease: LeasedSession,
        reminders: Reminders,
        hearing: Hearing,
        told: ToldBefore,
    ) -> str:
        turn = ledger.turn
        last = ledger.attempts[-1].judgement.outcome if ledger.attempts else None
        if isinstance(last, SentBack) and not lease.fresh and not ledger.cut_off:
            return await ledger.feedback(last)
        if told.is_added and not turn.agent_to_agent and (added := await ledger.take_added()):
            log.info("told_at_the_beginning", messages=[earlier.id for earlier in added])
            turn = ledger.turn
        if reminders.dropped:
            log.info("reminders_dropped", count=reminders.dropped, reason="a person spoke after they were left")
            self._metrics.count("reminders_dropped", reminders.dropped, persona=turn.persona)
        context = told.context
        if lease.lost and any(entry.author.id == turn.persona for entry in (*context.earlier, *context.entries)):
            self._metrics.count("sessions_lost", persona=turn.persona)
            await self._tell(session_gone(turn))
        moved = lease.resumed and self._moved is not None and await self._moved(lease.session.session_id)
        if moved:
            self._metrics.count("sessions_moved", persona=turn.persona)
            await self._tell(session_moved(turn))
        at_work = await self._context.at_work(turn)
        prompt = turn_prompt(turn, message, context=context, at_work=at_work, reminders=reminders.texts)
        if moved:
            prompt = f"{MOVED}\n\n{prompt}"
        if isinstance(last, SentBack):
            prompt = f"{prompt}\n\n{await ledger.feedback(last)}"
        return recovery_prompt(prompt, await self._delegated(ledger, hearing)) if ledger.cut_off else prompt

    async def _delegated(self, ledger: TurnLedger, hearing: Hearing) -> str:
        """Return what came of the delegations that a turn made while it ran, where they are settled: the agent may have
        been cut off before it heard.
        """
        exchange = await self._turns.load(ledger.turn.message_id)
        settled = {
            child.id: word
            for child in (stored.turn for stored in exchange.turns)
            if child.kind is TurnKind.DELEGATION and child.parent == ledger.turn.id
            if (word := settlement_of(exchange.turns, child.id)) is not None
        }
        heard = await hearing(ReportResults(asking=ledger.turn, settled=tuple(settled.values())), exchange)
        for child in [stored.turn for stored in exchange.turns if stored.turn.id in settled]:
            below = [other for other in exchange.turns if came_of(other.turn, child, exchange.turns)]
            await ledger.tell_of(heard.calls(told_calls(below)))
            await self._turns.keep_turn(replace(child, heard=True))
        return results_text([*settled.values()], heard.lines)
