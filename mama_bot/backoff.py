"""How long to wait before another attempt."""

from dataclasses import dataclass

_MOST_DOUBLINGS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Pauses that grow: `first` seconds after the first failure, then twice as long each time, at most `longest`."""

    first: float
    longest: float

    def pause(self, failures: int) -> float:
        """Return the seconds to wait after so many failures in a row: 1, 2, 4, 8 … for `first=1.0`."""
        return min(self.longest, self.first * 2.0 ** min(max(failures - 1, 0), _MOST_DOUBLINGS))
