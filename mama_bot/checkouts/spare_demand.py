"""How many work trees to keep ready of each repository: more where many conversations began at once lately."""

import shutil
from collections import deque
from collections.abc import Callable
from pathlib import Path

MOST = 20  # also what `work_trees.spares` takes at most
TOGETHER_SECONDS = 60.0
REMEMBERED_SECONDS = 86_400.0
REMEMBERED = 1_000
# Of the disk, below which no more than the usual spares are kept; of a large disk so many bytes are enough.
FREE_SHARE = 0.25
FREE_BYTES = 50 * 2**30


def has_room(directory: Path) -> bool:
    """Return whether the disk has room for more than the usual spares."""
    usage = shutil.disk_usage(directory)
    fillable = usage.free + usage.used  # the total counts what is nobody's to fill as well
    return usage.free >= min(fillable * FREE_SHARE, FREE_BYTES)


class SpareDemand:
    """Knows when conversations began, and from that how many spares a repository is to have.

    They are as many as began within a minute in the last day, `least` at least and 20 at most; `now` is in seconds.
    """

    def __init__(self, *, least: int, now: Callable[[], float]) -> None:
        self._least = least
        self._now = now
        self._begun: dict[str, deque[float]] = {}

    def began(self, name: str, times: int = 1) -> None:
        """Note that so many conversations began in a repository now."""
        begun = self._begun.setdefault(name, deque(maxlen=REMEMBERED))
        begun.extend([self._now()] * times)

    def spares(self, name: str, *, room: bool) -> int:
        """Return how many spares a repository is to have; without `room` on the disk the usual ones."""
        if not (self._least and room):
            return self._least
        begun = self._begun.get(name, deque())
        while begun and self._now() - begun[0] > REMEMBERED_SECONDS:
            begun.popleft()
        return min(MOST, max(self._least, _most_together([*begun])))


def _most_together(moments: list[float]) -> int:
    """Return how many of these moments, which are in order, at most lie within a minute."""
    first = most = 0
    for last, moment in enumerate(moments):
        while moment - moments[first] > TOGETHER_SECONDS:
            first += 1
        most = max(most, last - first + 1)
    return most
