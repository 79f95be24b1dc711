"""Which tools a rule is about, and how specific that is."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from mama_bot.model import ToolKind
from mama_bot.tool_names import CLAUDE, GRANTABLE

EVERYTHING = "*"
KINDS = frozenset(kind.value for kind in ToolKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matcher:
    """`*`, or names of tools and kinds with `|` between them: `Edit|Write`, `shell`, `mcp__github__*`."""

    text: str = EVERYTHING

    @property
    def alternatives(self) -> tuple[str, ...]:
        """The names, one by one."""
        return tuple(name.strip() for name in self.text.split("|"))

    @property
    def specificity(self) -> tuple[int, int]:
        """How specific the layer is: `*`, a pattern, kinds, names; fewer of them are more specific."""
        names = self.alternatives
        if EVERYTHING in names:
            return 0, 0
        layer = 1 if any("*" in name for name in names) else 2 if any(name in KINDS for name in names) else 3
        return layer, -len(names)

    def fits(self, tool: str, kind: ToolKind) -> bool:
        """Return whether it is about a tool of any CLI or server that does this; no tool at all fits `*` alone."""
        return any(_fits(name, tool, kind) for name in self.alternatives)


def problem_of(text: str) -> tuple[str, frozenset[str]] | None:
    """Return the first name of a matcher that is known nowhere, with the names that are; None where all are."""
    known = frozenset(CLAUDE) | KINDS | {EVERYTHING}
    for name in Matcher(text=text).alternatives:
        if name not in known and not name.startswith("mcp__") and not ("*" in name and len(name) > 1):
            return name, frozenset(GRANTABLE) | KINDS
    return None


def _fits(name: str, tool: str, kind: ToolKind) -> bool:
    if name in (EVERYTHING, tool):
        return True
    if not tool:
        return False
    if name in KINDS:
        return kind.value == name
    if "*" in name:
        return fnmatchcase(tool, name)
    # The tools of another CLI or of a server, by what they do: `Bash` is about `run_shell_command` too.
    return tool not in CLAUDE and name in GRANTABLE and kind is GRANTABLE[name]
