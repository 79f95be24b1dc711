"""A clock that a test moves."""

from datetime import UTC, datetime, timedelta


class MovedClock:
    def __init__(self, now: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.at = now
        self.seconds = 0.0

    def now(self) -> datetime:
        return self.at + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds
