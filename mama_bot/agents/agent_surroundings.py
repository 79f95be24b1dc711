"""What all backends of a service have in common, whatever CLI they drive; it loads none of the protocols."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.agents.acp_tools import OfferedTools
from mama_bot.agents.record import Redact
from mama_bot.confinement.plans import Pulse
from mama_bot.confinement.sandbox import Sandbox
from mama_bot.metrics import Metrics
from mama_bot.model import AgentPersona
from mama_bot.protocols import Approver, CallReader, Clock, Declarations, SessionWatch, ToolGuard, WorkTrees
from mama_bot.provisions import Provisions, nothing_provided
from mama_bot.tool_policy.absent_approver import NobodyApproves


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSurroundings:
    """What the sessions of a backend are judged by, watched by and recorded with; see ClaudeBackend for each."""

    redact: Redact
    clock: Clock
    new_uuid: Callable[[], str]
    system_prompt: Callable[[AgentPersona], str]
    guard: ToolGuard
    declarations: Declarations
    trees: WorkTrees | None = None
    reader: Callable[[Path], CallReader] | None = None
    watch: SessionWatch | None = None
    approver: Approver = field(default_factory=NobodyApproves)
    provisions: Provisions = nothing_provided
    sandbox: Sandbox | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    umask: int | None = None
    pulse: Pulse | None = None
    tool_variables: Callable[[Path], Mapping[str, str]] = lambda _: {}
    metrics: Metrics | None = None
    offered: OfferedTools | None = None
