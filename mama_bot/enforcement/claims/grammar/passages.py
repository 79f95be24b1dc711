"""The lines of a text that assert something for the speaker: by section, with fences and tables told apart."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from mama_bot.enforcement.claims.grammar.vocabulary import Term, vocabulary
from mama_bot.text.lexicon import Lexicon
from mama_bot.text.markdown_lines import LineKind
from mama_bot.text.patterns import compiled
from mama_bot.text.provenance import own_lines

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
LONGEST_HEADING = 100


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
    section = Sections()
    for start, line, kind, fence, language in own_lines(text, lexicon):
        bare = line.strip()
        if fence:
            shows = kind is LineKind.CODE and language.lower() in OUTPUT_LANGUAGES
            if shows and section.now is not Section.VOID and bare:
                yield Passage(start, line[:LONGEST_LINE], Place.OUTPUT, section.now, section.title, fence=fence)
            continue
        item = ITEM.match(line) is not None
        section.read(line, bare, item=item)
        if not bare or section.now is Section.VOID or UNTICKED.match(line) is not None or asks_for(bare):
            continue
        place = Place.ROW if bare[0] == "|" else Place.PROSE
        ticked = "[" in line and TICKED.match(line) is not None
        yield Passage(start, line[:LONGEST_LINE], place, section.now, section.title, item=item, ticked=ticked)


ASKED = compiled(
    r"^\W*(?:requirements?|expected(?: outcome)?|acceptance(?: criteri\w+)?|goals?|targets?|to-?do|plan|"
    r"next(?: steps?)?|remaining|"
    r"left to do|"
    r"요구 ?사항|완료 ?조건|수용 ?기준|할 ?일|다음 ?(?:단계|작업|할 ?일)?|남은 ?(?:일|작업)|계획|미완료|"
    r"요청|과제|지시|목표|기대 ?결과)\W{0,3}[:：]"
)


def asks_for(bare: str) -> bool:
    """Whether a line says at its beginning that what follows is only asked or planned."""
    return ASKED.match(bare) is not None


class Sections:
    """What the headings and leads above a line say of it."""

    def __init__(self) -> None:
        self.now = Section.NONE
        self.title = ""
        self._marked = False
        self._blank = False

    def read(self, line: str, bare: str, *, item: bool) -> None:
        """Take in the next line outside of fences."""
        if not bare:
            self._blank = True
            return
        head = HEADING.match(line) if len(bare) <= LONGEST_HEADING else None
        if head is not None:
            marked = bare[0] == "#" or bare.startswith("**")
            title = next((head.group(number) for number in (1, 2, 3) if head.group(number)), "")
            # A lead such as "Changed files:" speaks for its list; within a void section it does not end that one.
            if marked or not (self._marked and self.now is Section.VOID):
                self.now, self._marked = section_of(title.strip(" :：*0123456789.-#")), marked
            self.title = title
        elif self.now is not Section.NONE and not self._marked and self._blank and not item:
            self.now, self.title = Section.NONE, ""
        self._blank = False


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
