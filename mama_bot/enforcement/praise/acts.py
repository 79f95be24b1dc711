"""What a sentence does: praise, fill, confirm, announce, or say something."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import islice

from mama_bot.text.lexicon import APPROVING_KINDS, EMPTY_KINDS, Kind, Lexicon
from mama_bot.text.patterns import compiled
from mama_bot.text.wording import Span, removed, weigh, without_quotes, without_terms


class Act(StrEnum):
    """What a sentence does."""

    PRAISE = "praise"
    SELF_PRAISE = "self_praise"
    FILLER = "filler"
    CONFIRMATION = "empty_confirmation"
    PLAN = "plan"
    NEUTRAL = "neutral"
    CONTENT = "content"


EMPTY = frozenset((Act.PRAISE, Act.SELF_PRAISE, Act.FILLER, Act.CONFIRMATION))
PRAISING = frozenset((Act.PRAISE, Act.SELF_PRAISE))
SAID = frozenset((Act.CONTENT, Act.PLAN))
DIRECTED = compiled(r"::|(?:^|\s)@[A-Za-z]|https?:")
LONGEST = 2000
MOST_COUNTED = 4
EMPTY_CUES = frozenset(EMPTY_KINDS)
SUSPECT_CUES = EMPTY_CUES | {Kind.PLAN}
STRONGER = (Kind.PRAISE, Kind.ADMIRATION, Kind.BOAST, Kind.ACCLAIM, Kind.FILLER, *APPROVING_KINDS)
DENIABLE = (Kind.PRAISE, Kind.ADMIRATION, Kind.BOAST, Kind.EVALUATION)
REACH = 32
COUNTED = (*sorted(SUSPECT_CUES), Kind.FACT, Kind.CRITICISM, *APPROVING_KINDS)


def act_of(text: str, lexicon: Lexicon) -> Act:
    """The act of one sentence."""
    said = without_quotes(without_terms(text, lexicon[Kind.TECHNICAL]))[:LONGEST]
    signals = signals_of(said, lexicon)
    if score(signals) <= 0:
        if signals["plan"] and not signals["names"] and not said.endswith("?") and not DIRECTED.search(said):
            return Act.PLAN
        return Act.CONTENT if any(signals[name] for name in SAYING) else Act.NEUTRAL
    parts = {act: sum([WEIGHTS[name] * signals[name] for name in names]) for act, names in SHOWN_BY.items()}
    act = max(parts, key=parts.__getitem__)
    own = signals["boast"] or (signals["claim"] and signals["speaker"])
    return Act.SELF_PRAISE if act is Act.PRAISE and own else act


Signals = dict[str, float]

# How much each signal of a sentence says that it is empty: a linear score, above 0 the sentence is. The figures are
# those of a logistic regression over the sentences of the development half of the labelled messages, rounded.
WEIGHTS: Mapping[str, float] = {
    "acclaim": 3.0,
    "admiration": 3.0,
    "applause": 1.5,
    "boast": 1.5,
    "confirmation": 1.4,
    "evaluation": 1.1,
    "filler": 1.0,
    "plan": 1.0,
    "praise": 2.0,
    "fact": -0.8,
    "words": -0.08,
    "claim": -1.0,
    "approval": -1.7,
    "figures": -1.7,
    "names": -2.0,
    "bare": 2.2,
    "question": -1.0,
    "speaker": 1.0,
    "addressee": 1.0,
    "exclaimed": 1.5,
}
CONSTANT = -2.3
SAYING = ("fact", "claim", "approval", "figures", "names", "question")
SHOWN_BY = {
    Act.PRAISE: ("praise", "admiration", "evaluation", "acclaim", "applause"),
    Act.SELF_PRAISE: ("boast",),
    Act.FILLER: ("filler",),
    Act.CONFIRMATION: ("confirmation", "plan"),
}


def signals_of(said: str, lexicon: Lexicon) -> Signals:
    """What speaks for a sentence being empty, and what against it: counts, each bounded."""
    kinds = lexicon.signals.found(said)
    spans = {
        kind: [(match.start(), match.end()) for match in islice(lexicon[kind].finditer(said), MOST_COUNTED)]
        for kind in COUNTED
        if kind in kinds
    }
    for kind in DENIABLE:
        if kind in spans and Kind.CRITICISM in kinds:
            spans[kind] = [span for span in spans[kind] if not denied(said, *span, lexicon)]
    if Kind.EVALUATION in spans:
        stronger = [span for kind in STRONGER if kind in spans for span in spans[kind]]
        spans[Kind.EVALUATION] = [span for span in spans[Kind.EVALUATION] if not overlaps(span, stronger)]
    if Kind.CLAIM in kinds:
        # "I checked the diff carefully" claims something; "checked!" does not.
        spans.pop(Kind.CONFIRMATION, None)
        spans.pop(Kind.EVALUATION, None)
    found: Signals = {kind.value: len(spans.get(kind, ())) for kind in COUNTED}
    empty = [span for kind in EMPTY_CUES if kind in spans for span in spans[kind]]
    rest = weigh(removed(said, empty), lexicon)
    praising = len(empty) - found["confirmation"]
    found["approval"] = min(1, sum([found.pop(kind.value) for kind in APPROVING_KINDS]))
    found["figures"] = min(MOST_COUNTED, rest.figures)
    found["names"] = min(MOST_COUNTED, rest.names)
    found["words"] = min(20, rest.words)
    found["bare"] = bool(empty) and rest.total <= praising
    found["claim"] = Kind.CLAIM in kinds
    found["speaker"] = Kind.SPEAKER in kinds
    found["addressee"] = Kind.ADDRESSEE in kinds
    found["question"] = said.endswith(("?", "？"))
    found["exclaimed"] = "!" in said
    return found


def denied(said: str, start: int, end: int, lexicon: Lexicon) -> bool:
    """Whether the words of a sentence beside a span take its praise back: "not perfect", "완벽하지 않습니다"."""
    before, after = said[max(0, start - REACH) : start], said[end : end + REACH]
    return lexicon[Kind.DENIED_BEFORE].search(before) is not None or lexicon[Kind.DENIED_AFTER].match(after) is not None


def overlaps(span: Span, others: Iterable[Span]) -> bool:
    """Whether a span has a character in common with one of the others."""
    return any(span[0] < end and start < span[1] for start, end in others)


def score(signals: Signals) -> float:
    """How surely a sentence with these signals is empty: above 0 it is."""
    return CONSTANT + sum([WEIGHTS[name] * signals[name] for name in WEIGHTS])
