"""Which parts of a normalised text are prose: a line scanner that masks the rest, character for character."""

from dataclasses import dataclass

from mama_bot.enforcement.language.normalise import MASK
from mama_bot.enforcement.language.patterns import compiled

FENCE = compiled(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})([^`]*)$")
QUOTE = compiled(r"\s{0,3}>")
TABLE_ROW = compiled(r"\s*\|.*\|\s*$|\s*\|?\s*:?-{3,}:?\s*\|[\s|:-]*$")
INDENTED = compiled(r"(?: {4}|\t)\s*\S")
LIST_ITEM = compiled(r"\s*(?:[-*+•]|\d+[.)])\s")
NOT_PROSE = compiled(r"``[^`\n]+``|`[^`\n]+`|\b(?:https?|ftp)://[^\s)>\]]+|\bwww\.[^\s)>\]]+")
CODE_LIKE = compiled(
    r"[{}();=<>\[\]|$\\/_@&^%+#]|\d|::|->|\w\.\w|^\s*(?:def|class|import|from|return|const|let|var|func|fn|git|npm|pip|"
    r"make|cd|ls|cargo|go|SELECT|INSERT|UPDATE)\s"
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a normalised text: its prose with all else masked, of the same length as the original line."""

    start: int
    text: str
    item: bool = False


def prose_lines(text: str) -> list[Line]:
    """The lines of a normalised text that hold prose.

    Code (fenced, unclosed too, inline, indented), quotes, tables and addresses are none; the inside of a fence or
    an indented line that holds nothing like code is prose.
    """
    scanner = Scanner()
    start = 0
    for raw in text.split("\n"):
        scanner.take(Line(start, raw))
        start += len(raw) + 1
    return scanner.finish()


class Scanner:
    """Walks the lines once, holding back those of an open fence until it is known whether they are code."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.fence = ""
        self.fenced: list[Line] = []
        self.code = False
        self.after_blank = True
        self.in_list = False

    def take(self, line: Line) -> None:
        """Sort one line."""
        if self.fence:
            self.take_fenced(line)
        elif (opening := FENCE.match(line.text)) is not None:
            self.fence = opening.group(1)
        elif line.text.strip():
            self.take_open(line)
        self.after_blank = not line.text.strip()

    def take_fenced(self, line: Line) -> None:
        """A line inside a fence, or the one that closes it."""
        bare = line.text.strip()
        if bare.startswith(self.fence) and not bare.strip(self.fence[0]):
            self.close()
            return
        self.code = self.code or CODE_LIKE.search(line.text) is not None
        if not self.code:
            self.fenced.append(line)

    def take_open(self, line: Line) -> None:
        """A line outside fences."""
        if QUOTE.match(line.text) or TABLE_ROW.match(line.text):
            return
        item = LIST_ITEM.match(line.text) is not None
        indented = self.after_blank and not self.in_list and INDENTED.match(line.text) is not None
        if indented and not item and CODE_LIKE.search(line.text):
            return
        self.in_list = item or (self.in_list and line.text[:1] in " \t")
        self.lines.append(Line(line.start, masked(line.text), item))

    def close(self) -> None:
        """End a fence: what it held is prose when none of it was code."""
        if not self.code:
            self.lines += [line for line in self.fenced if line.text.strip()]
        self.fence, self.fenced, self.code = "", [], False

    def finish(self) -> list[Line]:
        """The prose, an unclosed fence included when it holds no code."""
        self.close()
        return self.lines


def masked(line: str) -> str:
    """A line with inline code and addresses masked."""
    if "`" not in line and "/" not in line and "www." not in line:
        return line
    pieces: list[str] = []
    done = 0
    for match in NOT_PROSE.finditer(line):
        pieces += (line[done : match.start()], MASK * (match.end() - match.start()))
        done = match.end()
    pieces.append(line[done:])
    return "".join(pieces)
