"""Marks of completion, and the words around them that change their meaning: data files, compiled once."""

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
    """The meaning of an entry of the lists."""

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
    """An entry of the lists: as it is looked for in a line, and between the words of a clause."""

    plain: str
    spaced: str
    sense: Sense


@dataclass(frozen=True, slots=True)
class WordForms:
    """A list of words and phrases, in the forms in which they are looked up quickly."""

    single: frozenset[str]
    phrases: tuple[str, ...]
    endings: tuple[str, ...]

    def stands_in(self, clause: str) -> bool:
        """Return whether one of them stands in a clause as a whole word, or in a Korean one as a part of a word."""
        if not self.single.isdisjoint(clause.split()):
            return True
        if any(map(clause.__contains__, self.phrases)):
            return True
        return not clause.isascii() and self.ends_in(clause)

    def ends_in(self, clause: str) -> bool:
        """Return whether one of them is a part of a Korean word of the clause."""
        return any(map(clause.__contains__, self.endings))


def word_forms(listed: Sequence[str]) -> WordForms:
    """Return words and phrases in the forms in which they are looked up."""
    latin = [word for word in listed if word.isascii()]
    return WordForms(
        single=frozenset(word for word in latin if " " not in word),
        phrases=tuple(f" {word} " for word in latin if " " in word),
        endings=tuple(word for word in listed if not word.isascii()),
    )


@dataclass(frozen=True)
class CompletionMarks:
    """The lists of marks and of the words around them, compiled."""

    expressions: PatternSet[Mark]
    negations: WordForms
    hedges: WordForms
    nothing: WordForms
    working: WordForms
    earlier: WordForms
    every: frozenset[str]
    questions: WordForms
    sentence_ends: tuple[str, ...]
    checking: WordForms
    whether: WordForms
    courtesies: WordForms
    go_on: WordForms
    making: WordForms
    fillers: frozenset[str]

    def present(self, text: str) -> list[Mark]:
        """Return the marks that occur anywhere in a plain text, sorted by name."""
        return sorted(self.expressions.keys_in(text), key=lambda mark: mark.plain)


@cache
def marks() -> CompletionMarks:
    """Return the marks of the package, read and compiled once."""
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
            expressions[Mark(word, f" {word} " if word != entry else spaced_mark(word), sense)] = (escaped,)
    return CompletionMarks(
        expressions=PatternSet(expressions),
        negations=word_forms(words[Sense.NEGATION]),
        hedges=word_forms(words[Sense.HEDGE]),
        nothing=word_forms(words[Sense.NOTHING]),
        working=word_forms(words[Sense.WORKING]),
        earlier=word_forms(words[Sense.EARLIER]),
        every=frozenset(words[Sense.EVERY]),
        questions=word_forms(words[Sense.QUESTION]),
        sentence_ends=tuple(words[Sense.SENTENCE_END]),
        checking=word_forms(words[Sense.CHECKING]),
        whether=word_forms(words[Sense.WHETHER]),
        courtesies=word_forms(words[Sense.COURTESY]),
        go_on=word_forms(words[Sense.GO_ON]),
        making=word_forms(words[Sense.MAKING]),
        fillers=frozenset(words[Sense.FILLER]),
    )


def expanded(entry: str) -> list[str]:
    """Write out the alternatives of an entry: `(a|b)c` gives `ac` and `bc`; a backslash takes a sign literally."""
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


def spaced_mark(word: str) -> str:
    """Return a mark as it is looked for in a clause with single spaces between and around its words."""
    return f" {word} " if word.isascii() and word[:1].isalnum() else word
