"""What the disk says of the place where an agent works, read once for each call, bounded, nothing run."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from mama_bot.model import RuleState, ToolCall
from mama_bot.rules.path_values import Place, absolute

MOST_PATHS = 50
LONGEST_HEAD = 500
HEAD = "ref: refs/heads/"
GIT_DIRECTORY = "gitdir: "


def surroundings(workspace: Path, call: ToolCall, state: RuleState) -> Place:
    """Return the place of a call as it is now."""
    real = os.path.realpath(workspace)
    roots = tuple(dict.fromkeys((str(workspace), real)))
    named = [absolute(path, call.directory or roots[0]) for path in call.paths[:MOST_PATHS]]
    return Place(
        roots=roots,
        branch=_branch(workspace),
        empty=_is_empty(workspace),
        existing=frozenset(path for path in named if _exists(path)),
        shown=_by_every_name(state.shown, roots),
        written=_by_every_name(state.written, roots),
    )


def _by_every_name(paths: Iterable[str], roots: Sequence[str]) -> frozenset[str]:
    """Return paths by each name of the workspace: the CLI follows links, a person's configuration does not."""
    named = set(paths)
    for path in tuple(named):
        for root in roots:
            if path.startswith(f"{root}/"):
                named |= {f"{other}{path[len(root) :]}" for other in roots}
    return frozenset(named)


def _exists(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except (OSError, ValueError):
        return False


def _is_empty(workspace: Path) -> bool:
    try:
        with os.scandir(workspace) as entries:
            return not any(entry.name != ".git" for entry in entries)
    except OSError:
        return True


def _branch(workspace: Path) -> str:
    """Return the branch that is checked out, read from git's own file; "" where there is none."""
    directory = workspace / ".git"
    try:
        if directory.is_file():
            told = _beginning(directory)
            directory = workspace / told.removeprefix(GIT_DIRECTORY).strip()
        head = _beginning(directory / "HEAD")
    except (OSError, ValueError):
        return ""
    return head.removeprefix(HEAD).strip() if head.startswith(HEAD) else ""


def _beginning(file: Path) -> str:
    with file.open(encoding="utf-8", errors="replace") as opened:
        return opened.read(LONGEST_HEAD)
