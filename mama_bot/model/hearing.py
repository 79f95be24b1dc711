"""Whether a gateway can hear."""

from dataclasses import dataclass
from datetime import datetime

from mama_bot.wording import Language, Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """Whether messages reach a gateway now, since when that is so, and if not, why and what to do.

    `behind` is what owners should know of messages that were written while it was not so, and are not read yet; `lost`
    of those that will not be read.
    """

    ok: bool
    since: datetime | None = None
    reasons: tuple[Said, ...] = ()
    behind: tuple[Said, ...] = ()
    lost: tuple[Said, ...] = ()

    def why(self, language: Language) -> str:
        """Return the reasons in a language, one after the other; "" where there is none."""
        return " ".join(reason.to(language) for reason in self.reasons)
