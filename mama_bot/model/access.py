"""Where something came from, as far as access is decided by it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from mama_bot.model.ids import Platform
from mama_bot.wording import Language

OPEN_FOR = timedelta(hours=24)  # how long a request to be served can be confirmed


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where on its platform a message, command or button press came from, in the platform's own ids.

    `workspace` is a Discord server or a Slack team; `channel` is a channel, chat or group, never a thread; `roles` are
    those of the author there; `direct` says that nobody but the author and the bot reads along. A `guest` belongs to
    another company than the channel: `workspace` is that company's.
    """

    workspace: str = ""
    channel: str = ""
    direct: bool = False
    roles: tuple[str, ...] = ()
    guest: bool = False


class PairingState(StrEnum):
    """How far the request of an unknown person got."""

    ASKED = "asked"
    PAIRED = "paired"
    DENIED = "denied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """An unknown person who wrote to the bot, and the code that an owner confirms; `asked`: how often they did.

    `language` is the one in which they wrote.
    """

    platform: Platform
    person: str
    name: str
    code: str
    state: PairingState
    asked_at: datetime
    settled_at: datetime | None = None
    settled_by: str = ""
    asked: int = 1
    language: Language = Language.ENGLISH

    def is_open(self, now: datetime) -> bool:
        """Return whether the request still waits for a decision."""
        return self.state is PairingState.ASKED and now - self.asked_at < OPEN_FOR
