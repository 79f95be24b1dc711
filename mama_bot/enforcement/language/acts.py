"""What a sentence does: praise, fill, confirm, announce, or say something."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from mama_bot.enforcement.language.normalise import MASK
from mama_bot.enforcement.language.patterns import Pattern, compiled
from mama_bot.enforcement.language.prose import Line
from mama_bot.enforcement.language.sentences import Reading, Sentence, split
from mama_bot.enforcement.language.words import Kind, Lexicon


Span = tuple[int, int]


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
TOKEN = compiled(MASK + r"+|[A-Za-z_](?:[\w.'/:@-]*\w)?|[가-힣]+|\d[\d.,%]*")
QUOTED = compiled(
    r"\"[^\"\n]{1,200}\"|(?:^|[\s(])'[^'\n]{1,200}'|「[^」\n]{1,200}」|『[^』\n]{1,200}』|«[^»\n]{1,200}»"
)
DIRECTED = compiled(r"::|(?:^|\s)@[A-Za-z]|https?:")
LONGEST = 2000
MOST_LINES = 1500
MOST_CHARACTERS = 60_000
WINDOW = 1000
MOST_SENTENCES = 600
WORTH_READING = 10  # the whole text is read where a tenth of it is empty
MOST_FOUND = 100
MOST_COUNTED = 4
EMPTY_CUES = frozenset(
    (Kind.PRAISE, Kind.ADMIRATION, Kind.BOAST, Kind.EVALUATION, Kind.ACCLAIM, Kind.APPLAUSE, Kind.FILLER, Kind.CONFIRMATION)
)
SUSPECT_CUES = EMPTY_CUES | {Kind.PLAN}
STRONGER = (Kind.PRAISE, Kind.ADMIRATION, Kind.BOAST, Kind.ACCLAIM, Kind.FILLER, Kind.APPROVAL)
DENIABLE = (Kind.PRAISE, Kind.ADMIRATION, Kind.BOAST, Kind.EVALUATION)
REACH = 32
FEWEST_LETTERS = 2
COUNTED = (*sorted(SUSPECT_CUES), Kind.FACT, Kind.CRITICISM, Kind.APPROVAL, Kind.REQUEST)


@dataclass(frozen=True, slots=True)
class Weight:
    """What a sentence says besides its courtesies: words, figures, and names of code (paths, identifiers, code)."""

    words: int = 0
    figures: int = 0
    names: int = 0

    @property
    def total(self) -> int:
        """All of it; a figure or a name counts as three words."""
        return self.words + 3 * (self.figures + self.names)


@dataclass(frozen=True, slots=True)
class Shares:
    """How many characters of a text are prose, how many of them say nothing, and the first sentences of those."""

    prose: int
    empty: int
    found: tuple[tuple[Sentence, Act], ...]

    @property
    def empty_share(self) -> float:
        """The empty part of the prose, from 0 to 1; 0 without prose."""
        return self.empty / self.prose if self.prose else 0.0


def shares(reading: Reading, lexicon: Lexicon) -> Shares:
    """What of a text says nothing.

    A sentence that is neutral by itself is what its surroundings are: filler among praise that outweighs what is
    said. A plan counts as an empty confirmation when the whole text only confirms and announces: nothing was
    done. Of very many sentences an evenly spaced sample is read.
    """
    if lexicon.cues.found(reading.plain.text).isdisjoint(EMPTY_CUES):
        return Shares(reading.characters, 0, ())
    step = max(1, -(-len(reading.lines) // MOST_LINES))
    lines = reading.lines[::step]
    suspects = [line for line in lines if not lexicon.cues.found(line.text).isdisjoint(SUSPECT_CUES)]
    read_acts = ActsRead(lexicon)
    acts = read_acts.of(suspects, step)
    if share_of(acts, EMPTY) * WORTH_READING >= reading.characters:
        acts = read_acts.in_context(read_acts.of(lines, step))
    empty = [one for one in acts if one.act in EMPTY]
    total = share_of(empty, EMPTY)
    return Shares(max(reading.characters, total), total, tuple((one.said, one.act) for one in empty[:MOST_FOUND]))


class Judged(NamedTuple):
    """A sentence with its act, and how many such sentences it stands for."""

    said: Sentence
    act: Act
    times: int = 1

    @property
    def characters(self) -> int:
        """The characters of prose that it stands for."""
        return self.said.characters * self.times


def share_of(acts: Iterable[Judged], wanted: frozenset[Act]) -> int:
    """How many characters are in sentences with one of the acts."""
    return sum([one.characters for one in acts if one.act in wanted])


def sample(lines: Sequence[Line]) -> tuple[Sequence[Line], float]:
    """The lines, or windows of them where they are very long, and for how many such windows each stands."""
    total = sum([len(line.text) for line in lines])
    if total <= MOST_CHARACTERS:
        return lines, 1
    stride = total * WINDOW // MOST_CHARACTERS
    windows = [
        Line(line.start + at, line.text[at : at + WINDOW])
        for line in lines
        for at in range(0, len(line.text), max(stride, WINDOW))
    ]
    windows = [window for window in windows if window.text.strip()]
    return windows, total / max(1, sum([len(window.text) for window in windows]))


class ActsRead(dict[str, Act]):
    """The acts of sentences, each text read once."""

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__()
        self._lexicon = lexicon

    def __missing__(self, text: str) -> Act:
        act = self[text] = act_of(text, self._lexicon)
        return act

    def of(self, lines: Sequence[Line], times: int) -> list[Judged]:
        """The sentences of some lines with their acts; each line stands for `times` lines."""
        windows, thin = sample(lines)
        sentences = [said for line in windows for said in split(line)]
        step = max(1, -(-len(sentences) // MOST_SENTENCES))
        return [Judged(said, self[said.text], round(times * thin * step)) for said in sentences[::step]]

    @staticmethod
    def in_context(acts: list[Judged]) -> list[Judged]:
        """Acts with those decided that depend on the rest of the text."""
        kinds = {one.act for one in acts}
        decided: dict[Act, Act] = {}
        if Act.PLAN in kinds and Act.CONFIRMATION in kinds and Act.CONTENT not in kinds:
            decided[Act.PLAN] = Act.CONFIRMATION
        if not kinds.isdisjoint(PRAISING) and share_of(acts, EMPTY) > share_of(acts, SAID):
            decided[Act.NEUTRAL] = Act.FILLER
        return [Judged(one.said, decided.get(one.act, one.act), one.times) for one in acts]


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
    if act is Act.PRAISE and signals["speaker"] and not signals["addressee"]:
        return Act.SELF_PRAISE
    return act


Signals = dict[str, float]

# How much each signal of a sentence says that it is empty: a linear score, above 0 the sentence is. The figures are
# those of a logistic regression over the sentences of the development half of the labelled messages, rounded.
WEIGHTS: Mapping[str, float] = {
    "acclaim": 3.0,
    "admiration": 3.0,
    "applause": 1.5,
    "boast": 1.5,
    "confirmation": 1.2,
    "evaluation": 1.1,
    "filler": 1.0,
    "plan": 1.0,
    "praise": 1.5,
    "fact": -0.8,
    "words": -0.08,
    "claim": -1.0,
    "approval": -1.7,
    "figures": -1.7,
    "names": -2.0,
    "bare": 2.2,
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
        spans.pop(Kind.CONFIRMATION, None)  # "I checked the diff" claims something; "checked!" does not
    found: Signals = {kind.value: len(spans.get(kind, ())) for kind in COUNTED}
    empty = [span for kind in EMPTY_CUES if kind in spans for span in spans[kind]]
    rest = weigh(removed(said, empty), lexicon)
    praising = len(empty) - found["confirmation"]
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


def without_terms(text: str, technical: Pattern) -> str:
    """A sentence with technical terms masked: they are names."""
    return technical.sub(MASK, text)


def without_quotes(text: str) -> str:
    """A sentence with what it quotes masked, unless one quotation is all there is."""
    if not any(mark in text for mark in "\"'「『«"):
        return text
    outside = QUOTED.sub(" " + MASK, text)
    alone = outside.count(MASK) == 1 and sum([character.isalpha() for character in outside]) <= FEWEST_LETTERS
    return text if alone else outside


def removed(text: str, spans: Iterable[Span]) -> str:
    """A sentence without the spans; the endings of Korean words go with them."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if start > done:
            pieces += (text[done:start], " ")
        done = max(done, end)
        while done < len(text) and "가" <= text[done] <= "힣" and "가" <= text[done - 1] <= "힣":
            done += 1
    pieces.append(text[done:])
    return "".join(pieces)


def weigh(text: str, lexicon: Lexicon) -> Weight:
    """What is left of a sentence without the words that carry nothing."""
    words = figures = names = 0
    for token in TOKEN.findall(text):
        first = token[0]
        if first == MASK or is_name(token):
            names += 1
        elif first.isdigit():
            figures += 1
        elif first.isascii():
            words += not {token.lower(), token.lower().removesuffix("s")} & lexicon.generic_words
        else:
            words += not token.startswith(lexicon.generic_stems)
    return Weight(words, figures, names)


def is_name(token: str) -> bool:
    """Whether a Latin token is a path, an identifier or the like."""
    if not (token[0].isascii() and (token[0].isalpha() or token[0] == "_")):
        return False
    inner = token[1:]
    camel = inner != inner.lower() and inner != inner.upper()
    if token.endswith("s") and token[:-1].isupper():
        return False  # "PRs" is no identifier
    return camel or any(mark in "_/:@." or mark.isdigit() for mark in inner)
