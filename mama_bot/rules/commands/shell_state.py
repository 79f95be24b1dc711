"""What programs of a command line see that follow others: variables, aliases, functions, what comes through a pipe."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mama_bot.rules.commands.read_programs import Program
from mama_bot.shell.syntax import Group


@dataclass(slots=True)
class ShellState:
    """Where the programs that follow run, with which variables, aliases and functions, and what is checked out.

    `settings` are what git was told before.
    """

    directory: str
    variables: dict[str, Sequence[str]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    functions: dict[str, Group] = field(default_factory=dict)
    branch: str = ""
    settings: list[str] = field(default_factory=list)

    def copy(self) -> "ShellState":
        """Return what a subshell sees: what it sets is its own."""
        return replace(
            self, variables=dict(self.variables), settings=list(self.settings), functions=dict(self.functions)
        )


@dataclass(slots=True)
class Piped:
    """What comes through a pipe or a here-document: its text where that is plain, and which programs made it.

    `cut` says that there is more of it than is read.
    """

    text: str | None = None
    makers: tuple[Program, ...] = ()
    cut: bool = False


def numbered(given: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the variables that hold the parameters of a function or a script: `$1`, `$@`."""
    each: dict[str, Sequence[str]] = {str(number): (word,) for number, word in enumerate(given, 1)}
    return each | {"@": (" ".join(given),), "*": (" ".join(given),), "#": (str(len(given)),)}
