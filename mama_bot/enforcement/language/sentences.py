"""Sentences of prose: English, Korean, mixed, list items, headings and chat fragments."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mama_bot.enforcement.language.normalise import MASK, Normalised, normalise
from mama_bot.enforcement.language.patterns import compiled
from mama_bot.enforcement.language.prose import Line, prose_lines

MARKER = compiled(r"\s*(?:#{1,6}\s+|(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)*")
EMOJI = r"[\x{2600}-\x{27BF}\x{1F300}-\x{1FAFF}\x{2B50}\x{1F1E6}-\x{1F1FF}\x{1F3FB}-\x{1F3FF}]"
BREAK = compiled(
    r"(?:e\.g|i\.e|etc|vs|cf|approx|Mr|Dr)\."
    r"|[.~]*[!?。…]+[.!?。…~)\"'\]]*(?:\s*" + EMOJI + r"+)*(?:\s+|$|[가-힣A-Z])"
    r"|\.+[)\"'\]]*(?:\s*" + EMOJI + r"+)*(?:\s+|$)"
    r"|[다요죠함음됨임]\.+"
    r"|" + EMOJI + r"+\s+",
    ignore_case=False,
)
ABBREVIATIONS = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "Mr.", "Dr.")
WRAPPED = 60


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: its text with what is no prose masked, and where it lies in the normalised text."""

    text: str
    start: int
    end: int

    @property
    def characters(self) -> int:
        """How many characters of it are prose."""
        return len(self.text) - self.text.count(MASK)


@dataclass(frozen=True)
class Reading:
    """A text as read: its plain form, and the sentences of its prose in order, found when first asked for."""

    plain: Normalised

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the prose."""
        return tuple(sentences(self.plain.text))

    @property
    def korean(self) -> bool:
        """Whether the prose is mostly Hangul."""
        return is_korean(" ".join(sentence.text for sentence in self.sentences[:200]))


def read(text: str) -> Reading:
    """Read a text."""
    return Reading(normalise(text))


def is_korean(text: str) -> bool:
    """Whether Hangul outweighs Latin letters; one syllable weighs as much as two letters."""
    hangul = sum("가" <= character <= "힣" for character in text)
    latin = sum(character.isascii() and character.isalpha() for character in text)
    return hangul * 2 > latin


def sentences(text: str) -> list[Sentence]:
    """The sentences of a normalised text's prose."""
    found: list[Sentence] = []
    for block in blocks(prose_lines(text)):
        found += split_block(block)
    return found


def blocks(lines: list[Line]) -> list[list[Line]]:
    """Lines put together where a sentence was only wrapped."""
    grouped: list[list[Line]] = []
    for line in lines:
        if grouped and continues(grouped[-1][-1], line):
            grouped[-1].append(line)
        else:
            grouped.append([line])
    return grouped


def continues(before: Line, line: Line) -> bool:
    """Whether a line goes on with the sentence of the line before it."""
    adjacent = before.start + len(before.text) + 1 == line.start
    start = line.text.lstrip()[:1]
    return adjacent and not line.item and len(before.text) >= WRAPPED and start.isascii() and start.islower()


def split_block(block: list[Line]) -> list[Sentence]:
    """The sentences of lines that belong together."""
    text = "\n".join(line.text for line in block)
    offset = block[0].start
    marker = MARKER.match(text)
    begin = marker.end() if marker else 0
    found: list[Sentence] = []
    for end in cuts(text, begin):
        add(found, text, begin, end, offset)
        begin = end
    add(found, text, begin, len(text), offset)
    return found


def cuts(text: str, begin: int = 0) -> Iterator[int]:
    """Where the sentences of a text end that begins at `begin`, without its own end."""
    for match in BREAK.finditer(text):
        leads = not text[begin : match.start()].strip() and match.group()[0] not in ".!?。…"
        if match.start() < begin or leads or match.group() in ABBREVIATIONS:
            continue
        end = match.end()
        if not match.group()[-1:].isspace() and end < len(text) and ends_in_next(match.group()):
            end -= 1
        yield end
        begin = end


def ends_in_next(group: str) -> bool:
    """Whether the last matched character already belongs to the next sentence."""
    return group[-1].isalpha()


def add(found: list[Sentence], text: str, begin: int, end: int, offset: int) -> None:
    """Add a sentence without the white space around it, unless nothing is left."""
    part = text[begin:end]
    bare = part.strip()
    if not bare:
        return
    start = begin + len(part) - len(part.lstrip())
    found.append(Sentence(bare, offset + start, offset + start + len(bare)))
