"""Calls of the tools that the service itself offers to agents: values, whatever transport brought them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamTool:
    """A tool of ours as an agent is offered it: name, what it is told of it, and its arguments as JSON Schema.

    Calls of one that is `side_by_side` may run at the same time.
    """

    name: str
    description: str
    arguments: Mapping[str, Any] = field(repr=False)
    side_by_side: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamCall:
    """One call of such a tool; `id` is its name in the agent's own record ("": the CLI tells none)."""

    tool: str
    arguments: Mapping[str, Any]
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamAnswer:
    """What the agent is told; where it was `refused`, nothing was done."""

    text: str
    refused: bool = False
