"""The exchanges that run, as commands reach them."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from mama_bot.model import ConversationKey, InboundMessage, MessageId, StopAsked, StopScope, TurnId
from mama_bot.wording import Language


class Exchanges(Protocol):
    """What commands may do to the exchanges that run."""

    async def runs(self, key: ConversationKey) -> bool:
        """Return whether one runs in a conversation."""
        ...

    def held(self, key: ConversationKey) -> AbstractAsyncContextManager[bool]:
        """Let none begin during the block; False: one runs, and nothing is held."""
        ...

    async def tell(
        self, key: ConversationKey, *, by: str | None = None, message_id: MessageId | None = None
    ) -> Sequence[InboundMessage]:
        """Tell the agent at work of what waits; with `by`, only of messages of that author, where it works for them."""
        ...

    async def stop(
        self,
        key: ConversationKey,
        by: str,
        scope: StopScope = StopScope.USUAL,
        language: Language = Language.ENGLISH,
    ) -> StopAsked:
        """Stop what runs, or what waits when nothing runs, or both; return what that did.

        A line about what waited is in the language of its words, and in that of whoever stops it where they
        are English.
        """
        ...

    async def stop_branch(self, key: ConversationKey, root: TurnId, by: str) -> bool:
        """Stop a delegation with what came of it, and nothing else; False: this process runs no such."""
        ...
