"""A glance at a text: which entries of word lists it may hold, found by its words; those alone are searched for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Generic, TypeVar

from mama_bot.text.anchors import Anchored
from mama_bot.text.entries import Entry, entry_of, flattened
from mama_bot.text.patterns import Match

Key = TypeVar("Key")


class Glance(Generic[Key]):
    """What of a lexicon a text may hold, by kind; and what was searched for in it, so that it is searched for once."""

    __slots__ = ("_occurs", "_text", "flat", "holders")

    def __init__(self, text: str, holders: Mapping[Key, Sequence[Entry]]) -> None:
        self._text = text
        self.flat = flattened(text)
        self.holders = holders
        self._occurs: dict[Key, bool] = {}

    def occurs(self, kind: Key) -> bool:
        """Whether an entry of a kind occurs."""
        known = self._occurs.get(kind)
        if known is None:
            text, flat = self._text, self.flat
            known = any(entry.search(text, flat, 0) is not None for entry in self.holders.get(kind, ()))
            self._occurs[kind] = known
        return known

    def first(self, kind: Key) -> Match | None:
        """Return the match of a kind that begins first; of several at one place that of the first entry."""
        best: Match | None = None
        if self._occurs.get(kind, True):
            for entry in self.holders.get(kind, ()):
                match = entry.search(self._text, self.flat, 0)
                if match is not None and (best is None or match.start() < best.start()):
                    best = match
        return best


class Table(Generic[Key]):
    """All entries of a lexicon: which of them a text may hold, found by its words; those alone are searched for."""

    def __init__(self, entries: Mapping[Key, Sequence[str]]) -> None:
        listed = [(kind, entry) for kind, of_kind in entries.items() for entry in of_kind]
        self._kinds = [kind for kind, _ in listed]
        self._entries = [entry_of(entry) for _, entry in listed]
        self._anchored = Anchored([entry for _, entry in listed])
        self._glances: dict[str, Glance[Key]] = {}

    def glance(self, text: str) -> Glance[Key]:
        """Return what a text may hold; of the texts that were looked at last it is known."""
        known = self._glances.get(text)
        if known is not None:
            return known
        holders: dict[Key, list[Entry]] = {}
        kinds, entries = self._kinds, self._entries
        for index in self._anchored.entries_in(text):
            kind = kinds[index]
            if kind in holders:
                holders[kind].append(entries[index])
            else:
                holders[kind] = [entries[index]]
        glance = Glance(text, holders)
        if len(text) <= LONGEST_KEPT:
            if len(self._glances) >= MOST_KEPT:
                self._glances.clear()
            self._glances[text] = glance
        return glance


MOST_KEPT = 1000
LONGEST_KEPT = 4000


@dataclass(frozen=True)
class KindsIn(Generic[Key]):
    """Tells which of some kinds occur in a text."""

    kinds: frozenset[Key]
    table: Table[Key]

    def possible_in(self, text: str) -> frozenset[Key]:
        """Return the kinds that may occur in a text: at a glance those that `keys_in` returns, and others."""
        return self.kinds.intersection(self.table.glance(text).holders)

    def has(self, kind: Key, text: str) -> bool:
        """Return whether an entry of a kind occurs somewhere in a text."""
        return self.table.glance(text).occurs(kind)

    def keys_in(self, text: str) -> frozenset[Key]:
        """Return the kinds that occur somewhere in a text."""
        glance = self.table.glance(text)
        return frozenset([kind for kind in glance.holders if kind in self.kinds and glance.occurs(kind)])


@dataclass(frozen=True)
class Anywhere(Generic[Key]):
    """A pattern that finds any entry of a kind, as one expression of all of them would."""

    kind: Key
    table: Table[Key]

    def search(self, text: str, begin: int = 0) -> Match | None:
        """Return the first match anywhere, or from `begin` on."""
        if begin:
            return next((match for match in self.finditer(text) if match.start() >= begin), None)
        return self.table.glance(text).first(self.kind)

    def match(self, text: str) -> Match | None:
        """Return a match at the start."""
        glance = self.table.glance(text)
        matches = (entry.match(text, glance.flat) for entry in glance.holders.get(self.kind, ()))
        return next((match for match in matches if match is not None), None)

    def fullmatch(self, text: str) -> Match | None:
        """Return a match of the whole text."""
        glance = self.table.glance(text)
        matches = (entry.fullmatch(text, glance.flat) for entry in glance.holders.get(self.kind, ()))
        return next((match for match in matches if match is not None), None)

    def finditer(self, text: str) -> Iterator[Match]:
        """Yield all matches that do not overlap."""
        glance = self.table.glance(text)
        entries, flat = glance.holders.get(self.kind), glance.flat
        if entries is None:
            return
        pending = [
            (match.start(), order, match)
            for order, entry in enumerate(entries)
            if (match := entry.search(text, flat, 0)) is not None
        ]
        done = 0
        while pending:
            earliest_match = min(pending, key=itemgetter(0, 1))
            pending.remove(earliest_match)
            start, order, match = earliest_match
            if start >= done:
                yield match
                done = max(match.end(), start + 1)
            following = entries[order].search(text, flat, done)
            if following is not None:
                pending.append((following.start(), order, following))

    def findall(self, text: str) -> list[str]:
        """Return the texts of all matches."""
        return [match.group() for match in self.finditer(text)]

    def sub(self, replacement: str | Callable[[Match], str], text: str) -> str:
        """Return the text with every match replaced; a text as replacement is taken as it stands."""
        if self.kind not in self.table.glance(text).holders:
            return text
        pieces: list[str] = []
        done = 0
        for match in self.finditer(text):
            pieces += (text[done : match.start()], replacement if isinstance(replacement, str) else replacement(match))
            done = match.end()
        pieces.append(text[done:])
        return "".join(pieces)
