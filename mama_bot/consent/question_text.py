"""What a person is shown of a tool call that waits for them: all that it would do, redacted, and safe to show."""

import difflib
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from mama_bot.confinement.plain_files import MOST_BYTES, plain_bytes
from mama_bot.consent import sentences as says
from mama_bot.model import Ask, CommandName, ToolCall, ToolKind, ToolTurn, written_command
from mama_bot.tool_names import replacements
from mama_bot.wording import Language, printable

MOST_CHARACTERS = 6_000
TICKS = re.compile("`{3,}")
SECONDS_OF_MINUTE = 60


def question_text(
    number: int,
    question: Ask,
    call: ToolCall,
    turn: ToolTurn,
    *,
    seconds: float,
    language: Language,
    redact: Callable[[str], str],
) -> str:
    """Return the post that asks: which rule, what would run, how to answer."""
    assert turn.key is not None
    time = says.SECONDS.to(language, n=seconds)
    if seconds >= SECONDS_OF_MINUTE:
        time = says.MINUTES.to(language, n=round(seconds / SECONDS_OF_MINUTE, 1))
    kind, shown = _shown(call, turn.workspace)
    shown = redact(shown)
    reason = printable(" ".join(redact(question.question).split()), drop="@")
    more = len(shown) - MOST_CHARACTERS
    lines = [
        says.QUESTION.to(language, number=number, name=turn.persona.display_name, reason=reason),
        "",
        *_block(kind, shown[:MOST_CHARACTERS]),
        *([says.CUT.to(language, more=more)] if more > 0 else []),
        "",
        says.HOW.to(
            language,
            time=time,
            number=number,
            approve=written_command(CommandName.APPROVE, turn.key.platform),
            deny=written_command(CommandName.DENY, turn.key.platform),
            rule=question.rule,
        ),
    ]
    return "\n".join(lines)


def _block(kind: str, text: str) -> Sequence[str]:
    """Return a fenced block that its text cannot leave; what does not print, or turns the order of words, is shown."""
    plain = "".join(sign if sign.isprintable() or sign in "\n\t" else f"\\u{ord(sign):04x}" for sign in text)
    fence = "`" * max(3, 1 + max((len(run) for run in TICKS.findall(plain)), default=0))
    return (f"{fence}{kind}", plain, fence)


def _shown(call: ToolCall, workspace: Path) -> tuple[str, str]:
    match call.kind:
        case ToolKind.SHELL:
            return "sh", call.command
        case ToolKind.WRITE | ToolKind.EDIT if (changes := replacements(call)) and call.paths:
            path = call.paths[0]
            if call.kind is ToolKind.WRITE:
                changes = tuple((_present(path, workspace), after) for _, after in changes)
            return "diff", "\n".join(_diff(path, before, after) for before, after in changes)
        case _:
            return "", f"{call.tool} {json.dumps(call.arguments, ensure_ascii=False, indent=1, default=str)}"


def _diff(path: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), fromfile=path, tofile=path, lineterm="")
    return "\n".join(lines) or f"--- {path}\n(no difference)"


def _present(path: str, workspace: Path) -> str:
    """Return what a file of the workspace holds now; of files elsewhere nothing is read: others see the question."""
    root = workspace.resolve()
    try:
        place = (root / path).resolve()
        read = plain_bytes(place, MOST_BYTES) if place.is_relative_to(root) else None
    except (OSError, ValueError, RuntimeError):
        return ""
    return "" if read is None else read.decode("utf-8", errors="replace")
