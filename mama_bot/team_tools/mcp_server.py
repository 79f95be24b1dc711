"""The tools as a server of the Model Context Protocol: the same for every transport."""

from collections.abc import Callable
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from mama_bot.model import TeamCall, TeamTool
from mama_bot.team_tools.tool_desk import GONE, ToolDesk
from mama_bot.tool_names import SERVER

NAME_OF_CALL = "claudecode/toolUseId"  # with this Claude's CLI tells which call of its own record it is
MOST_CHARACTERS_OF_AN_ID = 200

Context = ServerRequestContext[Any, Any]


def tool_server(desk_of: Callable[[Context], ToolDesk | None]) -> Server[Any]:
    """Return a server whose tools are those of the desk that a request belongs to (None: it has none)."""

    async def listed(context: Context, _: PaginatedRequestParams | None) -> ListToolsResult:
        desk = desk_of(context)
        return ListToolsResult(tools=[_offered(tool) for tool in (desk.tools if desk is not None else ())])

    async def called(context: Context, params: CallToolRequestParams) -> CallToolResult:
        desk = desk_of(context)
        call = TeamCall(tool=params.name, arguments=params.arguments or {}, id=_id_of(params))
        answer = GONE if desk is None else await desk.call(call)
        return CallToolResult(content=[TextContent(type="text", text=answer.text)], is_error=answer.refused)

    return Server(SERVER, on_list_tools=listed, on_call_tool=called)


def _offered(tool: TeamTool) -> Tool:
    # Claude's CLI lets calls run side by side only of tools that say so.
    hints = ToolAnnotations(read_only_hint=True) if tool.side_by_side else None
    return Tool(name=tool.name, description=tool.description, input_schema=dict(tool.arguments), annotations=hints)


def _id_of(params: CallToolRequestParams) -> str:
    return str((params.meta or {}).get(NAME_OF_CALL) or "")[:MOST_CHARACTERS_OF_AN_ID]
