"""The word lists: data files of entries with a kind, read once when a lexicon is made."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from mama_bot.enforcement.language.patterns import Pattern, PatternSet, alternation
from mama_bot.errors import ConfigurationError


class Kind(StrEnum):
    """What an entry of a word list is."""

    PRAISE = "praise"
    ADMIRATION = "admiration"
    BOAST = "boast"
    EVALUATION = "evaluation"
    ACCLAIM = "acclaim"
    APPLAUSE = "applause"
    FILLER = "filler"
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


LISTS = (
    "praise.txt",
    "admiration.txt",
    "evaluation.txt",
    "content.txt",
    "generic.txt",
    "approval.txt",
    "evidence.txt",
)


@dataclass(frozen=True)
class Lexicon:
    """The word lists, compiled: a pattern for each kind, and the generic words as they stand."""

    patterns: Mapping[Kind, Pattern]
    generic_words: frozenset[str]
    generic_stems: tuple[str, ...]
    cues: PatternSet[Kind]
    signals: PatternSet[Kind]
    evidence: PatternSet[Kind]
    nouns: str = ""
    merges: str = ""

    def __getitem__(self, kind: Kind) -> Pattern:
        return self.patterns[kind]


Words = tuple[tuple[str, tuple[str, ...]], ...]


@lru_cache(maxsize=4)
def lexicon(further: Words = ()) -> Lexicon:
    """Read the lists that come with the package, with further entries (RE2 expressions) by kind.

    Equal requests share one lexicon: compiling thousands of expressions takes a tenth of a second. Raises
    ConfigurationError for an entry that is no RE2 expression.
    """
    entries = entries_of_package()
    for kind, listed in further:
        entries[Kind(kind)] += listed
    generic = entries[Kind.GENERIC]
    return Lexicon(
        patterns={kind: alternation(entries[kind]) for kind in Kind if kind is not Kind.GENERIC},
        generic_words=frozenset(word.lower() for word in generic if word.isascii()),
        generic_stems=tuple(word for word in generic if not word.isascii()),
        cues=PatternSet({kind: entries[kind] for kind in CUES}),
        signals=PatternSet({kind: entries[kind] for kind in SIGNALS}),
        evidence=PatternSet({kind: entries[kind] for kind in EVIDENCE}),
        nouns=joined_words(entries[Kind.VERDICT_NOUN]),
        merges=joined_words(entries[Kind.MERGE_NOUN]),
    )


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
APPROVING_KINDS = (Kind.APPROVAL, Kind.OPENING, Kind.VERDICT_NOUN, Kind.MERGE_NOUN)
# What is looked for in a whole text and in its lines.
CUES = (*EMPTY_KINDS, Kind.PLAN, *APPROVING_KINDS, Kind.BARE_APPROVAL, Kind.PERMIT_VERB)
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


EXAMPLE = "  # "


def parsed(name: str, text: str) -> Iterator[tuple[Kind, str]]:
    """The entries of one list; raises ConfigurationError for a line without a known kind."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        kind, _, entry = line.partition(EXAMPLE)[0].partition(" ")
        if kind not in set(Kind) or not entry.strip():
            problem = f"{line!r} is no entry: write a kind, a space and an expression."
            raise ConfigurationError(problem=problem, file=Path(name), line=number)
        yield Kind(kind), entry.strip()
