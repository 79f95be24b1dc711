"""Which conversations have an exchange at work: what a stop needs to know of it, and who has to wait for it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from mama_bot.model import ConversationKey
from mama_bot.protocols import AgentSession

INTERRUPT_SECONDS = 5.0


@dataclass(slots=True)
class Running:
    """What a stop needs to know of a running exchange."""

    scope: asyncio.Timeout | None = None
    session: AgentSession | None = None
    stopped_by: str | None = None

    async def stop(self, by: str) -> bool:
        """End the turn that runs; False: somebody stopped it before."""
        if self.stopped_by is not None:
            return False
        self.stopped_by = by
        now = asyncio.get_running_loop().time()
        scope = self.scope if self.scope is not None and not self.scope.expired() else None
        if self.session is not None:
            # The agent is told first, so that its session stays usable; the scope ends the turn if that takes long.
            if scope is not None:
                scope.reschedule(now + INTERRUPT_SECONDS)
            await self.session.interrupt()
        elif scope is not None:
            scope.reschedule(now)
        return True


class RunningExchanges:
    """At most one running exchange for each conversation, and none while a conversation is held."""

    def __init__(self) -> None:
        self._running: dict[ConversationKey, Running] = {}
        self._held: dict[ConversationKey, asyncio.Event] = {}

    def of(self, key: ConversationKey) -> Running | None:
        """The exchange that runs in a conversation."""
        return self._running.get(key)

    @asynccontextmanager
    async def begun(self, key: ConversationKey) -> AsyncIterator[Running]:
        """Run an exchange; waits while the conversation is held."""
        while (held := self._held.get(key)) is not None:
            await held.wait()
        running = self._running[key] = Running()
        try:
            yield running
        finally:
            del self._running[key]

    @contextmanager
    def hold(self, key: ConversationKey) -> Iterator[bool]:
        """Let no exchange of a conversation begin during the block, which is to be short; False: one runs, or it is
        held already, and nothing is held."""
        if key in self._running or key in self._held:
            yield False
            return
        ended = self._held[key] = asyncio.Event()
        try:
            yield True
        finally:
            del self._held[key]
            ended.set()
