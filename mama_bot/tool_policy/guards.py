"""Several guards as one."""

from mama_bot.model import Allow, Amend, Ask, Block, Decision, ToolCall, ToolTurn
from mama_bot.protocols import ToolGuard


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
