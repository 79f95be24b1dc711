"""What a process wrote to its standard error, as far as it is kept."""

from collections import deque
from collections.abc import Callable

from mama_bot.agents.record import clean

STDERR_LINES = 40
STDERR_CHARACTERS = 500


class ErrorLines:
    """The last lines that a process wrote to its standard error, bounded and redacted."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._lines: deque[str] = deque(maxlen=STDERR_LINES)

    def add(self, line: str) -> None:
        """Keep a line."""
        self._lines.append(clean(self._redact(line[: 4 * STDERR_CHARACTERS]))[:STDERR_CHARACTERS])

    def __str__(self) -> str:
        return "\n".join(self._lines)
