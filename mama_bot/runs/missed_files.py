"""Files that a program says it could not touch: `rm: cannot remove 'a.py': No such file or directory`."""

from collections.abc import Sequence

from mama_bot.shell.exit_states import ShellStep
from mama_bot.shell.wrappers import program
from mama_bot.text.patterns import compiled

MISSES = compiled(
    r"(?i:cannot |can't |could not |no such file|permission denied|did not match any|not a directory"
    r"|read-only file system)",
    groups=False,
)
MOST_MISSES = 40
COPIES = frozenset({"cp", "mv", "ln", "install", "rsync", "scp"})


def missed_in(text: str) -> list[str]:
    """Return the last lines of an output that say that a file is not there or cannot be touched."""
    end = text[-8_000:]
    if MISSES.search(end) is None:
        return []
    return [line for line in end.split("\n") if MISSES.search(line) is not None][-MOST_MISSES:]


def says_missed(step: ShellStep, path: str, misses: Sequence[str]) -> bool:
    """Return whether a program says that it failed with a file, or with what it was to copy there."""
    if not step.argv:
        return False
    name = program(step.argv[0])
    own = [line for line in misses if line.startswith(f"{name}:") or f" {name}: " in line]
    base = path.rpartition("/")[2]
    if name in COPIES:
        return any(word in line for line in own for word in step.argv[1:] if not word.startswith("-"))
    return bool(base) and any(base in line for line in own)
