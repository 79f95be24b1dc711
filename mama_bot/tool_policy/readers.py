"""Readers only look: what a persona may call that changes nothing, or in a turn in which nothing may be changed."""

from pathlib import Path
from typing import Protocol

from mama_bot.model import Allow, Block, Decision, Tier, ToolCall, ToolKind, ToolTurn

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
    }
)


class CommandPolicy(Protocol):
    """Which shell commands only look."""

    def refusal(self, command: str, workspace: Path) -> str:
        """Return why a command may change something, in a sentence for the agent; "" when it is known not to."""
        ...


class NoCommands:
    """Refuses every command: nobody could tell which one only looks."""

    def refusal(self, command: str, workspace: Path) -> str:  # noqa: ARG002 - the shape of a refusal
        """Return the same sentence for each."""
        return "You may only look here, and no command is known to."


class ReadersLook:
    """Blocks whatever could change something, in every turn of a reader and in every turn that is read-only.

    A `ToolGuard`. What is not known is blocked.
    """

    def __init__(self, commands: CommandPolicy) -> None:
        self._commands = commands

    async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
        """See ToolGuard.decide."""
        if not turn.read_only and turn.persona.tier is not Tier.READER:
            return Allow()
        reason = self._refusal(call, turn.workspace)
        return Block(rule=RULE, reason=reason, feedback=reason) if reason else Allow()

    def _refusal(self, call: ToolCall, workspace: Path) -> str:
        if call.kind is ToolKind.SHELL:
            return self._commands.refusal(call.command, workspace)
        if call.kind in LOOKING:
            return ""
        return (
            f"You may only look here: {call.tool[:80]} is refused. Do not change files; say in your reply what should "
            "be changed, with file and line."
        )
