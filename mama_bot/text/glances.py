"""A glance at a text: which entries of word lists it may hold, found by its words; those alone are searched for."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import itemgetter, or_
from typing import Generic, TypeVar

from mama_bot.text.anchors import Anchored, bits_of
from mama_bot.text.entries import Entry, entry_of
from mama_bot.text.patterns import Match, SearchedText

Key = TypeVar("Key")


class Glance(Generic[Key]):
    """What of a lexicon a text may hold, by kind; and what was searched for in it, so that it is searched for once."""

    __slots__ = ("_holders", "_occurs", "_table", "led", "searched")

    def __init__(self, text: str, table: "Table[Key]") -> None:
        self.searched = SearchedText(text)
        self._table = table
        self.led = table.anchored.leads_in(text)
        self._holders: dict[Key, Sequence[Entry]] = {}
        self._occurs: dict[Key, bool] = {}

    def holders(self, kind: Key) -> Sequence[Entry]:
        """Return the entries of a kind that the text may hold."""
        known = self._holders.get(kind)
        if known is None:
            known = self._holders[kind] = self._table.holders(kind, self.led)
        return known

    def occurs(self, kind: Key) -> bool:
        """Return whether an entry of a kind occurs."""
        known = self._occurs.get(kind)
        if known is None:
            known = False
            for entry in self.holders(kind):
                if entry.is_in(self.searched):
                    known = True
                    break
            self._occurs[kind] = known
        return known

    def first(self, kind: Key) -> Match | None:
        """Return the match of a kind that begins first; of several at one place that of the first entry."""
        best: Match | None = None
        if self._occurs.get(kind, True):
            for entry in self.holders(kind):
                match = entry.search_in(self.searched, 0)
                if match is not None and (best is None or match.start() < best.start()):
                    best = match
        return best


class Table(Generic[Key]):
    """All entries of a lexicon: which of them a text may hold, found by its words; those alone are searched for."""

    def __init__(self, entries: Mapping[Key, Sequence[str]]) -> None:
        listed = [entry for of_kind in entries.values() for entry in of_kind]
        self.anchored = Anchored(listed)
        self._entries = [entry_of(entry) for entry in listed]
        self._glances: dict[str, Glance[Key]] = {}
        self._long_glances: dict[str, Glance[Key]] = {}
        self.sections: dict[Key, int] = {}
        self._begins: dict[Key, int] = {}
        begin = 0
        for kind, of_kind in entries.items():
            self._begins[kind] = begin
            self.sections[kind] = ((1 << len(of_kind)) - 1) << begin
            begin += len(of_kind)

    def glance(self, text: str) -> Glance[Key]:
        """Return what a text may hold; of the texts that were looked at last it is known."""
        short = len(text) <= LONGEST_KEPT
        kept = self._glances if short else self._long_glances
        known = kept.get(text)
        if known is not None:
            return known
        glance = Glance(text, self)
        if len(kept) >= (MOST_KEPT if short else MOST_LONG_KEPT):
            kept.clear()
        kept[text] = glance
        return glance

    def holders(self, kind: Key, led: int) -> Sequence[Entry]:
        """Return the entries of a kind that a text may hold whose words lead there."""
        of_kind = led & self.sections.get(kind, 0)
        if not of_kind:
            return ()
        begin, entries, needed = self._begins[kind], self._entries, self.anchored.needed
        places = [begin + place for place in bits_of(of_kind >> begin)]
        return [entries[place] for place in places if led & needed[place] == needed[place]]


MOST_KEPT = 1000
LONGEST_KEPT = 4000
MOST_LONG_KEPT = 4  # whole texts, which several stages ask about


class KindsIn(Generic[Key]):
    """Tells which of some kinds occur in a text."""

    def __init__(self, kinds: Collection[Key], table: Table[Key]) -> None:
        self._table = table
        self._sections = [(kind, table.sections[kind]) for kind in kinds if kind in table.sections]
        self._together = reduce(or_, [section for _, section in self._sections], 0)

    def possible_in(self, text: str) -> frozenset[Key]:
        """Return the kinds that may occur in a text: at a glance those that `keys_in` returns, and others."""
        glance = self._table.glance(text)
        led = glance.led
        if not led & self._together:
            return frozenset()
        return frozenset([kind for kind, section in self._sections if led & section and glance.holders(kind)])

    def has(self, kind: Key, text: str) -> bool:
        """Return whether an entry of a kind occurs somewhere in a text."""
        return self._table.glance(text).occurs(kind)

    def any_in(self, text: str) -> bool:
        """Return whether any of the kinds occurs in a text."""
        glance = self._table.glance(text)
        led = glance.led
        if not led & self._together:
            return False
        return any(led & section and glance.occurs(kind) for kind, section in self._sections)

    def keys_in_lines(self, lines: Sequence[str]) -> frozenset[Key]:
        """Return the kinds that occur in any of some lines."""
        kinds = self.keys_in("\n".join(lines))  # of the others none occurs in any line
        if not kinds:
            return kinds
        glances = [glance for glance in map(self._table.glance, lines) if glance.led & self._together]
        return frozenset([kind for kind in kinds if any(glance.occurs(kind) for glance in glances)])

    def keys_in(self, text: str) -> frozenset[Key]:
        """Return the kinds that occur somewhere in a text."""
        glance = self._table.glance(text)
        led = glance.led
        if not led & self._together:
            return frozenset()
        return frozenset([kind for kind, section in self._sections if led & section and glance.occurs(kind)])


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
        matches = (entry.match_in(glance.searched) for entry in glance.holders(self.kind))
        return next((match for match in matches if match is not None), None)

    def fullmatch(self, text: str) -> Match | None:
        """Return a match of the whole text."""
        glance = self.table.glance(text)
        matches = (entry.fullmatch_in(glance.searched) for entry in glance.holders(self.kind))
        return next((match for match in matches if match is not None), None)

    def finditer(self, text: str) -> Iterator[Match]:
        """Yield all matches that do not overlap."""
        glance = self.table.glance(text)
        entries = glance.holders(self.kind)
        if not entries:
            return
        searched = glance.searched
        pending = [
            (match.start(), order, match)
            for order, entry in enumerate(entries)
            if (match := entry.search_in(searched, 0)) is not None
        ]
        done = 0
        while pending:
            earliest_match = min(pending, key=itemgetter(0, 1)) if len(pending) > 1 else pending[0]
            pending.remove(earliest_match)
            start, order, match = earliest_match
            if start >= done:
                yield match
                done = max(match.end(), start + 1)
            following = entries[order].search_in(searched, done)
            if following is not None:
                pending.append((following.start(), order, following))

    def findall(self, text: str) -> list[str]:
        """Return the texts of all matches."""
        return [match.group() for match in self.finditer(text)]

    def sub(self, replacement: str | Callable[[Match], str], text: str) -> str:
        """Return the text with every match replaced; a text as replacement is taken as it stands."""
        if not self.table.glance(text).holders(self.kind):
            return text
        pieces: list[str] = []
        done = 0
        for match in self.finditer(text):
            pieces += (text[done : match.start()], replacement if isinstance(replacement, str) else replacement(match))
            done = match.end()
        pieces.append(text[done:])
        return "".join(pieces)
