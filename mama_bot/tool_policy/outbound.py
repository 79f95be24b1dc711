"""What leaves the machine is refused to whoever only looks: pushes, publications, deployments, by their kind.

A courtesy, not a wall: a script may do the same under another name. The wall is that such an agent has no credentials.
"""

from typing import Protocol

from mama_bot.model import RunKind
from mama_bot.runs.tools import Tool

OUTBOUND = frozenset({RunKind.PUSH, RunKind.PUBLISH, RunKind.DEPLOY})
LOCAL = "git merge"  # any other merge is one on a platform


class KnownTools(Protocol):
    """Recognises the programs of a command line."""

    def tools(self, command: str) -> tuple[Tool, ...]:
        """Return the known programs that a command line runs, in order."""
        ...


class OutboundCommands:
    """Refuses commands that would send something off this machine; any other one runs. A `CommandPolicy`."""

    def __init__(self, known: KnownTools) -> None:
        self._known = known

    def refusal(self, command: str) -> str:
        """Return why a command is not run, in a sentence for the agent; "" when it is."""
        name = next((tool.name for tool in self._known.tools(command) if _leaves(tool)), "")
        if not name:
            return ""
        return (
            f"You may only look here, and {name} would send something off this machine, so this command was not run. "
            "Whatever else there is to run, run it without that."
        )


def _leaves(tool: Tool) -> bool:
    sends = tool.kind in OUTBOUND or (tool.kind is RunKind.MERGE and tool.name != LOCAL)
    return sends and not (tool.dry or tool.nothing)
