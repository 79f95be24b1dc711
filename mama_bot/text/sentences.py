"""Sentences of prose: English, Korean, mixed, list items, headings and chat fragments."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from mama_bot.text.markdown_lines import LineKind, MarkdownLine, markdown_lines
from mama_bot.text.normalise import CUT, MASK, Normalised, normalise
from mama_bot.text.once import Once
from mama_bot.text.prose import ProseLine, prose_among
from mama_bot.text.spellings import respelled
from mama_bot.wording import Language, language_of

MARKED = frozenset(" \t#-*+•0123456789")
BOXES = ("[ ] ", "[x] ", "[X] ")
BULLETS = frozenset("-*+•")
HEADINGS = frozenset("#" * depth for depth in range(1, 7))
DIGITS = 3
WRAPPED = 60
SUBSTANTIAL = (LineKind.CODE, LineKind.ROW)
LIST_MARKS = " \t#-*+•"

# Where a sentence ends, the separator is put in: replacing is one pass in C, whatever the number of sentences.
CLOSING = ("", '"', ")", "'", "*", "**", "*)")
ENDS = {end: tuple((f"{end}{close} ", f"{end}{close} {CUT}") for close in CLOSING) for end in ".!?"}
KOREAN_ENDS = ("다.", "요.", "죠.", "함.", "음.", "됨.", "임.", "。", "!", "?")
ABBREVIATIONS = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "Mr.", "Dr.", "E.g.", "I.e.", "No.", "fig.", "Fig.")
EMOJI_RANGES = ((0x2600, 0x27C0), (0x1F300, 0x1FB00), (0x2B50, 0x2B51), (0x1F1E6, 0x1F200))
EMOJI = {code: chr(code) + CUT for first, last in EMOJI_RANGES for code in range(first, last)}
EMOJI_CHARACTERS = frozenset(map(chr, EMOJI))
LONGEST_QUOTATION = 200
LONGEST_SENTENCE = 2_000  # what reads a sentence looks back and forth in it: the longer, the dearer each character
LONGEST_MARKS = 12


class Sentence(NamedTuple):
    """A sentence: its text with everything that is no prose masked, and where it lies in the normalised text."""

    text: str
    start: int
    end: int

    @property
    def characters(self) -> int:
        """How many of its characters are prose, white space left out."""
        return prose_characters(self.text)


@dataclass(frozen=True)
class Reading:
    """A text and what was read of it: its plain form, its lines of prose and their sentences, each read on demand."""

    plain: Normalised

    @Once
    def lines(self) -> tuple[ProseLine, ...]:
        """Return the lines of prose; lines over which a sentence is only wrapped are joined."""
        return tuple(unwrapped(self._spoken))

    @Once
    def _spoken(self) -> list[ProseLine]:
        return prose_among(self.markdown)

    @Once
    def markdown(self) -> tuple[MarkdownLine, ...]:
        """Return the lines but the empty ones, each with what it is: prose, code, a row of a table, a heading."""
        return markdown_lines(self.plain.text, empty=False)

    @Once
    def characters(self) -> int:
        """Return how many characters are prose, without white space and the marks of lists and headings."""
        return prose_characters("\n".join([line.text.lstrip(LIST_MARKS) for line in self.lines]))

    @Once
    def substance(self) -> int:
        """Return how many characters are code or stand in tables, white space and the marks of both left out."""
        spoken = {line.start for line in self._spoken}
        shown = [line.text for line in self.markdown if line.kind in SUBSTANTIAL and line.start not in spoken]
        named = sum([line.text.count(MASK) for line in self._spoken])
        return named + sum([len("".join(text.replace("|", " ").split())) for text in shown])

    @Once
    def sentences(self) -> tuple[Sentence, ...]:
        """Return the sentences of the prose."""
        return tuple([sentence for line in self.lines for sentence in self.sentences_in(line)])

    def sentences_in(self, line: ProseLine) -> Sequence[Sentence]:
        """Return the sentences of a line; the stages, which ask one after the other, share what is found."""
        known = self._split.get(line)
        if known is None:
            known = self._split[line] = sentences_of(line)
        return known

    @Once
    def _split(self) -> dict[ProseLine, Sequence[Sentence]]:
        return {}

    @Once
    def language(self) -> Language:
        """Return the language of the prose: code and quotes do not count."""
        return language_of(" ".join([line.text for line in self.lines[:200]])[:4000])


@lru_cache(maxsize=4)
def reading_of(text: str) -> Reading:
    """Read a text; the stages of a chain, which read the same text one after the other, share what is found."""
    return Reading(respelled(normalise(text)))


def prose_characters(text: str) -> int:
    """Count the characters of masked text that are prose, white space left out."""
    return sum(map(len, text.split())) - text.count(MASK)


def unwrapped(lines: list[ProseLine]) -> Iterator[ProseLine]:
    """Yield the lines, joined where a sentence is only wrapped."""
    before: ProseLine | None = None
    for line in lines:
        if before is None:
            before = line
        elif len(before.text) >= WRAPPED and continues(before, line):
            before = ProseLine(before.start, f"{before.text}\n{line.text}", before.item)
        else:
            yield before
            before = line
    if before is not None:
        yield before


def continues(before: ProseLine, line: ProseLine) -> bool:
    """Return whether a line continues the sentence of the line before it."""
    start = line.text.lstrip()[:1]
    adjacent = before.start + len(before.text) + 1 == line.start
    return adjacent and not line.item and start.isascii() and start.islower()


def sentences_of(line: ProseLine) -> list[Sentence]:
    """Return the sentences of a line."""
    text = line.text
    begin = after_marks(text) if text[0] in MARKED else 0
    sentences: list[Sentence] = []
    start = line.start + begin
    for part in pieces(text[begin:] if begin else text):
        bare = part.strip()
        if bare:
            first = start + len(part) - len(part.lstrip())
            sentences.append(Sentence(bare, first, first + len(bare)))
        start += len(part)
    return sentences


def after_marks(text: str) -> int:
    """Return where the text of a line begins: behind indentation, marks of headings and items, checkboxes."""
    rest = text.lstrip()
    while rest:
        mark, _, after = rest.partition(" ")
        number = mark[:-1] if mark[-1:] in (".", ")") else ""
        if not after or not (mark in BULLETS or mark in HEADINGS or (number.isdigit() and len(number) <= DIGITS)):
            break
        rest = after.lstrip()
        if rest.startswith(BOXES):
            rest = rest[len(BOXES[0]) :].lstrip()
    return len(text) - len(rest)


def pieces(text: str) -> list[str]:
    """Split a line into sentences, every character kept."""
    marked = text
    for end, endings in ENDS.items():
        if end in text:
            for ending, cut in endings:
                if ending in marked:
                    marked = marked.replace(ending, cut)
    if not text.isascii():
        marked = cut_beyond_ascii(marked)
    if CUT in marked and '"' in text:
        marked = whole_quotations(marked)
    if CUT not in marked:
        return shortened(text)
    for abbreviation in ABBREVIATIONS:
        if abbreviation in marked:
            marked = marked.replace(f"{abbreviation} {CUT}", f"{abbreviation} ")
    return [piece for sentence in together(marked.split(CUT)) for piece in shortened(sentence)]


def shortened(sentence: str) -> list[str]:
    """Return a sentence in pieces of a bounded length, each cut behind a space where it has one."""
    cut: list[str] = []
    start = 0
    while len(sentence) - start > LONGEST_SENTENCE:
        end = sentence.rfind(" ", start, start + LONGEST_SENTENCE) + 1 or start + LONGEST_SENTENCE
        cut.append(sentence[start:end])
        start = end
    return [*cut, sentence[start:]]


def whole_quotations(text: str) -> str:
    """Return a text without the cuts that stand within a quotation."""
    parts = text.split('"')
    if len(parts) % 2 == 0:
        return text
    for index in range(1, len(parts), 2):
        if len(parts[index]) <= LONGEST_QUOTATION:
            parts[index] = parts[index].replace(CUT, "")
    return '"'.join(parts)


def cut_beyond_ascii(text: str) -> str:
    """Return a text with cuts where Korean sentences end without a space, and after emoji."""
    for end in KOREAN_ENDS:
        if end in text:
            text = text.replace(end, end + CUT)
    if not EMOJI_CHARACTERS.isdisjoint(text):
        text = text.translate(EMOJI)
    return text


def together(parts: list[str]) -> list[str]:
    """Join parts that are nothing but marks to the sentence before them, or to the first one after."""
    if all(map(says_something, parts)):
        return parts
    grouped: list[list[str]] = []
    leading: list[str] = []
    for part in parts:
        if says_something(part):
            grouped.append([*leading, part])
            leading = []
        elif grouped:
            grouped[-1].append(part)
        else:
            leading.append(part)
    return ["".join(group) for group in grouped] or ["".join(leading)]


def says_something(part: str) -> bool:
    """Return whether a part is more than a few marks."""
    if len(part) >= LONGEST_MARKS or part.lstrip()[:1].isalnum():
        return True
    return MASK in part or any(map(str.isalnum, part))
