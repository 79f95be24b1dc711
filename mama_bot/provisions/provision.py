"""All that one agent's process is given in the place where it works."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.model import AgentPersona
from mama_bot.provisions.grants import Grant
from mama_bot.provisions.mcp_servers import McpServer
from mama_bot.provisions.skills import Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class Provision:
    """What is granted, what the agent is told of the repository in which it works, and what it is offered there."""

    grant: Grant = field(default_factory=Grant)
    instructions: str = ""
    servers: tuple[McpServer, ...] = ()
    skills: tuple[Skill, ...] = ()


# Says what a persona is given in a workspace, and whether it is to look alone; raises GrantMissing.
Provisions = Callable[[AgentPersona, Path, bool], Awaitable[Provision]]


async def nothing_provided(persona: AgentPersona, workspace: Path, only_looks: bool) -> Provision:
    """Return a provision with nothing in it."""
    del persona, workspace, only_looks
    return Provision()
