"""What an agent tells while it is asked, held against what its turn may take."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import structlog

from mama_bot.budgets.budgets import Allowance, BudgetSpent
from mama_bot.errors import AgentInterrupted
from mama_bot.model import ModelRetried, ToolFinished, ToolStarted, TurnEnded, UsageTold
from mama_bot.model.progress_events import AgentEvent
from mama_bot.protocols import AgentSession

log = structlog.get_logger(__name__)


async def metered(
    asked: AsyncGenerator[AgentEvent, None], session: AgentSession, allowance: Allowance | None
) -> AsyncGenerator[ToolStarted | ToolFinished | ModelRetried | TurnEnded, None]:
    """Yield the events of an `ask` but those of usage, which are noted; raises BudgetSpent where a cap is reached.

    The agent is stopped then, and its session stays usable; what it finished all the same counts as finished.
    """
    reached: BudgetSpent | None = None
    try:
        async with aclosing(asked) as events:
            async for event in events:
                if isinstance(event, UsageTold):
                    if allowance is not None and reached is None:
                        reached = await _reached(allowance, event)
                        if reached is not None:
                            log.warning("stopped_at_cap", reason=str(reached))
                            await session.interrupt()
                    continue
                if isinstance(event, TurnEnded) and allowance is not None:
                    allowance.answered(event.usage)
                yield event
    except AgentInterrupted:
        if reached is not None:
            raise reached from None
        raise
    finally:
        if allowance is not None:
            allowance.ended()


async def _reached(allowance: Allowance, told: UsageTold) -> BudgetSpent | None:
    try:
        await allowance.took(told.usage)
    except BudgetSpent as error:
        return error
    return None
