"""Whether the MCP servers of a configuration can be started: their programs and secrets; nothing is asked."""

import os
import shutil
from collections.abc import Iterator

from mama_bot.app.configuration import Configuration
from mama_bot.model import Examination


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


def _who(users: list[str]) -> str:
    return f"{', '.join(users)} cannot use it" if users else "nobody names it either"
