"""The agents' CLIs of this machine that a new team can work with, and the line that has a persona work with them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from mama_bot.agents.acp_agents import CLIS
from mama_bot.agents.acp_clis import AcpCli
from mama_bot.agents.claude_events import BACKEND

NAME_KEY = "name:"


def agents_here(environment: Mapping[str, str], home: Path) -> Sequence[AcpCli]:
    """Return the CLIs beside Claude that are installed and logged in."""
    return [
        cli
        for cli in CLIS.values()
        if cli.program and cli.find(environment, None) is not None and cli.find_login(environment, home) is not None
    ]


def backends_of(agents: Sequence[AcpCli], *, claude: bool) -> Sequence[str]:
    """Return what works for a persona, the first choice first: Claude where it is logged in."""
    names = [cli.name for cli in agents]
    return [BACKEND, *names] if claude else names


def with_backends(text: str, backends: Sequence[str]) -> str:
    """Return the file of a persona with its backends, below its name: `backend: [claude, codex]`."""
    written = backends[0] if len(backends) == 1 else f"[{', '.join(backends)}]"
    before, name, after = text.partition(NAME_KEY)
    line, _, rest = after.partition("\n")
    return f"{before}{name}{line}\nbackend: {written}\n{rest}"
