"""The team: personas, and how one asks another."""

from dataclasses import dataclass
from enum import StrEnum


class Tier(StrEnum):
    """What a persona may do: lead others, change files, or only look."""

    LEAD = "lead"
    WORKER = "worker"
    READER = "reader"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPersona:
    """One member of the team, as its file in `personas/` describes it."""

    name: str
    display_name: str
    prompt: str
    avatar: str = ""
    backend: str = "claude"
    model: str | None = None
    tools: tuple[str, ...] = ()
    tier: Tier = Tier.WORKER
    delegates_to: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    workspace: str = "own"


class DelegationForm(StrEnum):
    """How an agent asked another one."""

    DIRECTIVE = "directive"
    MENTION = "mention"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """A request of one persona to another; the parts after `task` are empty when the sender left them out."""

    sender: str
    recipient: str
    task: str
    form: DelegationForm
    expected_outcome: str = ""
    required_tools: str = ""
    must_do: str = ""
    must_not_do: str = ""
    context: str = ""
