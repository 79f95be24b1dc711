"""The MCP servers that an agent is offered: those of the settings, and those of a repository that are allowed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mama_bot.config import McpServerSettings
from mama_bot.provisions.grants import GrantMissing

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """A server as it is started, or asked; `variables` are for its process alone."""

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)


def configured_servers(
    names: Sequence[str], servers: Mapping[str, McpServerSettings], secrets: Mapping[str, str]
) -> Iterator[McpServer]:
    """Yield the servers of the settings that are named; raises GrantMissing where a secret of theirs is not there."""
    for name in names:
        if name not in servers:
            continue
        settings = servers[name]
        for secret in settings.secrets:
            if not secrets.get(secret):
                raise GrantMissing(f"{secret} is neither in secrets.env nor in the environment")
        yield _server(name, settings, {secret: secrets[secret] for secret in settings.secrets}, shown={})


def allowed_servers(
    names: Sequence[str],
    brought: Mapping[str, McpServerSettings],
    granted: Mapping[str, str],
    *,
    shown: Mapping[str, str],
) -> Iterator[McpServer]:
    """Yield those that a repository brings and that are named, with the variables that are `granted` there.

    On a command line stands nothing but what is `shown` to anybody: others see it.
    """
    for name in names:
        if name in brought:
            yield _server(name, brought[name], granted, shown=shown)


def _server(name: str, settings: McpServerSettings, known: Mapping[str, str], *, shown: Mapping[str, str]) -> McpServer:
    return McpServer(
        name=name,
        command=tuple(filled(word, shown) for word in settings.command),
        url=filled(settings.url, shown),
        headers={key: filled(value, known) for key, value in settings.headers.items()},
        variables={**{key: filled(value, known) for key, value in settings.environment.items()}, **known},
    )


def filled(text: str, known: Mapping[str, str]) -> str:
    """Return a text in which what is known stands for `${NAME}`, else what it says behind `:-`."""
    return _VARIABLE.sub(lambda match: known.get(match[1], match[2] or ""), text)
