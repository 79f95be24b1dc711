"""Starts MCP servers for an agent in the claude CLI: behind the walls of its commands, with what is for them alone."""

import json
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import structlog

from mama_bot.confinement import shell
from mama_bot.provisions import McpServer

log = structlog.get_logger(__name__)


def server_options(
    servers: Sequence[McpServer], directory: Path, *, workspace: Path, reach: Path | None, path: str
) -> dict[str, Any]:
    """Return what tells the CLI of servers; what is secret of them stands in files of the directory. Raises OSError.

    The directory is readable to the CLI and not to commands. `reach` is the file of what commands reach (None: they
    are not confined), `path` where programs are looked for, but for those that are named from the `workspace`; a server
    whose program is not there is left out.
    """
    shutil.rmtree(directory, ignore_errors=True)
    options: dict[str, Any] = {}
    for server in servers:
        script = directory / f"{server.name}.sh"
        if server.url:
            _write(script, f"printf %s {shlex.quote(json.dumps(dict(server.headers)))}\n")
            helper = {"headersHelper": f"/bin/sh {shlex.quote(str(script))}"} if server.headers else {}
            options[server.name] = {"type": "http", "url": server.url, **helper}
            continue
        name = server.command[0]
        program = shutil.which(str(workspace / name) if "/" in name else name, path=path)
        if program is None:
            log.warning("mcp_server_not_started", server=server.name, reason=f"there is no program {name}")
            continue
        command = (str(Path(program).absolute()), *server.command[1:])
        prefix = shell.GIVEN_PREFIX if reach is not None else ""
        if reach is not None:
            command = (sys.executable, "-I", "-S", str(Path(shell.__file__)), str(reach), *command)
        exports = (f"export {prefix}{each}={shlex.quote(value)}\n" for each, value in server.variables.items())
        _write(script, f"{''.join(exports)}exec {shlex.join(command)}\n")
        options[server.name] = {"type": "stdio", "command": "/bin/sh", "args": [str(script)]}
    return options


def server_rules(servers: Sequence[McpServer]) -> list[str]:
    """Return the rules that let an agent call the tools of servers."""
    return [f"mcp__{server.name}" for server in servers]


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(text, encoding="utf-8", errors="surrogateescape")
