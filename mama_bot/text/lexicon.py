"""A lexicon: word lists, whose entries are expressions with a kind, compiled for one pass over a text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mama_bot.errors import ConfigurationError
from mama_bot.text.patterns import Pattern, PatternSet, alternation


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


def compiled_lexicon(entries: Mapping[Kind, Sequence[str]]) -> Lexicon:
    """Compile the entries of word lists, by kind, as one lexicon.

    Raises ConfigurationError for an entry that is no RE2 expression.
    """
    generic = entries.get(Kind.GENERIC, ())
    return Lexicon(
        patterns={kind: alternation(entries.get(kind, ())) for kind in Kind if kind is not Kind.GENERIC},
        generic_words=frozenset(word.lower() for word in generic if word.isascii()),
        generic_stems=tuple(word for word in generic if not word.isascii()),
        cues=PatternSet({kind: entries.get(kind, ()) for kind in CUES}),
        signals=PatternSet({kind: entries.get(kind, ()) for kind in SIGNALS}),
        evidence=PatternSet({kind: entries.get(kind, ()) for kind in EVIDENCE}),
        nouns=joined_words(entries.get(Kind.VERDICT_NOUN, ())),
        merges=joined_words(entries.get(Kind.MERGE_NOUN, ())),
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
