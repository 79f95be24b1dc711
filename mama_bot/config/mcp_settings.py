"""The settings of MCP servers, which offer tools to the agents that name them."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from pydantic import Field

from mama_bot.config.document import KeyPath
from mama_bot.config.provision_settings import problems_of_variables
from mama_bot.config.section import Section

NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,39}")
OWN_SERVER = "mama"


class McpServerSettings(Section):
    """`mcp_servers.NAME`: a server that is started with `command`, or asked at `url`.

    `environment` and `secrets` (names of variables of `secrets.env`) are for its process alone, and stand for `${NAME}`
    in `headers`.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] = Field(default_factory=dict)
    environment: Mapping[str, str] = Field(default_factory=dict)
    secrets: tuple[str, ...] = ()


def is_server_name(name: str) -> bool:
    """Return whether a server may be called so: tools are named by it (`SERVER_TOOL`), and people are shown it."""
    return NAME.fullmatch(name) is not None and name != OWN_SERVER and not name.startswith(f"{OWN_SERVER}_")


def problems_of_servers(servers: Mapping[str, McpServerSettings]) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong about servers, each with its key, as a sentence without that key."""
    for name, server in servers.items():
        key = ("mcp_servers", name)
        if not is_server_name(name):
            yield key, "this is no name for a server. Give it one of letters, digits and hyphens, such as 'tickets'."
        if bool(server.command) == bool(server.url):
            yield key, "expected either `command`, to start it, or `url`, where it is asked."
        elif server.command and not server.command[0].strip():
            yield (*key, "command"), "expected a program and its arguments."
        elif server.command and "/" in server.command[0] and not server.command[0].startswith("/"):
            yield (*key, "command"), "expected a program that is looked up in PATH, or its whole path."
        elif server.url and not is_web_address(server.url):
            yield (*key, "url"), "expected a URL that begins with https:// or http://."
        if server.headers and not server.url:
            yield (*key, "headers"), "only a server with a `url` is sent headers."
        for part, problem in problems_of_variables(server.environment, server.secrets):
            yield (*key, *part), problem


def is_web_address(url: str) -> bool:
    """Return whether a server can be asked at a URL: over the web, without a password in it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("https", "http") and bool(parts.hostname) and not parts.password
