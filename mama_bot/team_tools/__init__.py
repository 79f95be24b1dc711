"""The tools that the service offers to agents: one registry, whatever transport brings their calls."""

from mama_bot.team_tools.registry import Caller, RegisteredTool, ToolRefused, ToolRegistry

__all__ = ["Caller", "RegisteredTool", "ToolRefused", "ToolRegistry"]
