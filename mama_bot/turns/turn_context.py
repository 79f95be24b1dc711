"""What an agent has to be told of its conversation, before it is asked."""

from collections.abc import Sequence

from mama_bot.model import AuthorKind, InboundMessage, SharedContext, Turn, TurnKind
from mama_bot.protocols import ContextStore, TurnStore
from mama_bot.turns.context_words import at_work_text

MOST_EARLIER = 20
LONG_CHARACTERS = 4_000
MOST_UNREAD = 200
CHARACTERS_OF_TOKEN = 3


class TurnContext:
    """Looks up for a turn what was said before, what came along with it, and who works beside it."""

    def __init__(self, *, context: ContextStore, turns: TurnStore, max_tokens: int) -> None:
        self._context = context
        self._turns = turns
        self._max_tokens = max_tokens

    async def brought_earlier(self, turn: Turn) -> Sequence[InboundMessage]:
        """Return the earlier messages whose files, or whose whole words, an agent may need and no window shows."""
        return await self._context.with_files(
            turn.key, before=turn.message_id, most=MOST_EARLIER, long_characters=LONG_CHARACTERS
        )

    async def news(self, turn: Turn, *, fresh: bool) -> SharedContext:
        """Return what the persona has not read: all of the window in a new session, else what came after its last
        word."""
        if turn.kind is TurnKind.RESULTS and not fresh:
            return SharedContext()
        if fresh:
            context = await self._context.shared(turn.key, before=turn.message_id, max_tokens=self._max_tokens)
        else:
            window = await self._context.window(
                turn.key,
                before=turn.message_id,
                max_entries=MOST_UNREAD,
                max_characters=self._max_tokens * CHARACTERS_OF_TOKEN,
                unread_by=turn.session_name,
            )
            context = SharedContext(entries=tuple(window))
        # What agents say of the work is not for its reviewer to hear.
        return context.without(AuthorKind.AGENT) if turn.kind is TurnKind.REVIEW else context

    async def at_work(self, turn: Turn) -> str:
        """Return who works beside a delegated turn; the turns of a person's message follow each other."""
        if turn.delegation is None:
            return ""
        exchange = await self._turns.load(turn.message_id)
        return at_work_text(turn, exchange.turns)
