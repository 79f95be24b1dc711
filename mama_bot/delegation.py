"""One agent asks another: `DELEGATE::name::task` and @-mentions, outside code and quotes, as one typed value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import re2

from mama_bot.config import nearest
from mama_bot.enforcement.language.prose import prose_lines
from mama_bot.model import (
    AgentPersona,
    Allow,
    Author,
    Block,
    Decision,
    Delegation,
    DelegationForm,
    Draft,
    Exhausted,
    Turn,
)

_DIRECTIVE = re2.compile(r"(?i)^\s*(?:[-*]\s+)?\**DELEGATE(?:_BG)?\s*::\s*@?([A-Za-z0-9_-]*)\s*::(.*)$")
_MENTION = re2.compile(r"(?:^|[^A-Za-z0-9_@./-])@([A-Za-z][A-Za-z0-9_-]*)")
_PART = re2.compile(
    r"(?i)^\s*(?:[-*]\s+)?\**(TASK|EXPECTED[ _]OUTCOMES?|"
    r"REQUIRED[ _]TOOLS|MUST[ _]NOT[ _]DO|MUST[ _]DO|CONTEXT)\**\s*:\**\s*(.*)$"
)
_LIST_ITEM = re2.compile(r"^\s*(?:[-*+•]|\d+[.)]|\[[ xX]\])\s")
_ATTRIBUTES = {
    "TASK": "task",
    "EXPECTED OUTCOME": "expected_outcome",
    "EXPECTED OUTCOMES": "expected_outcome",
    "REQUIRED TOOLS": "required_tools",
    "MUST DO": "must_do",
    "MUST NOT DO": "must_not_do",
    "CONTEXT": "context",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A delegation as it is written, before anyone checked whether it can be carried out."""

    recipient: str
    parts: Mapping[str, str]
    form: DelegationForm


def parse_delegations(
    text: str, *, sender: AgentPersona, asker: Author, team: Mapping[str, AgentPersona]
) -> Sequence[Delegation]:
    """The delegations that a reply makes and may make, in order.

    A directive takes the rest of its line and the parts below it (EXPECTED OUTCOME: and the like, with their lists); a
    mention takes its paragraph and the parts below it. What may not be carried out is left out (DelegationCheck
    reports it): personas that do not exist, that the sender may not delegate to, the sender itself. Mentioning
    whoever asked is no delegation: the reply goes there anyway.
    """
    delegations = []
    for request in _requests(text, sender, asker, team):
        if _problem(request, sender, team) is None:
            recipient = _find(request.recipient, team)
            assert recipient is not None
            delegations.append(
                Delegation(sender=sender.name, recipient=recipient.name, form=request.form, **dict(request.parts))
            )
    return delegations


class DelegationCheck:
    """A stage: a delegation that cannot be carried out goes back to its sender, with the reason."""

    def __init__(self, *, team: Mapping[str, AgentPersona], retries: int) -> None:
        self._team = team
        self._retries = retries

    @property
    def name(self) -> str:
        """Its name in verdicts and logs."""
        return "delegation_check"

    async def judge(self, draft: Draft, turn: Turn) -> Decision:
        """Block a draft that holds a delegation which cannot be carried out."""
        sender = self._team.get(turn.persona)
        if sender is None:
            return Allow()
        requests = _requests(draft.text, sender, turn.asker, self._team)
        problems = [problem for one in requests if (problem := _problem(one, sender, self._team)) is not None]
        if not problems:
            return Allow()
        reason = " ".join(problems)
        return Block(
            rule="delegation",
            reason=reason,
            feedback=f"{reason} Correct the delegation, or do the work yourself.",
            retries=self._retries,
            exhausted=Exhausted.POST_WITH_NOTE,
            banner=f"Not carried out: {reason}",
        )


def _find(name: str, team: Mapping[str, AgentPersona]) -> AgentPersona | None:
    wanted = name.casefold()
    for persona in team.values():
        if wanted in (persona.name.casefold(), persona.display_name.casefold()):
            return persona
    return None


def _problem(request: _Request, sender: AgentPersona, team: Mapping[str, AgentPersona]) -> str | None:
    recipient = _find(request.recipient, team)
    if recipient is None:
        return f"There is no persona {request.recipient!r} to delegate to. {nearest(request.recipient, team)}"
    if recipient.name == sender.name:
        return "A persona cannot delegate to itself."
    if recipient.name not in sender.delegates_to:
        allowed = ", ".join(sender.delegates_to) or "nobody"
        return f"{sender.name} may not delegate to {recipient.name}, only to: {allowed}."
    if not request.parts["task"]:
        return f"The delegation to {recipient.name} has no task."
    return None


def _requests(text: str, sender: AgentPersona, asker: Author, team: Mapping[str, AgentPersona]) -> Sequence[_Request]:
    if "::" not in text and "@" not in text:
        return ()
    lines = text.split("\n")
    prose = _prose_by_line(text, lines)
    found: list[_Request] = []
    index = 0
    while index < len(lines):
        directive = _DIRECTIVE.match(prose[index])
        if directive is not None:
            task = lines[index][directive.start(2) :]
            parts, index = _take_parts(lines, prose, index + 1, first=[task])
            found.append(_Request(recipient=directive.group(1), parts=parts, form=DelegationForm.DIRECTIVE))
            continue
        mentioned = _mentioned(prose[index], sender, asker, team)
        if mentioned:
            start = _paragraph_start(lines, index)
            end = _paragraph_end(lines, prose, index)
            mentioned = _unique(
                [name for at in range(index, end) for name in _mentioned(prose[at], sender, asker, team)]
            )
            parts, index = _take_parts(lines, prose, end, first=lines[start:end])
            found += [_Request(recipient=name, parts=parts, form=DelegationForm.MENTION) for name in mentioned]
            continue
        index += 1
    return found


def _prose_by_line(text: str, lines: Sequence[str]) -> Sequence[str]:
    """For each line its prose, or "" where it is code, quote or table."""
    by_start = {line.start: line.text for line in prose_lines(text)}
    prose, start = [], 0
    for line in lines:
        prose.append(by_start.get(start, ""))
        start += len(line) + 1
    return prose


def _mentioned(prose: str, sender: AgentPersona, asker: Author, team: Mapping[str, AgentPersona]) -> Sequence[str]:
    if "@" not in prose:
        return ()
    names = [persona.name for match in _MENTION.finditer(prose) if (persona := _find(match.group(1), team)) is not None]
    return [name for name in _unique(names) if name in sender.delegates_to and name != asker.id]


def _unique(names: Sequence[str]) -> Sequence[str]:
    return list(dict.fromkeys(names))


def _paragraph_start(lines: Sequence[str], index: int) -> int:
    while index > 0 and lines[index - 1].strip() and not _DIRECTIVE.match(lines[index - 1]):
        index -= 1
    return index


def _paragraph_end(lines: Sequence[str], prose: Sequence[str], index: int) -> int:
    index += 1
    while index < len(lines) and lines[index].strip():
        if _PART.match(prose[index]) or _DIRECTIVE.match(prose[index]):
            break
        index += 1
    return index


def _take_parts(
    lines: Sequence[str], prose: Sequence[str], index: int, *, first: Sequence[str]
) -> tuple[Mapping[str, str], int]:
    """Read the parts below a delegation; returns them by attribute, and the line after the last one.

    A line belongs to the delegation when it names a part, is a list item or indented, or goes on with a part that no
    blank line has ended. Anything else is for the reader of the reply.
    """
    parts: dict[str, list[str]] = {"task": list(first)}
    current, open_part, end = "task", False, index
    while index < len(lines):
        line = lines[index]
        part = _PART.match(prose[index])
        if _DIRECTIVE.match(prose[index]):
            break
        if part is not None:
            current, open_part = _ATTRIBUTES[part.group(1).upper().replace("_", " ")], True
            parts.setdefault(current, []).append(line[part.start(2) :])
        elif not line.strip():
            open_part = False
        elif open_part or _LIST_ITEM.match(line) or line[:1] in " \t":
            parts[current].append(line)
        else:
            break
        index += 1
        if line.strip():
            end = index
    return {name: "\n".join(value).strip() for name, value in parts.items()}, end
