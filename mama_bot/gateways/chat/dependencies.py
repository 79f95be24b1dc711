"""What every gateway to a chat platform is given."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mama_bot.metrics import Metrics
from mama_bot.model import AgentPersona
from mama_bot.protocols import Clock, GatewayState


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatDependencies:
    """The surroundings of a gateway; `personas` begins with the default one, `uploads` is a directory of its own."""

    personas: Sequence[AgentPersona]
    state: GatewayState
    uploads: Path
    clock: Clock
    metrics: Metrics
