"""Which parts of a normalised text are prose; the rest is masked, character for character."""

from collections.abc import Iterable
from typing import NamedTuple

from mama_bot.text.markdown_lines import (
    CODE_CHARACTERS,
    CODE_LIKE,
    LineKind,
    MarkdownLine,
    looks_like_code,
    markdown_lines,
)
from mama_bot.text.normalise import MASK
from mama_bot.text.patterns import compiled

NOT_PROSE = compiled(r"``[^`\n]+``|`[^`\n]+`|\b(?:https?|ftp)://[^\s)>\]]+|\bwww\.[^\s)>\]]+")
SPOKEN = (LineKind.PROSE, LineKind.HEADING, LineKind.ITEM)
WHOLE = 3  # the parts of a line that one pair of marks makes


class ProseLine(NamedTuple):
    """One line of a normalised text: its prose with all else masked, of the same length as the original line."""

    start: int
    text: str
    item: bool = False


def prose_lines(text: str) -> list[ProseLine]:
    """Return the lines of a normalised text that hold prose.

    Code (fenced, also unclosed, inline, indented), quotes, tables and addresses hold none; the inside of a fence or an
    indented line that has nothing of code is prose.
    """
    return prose_among(markdown_lines(text))


def prose_among(lines: Iterable[MarkdownLine]) -> list[ProseLine]:
    """Return those of the lines that hold prose, as `prose_lines` does."""
    prose: list[ProseLine] = []
    fenced: list[MarkdownLine] = []
    for line in lines:
        if line.kind is LineKind.FENCE:
            if fenced:
                prose += held_back(fenced)
                fenced = []
        elif line.fence:
            fenced.append(line)
        elif line.kind in SPOKEN:
            prose.append(ProseLine(line.start, masked(line.text), line.kind is LineKind.ITEM))
    return prose + held_back(fenced)


def held_back(fenced: list[MarkdownLine]) -> list[ProseLine]:
    """Return the lines of a fence that are prose: all of them that say anything, when none is code."""
    if not all(map(CODE_CHARACTERS.isdisjoint, [line.text for line in fenced])):
        return []
    if any(CODE_LIKE.search(line.text) is not None for line in fenced):
        return []
    return [ProseLine(line.start, line.text) for line in fenced if line.text.strip()]


def masked(line: str) -> str:
    """Return a line with inline code and addresses masked."""
    if "`" not in line and "://" not in line and "www." not in line:
        return line
    if "``" in line or "://" in line or "www." in line:
        return masked_by_pattern(line)
    parts = line.split("`")
    if (
        len(parts) == WHOLE
        and not (parts[0].strip() or parts[2].strip())
        and " " in parts[1]
        and not looks_like_code(parts[1])
    ):
        return line.replace("`", " ")  # words alone, dressed up as code
    # An odd number of marks leaves the last one without a partner.
    paired = len(parts) - (len(parts) % 2 == 0)
    for index in range(1, paired, 2):
        parts[index] = MASK * (len(parts[index]) + 2) if parts[index] else "``"
    pieces = "".join(parts[:paired])
    return pieces if paired == len(parts) else f"{pieces}`{parts[-1]}"


def masked_by_pattern(line: str) -> str:
    """Return a line with doubly marked code and addresses masked too."""
    pieces: list[str] = []
    done = 0
    for match in NOT_PROSE.finditer(line):
        pieces += (line[done : match.start()], MASK * (match.end() - match.start()))
        done = match.end()
    pieces.append(line[done:])
    return "".join(pieces)
