"""What a text asks of others as it is written: `DELEGATE::name::task` and @-mentions, outside code and quotes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import re2

from mama_bot.enforcement.delegations.sentences import TWO_ON_A_LINE, UNREADABLE
from mama_bot.model import AgentPersona, Author, AuthorKind, Delegation, DelegationForm
from mama_bot.personas import find_mentions, find_persona
from mama_bot.text.normalise import MASK
from mama_bot.text.prose import prose_lines
from mama_bot.wording import Said

# At the start of a line; the name is anything up to the next "::", so that what is wrong with it can be said.
_DIRECTIVE = re2.compile(
    r"(?i)^\s*(?:[-*+•]\s+|\d+[.)]\s+)?(\*{0,3})DELEGATE(?:_BG)?\s*::\s*@?([^:\s](?:[^:]{0,80}?[^:\s])?|)\s*::(.*)$"
)
_BROKEN = re2.compile(r"^\s*(?:[-*+•]\s+|\d+[.)]\s+)?\*{0,3}DELEGATE(?:_BG)?\s*::")
_INSIDE_A_LINE = re2.compile(r"(?:^|[^\w:\"'“”‘’「『(<\[-])DELEGATE(?:_BG)?\s*::\s*@?[^:\s][^:]{0,80}::")
_PART = re2.compile(
    r"(?i)^\s*(?:[-*]\s+)?\**(TASK|EXPECTED[ _]OUTCOMES?|"
    r"REQUIRED[ _]TOOLS|MUST[ _]NOT[ _]DO|MUST[ _]DO|CONTEXT)\**\s*:\**\s*(.*)$"
)
_FENCE = re2.compile(r"^\s*(?:[-*+]\s+)?(`{3,}|~{3,})")
_LIST_ITEM = re2.compile(r"^\s*(?:[-*+•]|\d+[.)]|\[[ xX]\])\s")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")  # RE2 takes UTF-8, which has no place for them
_SIGNS = ("delegate::", "delegate_bg::")
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
class Request:
    """A delegation as it is written, before anyone checked whether it can be carried out."""

    recipient: str
    parts: Mapping[str, str]
    form: DelegationForm


@dataclass(frozen=True, slots=True, kw_only=True)
class Misplaced:
    """Something that looks like a delegation and cannot be read as one, with the reason."""

    problem: Said


def requests_in(
    text: str, *, sender: AgentPersona, asker: Author, team: Mapping[str, AgentPersona]
) -> Sequence[Request | Misplaced]:
    """Return what a reply asks of others, in order.

    A directive takes the rest of its line and the parts below it (EXPECTED OUTCOME: and the like, with their lists and
    code); a mention takes its paragraph and the parts below it. The mention of whoever asked is no request (the reply
    goes there anyway), nor that of somebody to whom the same reply delegates by a directive.
    """
    if "::" not in text and "@" not in text:
        return ()
    walk = _Walk(_LONE_SURROGATE.sub("\ufffd", text), sender, asker, team)
    requests = list(walk.requests())
    ordered = {
        persona.name
        for request in requests
        if isinstance(request, Request)
        and request.form is DelegationForm.DIRECTIVE
        and (persona := find_persona(request.recipient, team)) is not None
    }
    return [
        request
        for request in requests
        if isinstance(request, Misplaced)
        or request.form is not DelegationForm.MENTION
        or request.recipient not in ordered
    ]


def writes_directive(text: str) -> bool:
    """Return whether a text holds the sign of a directive: `Delegate::developer::fix it`."""
    low = text.lower()
    return any(sign in low for sign in _SIGNS)


def read_delegation(text: str, *, sender: str, recipient: str) -> Delegation:
    """A delegation as it was written down: its task, then the parts below it."""
    lines = _LONE_SURROGATE.sub("\ufffd", text).split("\n")
    prose = _prose_by_line("\n".join(lines), lines)
    directive = _DIRECTIVE.match(prose[0])
    first = next((index for index in range(len(lines)) if _PART.match(prose[index])), len(lines))
    task = [lines[0][directive.start(3) :], *lines[1:first]] if directive is not None else lines[:first]
    parts, _ = _take_parts(lines, prose, first, first=task)
    return Delegation(sender=sender, recipient=recipient, form=DelegationForm.DIRECTIVE, **dict(parts))


def without_directives(text: str) -> str:
    """A reply without its directives and the parts below them: what it says itself, not what another is to reach."""
    if "::" not in text:
        return text
    plain = _LONE_SURROGATE.sub("\ufffd", text)
    lines = plain.split("\n")
    prose = _prose_by_line(plain, lines)
    kept, index = [], 0
    while index < len(lines):
        directive = _DIRECTIVE.match(prose[index])
        if directive is not None and MASK not in directive.group(2):
            _, index = _take_parts(lines, prose, index + 1, first=())
        else:
            kept.append(lines[index])
            index += 1
    return "\n".join(kept)


class _Walk:
    """One walk over the lines of a reply."""

    def __init__(self, text: str, sender: AgentPersona, asker: Author, team: Mapping[str, AgentPersona]) -> None:
        self._lines = text.split("\n")
        self._prose = _prose_by_line(text, self._lines)
        self._sender = sender
        self._asker = asker
        self._team = team

    def requests(self) -> Iterator[Request | Misplaced]:
        index = floor = 0
        while index < len(self._lines):
            prose = self._prose[index]
            directive = _DIRECTIVE.match(prose)
            if directive is not None and MASK not in directive.group(2):
                start, end = directive.start(3), len(prose)
                if (second := _INSIDE_A_LINE.search(prose[start:])) is not None:
                    end = start + second.start()
                    yield Misplaced(problem=TWO_ON_A_LINE)
                task = self._lines[index][start:end]
                if directive.group(1):
                    task = task.rstrip().removesuffix(directive.group(1))
                parts, index = _take_parts(self._lines, self._prose, index + 1, first=[task])
                floor = index
                yield Request(recipient=directive.group(2), parts=parts, form=DelegationForm.DIRECTIVE)
            elif _BROKEN.match(prose) or _INSIDE_A_LINE.search(prose):
                yield Misplaced(problem=UNREADABLE)
                index += 1
            elif self._mentioned(prose):
                start, end = self._paragraph(index, floor)
                names = _unique([name for at in range(index, end) for name in self._mentioned(self._prose[at])])
                parts, index = _take_parts(self._lines, self._prose, end, first=self._lines[start:end])
                floor = index
                for name in names:
                    yield Request(recipient=name, parts=parts, form=DelegationForm.MENTION)
            else:
                index += 1

    def _mentioned(self, prose: str) -> Sequence[str]:
        if "@" not in prose:
            return ()
        mentioned = (mention.persona for mention in find_mentions(prose, self._team))
        names = _unique([persona.name for persona in mentioned if persona is not None])
        asker = self._asker.id if self._asker.kind is AuthorKind.AGENT else ""
        return [name for name in names if name in self._sender.delegates_to and name != asker]

    def _paragraph(self, index: int, floor: int) -> tuple[int, int]:
        """The lines of prose around a line, not before `floor`, and not beyond a directive or a part."""
        start, end = index, index + 1
        while start > floor and self._prose[start - 1].strip() and not _BROKEN.match(self._prose[start - 1]):
            start -= 1
        while end < len(self._lines) and self._prose[end].strip():
            if _PART.match(self._prose[end]) or _DIRECTIVE.match(self._prose[end]) or _BROKEN.match(self._prose[end]):
                break
            end += 1
        return start, end


def _prose_by_line(text: str, lines: Sequence[str]) -> Sequence[str]:
    """For each line its prose, or "" where it is code, quote or table."""
    by_start = {line.start: line.text for line in prose_lines(text)}
    prose, start = [], 0
    for line in lines:
        prose.append(by_start.get(start, ""))
        start += len(line) + 1
    return prose


def _unique(names: Sequence[str]) -> Sequence[str]:
    return list(dict.fromkeys(names))


def _after_fence(lines: Sequence[str], index: int, fence: str) -> int:
    """The line after the fenced block that opens at `index` (its end is the end of the text when it never closes)."""
    for at in range(index + 1, len(lines)):
        bare = lines[at].strip()
        if bare.startswith(fence) and not bare.strip(fence[0]):
            return at + 1
    return len(lines)


def _take_parts(
    lines: Sequence[str], prose: Sequence[str], index: int, *, first: Sequence[str]
) -> tuple[Mapping[str, str], int]:
    """Read the parts below a delegation; returns them by attribute, and the line after the last one.

    A line belongs to the delegation when it names a part, is a list item or indented, or goes on with a part that no
    blank line has ended. Anything else is for the reader of the reply.
    """
    parts: dict[str, list[str]] = {"task": list(first)}
    current, open_part, end, below = "task", False, index, index
    while index < len(lines):
        line = lines[index]
        part = _PART.match(prose[index])
        fence = _FENCE.match(line)
        after = index + 1
        if _DIRECTIVE.match(prose[index]) or _BROKEN.match(prose[index]):
            break
        if part is not None:
            current, open_part = _ATTRIBUTES[part.group(1).upper().replace("_", " ")], True
            parts.setdefault(current, []).append(line[part.start(2) :])
        elif not line.strip():
            open_part = False
        elif fence is not None and (open_part or index == below):
            after = _after_fence(lines, index, fence.group(1))
            parts[current] += lines[index:after]
        elif open_part or _LIST_ITEM.match(line) or line[:1] in " \t":
            parts[current].append(line)
        else:
            break
        index = after
        if line.strip():
            end = index
    return {name: "\n".join(value).strip() for name, value in parts.items()}, end
