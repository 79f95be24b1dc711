"""Counters: what happened how often, by name and labels."""

from collections import Counter
from collections.abc import Mapping

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counts events for as long as the process lives."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, Labels]] = Counter()

    def count(self, name: str, amount: int = 1, **labels: str) -> None:
        """Add to a counter."""
        self._counts[name, tuple(sorted(labels.items()))] += amount

    def snapshot(self) -> Mapping[tuple[str, Labels], int]:
        """Return all counters as they stand."""
        return dict(self._counts)
