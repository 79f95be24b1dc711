"""The entries of word lists as what is searched for: phrases by themselves where an entry has few, else RE2."""

from typing import Protocol

from mama_bot.text.needed_words import phrases
from mama_bot.text.patterns import CompiledWhenAsked, Match, SearchedText, SpanMatch, any_of, word_boundaries

FEW = 4  # phrases are looked for faster one by one than by RE2
WORD = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")


class Entry(Protocol):
    """An entry of a word list."""

    def is_in(self, searched: SearchedText) -> bool:
        """Return whether there is a match anywhere."""
        ...

    def search_in(self, searched: SearchedText, begin: int) -> Match | None:
        """Return the first match from `begin` on."""
        ...

    def match_in(self, searched: SearchedText) -> Match | None:
        """Return a match at the start."""
        ...

    def fullmatch_in(self, searched: SearchedText) -> Match | None:
        """Return a match of the whole text."""
        ...


class Phrases:
    """An entry that finds a few phrases and no more: they are looked for one by one, with the same result as RE2."""

    __slots__ = ("_after", "_before", "_expression", "_phrases")

    def __init__(self, entry: str, listed: tuple[str, ...]) -> None:
        self._phrases = listed
        self._before, self._after = word_boundaries(entry)
        self._expression = CompiledWhenAsked(any_of([entry]), ignore_case=True, groups=False)

    def is_in(self, searched: SearchedText) -> bool:
        """Return whether there is a match anywhere."""
        flat = searched.flat
        if not flat:
            return self._expression.is_in(searched)
        end = len(flat)
        return any(self._place(flat, phrase, 0, end) >= 0 for phrase in filter(flat.__contains__, self._phrases))

    def search_in(self, searched: SearchedText, begin: int) -> Match | None:
        """Return the first match from `begin` on."""
        flat = searched.flat
        if not flat:
            return self._expression.search_in(searched, begin)
        first, end = len(flat), 0
        for phrase in self._phrases:
            place = self._place(flat, phrase, begin, first + len(phrase) - 1 if end else first)
            if place >= 0:
                first, end = place, place + len(phrase)
        return SpanMatch(searched.text, ((first, end),)) if end else None

    def _place(self, flat: str, phrase: str, begin: int, end: int) -> int:
        place = flat.find(phrase, begin, end)
        if self._before or self._after:
            while place >= 0 and not self._stands(flat, place, place + len(phrase)):
                place = flat.find(phrase, place + 1, end)
        return place

    def match_in(self, searched: SearchedText) -> Match | None:
        """Return a match at the start."""
        flat = searched.flat
        if not flat:
            return self._expression.match_in(searched)
        for phrase in self._phrases:
            if flat.startswith(phrase) and self._stands(flat, 0, len(phrase)):
                return SpanMatch(searched.text, ((0, len(phrase)),))
        return None

    def fullmatch_in(self, searched: SearchedText) -> Match | None:
        """Return a match of the whole text."""
        flat = searched.flat
        if not flat:
            return self._expression.fullmatch_in(searched)
        matches = flat in self._phrases and self._stands(flat, 0, len(flat))
        return SpanMatch(searched.text, ((0, len(flat)),)) if matches else None

    def _stands(self, flat: str, start: int, end: int) -> bool:
        return (not self._before or is_boundary(flat, start)) and (not self._after or is_boundary(flat, end))


def is_boundary(flat: str, at: int) -> bool:
    """Return whether a word of ASCII letters, digits and underscores begins or ends at a place of a flat text."""
    return (at > 0 and flat[at - 1] in WORD) != (at < len(flat) and flat[at] in WORD)


def entry_of(entry: str) -> Entry:
    """Return an entry of a list as what is searched for."""
    listed = phrases(entry)
    return (
        Phrases(entry, listed)
        if 0 < len(listed) <= FEW
        else CompiledWhenAsked(any_of([entry]), ignore_case=True, groups=False)
    )
