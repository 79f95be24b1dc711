"""The tools of ours that an agent in the claude CLI is offered, by a server in this process."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mama_bot.model import TeamTool
from mama_bot.team_tools.tool_desk import ToolDesk
from mama_bot.tool_names import SERVER

if TYPE_CHECKING:
    from claude_agent_sdk.types import McpSdkServerConfig


def own_server(desk: ToolDesk) -> "dict[str, McpSdkServerConfig]":
    """Return the server as the SDK takes it; a declaration that cannot be read is refused before it comes here."""
    from claude_agent_sdk.types import McpSdkServerConfig

    from mama_bot.team_tools.mcp_server import tool_server

    return {SERVER: McpSdkServerConfig(type="sdk", name=SERVER, instance=tool_server(lambda _: desk))}


def own_rules(tools: Sequence[TeamTool]) -> list[str]:
    """Return the rules that let an agent call them."""
    return [f"mcp__{SERVER}__{tool.name}" for tool in tools]
