"""Whether MCP servers can be started: their programs and secrets, and whether they are allowed; nothing is asked."""

import os
import shutil
from collections.abc import Iterator, Sequence

from mama_bot.app.configuration import Configuration
from mama_bot.app.provisions import RepositoryProvisions
from mama_bot.model import Examination
from mama_bot.wording import Language


def examined_servers(configuration: Configuration) -> Iterator[Examination]:
    """Yield what of each server is there, and what is missing."""
    environment = configuration.environment
    for name, server in configuration.settings.mcp_servers.items():
        subject = f"MCP server {name}"
        missing = [secret for secret in server.secrets if not environment.get(secret)]
        users = [persona.name for persona in configuration.personas.values() if name in persona.mcp_servers]
        if missing:
            yield Examination(
                subject=subject,
                ok=False,
                outcome=f"{', '.join(missing)} is neither in secrets.env nor in the environment: {_who(users)}",
                remedy=f"Put it there, or take it out of mcp_servers.{name}.secrets.",
            )
        elif server.command and shutil.which(server.command[0], path=environment.get("PATH", os.defpath)) is None:
            yield Examination(
                subject=subject,
                ok=False,
                outcome=f"there is no program {server.command[0]}: {_who(users)}",
                remedy=f"Install it, or write its whole path in mcp_servers.{name}.command.",
            )
        else:
            place = server.url or f"{server.command[0]} is there"
            yield Examination(subject=subject, ok=True, outcome=f"{place}, for {', '.join(users) or 'nobody'}")


async def examined_brought(configuration: Configuration) -> Sequence[Examination]:
    """Return what repositories bring that is refused, by the service's own copies, and how it is allowed."""
    provisions, redact = RepositoryProvisions(configuration), configuration.redactor()
    told: list[Examination] = []
    for name, settings in configuration.settings.repositories.items():
        for server in (await provisions.refused(name)).servers:
            allow = f"To allow it write `{server.name}: {server.digest}` under repositories.{name}.mcp_servers."
            declared = redact(f"{server.why.to(Language.ENGLISH)} It declares {server.declaration}")
            subject = f"MCP server {server.name}, brought by {name}"
            if server.name in settings.mcp_servers:
                remedy = allow if server.can_be_allowed else f"Take it out of repositories.{name}.mcp_servers."
                told.append(Examination(subject=subject, ok=False, outcome=declared, remedy=remedy))
            else:
                outcome = f"{declared} {allow}" if server.can_be_allowed else declared
                told.append(Examination(subject=subject, ok=True, outcome=outcome))
    return told


def _who(users: list[str]) -> str:
    return f"{', '.join(users)} cannot use it" if users else "nobody names it either"
