"""How long the gateway waits for what."""

from dataclasses import dataclass

from mama_bot.backoff import Backoff
from mama_bot.gateways.chat.progress import FIRST_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """In seconds; tests wait less.

    `silence`: how much later than asked for a poll may answer. `first_pause` to `longest_pause`: between attempts after
    trouble, twice as long each time; `revoked`: while the token is refused. `album`: how long further pictures of an
    album are waited for. `call` and `download`: a call, a whole file. `press`: how long a pressed button may wait for a
    short answer. `first_progress`: how long a turn runs before a message shows it. `group_edit`: between two edits of
    progress in a group, as the platform asks.
    """

    silence: float = 10.0
    first_pause: float = 0.5
    longest_pause: float = 30.0
    revoked: float = 60.0
    album: float = 1.0
    call: float = 20.0
    download: float = 60.0
    press: float = 3.0
    first_progress: float = FIRST_SECONDS
    group_edit: float = 3.0
    between_reactions: float = 0.2

    @property
    def pauses(self) -> Backoff:
        """The pauses between attempts after trouble."""
        return Backoff(first=self.first_pause, longest=self.longest_pause)

    def pause(self, failures: int) -> float:
        """Return how long to wait after so many failures in a row."""
        return self.pauses.pause(failures)
