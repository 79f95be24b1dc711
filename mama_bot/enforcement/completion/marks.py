"""Marks of completion, and the words around them that change what they say: data files, compiled once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import product

from mama_bot.text.patterns import PatternSet

LISTS = ("completion.txt", "standing.txt")
SIGNS = frozenset("[].+*?()|{}^$\\-")


class Sense(StrEnum):
    """What an entry of the lists says."""

    DONE = "done"
    ALL_DONE = "all_done"
    NO_LONGER = "no_longer"
    EXCEPT = "except"
    BESIDE = "beside"
    NOT_DONE = "not_done"
    WEAK = "weak"
    NEGATION = "negation"
    HEDGE = "hedge"
    WORKING = "working"
    EARLIER = "earlier"
    EVERY = "every"
    NOTHING = "nothing"
    FILLER = "filler"
    QUESTION = "question"
    SENTENCE_END = "sentence_end"
    CHECKING = "checking"
    WHETHER = "whether"
    COURTESY = "courtesy"
    GO_ON = "go_on"
    MAKING = "making"


# What makes a line worth reading.
MARKING = (Sense.DONE, Sense.ALL_DONE, Sense.NOT_DONE, Sense.WEAK, Sense.NO_LONGER, Sense.EXCEPT, Sense.BESIDE)
WHOLE_WORD = "="  # before a Korean entry that is no part of a longer word


@dataclass(frozen=True, slots=True)
class Mark:
    """An entry: as it is looked for in a line, and between the words of a clause."""

    plain: str
    spaced: str
    sense: Sense


@dataclass(frozen=True, slots=True)
class Words:
    """A list of words and phrases, in the forms in which they are looked for quickly."""

    single: frozenset[str]
    phrases: tuple[str, ...]
    endings: tuple[str, ...]

    def stands_in(self, clause: str) -> bool:
        """Whether one of them stands in a clause as a whole word, or as a part of a Korean one."""
        if not self.single.isdisjoint(clause.split()):
            return True
        if any(phrase in clause for phrase in self.phrases):
            return True
        return not clause.isascii() and self.ends_in(clause)

    def ends_in(self, clause: str) -> bool:
        """Whether a part of a Korean word is one of them."""
        return any(ending in clause for ending in self.endings)


def words_as(listed: Sequence[str]) -> Words:
    """Words in the forms in which they are looked for."""
    latin = [word for word in listed if word.isascii()]
    return Words(
        single=frozenset(word for word in latin if " " not in word),
        phrases=tuple(f" {word} " for word in latin if " " in word),
        endings=tuple(word for word in listed if not word.isascii()),
    )


@dataclass(frozen=True)
class Marks:
    """The lists, compiled."""

    expressions: PatternSet[Mark]
    negations: Words
    hedges: Words
    nothing: Words
    working: Words
    earlier: Words
    every: frozenset[str]
    questions: Words
    sentence_ends: tuple[str, ...]
    checking: Words
    whether: Words
    courtesies: Words
    go_on: Words
    making: Words
    fillers: frozenset[str]

    def present(self, text: str) -> list[Mark]:
        """The marks that occur anywhere in a plain text, by name."""
        return sorted(self.expressions.keys_in(text), key=lambda mark: mark.plain)


@cache
def marks() -> Marks:
    """The marks of the package, read and compiled once."""
    words: dict[Sense, list[str]] = defaultdict(list)
    for name in LISTS:
        text = (files("mama_bot.enforcement.completion") / "words" / name).read_text(encoding="utf-8")
        for line in text.splitlines():
            if line.strip() and not line.startswith("#"):
                sense, _, entry = line.partition(" ")
                words[Sense(sense)] += expanded(entry.strip())
    expressions: dict[Mark, tuple[str, ...]] = {}
    for sense in MARKING:
        for entry in words[sense]:
            word = entry.removeprefix(WHOLE_WORD)
            escaped = "".join(f"\\{sign}" if sign in SIGNS else sign for sign in word)
            expressions[Mark(word, f" {word} " if word != entry else spaced(word), sense)] = (escaped,)
    return Marks(
        expressions=PatternSet(expressions),
        negations=words_as(words[Sense.NEGATION]),
        hedges=words_as(words[Sense.HEDGE]),
        nothing=words_as(words[Sense.NOTHING]),
        working=words_as(words[Sense.WORKING]),
        earlier=words_as(words[Sense.EARLIER]),
        every=frozenset(words[Sense.EVERY]),
        questions=words_as(words[Sense.QUESTION]),
        sentence_ends=tuple(words[Sense.SENTENCE_END]),
        checking=words_as(words[Sense.CHECKING]),
        whether=words_as(words[Sense.WHETHER]),
        courtesies=words_as(words[Sense.COURTESY]),
        go_on=words_as(words[Sense.GO_ON]),
        making=words_as(words[Sense.MAKING]),
        fillers=frozenset(words[Sense.FILLER]),
    )


def expanded(entry: str) -> list[str]:
    """An entry with its alternatives written out: `(a|b)c` is `ac` and `bc`; a backslash takes a sign as it is."""
    parts: list[list[str]] = [[""]]
    signs = iter(entry)
    grouped = False
    for sign in signs:
        if sign == "|" and grouped:
            parts[-1].append("")
        elif sign in "()":
            parts.append([""])
            grouped = sign == "("
        else:
            parts[-1][-1] += next(signs, "") if sign == "\\" else sign
    return [" ".join("".join(words).split()) for words in product(*parts)]


def spaced(word: str) -> str:
    """How a mark is looked for in a clause whose words stand between single spaces."""
    return f" {word} " if word.isascii() and word[:1].isalnum() else word
