"""One `ask` of a session on its way through the session's own task."""

import asyncio
from dataclasses import dataclass, field

from mama_bot.agents.claude_hooks import Asked
from mama_bot.agents.model_patience import ModelPatience
from mama_bot.errors import AgentError
from mama_bot.model import AgentEvent, Prompt

EVENTS_WAITING = 256


@dataclass(slots=True, kw_only=True, eq=False)
class AskedTurn(Asked):
    """One `ask` on its way through the session's task.

    `error` is what the CLI called the last trouble with the model, `given_up` why the model is not asked any more;
    `heard` says that the CLI gave any sign of life.
    """

    prompt: Prompt
    uuid: str
    model_patience: ModelPatience
    error: str = ""
    given_up: AgentError | None = None
    heard: bool = False
    events: asyncio.Queue[AgentEvent | AgentError] = field(default_factory=lambda: asyncio.Queue(EVENTS_WAITING))
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    abandoned: bool = False

    async def report(self, event: AgentEvent | AgentError) -> None:
        """Hand an event to whoever asked, if somebody still listens."""
        if not self.abandoned:
            await self.events.put(event)

    def end_with(self, error: AgentError) -> None:
        """Report the end without waiting."""
        self.ended.set()
        if self.events.full():
            self.events.get_nowait()
        self.events.put_nowait(error)

    def abandon(self) -> None:
        """Note that nobody listens any more; a report that waits for room goes on."""
        self.abandoned = True
        while not self.events.empty():
            self.events.get_nowait()
