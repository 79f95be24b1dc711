"""A table of expressions by the words that they need: which of them a text may hold is found by the words of the text.

Whatever the number of expressions, only those that are left are searched for, and RE2 or the phrases decide.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add, or_

from mama_bot.text.needed_words import EDGE, LONGEST_ANCHOR, OPEN, Words, anchors, plainest


class Anchored:
    """A table of entries by their anchors: which of them a text may hold, found by its words.

    Sets of entries are numbers with a bit for each, so that what the words of a text lead to is one number.
    """

    def __init__(self, expressions: Sequence[str]) -> None:
        self._beginnings: dict[str, int] = {}
        self._inside: dict[str, int] = {}
        self._everywhere = 0
        # Behind the entries stand the further sets of words that some of them need.
        self.needed = [0] * len(expressions)
        further: dict[Words, int] = {}
        for index, expression in enumerate(expressions):
            sets = anchors(expression)
            if not sets:
                self._everywhere |= 1 << index
                continue
            self._lead(sets[0], 1 << index)
            bits = [1 << further.setdefault(words, len(expressions) + len(further)) for words in sets[1:]]
            self.needed[index] = sum(bits)
        for words, number in further.items():
            self._lead(words, 1 << number)
        lengths: dict[str, set[int]] = {}
        for word in self._inside:
            lengths.setdefault(word[0], set()).add(len(word))
        self._lengths = {first: tuple(known) for first, known in lengths.items()}
        # How those of three letters and more begin, and the others whole: most words of a text begin otherwise.
        self._openings = {word.rstrip("$")[:FEWEST] for word in self._beginnings}
        self._ascii_inside = any(word[0].isascii() for word in self._inside)
        self._leads = _LeadsOfWords(self)

    def _lead(self, words: Words, bit: int) -> None:
        for word in words:
            table = self._beginnings if word[0] == "^" else self._inside
            table[word.removeprefix("^")] = table.get(word.removeprefix("^"), 0) | bit

    def leads_in(self, text: str) -> int:
        """Return what the words of a text lead to; of an expression all that is `needed` has to be among it."""
        leads = self._leads
        words = set(text.encode().translate(PLAIN_BYTES).decode().split())
        led = reduce(or_, filter(None, map(leads.__getitem__, words)), self._everywhere)
        if len(leads) > MOST_WORDS:
            leads.clear()
        return led

    def leads_of(self, word: str) -> int:
        """Return what one word of a text leads to."""
        led = 0
        beginnings = self._beginnings
        for run in split_at_scripts(word):
            if run[0].isascii():
                if run[:FEWEST] in self._openings or run[:1] in beginnings or run[:2] in beginnings:
                    for end in range(1, min(len(run), LONGEST_ANCHOR) + 1):
                        if run[:end] in beginnings:
                            led |= beginnings[run[:end]]
                    led |= beginnings.get(f"{run}$", 0)
                led |= self._inside_of(f"{run}$") if self._ascii_inside else 0
            else:
                led |= self._inside_of(run)
        return led

    def _inside_of(self, run: str) -> int:
        if len(run) > LONG_RUN:
            openings = {*run, *map(add, run, run[1:])}
            held = (led for word, led in self._inside.items() if word[:2] in openings and word in run)
            return reduce(or_, held, 0)
        lengths = self._lengths
        words = {
            run[start : start + length] for start, sign in enumerate(run) if sign in lengths for length in lengths[sign]
        }
        return reduce(or_, [self._inside[word] for word in words & self._inside.keys()], 0)


class _LeadsOfWords(dict[str, int]):
    """What words lead to, so that it is found once."""

    def __init__(self, table: Anchored) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, word: str) -> int:
        led = self._table.leads_of(word)
        if len(word) <= LONGEST_WORD:
            self[word] = led
        return led


def bits_of(number: int) -> list[int]:
    """Return the places of the bits of a number that are set, in order."""
    places = []
    while number:
        low = number & -number
        places.append(low.bit_length() - 1)
        number ^= low
    return places


MOST_WORDS = 50_000
FEWEST = 3  # letters by which a word is told from most others
BEYOND = "\x80"  # the first character that is not ASCII
LONGEST_WORD = 60
LONG_RUN = 2_000  # characters in which each anchor is looked for by itself
PLAIN_BYTES = bytes(
    code if code >= 0x80 else ord(plainest(chr(code)).replace(EDGE, " ").replace(OPEN, " ")) for code in range(256)
)


def split_at_scripts(word: str) -> Iterator[str]:
    """Yield the runs of a word that are ASCII, and those that are not."""
    if word.isascii():
        yield word
        return
    start = 0
    for index in range(1, len(word)):
        if (word[index] < BEYOND) != (word[index - 1] < BEYOND):
            yield word[start:index]
            start = index
    yield word[start:]
