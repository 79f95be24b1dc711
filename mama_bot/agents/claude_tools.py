"""The tools of ours that an agent in the claude CLI is offered, by a server in this process."""

from typing import TYPE_CHECKING, Any

from mama_bot.model import DeclarationTool
from mama_bot.protocols import Declarations
from mama_bot.tool_names import SERVER

if TYPE_CHECKING:
    from claude_agent_sdk import SdkMcpTool
    from claude_agent_sdk.types import McpSdkServerConfig

TAKEN = "Declared. It stands on the receipt of your reply as far as the record shows it."


def declaring_server(declarations: Declarations) -> "dict[str, McpSdkServerConfig]":
    """Return the server as the SDK takes it; a call that cannot be read is refused before it comes here."""
    from claude_agent_sdk import create_sdk_mcp_server

    return {SERVER: create_sdk_mcp_server(SERVER, tools=[_tool(tool) for tool in declarations.tools])}


def declaring_rules(declarations: Declarations) -> list[str]:
    """Return the rules that let an agent call them."""
    return [f"mcp__{SERVER}__{tool.name}" for tool in declarations.tools]


def _tool(tool: DeclarationTool) -> "SdkMcpTool[Any]":
    from claude_agent_sdk import SdkMcpTool

    async def take(_: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": TAKEN}]}

    return SdkMcpTool(name=tool.name, description=tool.description, input_schema=dict(tool.arguments), handler=take)
