"""Decide which shell commands only look: any that is not known to is refused, with the reason.

A policy, not a sandbox: a test runs the code of the workspace, and that code can do what it likes.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.shell.syntax import Redirect, SimpleCommand, commands_of
from mama_bot.text.patterns import compiled
from mama_bot.tool_policy.read_only.expansions import EXPANDS, MARKS, is_fixed, with_expansions_marked
from mama_bot.tool_policy.read_only.known import SHOWN
from mama_bot.tool_policy.read_only.known_programs import ANY_ARGUMENTS, ASSIGNABLE, ENDING, PLACES, WRAPPERS
from mama_bot.tool_policy.read_only.options import OPTIONS, READERS
from mama_bot.tool_policy.read_only.special_programs import LOOKING, SPECIAL

DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})
SYSTEM = frozenset({"/usr/bin", "/bin", "/usr/local/bin"})
SCOPED = frozenset({"npm", "pnpm", "yarn", "bun"})
DEEPEST = 4
LONGEST = 20_000  # characters: reading a command takes time on the loop that everybody shares
MOST_PLACES = 20
_HIDDEN = ("$(", "`", "<(", ">(")
# A loop may set any variable; only names of small letters mean nothing to a program.
_LOOP = compiled(
    r"(?:^|[;&|({!)\n]|(?:^|[\s;])(?:do|then|else|elif|if|while|until|time|-p)\s)\s*(?:for|select)\s+[^a-z\s]",
    ignore_case=False,
)


@dataclass(slots=True)
class _Where:
    """The workspace, and every directory in which a command may find itself after the `cd` before it."""

    workspace: Path
    places: list[Path] = field(default_factory=list)
    exact: bool = True  # every `cd` was done, and by the shell that does what follows

    def holds(self, name: str) -> bool:
        """Whether a path stays in the workspace wherever it is looked up from."""
        root = os.path.realpath(self.workspace)
        return all(Path(os.path.realpath(place / name)).is_relative_to(root) for place in self.all())

    def all(self) -> list[Path]:
        """The directories in which the next command may run."""
        return self.places if self.exact and self.places else [self.workspace, *self.places]

    def enter(self, name: str) -> None:
        """Follow a `cd` to a directory."""
        entered = [place / name for place in self.all()]
        self.places = entered if self.exact else [*self.places, *entered][: MOST_PLACES + 1]


@dataclass(frozen=True, slots=True)
class ReadOnlyCommands:
    """Judges the commands of an agent that may only look, in its workspace; `temporary` are its own directories."""

    temporary: tuple[Path, ...] = (Path("/tmp"),)  # noqa: S108 - where it may leave its own notes

    def refusal(self, command: str, workspace: Path) -> str:
        """Return why a command is refused, in a sentence for the agent; "" when it is known to change nothing."""
        try:
            reason = self._refused(command, _Where(workspace), 0)
        except (ValueError, OSError):  # a path that no system has
            reason = "it is not understood"
        if not reason:
            return ""
        for mark, sign in zip(MARKS, "${", strict=True):
            reason = reason.replace(mark, sign)
        return (
            f"You may only look here, and this command was not run: {reason}. Read files, use git diff, log, show or "
            "status, and run tests, linters and type checkers as they are; write only below /tmp."
        )

    def _refused(self, command: str, where: _Where, depth: int) -> str:
        if len(command) > LONGEST:
            return "it is too long to be understood"
        if depth > DEEPEST:
            return "it is nested too deeply to be understood"
        hidden = next((sign for sign in _HIDDEN if sign in command), "")
        if hidden:
            return f"it holds {hidden}, and what is inside is not looked into"
        known = with_expansions_marked(command)
        parts = None if known is None or _LOOP.search(known) is not None else commands_of(known)
        if known is None or parts is None:
            return "it is not understood"
        joined = all(part.operator in ("", "&&") and not (part.uncertain or part.background) for part in parts)
        where.exact = where.exact and joined and "(" not in known and depth == 0
        for part in parts:
            reason = self._of(part, where, depth)
            if reason:
                return reason
        return ""

    def _of(self, command: SimpleCommand, where: _Where, depth: int) -> str:
        for redirect in command.redirects:
            if redirect.writes and not self._may_write(redirect, where):
                return f"it writes to {redirect.target[:SHOWN]!r}"
        for assignment in command.assignments:
            reason = self._assignment(assignment, where, alone=not command.argv)
            if reason:
                return reason
        return self._words(command.argv, where, depth) if command.argv else ""

    def _assignment(self, assignment: str, where: _Where, *, alone: bool) -> str:
        name, _, value = assignment.partition("=")
        # A dollar that stays may be evaluated where the variable is taken for a number.
        if "$" in value or (ASSIGNABLE.fullmatch(name) is None and not (alone and name.islower())):
            return f"it sets {name[:SHOWN]}"
        if name == "PYTHONPATH":
            here = f"{EXPANDS}PWD"
            for place in value.split(":"):
                inner = "." if place == here else place.removeprefix(f"{here}/")
                if not is_fixed(inner) or inner.startswith("~") or not where.holds(inner or "."):
                    return f"PYTHONPATH {place[:SHOWN]} is not known to lie in the workspace"
        return ""

    def _may_write(self, redirect: Redirect, where: _Where) -> bool:
        target = redirect.target
        return (redirect.operator == ">&" and target == "-") or self._may_write_to(target, where)

    def _may_write_to(self, target: str, where: _Where) -> bool:
        if target in DEVICES:
            return True
        if not target.startswith("/") or not is_fixed(target) or any(sign in target for sign in "$*?[{~"):
            return False
        return self._is_temporary(target, where)

    def _is_temporary(self, name: str, where: _Where) -> bool:
        real = Path(os.path.realpath(name))
        if real.is_relative_to(os.path.realpath(where.workspace)):
            return False
        return any(real.is_relative_to(os.path.realpath(place)) and real != place for place in self.temporary)

    def _words(self, argv: Sequence[str], where: _Where, depth: int) -> str:
        name = program_of(argv[0])
        if name is None or self._is_own_program(argv[0], where):
            return f"{argv[0][:SHOWN]!r} is no program that is known to change nothing"
        if name == "env":
            return self._env(argv, where, depth)
        if name in WRAPPERS:
            inner = WRAPPERS[name](argv)
            if inner is None:
                return f"the options of {name} are not understood"
            return self._inner(inner, where, depth)
        if name in ("bash", "sh"):
            if len(argv) == 3 and argv[1] in ("-c", "-lc", "-ec", "-euc") and is_fixed(argv[2]):
                return self._refused(argv[2], where, depth + 1)
            return f"what {name} would run is not looked into"
        if name in ANY_ARGUMENTS:
            return self._reader(name, argv, where)
        return self._program(name, argv, where)

    def _is_own_program(self, word: str, where: _Where) -> bool:
        place = word.rpartition("/")[0]
        return place.startswith("/") and place not in SYSTEM and self._is_temporary(word, where)

    def _inner(self, inner: Sequence[str], where: _Where, depth: int) -> str:
        if depth >= DEEPEST:
            return "it is nested too deeply to be understood"
        return self._words(inner, where, depth + 1) if inner else ""

    def _env(self, argv: Sequence[str], where: _Where, depth: int) -> str:
        at = 1
        while at < len(argv) and "=" in argv[at] and not argv[at].startswith("-"):
            reason = self._assignment(argv[at], where, alone=False)
            if reason:
                return reason
            at += 1
        if at < len(argv) and argv[at].startswith("-"):
            return "the options of env are not understood"
        return self._inner(argv[at:], where, depth)

    def _reader(self, name: str, argv: Sequence[str], where: _Where) -> str:
        ending = next((word for word in argv[1:] if word.startswith(ENDING.get(name, ("\0",)))), "")
        if ending:
            return f"{name} {ending[:SHOWN]} is not known to change nothing"
        if name == "[[" and any("$" in word for word in argv):
            return "a comparison may run what it compares"
        if name in ("cd", "pushd"):
            named = [word for word in argv[1:] if word not in ("-P", "-L", "--")]
            if len(named) != 1 or named[0].startswith(("-", "+", "~")) or not is_fixed(named[0]):
                return f"{name} is only known with a directory of the workspace"
            if not where.holds(named[0]) or len(where.places) > MOST_PLACES:
                return f"{name} {named[0][:SHOWN]} leaves the workspace"
            where.enter(named[0])
        return ""

    def _program(self, name: str, argv: Sequence[str], where: _Where) -> str:
        if name in ("export", "local", "declare", "readonly"):
            return next((reason for word in argv[1:] if (reason := self._assignment(word, where, alone=False))), "")
        if not all(is_fixed(word) and not word.startswith("~") for word in argv[1:]):
            return f"a word of {name} is only known when it runs"
        if name == "tee":
            odd = next((word for word in argv[1:] if word != "-a" and not self._may_write_to(word, where)), "")
            return f"it writes to {odd[:SHOWN]!r}" if odd else ""
        if name not in READERS and name not in LOOKING:
            outside = next((word for word in argv[1:] if not _stays(name, word, where)), "")
            if outside:
                return f"{name} {outside[:SHOWN]} is not known to stay in the workspace"
        if name in SPECIAL:
            return SPECIAL[name](argv)
        if name not in OPTIONS or name in ("report", "run", "json.tool", "manage.py", "unittest", "doctest"):
            return f"{name[:SHOWN]} is not known to change nothing"
        return OPTIONS[name].refusal(name, argv[1:])


def program_of(word: str) -> str | None:
    """Return the name of a program that lies where programs lie; None for any other file, or a variable."""
    if "$" in word or "=" in word or not is_fixed(word):
        return None
    place, _, name = word.rpartition("/")
    if place and not word.startswith("/") and name in ("gradlew", "mvnw"):
        return name if place == "." else None
    if place and (PLACES.fullmatch(place) is None or ".." in place.split("/")):
        return None
    return "python" if name.startswith("python") and name[6:].replace(".", "").isdigit() else name


def _stays(name: str, word: str, where: _Where) -> bool:
    """Whether the paths that a word may hold (itself, its value, the rest behind a letter) stay in the workspace."""
    if word.startswith("@"):
        return name in SCOPED  # elsewhere it is a file of arguments
    pieces = [word, word.partition("=")[2]]
    if word.startswith("-") and not word.startswith("--"):
        pieces.append(word[2:])
    pieces = [piece for piece in pieces if piece.startswith(("/", "~")) or ".." in piece.split("/")]
    return all(not piece.startswith("~") and where.holds(piece) for piece in pieces)
