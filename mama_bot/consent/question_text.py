"""What a person is shown of a tool call that waits for them: all that it would do, redacted, and safe to show."""

import difflib
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from mama_bot.confinement.plain_files import MOST_BYTES, plain_bytes
from mama_bot.consent import sentences as says
from mama_bot.model import Ask, CommandName, Platform, StoredQuestion, ToolCall, ToolKind, ToolTurn, written_command
from mama_bot.tool_names import replacements
from mama_bot.wording import Language, plain_name, printable, quotable

MOST_CHARACTERS = 6_000
TICKS = re.compile("`{3,}")
SECONDS_OF_MINUTE = 60
MOST_RULES = 3
MOST_WHY = 200


def question_text(
    number: int,
    question: Ask,
    call: ToolCall,
    turn: ToolTurn,
    *,
    language: Language,
    redact: Callable[[str], str],
) -> str:
    """Return what is asked: who wants to run what, and why somebody is asked."""
    kind, shown = _shown(call, turn.workspace)
    shown = redact(shown)
    reason = printable(" ".join(redact(question.asked(language)).split()), drop="@")
    more = len(shown) - MOST_CHARACTERS
    lines = [
        says.QUESTION.to(language, number=number, name=turn.persona.display_name, reason=reason),
        "",
        *_block(kind, shown[:MOST_CHARACTERS]),
        *([says.CUT.to(language, more=more)] if more > 0 else []),
    ]
    return "\n".join(lines)


def how_to_answer(number: int, question: Ask, platform: Platform, *, seconds: float, language: Language) -> str:
    """Return what stands below a question while it is open: how to answer, and how long there is time."""
    time = says.SECONDS.to(language, n=seconds)
    if seconds >= SECONDS_OF_MINUTE:
        time = says.MINUTES.to(language, n=round(seconds / SECONDS_OF_MINUTE, 1))
    return says.HOW.to(
        language,
        time=time,
        number=number,
        approve=written_command(CommandName.APPROVE, platform),
        deny=written_command(CommandName.DENY, platform),
        rules=rules_text((question.rule, *question.also)),
    )


def outcome_text(stored: StoredQuestion, language: Language) -> str:
    """Return what became of a question: who answered what, and why; "" while it is open."""
    sentence = says.OUTCOMES.get(stored.state)
    if sentence is None:
        return ""
    return sentence.to(
        language,
        number=stored.number,
        by=plain_name(stored.by),
        why=says.WHY.to(language, why=quotable(stored.why, MOST_WHY)) if stored.why else "",
        rules=rules_text(stored.question.rules),
        deny=written_command(CommandName.DENY, stored.question.key.platform),
    )


def rules_text(rules: Sequence[str]) -> str:
    """Return the names of rules for a line, the first few of many."""
    named = [f"`{rule}`" for rule in rules[:MOST_RULES]]
    return ", ".join([*named, *(["…"] if len(rules) > MOST_RULES else [])])


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
