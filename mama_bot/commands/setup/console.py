"""Questions and answers in a terminal, or from a pipe."""

import getpass
import sys
from collections.abc import Callable
from typing import Protocol, TextIO, TypeVar

from mama_bot.errors import ConfigurationError
from mama_bot.wording import as_typed

Answer = TypeVar("Answer")


class Console(Protocol):
    """Where a person is asked."""

    def say(self, text: str) -> None:
        """Show a line or several."""

    def ask(self, question: str) -> str:
        """Return one line without its end; raises InputEnded."""

    def ask_hidden(self, question: str) -> str:
        """Return the same for a secret, which is not shown while it is typed."""


class InputEnded(ConfigurationError):
    """The input ended before every question had an answer."""

    def __init__(self) -> None:
        super().__init__(problem="The input ended before the set-up was complete. Nothing was written.")


class StreamConsole:
    """A console of two streams; a secret is hidden where the input is a terminal.

    The commands in what it shows can be typed as they stand.
    """

    def __init__(self, reader: TextIO | None = None, writer: TextIO | None = None) -> None:
        self._reader = sys.stdin if reader is None else reader
        self._writer = sys.stdout if writer is None else writer

    def say(self, text: str) -> None:
        """Show a line or several."""
        self._writer.write(f"{as_typed(text)}\n")
        self._writer.flush()

    def ask(self, question: str) -> str:
        """Return one line without its end; raises InputEnded."""
        self._writer.write(f"{question} ")
        self._writer.flush()
        # A program that is started without any input has none at all.
        line = "" if self._reader is None else self._reader.readline()
        if not line:
            self._writer.write("\n")
            raise InputEnded
        return line.strip()

    def ask_hidden(self, question: str) -> str:
        """Return the same for a secret, which is not shown while it is typed."""
        if self._reader is None or not self._reader.isatty():
            return self.ask(question)
        try:
            return getpass.getpass(f"{question} ").strip()
        except EOFError:
            self._writer.write("\n")
            raise InputEnded from None


def ask_until(ask: Callable[[], str], read: Callable[[str], Answer], say: Callable[[str], None]) -> Answer:
    """Ask until the answer can be read; what is wrong with one is said in a sentence (a ValueError of `read`)."""
    while True:
        try:
            return read(ask())
        except ValueError as error:
            say(str(error))
