"""What may run while the service is away: each rule's own word, in a small file for the relay."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mama_bot.model import FILE_WRITERS, Phase, ToolKind
from mama_bot.rules.rule import AUDIT, Rule, Strictness, Verb, WhenBroken
from mama_bot.session_hooks.plugin.relay import FAILURES
from mama_bot.tool_names import CLAUDE, KINDS, OTHERS, SERVED, kind_of

CLOSING = frozenset({Verb.BLOCK, Verb.ASK})
DOING = FILE_WRITERS | {ToolKind.SHELL, ToolKind.READ}


def failure_modes(rules: Sequence[Rule]) -> dict[str, Any]:
    """Return for each known tool the rule that closes on it ("": none does), and for other tools by pattern.

    `served` is by the name that a tool of any server bears: that one does what its name says.
    """
    gates = [rule for rule in rules if rule.enabled and rule.phase is Phase.TOOL]
    closing = [rule for rule in gates if _closes(rule)]
    tools = (*CLAUDE, *(tool for names in OTHERS.values() for tool in names.split()))
    return {
        "tools": {tool: _closing_on(tool, kind_of(tool), gates) for tool in tools},
        "served": {
            name: _closing_on(f"mcp{SERVED}any{SERVED}{name}", kind, gates)
            for name, kind in KINDS.items()
            if kind in DOING
        },
        "patterns": [[pattern, rule.name] for rule in closing for pattern in rule.matcher.alternatives],
    }


def write_failure_modes(directory: Path, rules: Sequence[Rule]) -> None:
    """Leave the file for the relay, whole or not at all, for the service's user alone."""
    file = directory / f"{FAILURES}.new"
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
        json.dump(failure_modes(rules), opened)
    file.replace(directory / FAILURES)


def _closing_on(tool: str, kind: ToolKind, gates: Sequence[Rule]) -> str:
    fitting = [rule for rule in gates if rule.matcher.fits(tool, kind)]
    strongest: dict[str, tuple[int, int]] = {}
    for rule in fitting:
        strongest[rule.policy] = max(strongest.get(rule.policy, (0, -99)), rule.matcher.specificity)
    speaking = (rule for rule in fitting if rule.matcher.specificity == strongest[rule.policy])
    return next((rule.name for rule in speaking if _closes(rule)), "")


def _closes(rule: Rule) -> bool:
    hard = rule.verb in CLOSING and rule.strictness is Strictness.HARD and rule.band not in AUDIT
    return hard and rule.when_broken is WhenBroken.BLOCK
