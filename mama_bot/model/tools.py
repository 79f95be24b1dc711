"""Tool calls by what they do, whatever an agent's CLI calls the tool."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from mama_bot.model.conversations import ConversationKey
from mama_bot.model.team import AgentPersona


class ToolKind(StrEnum):
    """What a tool does.

    WRITE puts a whole file in place, EDIT changes one. TASK starts a subagent, PLAN keeps the agent's list of steps.
    OUTPUT shows what a command in the background printed, STOP ends one. REPORT declares what came out of the work: it
    does nothing. TEAM is any other tool of the service: whom it asks works in a turn of their own. OTHER is not
    known: it may do anything.
    """

    SHELL = "shell"
    WRITE = "write"
    EDIT = "edit"
    READ = "read"
    LIST = "list"
    SEARCH = "search"
    FETCH = "fetch"
    TASK = "task"
    PLAN = "plan"
    OUTPUT = "output"
    STOP = "stop"
    REPORT = "report"
    TEAM = "team"
    OTHER = "other"


FILE_WRITERS = frozenset({ToolKind.WRITE, ToolKind.EDIT})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool call as it is asked for, before it runs.

    `command` is the command line of a SHELL call ("" for every other kind), `paths` the files and directories that
    the call names, as it names them, `directory` where it would run ("": not known).
    """

    tool: str
    kind: ToolKind = ToolKind.OTHER
    command: str = ""
    paths: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    directory: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTurn:
    """The turn in which a tool is called: whose it is, where, and whether it may change anything (`read_only`).

    `session` is the id of the agent's session ("": there is none to remember), `subagent` who of its subagents asks,
    `key` the conversation (None: there is none in which a person could be asked), `request` the message that it works
    for ("": not known).
    """

    persona: AgentPersona
    workspace: Path
    read_only: bool
    session: str = ""
    subagent: str = ""
    key: ConversationKey | None = None
    request: str = ""
