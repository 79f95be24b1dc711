"""What a tool call would do, as a person is shown it: all of it, or nothing, since what is shown is what runs."""

import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mama_bot.confinement.plain_files import MOST_BYTES, plain_bytes
from mama_bot.consent.legible import legible
from mama_bot.model import ToolCall, ToolKind, ToolTurn
from mama_bot.tool_names import AFTER, BEFORE, COMMAND_ARGUMENTS, PATH_ARGUMENTS, replacements

MOST_CHARACTERS = 30_000
MOST_READ = 250_000  # longer arguments are not even compared
# What an agent says of a call, and for how long it waits, change nothing of what it does.
ASIDE = frozenset({"description", "timeout"})
COMMANDS, PATHS, WORDS = map(frozenset, (COMMAND_ARGUMENTS, PATH_ARGUMENTS, (*BEFORE, *AFTER)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCall:
    """A call for the eyes of a person: its text, the `kind` of block of code that it is, and where it runs."""

    kind: str
    text: str
    directory: str = ""


def shown_call(call: ToolCall, turn: ToolTurn, redact: Callable[[str], str]) -> ShownCall | None:
    """Return a call as it is shown, redacted and legible; None for one that is too long for anybody to read."""
    if sum(len(str(value)) for value in call.arguments.values()) > MOST_READ:
        return None
    kind, text = _command(call) or _changes(call, turn.workspace) or ("", _all_of(call))
    text = legible(redact(text))
    if len(text) > MOST_CHARACTERS:
        return None
    return ShownCall(kind=kind, text=text, directory=legible(redact(_directory(call, turn.workspace))))


def _all_of(call: ToolCall) -> str:
    return f"{call.tool} {_json(call.arguments)}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def _command(call: ToolCall) -> tuple[str, str] | None:
    """Return the command of a shell, where nothing else decides what runs."""
    if call.kind is not ToolKind.SHELL or len(COMMANDS & call.arguments.keys()) != 1:
        return None
    return "sh", call.command + _further(call, COMMANDS)


def _changes(call: ToolCall, workspace: Path) -> tuple[str, str] | None:
    """Return what a write or an edit changes, as a diff, where it names one file and what is to stand there."""
    names, changes = call.arguments.keys(), replacements(call)
    edits = call.arguments.get("edits", ())
    odd = any(isinstance(edit, Mapping) and edit.keys() - WORDS for edit in edits if isinstance(edits, list | tuple))
    if call.kind not in {ToolKind.WRITE, ToolKind.EDIT} or not changes or len(call.paths) != 1 or odd:
        return None
    if len(names & PATHS) != 1 or len(names & set(AFTER)) + ("edits" in names) != 1 or COMMANDS & names:
        return None
    path, about = call.paths[0], ""
    if call.kind is ToolKind.WRITE:
        before, about = _present(path, workspace)
        changes = tuple((before, after) for _, after in changes)
    diffs = [_diff(path, about, before, after) for before, after in changes]
    return "diff", "\n".join(diffs) + _further(call, PATHS | WORDS | {"edits"})


def _further(call: ToolCall, shown: frozenset[str]) -> str:
    """Return the arguments that the rest does not show, and that may matter (`replace_all`)."""
    further = {name: value for name, value in call.arguments.items() if name not in shown | ASIDE}
    return f"\n\n{call.tool} {_json(further)}" if further else ""


def _diff(path: str, about: str, before: str, after: str) -> str:
    old, new = before.split("\n") if before else [], after.split("\n")
    head = f"--- {path}{about}\n+++ {path}\n"
    if max(len(old), len(new)) > 2_000:
        return head + "\n".join([*(f"-{line}" for line in old), *(f"+{line}" for line in new)])
    lines = list(difflib.unified_diff(old, new, lineterm=""))[2:]
    return head + ("\n".join(lines) or "(no difference)")


def _present(path: str, workspace: Path) -> tuple[str, str]:
    """Return what a file of the workspace holds now, and what is to be said of it.

    Of files elsewhere nothing is read: others see the question.
    """
    root = workspace.resolve()
    try:
        place = (root / path).resolve()
        if not place.is_relative_to(root):
            return "", "  (outside of the workspace: what is there is not shown)"
        read = plain_bytes(place, MOST_BYTES)
    except (OSError, ValueError, RuntimeError):
        return "", "  (cannot be read)"
    if read is None:
        return "", "  (new)"
    if len(read) >= MOST_BYTES:
        return "", "  (what is there is too long to be compared)"
    return read.decode("utf-8", errors="replace"), ""


def _directory(call: ToolCall, workspace: Path) -> str:
    """Return where a command runs, where that is not the workspace itself."""
    if call.kind is not ToolKind.SHELL or not call.directory:
        return ""
    root, place = workspace.resolve(), Path(call.directory)
    if place in {root, workspace}:
        return ""
    return str(place.relative_to(root)) if place.is_relative_to(root) else str(place)
