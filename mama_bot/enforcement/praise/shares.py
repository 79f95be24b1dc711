"""How much of a text says nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, TypeVar

from mama_bot.enforcement.praise.acts import EMPTY, EMPTY_CUES, PRAISING, SAYING_ACTS, Act, act_of
from mama_bot.text.lexicon import Kind, Lexicon
from mama_bot.text.prose import ProseLine
from mama_bot.text.sentences import Reading, Sentence, prose_characters

Item = TypeVar("Item")

MOST_LINES = 1500
MOST_CHARACTERS = 60_000
WINDOW = 1000
MOST_SENTENCES = 600
WORTH_READING = 10  # the whole text is read where a tenth of it is empty
MOST_FOUND = 100
MARKS = " *_.,!~"


@dataclass(frozen=True, slots=True)
class Shares:
    """How many characters of a text are prose, how many of those say nothing, and the first empty sentences.

    `substance` are the characters of its code and tables.
    """

    prose: int
    empty: int
    empty_sentences: tuple[tuple[Sentence, Act], ...]
    substance: int = 0

    @property
    def empty_share(self) -> float:
        """The empty part of the whole, from 0 to 1: code and tables are what the prose around them is there for."""
        whole = self.prose + self.substance
        return self.empty / whole if whole else 0.0


def shares(reading: Reading, lexicon: Lexicon) -> Shares:
    """Measure how much of a text says nothing.

    A neutral sentence follows its surroundings: among praise that outweighs what is said it is filler. A plan is an
    empty confirmation when the whole text only confirms and announces. Of very many sentences a sample is read.
    """
    # At a glance, or by a search where there is much to be left out.
    look = lexicon.cues.possible_in if len(reading.lines) <= MOST_LINES else lexicon.cues.keys_in
    if look(reading.plain.text).isdisjoint(EMPTY_CUES):
        return Shares(reading.characters, 0, (), reading.substance)
    lines, times = sampled(reading.lines, MOST_LINES)
    suspects = [line for line in lines if lexicon.suspects.any_in(line.text)]
    sentence_acts = SentenceActs(reading, lexicon)
    acts = sentence_acts.of(suspects, times)
    if characters_in(acts, EMPTY) * WORTH_READING >= reading.characters:
        acts = sentence_acts.in_context(sentence_acts.of(lines, times))
    empty_acts = [judged for judged in acts if judged.act in EMPTY]
    if is_courtesy(empty_acts, lexicon) and any(judged.act is Act.CONTENT for judged in acts):
        empty_acts = []
    total = characters_in(empty_acts, EMPTY)
    prose = reading.characters if times == 1 else round(times * sum([prose_characters(line.text) for line in lines]))
    return Shares(
        max(prose, total),
        total,
        tuple((judged.sentence, judged.act) for judged in empty_acts[:MOST_FOUND]),
        reading.substance,
    )


def is_courtesy(empty_acts: Sequence["JudgedSentence"], lexicon: Lexicon) -> bool:
    """Return whether all that says nothing is one courtesy: thanks, or an offer or a request at the end of a report."""
    if len(empty_acts) != 1:
        return False
    sentence, act, _ = empty_acts[0]
    return act is Act.FILLER or lexicon[Kind.COURTESY].fullmatch(sentence.text.strip(MARKS)) is not None


class JudgedSentence(NamedTuple):
    """A sentence with its act; in a sample it stands for `times` sentences like it."""

    sentence: Sentence
    act: Act
    times: float = 1

    @property
    def characters(self) -> float:
        """How many characters of prose it stands for."""
        return self.sentence.characters * self.times


def characters_in(acts: Iterable[JudgedSentence], counted: frozenset[Act]) -> int:
    """Count the characters of the sentences whose act is one of `counted`."""
    return round(sum([judged.characters for judged in acts if judged.act in counted]))


def sampled(items: Sequence[Item], most: int) -> tuple[Sequence[Item], float]:
    """Draw at most so many items from all over a sequence; returned with how many items each stands for.

    The draw is random and the same for each length, so that a text which repeats itself cannot hide between regular
    steps.
    """
    if len(items) <= most:
        return items, 1
    drawn = sorted(Random(len(items)).sample(range(len(items)), most))  # noqa: S311 - a sample, no secret
    return [items[index] for index in drawn], len(items) / most


def sampled_windows(lines: Sequence[ProseLine]) -> tuple[Sequence[ProseLine], float]:
    """Return the lines, or a sample of windows of very long ones, with how many windows each stands for."""
    total = sum([len(line.text) for line in lines])
    if total <= MOST_CHARACTERS:
        return lines, 1
    windows = [
        ProseLine(line.start + at, line.text[at : at + WINDOW])
        for line in lines
        for at in range(0, len(line.text), WINDOW)
        if line.text[at : at + WINDOW].strip()
    ]
    return sampled(windows, MOST_CHARACTERS // WINDOW)


class SentenceActs(dict[str, Act]):
    """The acts of sentences by their text: each text is judged once."""

    def __init__(self, reading: Reading, lexicon: Lexicon) -> None:
        super().__init__()
        self._reading = reading
        self._lexicon = lexicon

    def __missing__(self, text: str) -> Act:
        act = self[text] = act_of(text, self._lexicon)
        return act

    def of(self, lines: Sequence[ProseLine], times: float) -> list[JudgedSentence]:
        """Judge the sentences of some lines; each line stands for `times` lines."""
        windows, window_times = sampled_windows(lines)
        listed = [sentence for line in windows for sentence in self._reading.sentences_in(line)]
        sentences, step = sampled(listed, MOST_SENTENCES)
        return [JudgedSentence(sentence, self[sentence.text], times * window_times * step) for sentence in sentences]

    @staticmethod
    def in_context(acts: list[JudgedSentence]) -> list[JudgedSentence]:
        """Decide the acts that depend on the rest of the text: plans and neutral sentences."""
        kinds = {judged.act for judged in acts}
        decided: dict[Act, Act] = {}
        if Act.PLAN in kinds and Act.CONFIRMATION in kinds and Act.CONTENT not in kinds:
            decided[Act.PLAN] = Act.CONFIRMATION
        if not kinds.isdisjoint(PRAISING) and characters_in(acts, EMPTY) > characters_in(acts, SAYING_ACTS):
            decided[Act.NEUTRAL] = Act.FILLER
        return [JudgedSentence(judged.sentence, decided.get(judged.act, judged.act), judged.times) for judged in acts]
