"""A table of expressions by the words that they need: which of them a text may hold is found by the words of the text.

Whatever the number of expressions, only those that are left are searched for, and RE2 or the phrases decide.
"""

from collections.abc import Iterator, Sequence

from mama_bot.text.needed_words import EDGE, LONGEST_ANCHOR, OPEN, Words, anchors, plainest


class Anchored:
    """A table of entries by their anchors: which of them a text may hold, found by its words."""

    def __init__(self, expressions: Sequence[str]) -> None:
        self._beginnings: dict[str, list[int]] = {}
        self._inside: dict[str, list[int]] = {}
        self._everywhere: list[int] = []
        # A word leads to expressions that need nothing else, as their indexes, and to sets of words, as negative
        # numbers. Behind the first set of an expression stand its index and its other sets.
        self._behind: dict[int, list[tuple[int, frozenset[int]]]] = {}
        numbers: dict[Words, int] = {}
        for index, expression in enumerate(expressions):
            sets = anchors(expression)
            if not sets:
                self._everywhere.append(index)
            elif len(sets) == 1:
                self._lead(sets[0], index)
            else:
                first, *others = [numbers.setdefault(words, -1 - len(numbers)) for words in sets]
                self._behind.setdefault(first, []).append((index, frozenset(others)))
        for words, number in numbers.items():
            self._lead(words, number)
        lengths: dict[str, set[int]] = {}
        for word in self._inside:
            lengths.setdefault(word[0], set()).add(len(word))
        self._lengths = {first: tuple(known) for first, known in lengths.items()}
        self._ascii_inside = any(word[0].isascii() for word in self._inside)
        self._found_in = _FoundInWords(self)

    def _lead(self, words: Words, number: int) -> None:
        for word in words:
            table = self._beginnings if word[0] == "^" else self._inside
            table.setdefault(word.removeprefix("^"), []).append(number)

    def entries_in(self, text: str) -> list[int]:
        """Return the indexes of the expressions that a text may hold, in order; others it does not hold."""
        found_in = self._found_in
        entries = set(self._everywhere)
        sets: set[int] = set()
        for word in set(text.encode().translate(PLAIN_BYTES).decode().split()):
            leads = found_in[word]
            if leads is not None:
                entries.update(leads[0])
                sets.update(leads[1])
        if len(found_in) > MOST_WORDS:
            found_in.clear()
        if len(sets) > 1:
            behind = self._behind
            for number in sets:
                for index, others in behind.get(number, ()):
                    if others <= sets:
                        entries.add(index)
        return sorted(entries)

    def found_in(self, word: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Return the expressions and the numbers of sets that a word of a text leads to."""
        present: set[int] = set()
        for run in split_at_scripts(word):
            if run[0].isascii():
                for end in range(1, min(len(run), LONGEST_ANCHOR) + 1):
                    present.update(self._beginnings.get(run[:end], ()))
                present.update(self._beginnings.get(f"{run}$", ()))
                present.update(self._inside_of(f"{run}$") if self._ascii_inside else ())
            else:
                present.update(self._inside_of(run))
        if not present:
            return None
        return tuple(number for number in present if number >= 0), tuple(number for number in present if number < 0)

    def _inside_of(self, run: str) -> set[int]:
        lengths = self._lengths
        longest = len(run)
        words = {
            run[start : start + length]
            for start in range(longest)
            if run[start] in lengths
            for length in lengths[run[start]]
        }
        return {number for word in words & self._inside.keys() for number in self._inside[word]}


Found = tuple[tuple[int, ...], tuple[int, ...]] | None


class _FoundInWords(dict[str, Found]):
    """What was found for words, so that it is found once."""

    def __init__(self, table: Anchored) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, word: str) -> Found:
        leads = self._table.found_in(word)
        if len(word) <= LONGEST_WORD:
            self[word] = leads
        return leads


MOST_WORDS = 50_000
BEYOND = "\x80"  # the first character that is not ASCII
LONGEST_WORD = 60
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
