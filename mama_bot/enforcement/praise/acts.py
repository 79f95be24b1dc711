"""What a sentence does: praise, fill, confirm, announce, or say something."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import islice

from mama_bot.text.lexicon import APPROVING_KINDS, EMPTY_KINDS, SUSPECT_CUES, Kind, Lexicon
from mama_bot.text.patterns import compiled
from mama_bot.text.wording import Span, is_foreign, removed, weigh, without_quotes, without_terms


class Act(StrEnum):
    """What a sentence does: `perfect work!` praises, `all good, on it` confirms, `I changed app.py` says something."""

    PRAISE = "praise"
    SELF_PRAISE = "self_praise"
    FILLER = "filler"
    CONFIRMATION = "empty_confirmation"
    PLAN = "plan"
    NEUTRAL = "neutral"
    CONTENT = "content"


EMPTY = frozenset((Act.PRAISE, Act.SELF_PRAISE, Act.FILLER, Act.CONFIRMATION))
PRAISING = frozenset((Act.PRAISE, Act.SELF_PRAISE))
QUESTIONS = ("?", "？")
SAYING_ACTS = frozenset((Act.CONTENT, Act.PLAN))
DIRECTED = compiled(r"::|(?:^|\s)@[A-Za-z]|https?:")
LONGEST = 2000
MOST_COUNTED = 4
EMPTY_CUES = frozenset(EMPTY_KINDS)
STRONGER = (Kind.PRAISE, Kind.ADMIRATION, Kind.BOAST, Kind.ACCLAIM, Kind.FILLER, *APPROVING_KINDS)
DENIABLE = (Kind.PRAISE, Kind.ADMIRATION, Kind.BOAST, Kind.EVALUATION)
REACH = 32
UNCOUNTED = frozenset((Kind.CLAIM, Kind.SPEAKER, Kind.ADDRESSEE))
COUNTED = (*sorted(SUSPECT_CUES), Kind.FACT, Kind.CRITICISM, *APPROVING_KINDS)


def act_of(text: str, lexicon: Lexicon) -> Act:
    """Return the act of one sentence; one in a language that is not read says something."""
    if is_foreign(text):
        return Act.CONTENT
    words = without_quotes(without_terms(text, lexicon[Kind.TECHNICAL]))[:LONGEST]
    if "!" not in words and not lexicon.suspects.any_in(words):
        # No signal speaks for it that outweighs the constant.
        return Act.CONTENT if is_saying(words, lexicon) else Act.NEUTRAL
    signals = signals_of(words, lexicon)
    if emptiness(signals) <= 0:
        if signals["plan"] and not is_concrete(signals) and not words.endswith("?") and not DIRECTED.search(words):
            return Act.PLAN
        return Act.CONTENT if any(signals[name] for name in SAYING_SIGNALS) else Act.NEUTRAL
    parts = {act: sum([WEIGHTS[name] * signals[name] for name in names]) for act, names in SHOWN_BY.items()}
    act = max(parts, key=parts.__getitem__)
    own = signals["boast"] or (signals["claim"] and signals["speaker"])
    return Act.SELF_PRAISE if act is Act.PRAISE and own else act


def is_saying(words: str, lexicon: Lexicon) -> bool:
    """Return whether a sentence without praise says something: a question, figure, name, fact, claim or verdict."""
    rest = weigh(words, lexicon)
    return bool(words.endswith(QUESTIONS) or rest.figures or rest.names) or lexicon.saying.any_in(words)


def is_only_content(text: str, lexicon: Lexicon, *, approves: bool) -> bool:
    """Return whether a sentence calls something good and no more (`코드 좋네요`), or `approves` and praises nobody."""
    kinds = lexicon.signals.keys_in(text) & EMPTY_CUES
    return kinds <= (MILD if approves else {Kind.EVALUATION})


MILD = {Kind.EVALUATION, Kind.CONFIRMATION}


def is_concrete(signals: "Signals") -> bool:
    """Return whether a plan says what will be done, and not only that it will: with names or several facts."""
    told = max(signals["words"], 2 * signals["fact"])
    return bool(signals["names"] or (told >= SPECIFIC and not signals["addressee"]))


SPECIFIC = 4  # words of its own, of which one of the trade counts twice
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
    "introduces": -1.5,
    "speaker": 1.0,
    "addressee": 1.0,
    "exclaimed": 1.5,
}
CONSTANT = -2.3
SAYING_SIGNALS = ("fact", "claim", "approval", "figures", "names", "question")
SHOWN_BY = {
    Act.PRAISE: ("praise", "admiration", "evaluation", "acclaim", "applause"),
    Act.SELF_PRAISE: ("boast",),
    Act.FILLER: ("filler",),
    Act.CONFIRMATION: ("confirmation", "plan"),
}


def signals_of(words: str, lexicon: Lexicon) -> Signals:
    """Count what speaks for and against a sentence being empty; each count is bounded."""
    possible = lexicon.signals.possible_in(words)
    spans = {
        kind: [(match.start(), match.end()) for match in islice(lexicon[kind].finditer(words), MOST_COUNTED)]
        for kind in COUNTED
        if kind in possible
    }
    spans = {kind: places for kind, places in spans.items() if places}
    kinds = {kind for kind in UNCOUNTED & possible if lexicon.signals.has(kind, words)} | spans.keys()
    for kind in DENIABLE:
        if kind in spans and Kind.CRITICISM in kinds:
            spans[kind] = [span for span in spans[kind] if not is_denied(words, *span, lexicon)]
    if Kind.EVALUATION in spans:
        stronger = [span for kind in STRONGER if kind in spans for span in spans[kind]]
        spans[Kind.EVALUATION] = [span for span in spans[Kind.EVALUATION] if not has_overlap(span, stronger)]
    if Kind.CLAIM in kinds:
        # "I checked the diff carefully" claims something; "checked!" does not.
        spans.pop(Kind.CONFIRMATION, None)
        spans.pop(Kind.EVALUATION, None)
    signals: Signals = {kind.value: len(spans.get(kind, ())) for kind in COUNTED}
    empty = [span for kind in EMPTY_CUES if kind in spans for span in spans[kind]]
    rest = weigh(removed(words, empty), lexicon)
    praising = len(empty) - signals["confirmation"]
    signals["approval"] = min(1, sum([signals.pop(kind.value) for kind in APPROVING_KINDS]))
    signals["figures"] = min(MOST_COUNTED, rest.figures)
    signals["names"] = min(MOST_COUNTED, rest.names)
    signals["words"] = min(20, rest.words)
    signals["bare"] = bool(empty) and rest.total <= praising
    signals["claim"] = Kind.CLAIM in kinds
    signals["speaker"] = Kind.SPEAKER in kinds
    signals["addressee"] = Kind.ADDRESSEE in kinds
    signals["question"] = words.endswith(QUESTIONS)
    signals["introduces"] = words.rstrip("*_ ").endswith(":")
    signals["exclaimed"] = "!" in words
    return signals


def is_denied(sentence: str, start: int, end: int, lexicon: Lexicon) -> bool:
    """Return whether the words beside a span take its praise back: `not perfect`, `완벽하지 않습니다`."""
    before, after = sentence[max(0, start - REACH) : start], sentence[end : end + REACH]
    return lexicon[Kind.DENIED_BEFORE].search(before) is not None or lexicon[Kind.DENIED_AFTER].match(after) is not None


def has_overlap(span: Span, others: Iterable[Span]) -> bool:
    """Return whether a span has a character in common with one of the others."""
    return any(span[0] < end and start < span[1] for start, end in others)


def emptiness(signals: Signals) -> float:
    """Return how surely a sentence with these signals is empty: above 0 it is."""
    return CONSTANT + sum([WEIGHTS[name] * signals[name] for name in WEIGHTS])
