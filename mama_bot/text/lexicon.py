"""A lexicon: word lists, whose entries are expressions with a kind, compiled for one pass over a text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from mama_bot.errors import ConfigurationError
from mama_bot.text.glances import Anywhere, KindsIn, Table
from mama_bot.text.patterns import Pattern, any_of, compiled


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
    VOID = "void"
    MUTATION = "mutation"
    BEHAVIOUR = "behaviour"
    OWN_ACT = "own_act"
    CRITERION = "criterion"
    COMPARISON = "comparison"
    CHANGELESS = "changeless"
    MILD_OUTCOME = "mild_outcome"
    READING = "reading"
    LOOKED_AT = "looked_at"
    VAGUE_CHECK = "vague_check"
    ADDITION = "addition"
    MERE_OUTCOME = "mere_outcome"
    LOOKED_OVER = "looked_over"
    TOPIC = "topic"
    OF_CHECKS = "of_checks"
    ONCE_FAILED = "once_failed"
    SCORE = "score"
    TICKED_TOPIC = "ticked_topic"
    HEDGE = "hedge"
    EXIT = "exit"
    IN_CASE = "in_case"
    SOME_PASSED = "some_passed"
    ANNOUNCED_VERDICT = "announced_verdict"
    LOOKING_AROUND = "looking_around"
    KOREAN_CONDITION = "korean_condition"
    NO_KOREAN_CONDITION = "no_korean_condition"
    AFTERWARDS = "afterwards"
    OWN_CHECK = "own_check"
    FUTURE = "future"
    LATER = "later"
    OTHERS = "others"
    NAMED_THING = "named_thing"
    ASIDE = "aside"
    CHECK_SUBJECT = "check_subject"
    REVERSAL = "reversal"
    PAST = "past"
    ON_THAT = "on_that"
    LISTED = "listed"
    REPORTED = "reported"
    BY_OTHERS = "by_others"
    ONLY = "only"
    SENDING = "sending"
    SATISFIED = "satisfied"


@dataclass(frozen=True)
class Lexicon:
    """The entries of word lists by kind, each compiled when it is first asked for."""

    entries: Mapping[Kind, Sequence[str]]

    def __getitem__(self, kind: Kind) -> Pattern:
        """Return the pattern that finds any entry of a kind."""
        return self._patterns[kind]

    def prepare(self) -> None:
        """Read all entries now, which takes half a second; else whoever asks first waits for it."""
        self._table.glance("")

    def alternation(self, kind: Kind) -> Pattern:
        """Return the same as one expression, for a short text that nothing else is asked about."""
        return self._alternations[kind]

    @cached_property
    def _alternations(self) -> Mapping[Kind, Pattern]:
        return {kind: compiled(any_of(self.of(kind)), groups=False) for kind in Kind if kind not in PLAIN_KINDS}

    @cached_property
    def _patterns(self) -> Mapping[Kind, Pattern]:
        return {kind: Anywhere(kind, self._table) for kind in Kind}

    @cached_property
    def _table(self) -> Table[Kind]:
        return Table({kind: listed for kind, listed in self.entries.items() if kind not in PLAIN_KINDS})

    def of(self, kind: Kind) -> Sequence[str]:
        """Return the entries of a kind, as they are written."""
        return self.entries.get(kind, ())

    @cached_property
    def cues(self) -> KindsIn[Kind]:
        """What is looked for in a whole text and in its lines."""
        return KindsIn(CUES, self._table)

    @cached_property
    def suspects(self) -> KindsIn[Kind]:
        """What makes a line worth reading for praise."""
        return KindsIn(SUSPECT_CUES, self._table)

    @cached_property
    def saying(self) -> KindsIn[Kind]:
        """What makes a sentence without praise one that says something."""
        return KindsIn((Kind.FACT, Kind.CLAIM, *APPROVING_KINDS), self._table)

    @cached_property
    def suspicious(self) -> KindsIn[Kind]:
        """What may take the grounds of an approval away."""
        return KindsIn(SUSPICIOUS, self._table)

    @cached_property
    def approving(self) -> KindsIn[Kind]:
        """What is looked for in a line that may approve."""
        return KindsIn(APPROVING_CUES, self._table)

    @cached_property
    def signals(self) -> KindsIn[Kind]:
        """What is looked for in a sentence that may say nothing."""
        return KindsIn(SIGNALS, self._table)

    @cached_property
    def evidence(self) -> KindsIn[Kind]:
        """What is looked for where something is approved."""
        return KindsIn(EVIDENCE, self._table)

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
APPROVING_CUES = (
    *APPROVING_KINDS,
    Kind.BARE_APPROVAL,
    Kind.BARE_RESULT,
    Kind.NOTHING_WRONG,
    Kind.PERMIT_VERB,
    Kind.SENDING,
)
SUSPICIOUS = (Kind.CONTRADICTION, Kind.VOID)  # what may take the grounds of an approval away
SUSPECT_CUES = frozenset((*EMPTY_KINDS, Kind.PLAN))
CUES = (*EMPTY_KINDS, Kind.PLAN, *APPROVING_CUES)
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
    Kind.NAMED_CHECK,
    Kind.CONCRETE,
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
