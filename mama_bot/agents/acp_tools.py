"""The tools of the service for an agent over the Agent Client Protocol: a server that its CLI starts by itself."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mama_bot.confinement.processes import descends
from mama_bot.model import AgentPersona, TeamAnswer, TeamCall, TeamTool
from mama_bot.protocols import TeamTools
from mama_bot.team_tools.door import SCRIPT, SOCKET_NAME, Admission, ToolDoor
from mama_bot.team_tools.tool_desk import ToolDesk
from mama_bot.tool_names import SERVER


class OfferedTools:
    """What the sessions of a backend are offered, and the `door` through which their CLIs reach it."""

    def __init__(self, *, door: ToolDoor, tools: TeamTools) -> None:
        self._door = door
        self._tools = tools

    @property
    def readable(self) -> tuple[Path, ...]:
        """What a CLI reads and connects to from behind its walls."""
        return (Path(SCRIPT), self._door.directory)

    @property
    def sockets(self) -> tuple[Path, ...]:
        """The socket that its walls let through."""
        return (self._door.directory / SOCKET_NAME,)

    def of_session(self, persona: AgentPersona) -> "SessionTools":
        """Return the tools of one session of a persona, for which nobody is let in yet."""
        return SessionTools(door=self._door, tools=self._tools.offered(persona))


class SessionTools:
    """The tools of one session: let in when it begins, and no longer when it is over."""

    def __init__(self, *, door: ToolDoor | None = None, tools: Sequence[TeamTool] = ()) -> None:
        self._door = door
        self._tools = tools
        self._admission: Admission | None = None

    @property
    def names(self) -> frozenset[str]:
        """What its agent is offered."""
        return frozenset(tool.name for tool in self._tools)

    async def servers(
        self, call: Callable[[TeamCall], Awaitable[TeamAnswer]], process: int | None
    ) -> list[Mapping[str, Any]]:
        """Let the session in, and return the server that its agent is told to start; none where it has no tools.

        Only what was started below `process` gets in with its token.
        """
        if self._door is None or not self._tools:
            return []
        admission = self._admission = await self._door.admit(
            ToolDesk(tools=self._tools, call=call),
            is_of_session=lambda peer: process is not None and descends(peer, process),
        )
        program, *arguments = admission.command
        variables = [{"name": name, "value": value} for name, value in admission.variables.items()]
        return [{"name": SERVER, "command": program, "args": arguments, "env": variables}]

    def end(self) -> None:
        """Let the session in no longer; once is enough."""
        if self._door is not None and self._admission is not None:
            self._door.dismiss(self._admission)
            self._admission = None
