"""The words of claims: a data file, read once; one expression finds where in a text anything is said at all."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path

from mama_bot.errors import ConfigurationError
from mama_bot.model import ClaimKind
from mama_bot.text.normalise import MASK
from mama_bot.text.patterns import CompiledWhenAsked, Pattern, compiled

NAME = "claims.txt"
CHECKS = (ClaimKind.TESTS, ClaimKind.BUILD, ClaimKind.TYPES, ClaimKind.LINT, ClaimKind.FORMAT)
DEEDS = (
    *(ClaimKind.COMMITTED, ClaimKind.PUSHED, ClaimKind.MERGED, ClaimKind.PUBLISHED, ClaimKind.DEPLOYED),
    *(ClaimKind.CREATED, ClaimKind.CHANGED, ClaimKind.DELETED),
    *(ClaimKind.CHECKED, ClaimKind.RAN, ClaimKind.REPRODUCED),
)
TOKEN = (
    rf"{MASK}+"  # `pytest -q`, masked
    r"|\b[0-9a-f]{7,40}\b"  # 3fa2c1d
    r"|[A-Za-z][\w'-]*(?:[./][\w-]+)*"  # isn't, src/pay.py
    r"|\d[\d,]*(?:\.\d+)?(?:\s?/\s?\d[\d,]*)?"  # 1,351, 0.48, 45/45
    r"|[가-힣]+|[^\s\w]"  # 통과했습니다
)
LONGEST_STEM = 6
PAST = frozenset(("was", "were"))  # of what was told a sentence may be in the past


class Term(StrEnum):
    """What a list of words is for, beside the kinds of claims."""

    GENERIC = "generic"
    PASSES = "passes"
    FAILS = "fails"
    TROUBLE = "trouble"
    SKIPS = "skips"
    KO_PASSES = "ko_passes"
    KO_FAILS = "ko_fails"
    KO_TROUBLE = "ko_trouble"
    KO_SKIPS = "ko_skips"
    NEGATORS = "negators"
    DONE = "done"
    NUMBERS = "numbers"
    NEUTRAL = "neutral"
    PART = "part"
    WHOLE = "whole"
    FOLLOWS = "follows"
    CONDITION = "condition"
    UNREAL = "unreal"
    DENIED = "denied"
    KO_CONDITION = "ko_condition"
    KO_UNREAL = "ko_unreal"
    KO_DENIED = "ko_denied"
    PLAN = "plan"
    ADMITS = "admits"
    MEASURES = "measures"
    UNITS = "units"
    SCOPE = "scope"
    BUILT = "built"
    TROUBLED = "troubled"
    REVIEWERS = "reviewers"
    APPROVES = "approves"
    KO_REVIEWERS = "ko_reviewers"
    KO_APPROVES = "ko_approves"
    CI = "ci"
    CI_PASSES = "ci_passes"
    CI_FAILS = "ci_fails"
    KO_CI_PASSES = "ko_ci_passes"
    KO_CI_FAILS = "ko_ci_fails"


@dataclass(frozen=True)
class Vocabulary:
    """The lists: what a word speaks of (`checks`), what it says was done, and sets of words by term.

    `roles` are the lists of a word, one of the `bits` for each; `phrases` those of several words, by their first.
    `korean_doubts` take a clause back, `korean_conditions` a sentence.
    `deeds` are participles ("pushed"), `nouns` what is done by them ("push", "푸시"), `places` where it then is.
    """

    checks: Mapping[str, ClaimKind]
    deeds: Mapping[str, ClaimKind]
    nouns: Mapping[str, ClaimKind]
    places: Mapping[str, ClaimKind]
    words: Mapping[Term, frozenset[str]]
    numbers: Mapping[str, int]
    bits: Mapping[Term, int]
    roles: Mapping[str, int]
    phrases: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]
    stems: frozenset[str]
    outcomes: CompiledWhenAsked
    tokens: Pattern
    korean_doubts: Pattern
    korean_conditions: Pattern

    def __getitem__(self, term: Term) -> frozenset[str]:
        return self.words[term]

    def stem(self, word: str) -> str:
        """Return the longest Korean word of the lists that a word begins with, else the word itself."""
        if word[:1].isascii():
            return word
        return next((word[:n] for n in range(min(len(word), LONGEST_STEM), 0, -1) if word[:n] in self.stems), word)


@cache
def vocabulary() -> Vocabulary:
    """Return the words of claims of the package, read and compiled once."""
    lists: dict[str, list[str]] = defaultdict(list)
    for kind, words in _lines():
        lists[kind] += words
    checks = {word: kind for kind in CHECKS for word in lists[kind.value]}
    deeds = {word: kind for kind in DEEDS for word in lists[kind.value]}
    korean = {word: kind for kind in DEEDS for word in lists[f"ko_{kind.value}"]}
    nouns = korean | {word: kind for kind in DEEDS for word in lists[f"noun_{kind.value}"]}
    places = {word: kind for kind in DEEDS for word in lists[f"at_{kind.value}"]}
    terms = {term: frozenset(lists[term.value]) for term in Term}
    bits = {term: 1 << number for number, term in enumerate(Term)}
    listed = [*checks, *deeds, *nouns, *places, *(word for term in Term for word in terms[term])]
    hits = (*deeds, *nouns, *places, *(word for term in OUTCOMES for word in terms[term]))
    return Vocabulary(
        checks=checks,
        deeds=deeds,
        nouns=nouns,
        places=places,
        words=terms,
        numbers={word: number for number, word in enumerate(lists[Term.NUMBERS.value])},
        bits=bits,
        roles=_roles(terms, bits),
        phrases=_phrases(word for word in listed if word not in terms[Term.PLAN]),
        stems=frozenset(word for word in listed if not word[0].isascii() and " " not in word),
        outcomes=compiled("|".join((*_words(dict.fromkeys(hits)), RATIO)), groups=False),
        tokens=compiled(TOKEN, groups=False),
        korean_doubts=_any_word(terms[Term.KO_UNREAL] | terms[Term.KO_DENIED]),
        korean_conditions=_any_word(terms[Term.KO_CONDITION]),
    )


def only_supposes(rest: str) -> bool:
    """Return whether the rest of a sentence makes what it tells a condition, a plan or a denial, whoever it is of."""
    words = vocabulary()
    tokens = set(map(str.lower, words.tokens.findall(rest))) - PAST
    return not words[Term.CONDITION].isdisjoint(tokens) or any(map(rest.__contains__, words[Term.KO_CONDITION]))


def _any_word(words: Iterable[str]) -> Pattern:
    """Return what finds any of some Korean words, as they stand."""
    return compiled("|".join(sorted(words, reverse=True)), ignore_case=False, groups=False)


def _roles(terms: Mapping[Term, frozenset[str]], bits: Mapping[Term, int]) -> dict[str, int]:
    roles: dict[str, int] = defaultdict(int)
    for term, listed in terms.items():
        for word in listed:
            roles[word] |= bits[term]
    return dict(roles)


def _phrases(words: Iterable[str]) -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """Return the listed words that are several, by their first, the longest first."""
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
    for phrase in dict.fromkeys(words):
        parts = tuple(
            part for word in phrase.split() for part in (*"-" * (len(word) - len(word.lstrip("-"))), word.lstrip("-"))
        )
        if len(parts) > 1:
            phrases[parts[0]].append((parts, phrase))
    return {first: tuple(sorted(listed, key=lambda known: -len(known[0]))) for first, listed in phrases.items()}


OUTCOMES = (
    Term.PASSES,
    Term.FAILS,
    Term.TROUBLE,
    Term.KO_PASSES,
    Term.KO_TROUBLE,
    Term.MEASURES,
    Term.SCOPE,
    Term.BUILT,
)
RATIO = r"\d\s?/\s?\d|\d of \d"  # 45/45


def _words(words: Iterable[str]) -> Iterator[str]:
    """Yield what finds some words, the longest first; Latin ones stand alone."""
    for word in sorted(words, key=len, reverse=True):
        yield rf"\b{word}\b" if word[0].isascii() else word


def _lines() -> Iterator[tuple[str, list[str]]]:
    """Yield the kinds of the list with their words; raises ConfigurationError for a line that has none."""
    forms = ("{}", "ko_{}", "noun_{}", "at_{}")
    kinds = {*Term, *CHECKS, *(form.format(kind.value) for kind in DEEDS for form in forms)}
    text = (files("mama_bot.enforcement.claims") / "words" / NAME).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        kind, _, words = line.partition(" ")
        if kind not in kinds or not words.strip():
            problem = f"{line!r} is no entry: write a kind, a space, and words divided by commas."
            raise ConfigurationError(problem=problem, file=Path(NAME), line=number)
        # A space at the end belongs to a Korean word that must stand alone.
        yield kind, [word.removeprefix(" ") for word in words.split(",") if word.strip()]
