"""A lexicon: word lists, whose entries are expressions with a kind, compiled for one pass over a text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from operator import itemgetter
from pathlib import Path

from mama_bot.errors import ConfigurationError
from mama_bot.text.anchors import Anchored
from mama_bot.text.entries import Entry, entry_of, flattened
from mama_bot.text.patterns import Match, Pattern


class Kind(StrEnum):
    """What an entry of a word list is."""

    PRAISE = "praise"
    ADMIRATION = "admiration"
    BOAST = "boast"
    EVALUATION = "evaluation"
    ACCLAIM = "acclaim"
    APPLAUSE = "applause"
    FILLER = "filler"
    COURTESY = "courtesy"
    CONFIRMATION = "confirmation"
    PLAN = "plan"
    TECHNICAL = "technical"
    GENERIC = "generic"
    FACT = "fact"
    CLAIM = "claim"
    SPEAKER = "speaker"
    ADDRESSEE = "addressee"
    CRITICISM = "criticism"
    DENIED_BEFORE = "denied_before"
    DENIED_AFTER = "denied_after"
    APPROVAL = "approval"
    OPENING = "opening"
    CONTENTMENT = "contentment"
    NOTHING_WRONG = "nothing_wrong"
    READINESS = "readiness"
    REDIRECTED = "redirected"
    REVIEWING = "reviewing"
    OWN_WORK = "own_work"
    BARE_APPROVAL = "bare_approval"
    BARE_RESULT = "bare_result"
    VERDICT_NOUN = "verdict_noun"
    MERGE_NOUN = "merge_noun"
    PERMIT_VERB = "permit_verb"
    CARRIER = "carrier"
    STATING = "stating"
    CONNECTED = "connected"
    OWN_TOPIC = "own_topic"
    UNPERFORMED = "unperformed"
    LABEL = "label"
    THING = "thing"
    BARRIER = "barrier"
    NO_BARRIER = "no_barrier"
    WITHHELD = "withheld"
    CONDITION = "condition"
    NO_CONDITION = "no_condition"
    ELSEWHERE = "elsewhere"
    WORD = "word"
    CHECK = "check"
    OUTCOME = "outcome"
    ACTION = "action"
    EXERCISED = "exercised"
    RESULT = "result"
    NAMED_CHECK = "named_check"
    CONCRETE = "concrete"
    MEASURED = "measured"
    CONTRADICTION = "contradiction"
    BENIGN = "benign"
    OVERCOME = "overcome"
    DOUBT = "doubt"
    STALE = "stale"
    CURRENT = "current"
    OWN = "own"
    HEARSAY = "hearsay"
    VOID = "void"
    MUTATION = "mutation"
    SENDING = "sending"
    SATISFIED = "satisfied"


@dataclass(frozen=True)
class Lexicon:
    """The entries of word lists by kind, each compiled when it is first asked for."""

    entries: Mapping[Kind, Sequence[str]]

    def __getitem__(self, kind: Kind) -> Pattern:
        """Return the pattern that finds any entry of a kind."""
        return self._patterns[kind]

    @cached_property
    def _patterns(self) -> Mapping[Kind, Pattern]:
        return {kind: Anywhere(kind, self._table) for kind in Kind}

    @cached_property
    def _table(self) -> "Table":
        return Table(self.entries)

    def of(self, kind: Kind) -> Sequence[str]:
        """Return the entries of a kind, as they are written."""
        return self.entries.get(kind, ())

    @cached_property
    def cues(self) -> "KindsIn":
        """What is looked for in a whole text and in its lines."""
        return KindsIn(frozenset(CUES), self._table)

    @cached_property
    def signals(self) -> "KindsIn":
        """What is looked for in a sentence that may say nothing."""
        return KindsIn(frozenset(SIGNALS), self._table)

    @cached_property
    def evidence(self) -> "KindsIn":
        """What is looked for where something is approved."""
        return KindsIn(frozenset(EVIDENCE), self._table)

    def words(self, kind: Kind) -> tuple[str, ...]:
        """Return the entries of a kind that are plain words or parts of words."""
        return self._words[kind]

    @cached_property
    def _words(self) -> Mapping[Kind, tuple[str, ...]]:
        return {kind: tuple(self.of(kind)) for kind in Kind}

    @cached_property
    def generic_words(self) -> frozenset[str]:
        """The English words that name no thing."""
        return frozenset(word.lower() for word in self.of(Kind.GENERIC) if word.isascii())

    @cached_property
    def generic_stems(self) -> tuple[str, ...]:
        """The Korean words that name no thing, without their endings."""
        return tuple(word for word in self.of(Kind.GENERIC) if not word.isascii())

    @cached_property
    def nouns(self) -> str:
        """The nouns of verdicts as one alternative."""
        return joined_words(self.of(Kind.VERDICT_NOUN))

    @cached_property
    def merges(self) -> str:
        """The nouns of merges as one alternative."""
        return joined_words(self.of(Kind.MERGE_NOUN))


class Glance:
    """What of a lexicon a text may hold, by kind; and what was searched for in it, so that it is searched for once."""

    __slots__ = ("_occurs", "_text", "flat", "holders")

    def __init__(self, text: str, holders: Mapping[Kind, Sequence[Entry]]) -> None:
        self._text = text
        self.flat = flattened(text)
        self.holders = holders
        self._occurs: dict[Kind, bool] = {}

    def occurs(self, kind: Kind) -> bool:
        """Whether an entry of a kind occurs."""
        known = self._occurs.get(kind)
        if known is None:
            text, flat = self._text, self.flat
            known = any(entry.search(text, flat, 0) is not None for entry in self.holders.get(kind, ()))
            self._occurs[kind] = known
        return known

    def first(self, kind: Kind) -> Match | None:
        """Return the match of a kind that begins first; of several at one place that of the first entry."""
        best: Match | None = None
        if self._occurs.get(kind, True):
            for entry in self.holders.get(kind, ()):
                match = entry.search(self._text, self.flat, 0)
                if match is not None and (best is None or match.start() < best.start()):
                    best = match
        return best


class Table:
    """All entries of a lexicon: which of them a text may hold, found by its words; those alone are searched for."""

    def __init__(self, entries: Mapping[Kind, Sequence[str]]) -> None:
        listed = [(kind, entry) for kind, of_kind in entries.items() if kind not in PLAIN_KINDS for entry in of_kind]
        self._kinds = [kind for kind, _ in listed]
        self._entries = [entry_of(entry) for _, entry in listed]
        self._anchored = Anchored([entry for _, entry in listed])
        self._glances: dict[str, Glance] = {}

    def glance(self, text: str) -> Glance:
        """Return what a text may hold; of the texts that were looked at last it is known."""
        known = self._glances.get(text)
        if known is not None:
            return known
        holders: dict[Kind, list[Entry]] = {}
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
class KindsIn:
    """Tells which of some kinds occur in a text."""

    kinds: frozenset[Kind]
    table: Table

    def possible_in(self, text: str) -> frozenset[Kind]:
        """Return the kinds that may occur in a text: at a glance those that `keys_in` returns, and others."""
        return self.kinds.intersection(self.table.glance(text).holders)

    def has(self, kind: Kind, text: str) -> bool:
        """Return whether an entry of a kind occurs somewhere in a text."""
        return self.table.glance(text).occurs(kind)

    def keys_in(self, text: str) -> frozenset[Kind]:
        """Return the kinds that occur somewhere in a text."""
        glance = self.table.glance(text)
        return frozenset([kind for kind in glance.holders if kind in self.kinds and glance.occurs(kind)])


@dataclass(frozen=True)
class Anywhere:
    """A pattern that finds any entry of a kind, as one expression of all of them would."""

    kind: Kind
    table: Table

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


Words = tuple[tuple[str, tuple[str, ...]], ...]


# Words, not expressions: nobody searches for them.
PLAIN_KINDS = frozenset((Kind.GENERIC, Kind.CARRIER, Kind.STATING, Kind.CONNECTED, Kind.OWN_TOPIC, Kind.UNPERFORMED))
# What makes a sentence one that may say nothing.
EMPTY_KINDS = (
    Kind.PRAISE,
    Kind.ADMIRATION,
    Kind.BOAST,
    Kind.EVALUATION,
    Kind.ACCLAIM,
    Kind.APPLAUSE,
    Kind.FILLER,
    Kind.CONFIRMATION,
)
# What approves by itself, or with a verb beside it.
APPROVING_KINDS = (
    Kind.APPROVAL,
    Kind.OPENING,
    Kind.CONTENTMENT,
    Kind.READINESS,
    Kind.VERDICT_NOUN,
    Kind.MERGE_NOUN,
)
# What is looked for in a whole text and in its lines.
CUES = (
    *EMPTY_KINDS,
    Kind.PLAN,
    *APPROVING_KINDS,
    Kind.BARE_APPROVAL,
    Kind.BARE_RESULT,
    Kind.NOTHING_WRONG,
    Kind.PERMIT_VERB,
    Kind.SENDING,
)
# What is looked for in a sentence that may say nothing.
SIGNALS = (
    *EMPTY_KINDS,
    Kind.PLAN,
    *APPROVING_KINDS,
    Kind.FACT,
    Kind.CLAIM,
    Kind.CRITICISM,
    Kind.SPEAKER,
    Kind.ADDRESSEE,
)
EVIDENCE = (
    Kind.WORD,
    Kind.CHECK,
    Kind.OUTCOME,
    Kind.ACTION,
    Kind.EXERCISED,
    Kind.RESULT,
    Kind.NAMED_CHECK,
    Kind.CONCRETE,
    Kind.MEASURED,
    Kind.CONTRADICTION,
    Kind.DOUBT,
    Kind.STALE,
    Kind.HEARSAY,
    Kind.VOID,
    Kind.MUTATION,
)


def joined_words(entries: Sequence[str]) -> str:
    """Return words as one alternative, to be built into a larger expression."""
    return "|".join(entry.replace(" ?", r"\s*") for entry in entries)


EXAMPLE = "  # "
KINDS = {kind.value: kind for kind in Kind}


def parsed(name: str, text: str) -> Iterator[tuple[Kind, str]]:
    """Yield the entries of a word list; raises ConfigurationError for a line without a known kind."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        kind, _, entry = line.partition(EXAMPLE)[0].partition(" ")
        if kind not in KINDS or not entry.strip():
            problem = f"{line!r} is no entry: write a kind, a space and an expression."
            raise ConfigurationError(problem=problem, file=Path(name), line=number)
        yield KINDS[kind], entry.strip()
