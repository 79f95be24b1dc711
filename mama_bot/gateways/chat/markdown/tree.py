"""What a text says, laid out as lines and code: the ground that all platforms share."""

from dataclasses import dataclass, replace
from typing import NamedTuple

BOLD, ITALIC, STRIKE, CODE = 1, 2, 4, 8
STYLES = (BOLD, ITALIC, STRIKE)


class StyledRun(NamedTuple):
    """Words of one style (BOLD and the others, added up), and where they link to."""

    text: str
    style: int = 0
    href: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `indent` and `marker` (•, 1., ☐) precede its runs; `heading` is 1 to 6, or 0.

    `subdued` is the service's own line, smaller or paler than what an agent can write.
    """

    runs: tuple[StyledRun, ...]
    indent: str = ""
    marker: str = ""
    quoted: bool = False
    heading: int = 0
    subdued: bool = False

    @property
    def prefix(self) -> str:
        """What stands before the words."""
        return f"{self.indent}{self.marker} " if self.marker else self.indent

    def begin(self, runs: tuple[StyledRun, ...]) -> "Line":
        """Return the same line with its first words only."""
        return replace(self, runs=runs)

    def rest(self, runs: tuple[StyledRun, ...]) -> "Line":
        """Return the same line, continued in another message."""
        indent = f"{self.indent}  " if self.marker else self.indent
        return replace(self, runs=runs, indent=indent, marker="")


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph, a heading or what else has lines of words; `gap`: an empty line precedes it."""

    lines: tuple[Line, ...]
    gap: bool = True

    @property
    def leads(self) -> bool:
        """Whether it belongs to what follows it."""
        return self.lines[-1].heading > 0


@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """Lines to show as they are, in a monospaced face."""

    lines: tuple[str, ...]
    language: str = ""
    gap: bool = True
    table: bool = False


Block = Text | Code
