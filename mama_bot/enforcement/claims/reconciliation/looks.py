"""Commands that only look at things, as far as their first words tell."""

from collections.abc import Sequence
from functools import lru_cache

from mama_bot.shell.flow import Flow

LOOKING = (
    *("ls", "cat", "head", "tail", "less", "grep", "rg", "find", "wc", "pwd", "echo", "which", "tree", "stat", "file"),
    *("diff", "sleep", "date", "env", "true", "test", "awk", "sort", "uniq", "jq", "cd", "nl", "bat", "fd", "du"),
)
GIT_LOOKING = ("status", "diff", "log", "show", "blame", "branch", "rev-parse", "remote", "fetch", "ls-files", "add")
SIGNS = ("&&", "||", ";", "|", "\n")
NO_FILES = ("2>&1", "2>/dev/null", ">/dev/null", "> /dev/null", "->", "=>")


@lru_cache(maxsize=4096)
def only_looks(command: str) -> bool:
    """Whether every part of a command only looks."""
    for plain in NO_FILES:
        command = command.replace(plain, " ")
    if ">" in command and _writes(command):
        return False
    for sign in SIGNS:
        command = command.replace(sign, "\x00")
    return all(_looks(words) for part in command.split("\x00") if (words := part.split()))


def _writes(command: str) -> bool:
    """Whether anything is written by `>`, which may as well stand in quotes or behind `#`."""
    flow = Flow(command, "")
    return not flow.understood or any(redirect.writes for step in flow.steps for redirect in step.redirects)


def _looks(words: Sequence[str]) -> bool:
    if words[0] == "git":
        rest = [word for word in words[1:] if not word.startswith("-")]
        return bool(rest) and rest[0] in GIT_LOOKING
    if words[0] == "sed":
        return not any(word.startswith("-i") or word == "--in-place" for word in words)
    return words[0] in LOOKING
