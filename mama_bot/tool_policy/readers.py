"""Readers only look: what may be called where nothing may be changed.

That a command changes nothing is the sandbox's to hold, not this room's: what it knows of commands is a courtesy.
"""

from typing import Protocol

from mama_bot.model import AgentPersona, Allow, Block, Decision, Tier, ToolCall, ToolKind, ToolTurn
from mama_bot.tool_names import kind_of

RULE = "only_look"
# What a subagent calls is judged call by call.
LOOKING = frozenset(
    {
        ToolKind.READ,
        ToolKind.LIST,
        ToolKind.SEARCH,
        ToolKind.FETCH,
        ToolKind.TASK,
        ToolKind.PLAN,
        ToolKind.OUTPUT,
        ToolKind.STOP,
        ToolKind.REPORT,
        ToolKind.TEAM,
    }
)


def only_looks(persona: AgentPersona) -> bool:
    """Return whether nothing may be changed in any turn of a persona: it is a reader, or its tools only look."""
    return persona.tier is Tier.READER or all(kind_of(tool) in LOOKING for tool in persona.tools)


class CommandPolicy(Protocol):
    """Which shell commands are not run where nothing may be changed."""

    def refusal(self, command: str) -> str:
        """Return why a command is not run, in a sentence for the agent; "" when it is."""
        ...


class NoCommands:
    """Refuses every command, where no sandbox keeps them from changing something."""

    def refusal(self, command: str) -> str:  # noqa: ARG002 - the shape of a refusal
        """Return the same sentence for each."""
        return (
            "You may only look here, and there is no shell for that: on this machine nothing keeps a command from "
            "changing files. Use Read, Grep and Glob, and say in your reply what you could not run."
        )


class ReadersLook:
    """Blocks whatever could change something, in every turn that is read-only.

    A `ToolGuard`. A tool that is not known is blocked, and of a command `commands` decides.
    """

    def __init__(self, commands: CommandPolicy) -> None:
        self._commands = commands

    async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
        """See ToolGuard.decide."""
        reason = self._refusal(call) if turn.read_only else ""
        return Block(rule=RULE, reason=reason, feedback=reason) if reason else Allow()

    def _refusal(self, call: ToolCall) -> str:
        if call.kind is ToolKind.SHELL:
            return self._commands.refusal(call.command)
        if call.kind in LOOKING:
            return ""
        return (
            f"You may only look here: {call.tool[:80]} is refused. Do not change files; say in your reply what should "
            "be changed, with file and line."
        )
