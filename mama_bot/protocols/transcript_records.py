"""What agents remember of a conversation, kept where another machine can take it up."""

from collections.abc import Sequence
from typing import Protocol

from mama_bot.model import ConversationKey, SessionId


class SessionTranscripts(Protocol):
    """Keeps the lines of sessions, as one of the machines that share them."""

    async def add(self, key: ConversationKey, session_id: SessionId, lines: Sequence[str], *, whole: bool) -> None:
        """Keep further lines of a session, or, if they are the `whole` of it, these in the place of all others.

        Of a session that grows too long nothing is kept any more. Raises StoreUnavailable.
        """
        ...

    async def lines(self, session_id: SessionId) -> Sequence[str]:
        """Return all lines of a session, none where it is not kept; raises StoreUnavailable."""
        ...

    async def is_elsewhere(self, session_id: SessionId) -> bool:
        """Return whether another machine kept the last lines of a session; raises StoreUnavailable."""
        ...
