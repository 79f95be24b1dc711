"""Which shell commands only look."""

from mama_bot.tool_policy.read_only.policy import ReadOnlyCommands

__all__ = ["ReadOnlyCommands"]
