"""The entries of word lists as what is searched for: phrases by themselves where an entry has few, else RE2."""

from typing import Protocol

from mama_bot.text.needed_words import phrases
from mama_bot.text.patterns import Match, any_of, compiled, word_boundaries

FEW = 4  # phrases are looked for faster one by one than by RE2
WHITE = str.maketrans("\t\n\f\r", "    ")
WORD = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")


def flattened(text: str) -> str:
    """Return a text in lower case with spaces for white space, of the same length; "" where that is not possible."""
    flat = text.lower().translate(WHITE) if not text.isprintable() else text.lower()
    return flat if len(flat) == len(text) and "  " not in flat else ""


class Entry(Protocol):
    """An entry of a word list; `flat` is the text as `flattened` gives it."""

    def search(self, text: str, flat: str, begin: int) -> Match | None:
        """Return the first match from `begin` on."""
        ...

    def match(self, text: str, flat: str) -> Match | None:
        """Return a match at the start."""
        ...

    def fullmatch(self, text: str, flat: str) -> Match | None:
        """Return a match of the whole text."""
        ...


class PhraseMatch:
    """Where a phrase stands in a text."""

    __slots__ = ("_end", "_start", "_text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._start, self._end = text, start, end

    def start(self, group: int = 0) -> int:  # noqa: ARG002 - a phrase has no groups
        """Return the first character."""
        return self._start

    def end(self, group: int = 0) -> int:  # noqa: ARG002
        """Return one past the last character."""
        return self._end

    def group(self, group: int = 0) -> str:  # noqa: ARG002
        """Return the matched characters."""
        return self._text[self._start : self._end]


class Expression:
    """An entry that RE2 searches for."""

    def __init__(self, entry: str) -> None:
        self._pattern = compiled(any_of([entry]), groups=False)

    def search(self, text: str, flat: str, begin: int) -> Match | None:  # noqa: ARG002
        """Return the first match from `begin` on."""
        return self._pattern.search(text, begin) if begin else self._pattern.search(text)

    def match(self, text: str, flat: str) -> Match | None:  # noqa: ARG002
        """Return a match at the start."""
        return self._pattern.match(text)

    def fullmatch(self, text: str, flat: str) -> Match | None:  # noqa: ARG002
        """Return a match of the whole text."""
        return self._pattern.fullmatch(text)


class Phrases:
    """An entry that finds a few phrases and no more: they are looked for one by one, with the same result as RE2."""

    def __init__(self, entry: str, listed: tuple[str, ...]) -> None:
        self._phrases = listed
        self._before, self._after = word_boundaries(entry)
        self._expression = Expression(entry)

    def search(self, text: str, flat: str, begin: int) -> Match | None:
        """Return the first match from `begin` on."""
        if not flat:
            return self._expression.search(text, flat, begin)
        if len(self._phrases) == 1 and not self._before and not self._after:
            phrase = self._phrases[0]
            at = flat.find(phrase, begin)
            return PhraseMatch(text, at, at + len(phrase)) if at >= 0 else None
        first, end = len(flat), 0
        for phrase in self._phrases:
            at = flat.find(phrase, begin, first + len(phrase) - 1 if end else first)
            while at >= 0 and not self._stands(flat, at, at + len(phrase)):
                at = flat.find(phrase, at + 1, first + len(phrase) - 1 if end else first)
            if at >= 0:
                first, end = at, at + len(phrase)
        return PhraseMatch(text, first, end) if end else None

    def match(self, text: str, flat: str) -> Match | None:
        """Return a match at the start."""
        if not flat:
            return self._expression.match(text, flat)
        for phrase in self._phrases:
            if flat.startswith(phrase) and self._stands(flat, 0, len(phrase)):
                return PhraseMatch(text, 0, len(phrase))
        return None

    def fullmatch(self, text: str, flat: str) -> Match | None:
        """Return a match of the whole text."""
        if not flat:
            return self._expression.fullmatch(text, flat)
        return PhraseMatch(text, 0, len(text)) if flat in self._phrases and self._stands(flat, 0, len(flat)) else None

    def _stands(self, flat: str, start: int, end: int) -> bool:
        return (not self._before or is_boundary(flat, start)) and (not self._after or is_boundary(flat, end))


def is_boundary(flat: str, at: int) -> bool:
    """Whether a word of ASCII letters, digits and underscores begins or ends at a place of a flat text."""
    return (at > 0 and flat[at - 1] in WORD) != (at < len(flat) and flat[at] in WORD)


def entry_of(entry: str) -> Entry:
    """Return an entry of a list as what is searched for."""
    listed = phrases(entry)
    return Phrases(entry, listed) if 0 < len(listed) <= FEW else Expression(entry)
