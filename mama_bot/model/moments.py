"""The moments of a session at which rules are asked, whatever CLI it is of."""

from dataclasses import dataclass
from typing import ClassVar

from mama_bot.model.judgements import Phase
from mama_bot.model.tools import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarts:
    """A session begins, is resumed, or goes on after its memory was made shorter: `source` says which."""

    source: str = "startup"
    phase: ClassVar[Phase] = Phase.SESSION_START


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAsked:
    """An agent asks for a tool call, which has not run yet."""

    call: ToolCall
    phase: ClassVar[Phase] = Phase.TOOL


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEnded:
    """A tool call ran: how it ended, and what it printed or why it failed, bounded; of a command its exit status.

    `ok` is None where the CLI does not tell.
    """

    call: ToolCall
    ok: bool | None
    output: str = ""
    exit_status: int | None = None
    phase: ClassVar[Phase] = Phase.AFTER_TOOL


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacts:
    """The memory of a session is about to be made shorter."""

    phase: ClassVar[Phase] = Phase.COMPACTION


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStops:
    """An agent is about to stop; what it says is judged elsewhere."""

    phase: ClassVar[Phase] = Phase.STOP


Moment = SessionStarts | ToolAsked | ToolEnded | Compacts | AgentStops
