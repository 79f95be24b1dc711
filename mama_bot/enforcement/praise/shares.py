"""How much of a text says nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, TypeVar

from mama_bot.enforcement.praise.acts import EMPTY, EMPTY_CUES, PRAISING, SAID, SUSPECT_CUES, Act, act_of
from mama_bot.text.lexicon import Lexicon
from mama_bot.text.prose import Line
from mama_bot.text.sentences import Reading, Sentence, prose_characters, split

Item = TypeVar("Item")

MOST_LINES = 1500
MOST_CHARACTERS = 60_000
WINDOW = 1000
MOST_SENTENCES = 600
WORTH_READING = 10  # the whole text is read where a tenth of it is empty
MOST_FOUND = 100


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
    lines, times = spread(reading.lines, MOST_LINES)
    suspects = [line for line in lines if not lexicon.cues.found(line.text).isdisjoint(SUSPECT_CUES)]
    read_acts = ActsRead(lexicon)
    acts = read_acts.of(suspects, times)
    if share_of(acts, EMPTY) * WORTH_READING >= reading.characters:
        acts = read_acts.in_context(read_acts.of(lines, times))
    empty = [one for one in acts if one.act in EMPTY]
    total = share_of(empty, EMPTY)
    prose = reading.characters if times == 1 else round(times * sum([prose_characters(line.text) for line in lines]))
    return Shares(max(prose, total), total, tuple((one.said, one.act) for one in empty[:MOST_FOUND]))


class Judged(NamedTuple):
    """A sentence with its act, and how many such sentences it stands for."""

    said: Sentence
    act: Act
    times: float = 1

    @property
    def characters(self) -> float:
        """The characters of prose that it stands for."""
        return self.said.characters * self.times


def share_of(acts: Iterable[Judged], wanted: frozenset[Act]) -> int:
    """How many characters are in sentences with one of the acts."""
    return round(sum([one.characters for one in acts if one.act in wanted]))


def spread(items: Sequence[Item], most: int) -> tuple[Sequence[Item], float]:
    """At most so many items from all over a sequence, and for how many each stands.

    They are drawn, always alike for a length, so that a text which repeats itself cannot hide between regular steps.
    """
    if len(items) <= most:
        return items, 1
    drawn = sorted(Random(len(items)).sample(range(len(items)), most))  # noqa: S311 - a sample, no secret
    return [items[index] for index in drawn], len(items) / most


def sample(lines: Sequence[Line]) -> tuple[Sequence[Line], float]:
    """The lines, or windows of them where they are very long, and for how many such windows each stands."""
    total = sum([len(line.text) for line in lines])
    if total <= MOST_CHARACTERS:
        return lines, 1
    windows = [
        Line(line.start + at, line.text[at : at + WINDOW])
        for line in lines
        for at in range(0, len(line.text), WINDOW)
        if line.text[at : at + WINDOW].strip()
    ]
    return spread(windows, MOST_CHARACTERS // WINDOW)


class ActsRead(dict[str, Act]):
    """The acts of sentences, each text read once."""

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__()
        self._lexicon = lexicon

    def __missing__(self, text: str) -> Act:
        act = self[text] = act_of(text, self._lexicon)
        return act

    def of(self, lines: Sequence[Line], times: float) -> list[Judged]:
        """The sentences of some lines with their acts; each line stands for `times` lines."""
        windows, thin = sample(lines)
        sentences, step = spread([said for line in windows for said in split(line)], MOST_SENTENCES)
        return [Judged(said, self[said.text], times * thin * step) for said in sentences]

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
