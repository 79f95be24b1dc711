"""The lines of a text that assert something for the speaker: by section, with fences and tables told apart."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from mama_bot.enforcement.language.claiming.vocabulary import Term, vocabulary
from mama_bot.enforcement.language.patterns import compiled
from mama_bot.enforcement.language.provenance import lines
from mama_bot.enforcement.language.words import Lexicon

FENCE = compiled(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})\s*([\w+-]*)")
OUTPUT_LANGUAGES = frozenset(
    ("", "text", "txt", "console", "bash", "sh", "shell", "zsh", "shell-session", "output", "log", "plaintext", "json")
)
HEADING = compiled(r"\s*(?:#{1,6}\s+(.{1,80})|\*\*([^*]{1,80})\*\*[:：]?|([^|`.!?]{1,60})[:：]\*{0,2})\s*$")
LEADING = compiled(r"\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+|#{1,6}\s+|>\s*)*")
UNTICKED = compiled(r"\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?(?:\[ \]|☐|⬜|⏳|🚧|❌)")
TICKED = compiled(r"\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?\[[xX]\]")
ITEM = compiled(r"\s*(?:[-*+•]\s|\d{1,3}[.)]\s)")
RULE = compiled(r"\s*\|?[\s:|-]+\|?\s*$")
LONGEST_LINE = 4000


class Place(StrEnum):
    """Where a line stands."""

    PROSE = "prose"
    OUTPUT = "output"
    ROW = "row"


class Section(StrEnum):
    """What the heading above a line says of it."""

    NONE = ""
    VOID = "void"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class Passage:
    """A line with its place; `heading` is what stands above it, `fence` counts the fences so far."""

    start: int
    text: str
    place: Place
    section: Section = Section.NONE
    heading: str = ""
    item: bool = False
    fence: int = 0
    ticked: bool = False


def passages(text: str, lexicon: Lexicon) -> Iterator[Passage]:
    """The lines that may assert something; quotes, code, unticked items and lines below a void heading left out."""
    fence, language, fences = "", "", 0
    section, heading, by_mark = Section.NONE, "", False
    blank = False
    for start, line in lines(text, lexicon):
        bare = line.strip()
        if fence:
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
            elif language in OUTPUT_LANGUAGES and section is not Section.VOID and bare:
                yield Passage(start, line[:LONGEST_LINE], Place.OUTPUT, section, heading, fence=fences)
            continue
        if not bare:
            blank = True
            continue
        opening = FENCE.match(line) if "```" in line or "~~~" in line else None
        if opening is not None and "`" not in line[opening.end(1) :]:
            fence, language = opening.group(1), opening.group(2).lower()
            fences += 1
            blank = False
            continue
        item = ITEM.match(line) is not None
        head = HEADING.match(line) if len(bare) <= 100 else None
        if head is not None:
            marked = bare[0] == "#" or bare.startswith("**")
            # A lead such as "Changed files:" speaks for its list; one of a section may not end its section.
            title = next((head.group(number) for number in (1, 2, 3) if head.group(number)), "")
            if marked or not (by_mark and section is Section.VOID):
                section, by_mark = section_of(title.strip(" :：*0123456789.-#")), marked
            heading = title
        elif section is not Section.NONE and not by_mark and blank and not item:
            section, heading = Section.NONE, ""
        blank = False
        if section is Section.VOID or UNTICKED.match(line) is not None:
            continue
        yield Passage(
            start,
            line[:LONGEST_LINE],
            Place.ROW if bare[0] == "|" else Place.PROSE,
            section,
            heading,
            item=item,
            ticked=TICKED.match(line) is not None,
        )


def section_of(title: str) -> Section:
    """What a heading says of the lines below it."""
    words = vocabulary()
    low = title.lower()
    void = words[Term.VOID_SECTION].search(low)
    if void is not None and (void.start() == 0 or not low.isascii() or len(low.split()) <= 4):
        return Section.VOID
    listing = words[Term.FILE_SECTION].match(low)
    if listing is not None and (listing.end() >= len(low) - 4 or "(" in low or not low.isascii()):
        return Section.FILES
    return Section.NONE
