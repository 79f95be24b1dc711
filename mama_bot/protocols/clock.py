"""The time."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time, as an argument."""

    def now(self) -> datetime:
        """Return the current time, in UTC, with a time zone."""
        ...

    def monotonic(self) -> float:
        """Seconds since an arbitrary moment; never goes back."""
        ...
