"""What each line of a Markdown text is: prose, code, a quote, a row of a table, an item, a heading."""

from enum import Enum, auto
from itertools import takewhile
from typing import NamedTuple

from mama_bot.text.patterns import compiled

FENCE_SIGNS = frozenset("`~")
SHORTEST_FENCE = 3
DEEPEST_HEADING = 6
DEEPEST_QUOTE = 3  # a ">" that stands further in is part of what it stands in
BULLETS = frozenset("-*+•")
DIGITS = "0123456789"
MOST_DIGITS = 3
MARKERS = BULLETS | frozenset(DIGITS)
TABLE_RULE = compiled(r"\s*\|?\s*:?-{3,}:?\s*\|[\s|:-]*$")
CODE_CHARACTERS = frozenset("{}();=<>[]|$\\/_@&^%+#0123456789")
CODE_LIKE = compiled(
    r"::|->|\w\.\w"
    r"|^\s*(?:def|class|import|from|return|const|let|var|func|fn|git|npm|pip|make|cd|ls|cargo|go|SELECT|INSERT"
    r"|UPDATE)\s"
)


class LineKind(Enum):
    """What a line is. FENCE is one of the marks around code, CODE stands between them, or is indented as code is."""

    BLANK = auto()
    PROSE = auto()
    HEADING = auto()
    ITEM = auto()
    QUOTE = auto()
    ROW = auto()
    FENCE = auto()
    CODE = auto()


class MarkdownLine(NamedTuple):
    """One line of a text and where it begins.

    `fence` counts the fenced blocks up to the one that the line is in or marks (0: outside), `language` is what stands
    behind that block's opening marks (`python`).
    """

    start: int
    text: str
    kind: LineKind
    fence: int = 0
    language: str = ""


def markdown_lines(text: str, *, empty: bool = True) -> tuple[MarkdownLine, ...]:
    """Return the lines of a text without lone surrogates, in order; on demand without the `empty` ones.

    A fence ends with the same sign at least as often and nothing behind it; one that never ends reaches to the end.
    """
    scanner = _Scanner()
    return tuple([scanner.line(raw) for raw in text.split("\n") if raw or empty or scanner.skips()])


class _Scanner:
    def __init__(self) -> None:
        self._start = 0
        self._marks = ""
        self._language = ""
        self._fences = 0
        self._after_blank = True
        self._in_list = False

    def skips(self) -> bool:
        """Pass over an empty line; False, since it is not to be told."""
        self._start += 1
        self._after_blank = True
        return False

    def line(self, raw: str) -> MarkdownLine:
        """Return the next line with its kind."""
        bare = raw.lstrip()
        start, self._start = self._start, self._start + len(raw) + 1
        if self._marks:
            line = MarkdownLine(start, raw, self._inside(bare), self._fences, self._language)
        elif self._opens(bare):
            line = MarkdownLine(start, raw, LineKind.FENCE, self._fences, self._language)
        else:
            line = MarkdownLine(start, raw, self._outside(raw, bare))
        self._after_blank = not bare
        return line

    def _inside(self, bare: str) -> LineKind:
        if not bare.startswith(self._marks) or bare.rstrip().strip(self._marks[0]):
            return LineKind.CODE
        self._marks = ""
        return LineKind.FENCE

    def _opens(self, bare: str) -> bool:
        """Return whether a line opens a fence, which may stand behind the mark of an item."""
        if not bare or not (bare[0] in FENCE_SIGNS or (bare[0] in MARKERS and ("```" in bare or "~~~" in bare))):
            return False
        fenced = bare[marker_length(bare) :].lstrip()
        behind = fenced.lstrip(fenced[:1]) if fenced[:1] in FENCE_SIGNS else fenced
        if len(fenced) - len(behind) < SHORTEST_FENCE or "`" in behind:
            return False
        self._marks = fenced[: len(fenced) - len(behind)]
        self._language = "".join(takewhile(_names_language, behind.strip()))
        self._fences += 1
        return True

    def _outside(self, raw: str, bare: str) -> LineKind:
        if not bare:
            return LineKind.BLANK
        if bare[0] == ">" and len(raw) - len(bare) <= DEEPEST_QUOTE:
            return LineKind.QUOTE
        if "|" in raw and is_row(raw, bare):
            return LineKind.ROW
        item = bare[0] in MARKERS and marker_length(bare) > 0
        inside = raw[0] in " \t"
        if inside and self._after_blank and not item and not self._in_list and is_indented_code(raw):
            return LineKind.CODE
        self._in_list = item or (self._in_list and inside)
        if item:
            return LineKind.ITEM
        return LineKind.HEADING if bare[0] == "#" and is_heading(bare) else LineKind.PROSE


def _names_language(sign: str) -> bool:
    return sign.isascii() and (sign.isalnum() or sign in "_+-")


def marker_length(bare: str) -> int:
    """Return how long the mark of an item is at the beginning of an unindented line: 2 for `1. x`; 0 without one."""
    if bare[0] in BULLETS:
        return int(bare[1:2].isspace())
    digits = len(bare) - len(bare.lstrip(DIGITS))
    marked = 0 < digits <= MOST_DIGITS and bare[digits : digits + 1] in (".", ")")
    return digits + 1 if marked and bare[digits + 1 : digits + 2].isspace() else 0


def is_heading(bare: str) -> bool:
    """Return whether an unindented line is set as a heading: `## Done`."""
    title = bare.lstrip("#")
    return len(bare) - len(title) <= DEEPEST_HEADING and (not title or title[0] in " \t")


def is_row(raw: str, bare: str) -> bool:
    """Return whether a line is a row of a table, or the rule below its head."""
    return (bare[0] == "|" and bare.rstrip()[-1] == "|" and len(bare) > 1) or TABLE_RULE.match(raw) is not None


def is_indented_code(raw: str) -> bool:
    """Return whether a line stands in as code does, and looks like it."""
    return raw.startswith(("    ", "\t")) and looks_like_code(raw)


def looks_like_code(line: str) -> bool:
    """Return whether a line holds anything that code has and prose has not."""
    return not CODE_CHARACTERS.isdisjoint(line) or CODE_LIKE.search(line) is not None
