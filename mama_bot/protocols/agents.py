"""What the core asks of agents, and of whoever reads what they did."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from mama_bot.model import (
    AgentEvent,
    AgentPersona,
    CallReading,
    ConversationKey,
    Declaration,
    Misdeclared,
    Prompt,
    RuleEntry,
    SessionId,
    Stopping,
    TeamAnswer,
    TeamCall,
    TeamTool,
    ToolRun,
    TreeChange,
    WorkTreeState,
)

AtStop = Callable[[Stopping], Awaitable[str]]
"""Asked when an agent is about to stop: what it is told before it goes on, or "": it may stop.

It is an optimisation, never a guard: a backend need not ask, and a question that fails lets the agent stop.
"""

Meanwhile = Callable[[], Awaitable[Prompt | None]]
"""Asked between tool calls, and when an agent is about to stop: what it is told before it goes on, or None.

A backend need not ask; what is returned has to reach the agent.
"""

CallTeam = Callable[[TeamCall], Awaitable[TeamAnswer]]
"""Asked when an agent calls a tool of the service while it works; it never raises.

A backend whose agents cannot be offered tools need not ask.
"""


class AgentSession(Protocol):
    """One live agent holding one conversation; one `ask` at a time."""

    @property
    def session_id(self) -> SessionId:
        """What `AgentBackend.open` accepts as `resume`."""
        ...

    @property
    def usable(self) -> bool:
        """Whether `ask` may be called; false for good once the process is gone or its stream is broken."""
        ...

    @property
    def steerable(self) -> bool:
        """Whether the agent can be told something between its tool calls."""
        ...

    def ask(
        self,
        prompt: Prompt,
        *,
        at_stop: AtStop | None = None,
        meanwhile: Meanwhile | None = None,
        call_team: CallTeam | None = None,
    ) -> AsyncGenerator[AgentEvent, None]:
        """Ask and report what happens; the last event is TurnEnded, or AgentError is raised.

        Where `at_stop` has something to say, the agent goes on in the same turn; only its last text is in TurnEnded.
        """
        ...

    async def interrupt(self) -> None:
        """Stop the running `ask`, which then raises AgentInterrupted; does nothing when none runs."""
        ...

    async def aclose(self) -> None:
        """Close input, terminate, kill; every wait has a deadline; never raises."""
        ...


class AgentBackend(Protocol):
    """One kind of agent."""

    @property
    def name(self) -> str: ...

    async def open(
        self,
        *,
        persona: AgentPersona,
        key: ConversationKey,
        workspace: Path,
        session_id: SessionId,
        resume: bool,
        read_only: bool = False,
        apart: str = "",
    ) -> AgentSession:
        """Start an agent for a conversation under the given session id, new or resumed.

        One that works `apart`, in the work tree of a delegation, runs beside the same persona's in the conversation.
        One that is `read_only` changes nothing of its workspace, whatever it calls or runs.

        Raises AgentUnavailable, AgentCrashed, AgentTimedOut, or SessionLost when it cannot be resumed.
        """
        ...


class CallReader(Protocol):
    """Reads what a finished tool call did."""

    def read(self, call: ToolRun, *, arguments: Mapping[str, Any], output: str) -> CallReading:
        """Return what the call ran and wrote; `arguments` and `output` are whole here, the call keeps parts of them."""
        ...


class Declarations(Protocol):
    """Reads what agents declare came out of their work."""

    def read(self, tool: str, arguments: Mapping[str, Any]) -> Declaration | Misdeclared:
        """Return what a call of one of the tools declares, or why it cannot be taken."""
        ...


class TeamTools(Protocol):
    """The tools that the service offers to its agents."""

    def offered(self, persona: AgentPersona) -> Sequence[TeamTool]:
        """Return what a persona is offered."""
        ...


class WorkTrees(Protocol):
    """Knows how a work tree stands; never raises, never waits long."""

    async def state(self, directory: Path) -> WorkTreeState | None:
        """Return the commit and the tree of what is on disk; None without a repository or when it cannot be told."""
        ...

    async def changes(self, before: WorkTreeState, after: WorkTreeState) -> tuple[TreeChange, ...] | None:
        """Return what differs between two states, with absolute paths; None when it cannot be told."""
        ...

    async def rules(self, directory: Path) -> frozenset[RuleEntry] | None:
        """Return what the repository itself says of how git is to look at it; None when it cannot be told."""
        ...
