"""Which parts of a normalised text are prose: a line scanner that masks the rest, character for character."""

from typing import NamedTuple

from mama_bot.text.normalise import MASK
from mama_bot.text.patterns import compiled

FENCE = compiled(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})([^`]*)$")
TABLE_RULE = compiled(r"\s*\|?\s*:?-{3,}:?\s*\|[\s|:-]*$")
NOT_PROSE = compiled(r"``[^`\n]+``|`[^`\n]+`|\b(?:https?|ftp)://[^\s)>\]]+|\bwww\.[^\s)>\]]+")
CODE_CHARACTERS = frozenset("{}();=<>[]|$\\/_@&^%+#0123456789")
CODE_LIKE = compiled(
    r"::|->|\w\.\w|^\s*(?:def|class|import|from|return|const|let|var|func|fn|git|npm|pip|"
    r"make|cd|ls|cargo|go|SELECT|INSERT|UPDATE)\s"
)
FENCES = frozenset("`~")
SHORTEST_FENCE = 3
WHOLE = 3  # the parts of a line that one pair of marks makes
BULLETS = frozenset("-*+•")
MARKERS = BULLETS | frozenset("0123456789")


class Line(NamedTuple):
    """One line of a normalised text: its prose with all else masked, of the same length as the original line."""

    start: int
    text: str
    item: bool = False


def prose_lines(text: str) -> list[Line]:
    """The lines of a normalised text that hold prose.

    Code (fenced, unclosed too, inline, indented), quotes, tables and addresses are none; the inside of a fence or
    an indented line that holds nothing like code is prose.
    """
    lines: list[Line] = []
    start = 0
    after_blank, in_list = True, False
    fence = ""
    fenced: list[Line] = []
    for raw in text.split("\n"):
        bare = raw.lstrip()
        if fence:
            if bare[:1] == fence[0] and bare.startswith(fence) and not bare.rstrip().strip(fence[0]):
                lines += held_back(fenced)
                fence, fenced = "", []
            else:
                fenced.append(Line(start, raw))
        elif bare:
            first = bare[0]
            if first in FENCES or (first in MARKERS and ("```" in raw or "~~~" in raw)):
                fence = fence_in(raw, bare)
            if not fence and ((first != ">" and not (first == "|" or "|" in raw)) or not is_table_or_quote(raw, bare)):
                item = first in MARKERS and is_item(bare)
                inside = raw[0] in " \t"
                if not (inside and after_blank and not item and not in_list and is_indented_code(raw)):
                    in_list = item or (in_list and inside)
                    lines.append(Line(start, masked(raw), item))
        after_blank = not bare
        start += len(raw) + 1
    return lines + held_back(fenced)


def held_back(fenced: list[Line]) -> list[Line]:
    """The lines of a fence that are prose: all of them that say anything, when none is code."""
    if not all(map(CODE_CHARACTERS.isdisjoint, [line.text for line in fenced])):
        return []
    if any(CODE_LIKE.search(line.text) is not None for line in fenced):
        return []
    return [line for line in fenced if line.text.strip()]


def fence_in(raw: str, bare: str) -> str:
    """The marks of the fence that a line opens; "" when it opens none."""
    if bare[0] in FENCES:
        after = bare.lstrip(bare[0])
        marks = bare[: len(bare) - len(after)]
        return marks if len(marks) >= SHORTEST_FENCE and "`" not in after else ""
    opening = FENCE.match(raw)
    return opening.group(1) if opening is not None else ""


def is_item(bare: str) -> bool:
    """Whether a line without its indentation is an item of a list."""
    if bare[0] in BULLETS:
        return bare[1:2].isspace()
    number = bare[:4].rstrip(" ").rstrip(".)")
    return number.isdigit() and bare[len(number) : len(number) + 1] in (".", ")") and bare[len(number) + 1 :][:1] == " "


def is_table_or_quote(raw: str, bare: str) -> bool:
    """Whether a line is quoted or a row of a table."""
    if bare[0] == ">":
        return len(raw) - len(bare) <= 3
    return (bare[0] == "|" and bare.rstrip()[-1] == "|" and len(bare) > 1) or TABLE_RULE.match(raw) is not None


def is_indented_code(raw: str) -> bool:
    """Whether a line stands in as code does, and looks like it."""
    return raw.startswith(("    ", "\t")) and is_code(raw)


def is_code(line: str) -> bool:
    """Whether a line holds anything that code has and prose has not."""
    return not CODE_CHARACTERS.isdisjoint(line) or CODE_LIKE.search(line) is not None


def masked(line: str) -> str:
    """A line with inline code and addresses masked."""
    if "`" not in line and "://" not in line and "www." not in line:
        return line
    if "``" in line or "://" in line or "www." in line:
        return masked_by_pattern(line)
    parts = line.split("`")
    if len(parts) == WHOLE and not (parts[0].strip() or parts[2].strip()) and " " in parts[1] and not is_code(parts[1]):
        return line.replace("`", " ")  # words alone, dressed up as code
    # An odd number of marks leaves the last one without a partner.
    paired = len(parts) - (len(parts) % 2 == 0)
    for index in range(1, paired, 2):
        parts[index] = MASK * (len(parts[index]) + 2) if parts[index] else "``"
    pieces = "".join(parts[:paired])
    return pieces if paired == len(parts) else f"{pieces}`{parts[-1]}"


def masked_by_pattern(line: str) -> str:
    """A line with doubly marked code and addresses masked too."""
    pieces: list[str] = []
    done = 0
    for match in NOT_PROSE.finditer(line):
        pieces += (line[done : match.start()], MASK * (match.end() - match.start()))
        done = match.end()
    pieces.append(line[done:])
    return "".join(pieces)
