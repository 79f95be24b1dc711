"""Several guards as one, and what becomes of a call about which none decides in time."""

import asyncio

import structlog

from mama_bot.model import Allow, Amend, Ask, Block, Decision, ToolCall, ToolTurn
from mama_bot.protocols import ToolGuard

GUARD_SECONDS = 10.0
NOT_DECIDED = "Nobody could decide in time whether this call may run, so it may not. Go on without it, and say so."

log = structlog.get_logger(__name__)


class Guards:
    """Asks guards in order: the first Block or Ask decides, else the first that amends. A `ToolGuard`."""

    def __init__(self, *guards: ToolGuard) -> None:
        self._guards = guards

    async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
        """See ToolGuard.decide."""
        decision: Decision = Allow()
        for guard in self._guards:
            following = await guard.decide(call, turn)
            if isinstance(following, Block | Ask):
                return following
            if isinstance(following, Amend) and isinstance(decision, Allow):
                decision = following
        return decision


async def decided_in_time(
    guard: ToolGuard, call: ToolCall, turn: ToolTurn, *, seconds: float = GUARD_SECONDS
) -> Decision:
    """Return what a guard decides; where it fails, or takes longer than `seconds`, a block that says so."""
    try:
        async with asyncio.timeout(seconds):
            return await guard.decide(call, turn)
    except Exception as error:  # noqa: BLE001 - what cannot be decided does not run
        log.warning("not_guarded", tool=call.tool, failure=f"{type(error).__name__}: {error}")
        return Block(rule="", reason="nobody decided about it in time", feedback=NOT_DECIDED)
