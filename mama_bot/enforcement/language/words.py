"""The word lists: data files of entries with a kind, read once when a lexicon is made."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from mama_bot.enforcement.language.patterns import Pattern, PatternSet, alternation
from mama_bot.errors import ConfigurationError


class Kind(StrEnum):
    """What an entry of a word list is."""

    PRAISE = "praise"
    ACCLAIM = "acclaim"
    APPLAUSE = "applause"
    FILLER = "filler"
    CONFIRMATION = "confirmation"
    PLAN = "plan"
    TECHNICAL = "technical"
    GENERIC = "generic"
    CRITICISM = "criticism"
    APPROVAL = "approval"
    OPENING = "opening"
    BARE_APPROVAL = "bare_approval"
    VERDICT_NOUN = "verdict_noun"
    MERGE_NOUN = "merge_noun"
    PERMIT_VERB = "permit_verb"
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
    CONTRADICTION = "contradiction"
    BENIGN = "benign"
    OVERCOME = "overcome"
    DOUBT = "doubt"
    STALE = "stale"
    CURRENT = "current"
    OWN = "own"
    HEARSAY = "hearsay"
    DONE = "done"
    ALL_DONE = "all_done"
    NOT_DONE = "not_done"


LISTS = ("praise.txt", "generic.txt", "approval.txt", "evidence.txt", "completion.txt")


@dataclass(frozen=True)
class Lexicon:
    """The word lists, compiled: a pattern for each kind, and the generic words as they stand."""

    patterns: Mapping[Kind, Pattern]
    generic_words: frozenset[str]
    generic_stems: tuple[str, ...]
    cues: PatternSet[Kind]
    evidence: PatternSet[Kind]
    nouns: str = ""
    merges: str = ""

    def __getitem__(self, kind: Kind) -> Pattern:
        return self.patterns[kind]


def lexicon(*, praise: Sequence[str] = (), whitelist: Sequence[str] = ()) -> Lexicon:
    """Read the lists that come with the package, with more praise and more technical terms (RE2 expressions).

    Raises ConfigurationError for an entry that is no RE2 expression.
    """
    entries = entries_of_package()
    entries[Kind.PRAISE] += praise
    entries[Kind.TECHNICAL] += whitelist
    generic = entries[Kind.GENERIC]
    return Lexicon(
        patterns={kind: alternation(entries[kind]) for kind in Kind if kind is not Kind.GENERIC},
        generic_words=frozenset(word.lower() for word in generic if word.isascii()),
        generic_stems=tuple(word for word in generic if not word.isascii()),
        cues=PatternSet({kind: entries[kind] for kind in CUES}),
        evidence=PatternSet({kind: entries[kind] for kind in EVIDENCE}),
        nouns=joined_words(entries[Kind.VERDICT_NOUN]),
        merges=joined_words(entries[Kind.MERGE_NOUN]),
    )


CUES = (
    Kind.PRAISE,
    Kind.ACCLAIM,
    Kind.APPLAUSE,
    Kind.FILLER,
    Kind.CONFIRMATION,
    Kind.PLAN,
    Kind.APPROVAL,
    Kind.OPENING,
    Kind.BARE_APPROVAL,
    Kind.VERDICT_NOUN,
    Kind.MERGE_NOUN,
    Kind.PERMIT_VERB,
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
    Kind.CONTRADICTION,
    Kind.DOUBT,
    Kind.STALE,
    Kind.HEARSAY,
)


def joined_words(entries: Sequence[str]) -> str:
    """Words as one alternative, to be built into a larger expression."""
    return "|".join(entry.replace(" ?", r"\s*") for entry in entries)


def entries_of_package() -> dict[Kind, list[str]]:
    """All entries of the lists in the package, by kind."""
    entries: dict[Kind, list[str]] = defaultdict(list)
    folder = files("mama_bot.enforcement.language") / "lexicon"
    for name in LISTS:
        for kind, entry in parsed(name, (folder / name).read_text(encoding="utf-8")):
            entries[kind].append(entry)
    return entries


def parsed(name: str, text: str) -> Iterator[tuple[Kind, str]]:
    """The entries of one list; raises ConfigurationError for a line without a known kind."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        kind, _, entry = line.partition(" ")
        if kind not in set(Kind) or not entry.strip():
            problem = f"{line!r} is no entry: write a kind, a space and an expression."
            raise ConfigurationError(problem=problem, file=Path(name), line=number)
        yield Kind(kind), entry.strip()
