"""What an agent has to be told of its conversation, before it is asked."""

from dataclasses import replace

from mama_bot.model import AuthorKind, SharedContext, ToldBefore, Turn, TurnKind
from mama_bot.protocols import ContextStore, TurnStore
from mama_bot.turns.context_words import at_work_text

MOST_EARLIER = 20
LONG_CHARACTERS = 4_000


class TurnContext:
    """Looks up for a turn what was said before, what came along with it, and who works beside it."""

    def __init__(self, *, context: ContextStore, turns: TurnStore, max_tokens: int) -> None:
        self._context = context
        self._turns = turns
        self._max_tokens = max_tokens

    async def told(self, turn: Turn, *, fresh: bool) -> ToldBefore:
        """Return what the persona has not read: in a new session all of the window, else what came after its last word.

        With it come the earlier messages whose files, or whose whole words, it may need and no window shows.
        """
        told = await self._context.told(
            turn.key,
            before=turn.message_id,
            max_tokens=self._max_tokens,
            unread_by=None if fresh else turn.session_name,
            most_full=MOST_EARLIER,
            long_characters=LONG_CHARACTERS,
        )
        if turn.kind is TurnKind.RESULTS and not fresh:
            return replace(told, context=SharedContext())
        # What agents say of the work is not for its reviewer to hear.
        return replace(told, context=told.context.without(AuthorKind.AGENT)) if turn.kind is TurnKind.REVIEW else told

    async def at_work(self, turn: Turn) -> str:
        """Return who works beside a delegated turn; the turns of a person's message follow each other."""
        if turn.delegation is None:
            return ""
        exchange = await self._turns.load(turn.message_id)
        return at_work_text(turn, exchange.turns)
