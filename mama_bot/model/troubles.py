"""What is wrong with the service, for whoever watches over it."""

from dataclasses import dataclass
from enum import StrEnum

from mama_bot.wording import Said


class TroubleKind(StrEnum):
    """What may be wrong with a service that runs."""

    DEAF = "deaf"
    BEHIND = "behind"
    LOST = "lost"
    STORE = "store"
    DISK = "disk"
    LACKING = "lacking"
    BACKUP = "backup"
    BUDGET = "budget"
    SETTINGS = "settings"
    STALLED = "stalled"
    DRAINING = "draining"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Something that is wrong now: of what (a platform, a need; "" for the service), and what to say of it.

    Where more than one of a kind may stand of the same, `instance` tells them apart.
    While one stands that `stops_work`, messages are not answered, or not taken.
    """

    kind: TroubleKind
    subject: str = ""
    instance: str = ""
    sentence: Said
    stops_work: bool = True

    @property
    def name(self) -> str:
        """What tells it from other troubles."""
        name = f"{self.kind.value}.{self.subject}"
        return f"{name}.{self.instance}" if self.instance else name
