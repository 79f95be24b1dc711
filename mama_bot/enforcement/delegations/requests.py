"""What a text asks of others as it is written: `DELEGATE::name::task` and @-mentions, outside code and quotes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import re2

from mama_bot.enforcement.delegations.sentences import TWO_ON_A_LINE, UNREADABLE
from mama_bot.model import AgentPersona, Author, AuthorKind, Delegation, DelegationForm
from mama_bot.personas import find_mentions, find_persona
from mama_bot.text.markdown_lines import markdown_lines
from mama_bot.text.normalise import MASK
from mama_bot.text.prose import prose_among
from mama_bot.wording import Said

# At the start of a line; the name is anything up to the next "::", so that what is wrong with it can be said.
_DIRECTIVE = re2.compile(
    r"(?i)^\s*(?:[-*+•]\s+|\d+[.)]\s+)?(\*{0,3})DELEGATE(?:_BG)?\s*::\s*@?([^:\s](?:[^:]{0,80}?[^:\s])?|)\s*::(.*)$"
)
_BROKEN = re2.compile(r"^\s*(?:[-*+•]\s+|\d+[.)]\s+)?\*{0,3}DELEGATE(?:_BG)?\s*::")
_INSIDE_A_LINE = re2.compile(r"(?:^|[^\w:\"'“”‘’「『(<\[-])DELEGATE(?:_BG)?\s*::\s*@?[^:\s][^:]{0,80}::")
# A part begins with its title: `EXPECTED OUTCOME: ...`, `기대 결과: ...`
_TITLES = {
    "task": ("TASK", "작업", "과제"),
    "expected_outcome": ("EXPECTED OUTCOME", "EXPECTED OUTCOMES", "기대 결과", "예상 결과", "기대하는 결과"),
    "required_tools": ("REQUIRED TOOLS", "필요한 도구", "필요 도구"),
    "must_not_do": ("MUST NOT DO", "하지 말아야 할 일", "하지 말 것", "금지 사항"),
    "must_do": ("MUST DO", "해야 할 일", "반드시 할 일"),
    "context": ("CONTEXT", "맥락", "배경"),
}
_ATTRIBUTES = {title: name for name, titles in _TITLES.items() for title in titles}
_PART = re2.compile(
    rf"(?i)^\s*(?:[-*]\s+)?\**({'|'.join(title.replace(' ', '[ _]') for title in _ATTRIBUTES)})\**\s*[:：]\**\s*(.*)$"
)
_LIST_ITEM = re2.compile(r"^\s*(?:[-*+•]|\d+[.)]|\[[ xX]\])\s")
_SIGNS = ("delegate::", "delegate_bg::")
_IN_BACKGROUND = "delegate_bg"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A delegation as it is written, before anyone checked whether it can be carried out."""

    recipient: str
    parts: Mapping[str, str]
    form: DelegationForm
    background: bool = False


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
    walk = _DelegationWalk(text, sender, asker, team)
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
    """Return a delegation as it was written down: its task, then the parts below it."""
    lines = _lines_of(text)
    directive = _DIRECTIVE.match(lines[0].prose)
    first = next((index for index, line in enumerate(lines) if _PART.match(line.prose)), len(lines))
    task = [line.text for line in lines[:first]]
    if directive is not None:
        task = [lines[0].text[directive.start(3) :], *task[1:]]
    parts, _ = _take_parts(lines, first, first=task)
    return Delegation(
        sender=sender, recipient=recipient, form=DelegationForm.DIRECTIVE, goes_on=None, background=False, **dict(parts)
    )


def as_directive(delegation: Delegation) -> str:
    """Return a delegation as a reply would write it, so that it is judged as one."""
    lines = [f"DELEGATE::{delegation.recipient}::{' '.join(delegation.task.split())}"]
    for name, (title, *_) in _TITLES.items():
        if name != "task" and (value := getattr(delegation, name)):
            lines.append(f"{title}:\n{value}")
    return "\n".join(lines)


def without_directives(text: str) -> str:
    """Return a reply without its directives and the parts below them: what it says itself."""
    if "::" not in text:
        return text
    lines = _lines_of(text)
    kept, index = [], 0
    while index < len(lines):
        directive = _DIRECTIVE.match(lines[index].prose)
        if directive is not None and MASK not in directive.group(2):
            _, index = _take_parts(lines, index + 1, first=())
        else:
            kept.append(lines[index].text)
            index += 1
    return "\n".join(kept)


class _DelegationWalk:
    """One walk over the lines of a reply."""

    def __init__(self, text: str, sender: AgentPersona, asker: Author, team: Mapping[str, AgentPersona]) -> None:
        self._lines = _lines_of(text)
        self._sender = sender
        self._asker = asker
        self._team = team

    def requests(self) -> Iterator[Request | Misplaced]:
        index = floor = 0
        while index < len(self._lines):
            prose = self._lines[index].prose
            directive = _DIRECTIVE.match(prose)
            if directive is not None and MASK not in directive.group(2):
                start, end = directive.start(3), len(prose)
                if (second := _INSIDE_A_LINE.search(prose[start:])) is not None:
                    end = start + second.start()
                    yield Misplaced(problem=TWO_ON_A_LINE)
                task = self._lines[index].text[start:end]
                if directive.group(1):
                    task = task.rstrip().removesuffix(directive.group(1))
                parts, index = _take_parts(self._lines, index + 1, first=[task])
                floor = index
                yield Request(
                    recipient=directive.group(2),
                    parts=parts,
                    form=DelegationForm.DIRECTIVE,
                    background=_IN_BACKGROUND in prose[: directive.start(2)].lower(),
                )
            elif _BROKEN.match(prose) or _INSIDE_A_LINE.search(prose):
                yield Misplaced(problem=UNREADABLE)
                index += 1
            elif self._mentioned(prose):
                start, end = self._paragraph(index, floor)
                names = _unique([name for line in self._lines[index:end] for name in self._mentioned(line.prose)])
                paragraph = [line.text for line in self._lines[start:end]]
                parts, index = _take_parts(self._lines, end, first=paragraph)
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
        """Return the lines of prose around a line, not before `floor`, and not beyond a directive or a part."""
        start, end = index, index + 1
        while start > floor and (above := self._lines[start - 1].prose).strip() and not _BROKEN.match(above):
            start -= 1
        while end < len(self._lines) and (below := self._lines[end].prose).strip():
            if _PART.match(below) or _DIRECTIVE.match(below) or _BROKEN.match(below):
                break
            end += 1
        return start, end


class _Line(NamedTuple):
    """A line with its prose ("" where it is code, quote or table), and how long the block is whose fence it opens."""

    text: str
    prose: str
    block: int


def _lines_of(text: str) -> Sequence[_Line]:
    lines = markdown_lines(text)
    prose = {line.start: line.text for line in prose_among(lines)}
    blocks = Counter(line.fence for line in lines if line.fence)
    return [_Line(line.text, prose.get(line.start, ""), blocks.pop(line.fence, 0)) for line in lines]


def _unique(names: Sequence[str]) -> Sequence[str]:
    return list(dict.fromkeys(names))


def _take_parts(lines: Sequence[_Line], index: int, *, first: Sequence[str]) -> tuple[Mapping[str, str], int]:
    """Read the parts below a delegation; returns them by attribute, and the line after the last one.

    A line belongs to the delegation when it names a part, is a list item or indented, or goes on with a part that no
    blank line has ended. Anything else is for the reader of the reply.
    """
    parts: dict[str, list[str]] = {"task": list(first)}
    current, open_part, end, below = "task", False, index, index
    while index < len(lines):
        line, prose, block = lines[index]
        part = _PART.match(prose)
        after = index + 1
        if _DIRECTIVE.match(prose) or _BROKEN.match(prose):
            break
        if part is not None:
            current, open_part = _ATTRIBUTES[part.group(1).upper().replace("_", " ")], True
            parts.setdefault(current, []).append(line[part.start(2) :])
        elif not line.strip():
            open_part = False
        elif block and (open_part or index == below):
            after = index + block
            parts[current] += [fenced.text for fenced in lines[index:after]]
        elif open_part or _LIST_ITEM.match(line) or line[:1] in " \t":
            parts[current].append(line)
        else:
            break
        index = after
        if line.strip():
            end = index
    return {name: "\n".join(value).strip() for name, value in parts.items()}, end
