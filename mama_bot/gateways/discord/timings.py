"""How long the gateway to Discord waits for what."""

from dataclasses import dataclass, field

from mama_bot.gateways.chat.progress import FIRST_SECONDS
from mama_bot.gateways.discord.client import Waits
from mama_bot.gateways.discord.interactions import DEFER_SECONDS
from mama_bot.gateways.discord.patience import Patience


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """How long the gateway waits for what, in seconds."""

    waits: Waits = field(default_factory=Waits)
    first_backoff: float = 1.0
    longest_backoff: float = 60.0
    longest_after_failure: float = 300.0
    revoked: float = 60.0
    marks: float = 2.0
    history: float = 1.0
    defer: float = DEFER_SECONDS
    progress_first: float = FIRST_SECONDS
    between_reactions: float = 0.3
    patience: Patience = field(default_factory=Patience)
