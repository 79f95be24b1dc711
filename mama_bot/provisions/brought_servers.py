"""The MCP servers that a repository brings in its `.mcp.json`: what each declares, and why one is refused."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from pathlib import PurePosixPath

from pydantic import ValidationError

from mama_bot.config import McpServerSettings
from mama_bot.config.mcp_settings import is_server_name, is_web_address
from mama_bot.config.provision_settings import problems_of_variables
from mama_bot.provisions import sentences as says
from mama_bot.provisions.mcp_servers import filled
from mama_bot.wording import Said, quotable

BROUGHT = ".mcp.json"
DIGEST_SIGNS = 32
SHOWN_SIGNS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtServer:
    """A server by its whole declaration; whoever allows it names the digest of that.

    `settings` are None where it can never be allowed; then `never` says why.
    """

    declaration: Mapping[str, object] = field(repr=False)
    settings: McpServerSettings | None = None
    never: Said | None = None

    @property
    def text(self) -> str:
        """The declaration in one form, whatever the order and the spaces in which it stands in the file."""
        return json.dumps(self.declaration, sort_keys=True, ensure_ascii=False, separators=(", ", ": "))

    @property
    def digest(self) -> str:
        """What stands for just this declaration."""
        return hashlib.sha256(self.text.encode(errors="surrogatepass")).hexdigest()[:DIGEST_SIGNS]


def brought_servers(text: str) -> Mapping[str, BroughtServer]:
    """Return the servers of a `.mcp.json` by name, those never allowed too; what declares none is left out."""
    try:
        listed = json.loads(text)["mcpServers"].items()
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return {}
    named = ((str(name), given) for name, given in listed if is_server_name(str(name)))
    return {name: _brought(given) for name, given in named if isinstance(given, dict)}


def refusal_of(server: BroughtServer, allowed: str | None, earlier: Iterable[BroughtServer]) -> Said | None:
    """Return why a server is refused; None where just this declaration was allowed.

    `allowed` is the digest that somebody allowed, `earlier` are declarations of this name that the repository had.
    """
    if server.never is not None:
        return server.never
    if allowed is None:
        return says.NOT_ALLOWED
    if server.digest == allowed:
        return None
    known = next((each for each in earlier if each.digest == allowed), None)
    if known is None:
        return says.CHANGED_UNKNOWN
    parts = changed_parts(known.declaration, server.declaration)
    return says.CHANGED.of(parts=", ".join(f"`{part}`" for part in parts))


def changed_parts(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names of what differs between two declarations."""
    differing = (name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return tuple(sorted(quotable(name, SHOWN_SIGNS) for name in differing))


def _brought(given: Mapping[str, object]) -> BroughtServer:
    settings = _settings(given)
    if settings is None:
        return BroughtServer(declaration=given, never=says.UNREADABLE)
    never = _never(settings, given)
    return BroughtServer(declaration=given, settings=None if never else settings, never=never)


def _settings(given: Mapping[str, object]) -> McpServerSettings | None:
    url, arguments = given.get("url"), given.get("args", ())
    try:
        settings = McpServerSettings.model_validate(
            {
                "command": () if url else (given.get("command", ""), *(arguments or ())),  # type: ignore[misc]
                "url": url or "",
                "headers": given.get("headers", {}) if url else {},
                "environment": given.get("env", {}),
            }
        )
    except (ValidationError, TypeError):
        return None
    if not settings.url and not (settings.command and settings.command[0].strip()):
        return None
    return None if any(problems_of_variables(settings.environment, ())) else settings


def _never(settings: McpServerSettings, given: Mapping[str, object]) -> Said | None:
    """Return why a server can be allowed by nobody; None where it can."""
    if settings.url and not is_web_address(settings.url):
        return says.OTHER_ADDRESS
    for name in settings.environment:
        if _loads_code(name):
            return says.LOADS_CODE.of(name=quotable(name, SHOWN_SIGNS))
    places = (*settings.command, *settings.environment.values(), str(given.get("cwd", "")))
    texts = (each for text in places for each in (text, filled(text, {})))
    for place in (part for text in texts for part in (text, text.partition("=")[2])):
        if place.casefold().startswith("file:") or _leaves(place):
            return says.LEAVES.of(path=f"`{quotable(place, SHOWN_SIGNS)}`")
    return None


def _loads_code(name: str) -> bool:
    return any(fnmatchcase(name.upper(), pattern.upper()) for pattern in _loading_variables())


def _leaves(place: str) -> bool:
    """Return whether a relative path leads above where it begins: `a/../../b`."""
    depth = 0
    for part in PurePosixPath(place.replace("\\", "/").lstrip("/")).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False


@cache
def _loading_variables() -> tuple[str, ...]:
    file = resources.files("mama_bot.provisions") / "words" / "loading_variables.txt"
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))
