"""Whether a gateway can hear."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """Whether messages reach a gateway now, since when that is so, and if not, why and what to do."""

    ok: bool
    since: datetime | None = None
    reason: str = ""
