"""One `ask` of a session on its way through the session's own task."""

import asyncio
from dataclasses import dataclass, field

from mama_bot.agents.claude_usage import UsageMeter
from mama_bot.agents.person_patience import PersonPatience
from mama_bot.agents.record import ToolRecorder
from mama_bot.errors import AgentError
from mama_bot.model import AgentEvent, LeftTree, Prompt, RuleEntry, Usage, WorkTreeState
from mama_bot.protocols import AtStop, CallTeam, Meanwhile

EVENTS_WAITING = 256


@dataclass(slots=True, kw_only=True, eq=False)
class Asked:
    """One `ask` as the hooks see it: its record, who decides whether the agent may stop, the message that it is for.

    `last_words` are the last text of the agent, to the byte, `usage` what it took so far (None: its model has not told
    yet). `tree` is the work tree as it was last seen in a directory, `trees` are those that were worked in,
    by where they begin, `rules` what their repositories said first.
    """

    recorder: ToolRecorder
    at_stop: AtStop | None = None
    meanwhile: Meanwhile | None = None
    request: str = ""
    call_team: CallTeam | None = None
    interrupted: bool = False
    last_words: str = ""
    usage: Usage | None = None
    tree: tuple[str, WorkTreeState | None] | None = None
    trees: dict[str, LeftTree] = field(default_factory=dict)
    rules: dict[str, frozenset[RuleEntry]] = field(default_factory=dict)
    sent_back: set[str] = field(default_factory=set)
    ruled: set[str] = field(default_factory=set)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    patience: PersonPatience = field(default_factory=PersonPatience)


@dataclass(slots=True, kw_only=True, eq=False)
class AskedTurn(Asked):
    """One `ask` on its way through the session's task."""

    prompt: Prompt
    uuid: str
    meter: UsageMeter = field(default_factory=UsageMeter)
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
