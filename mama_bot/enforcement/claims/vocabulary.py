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
from mama_bot.text.patterns import Pattern, compiled

NAME = "claims.txt"
CHECKS = (ClaimKind.TESTS, ClaimKind.BUILD, ClaimKind.TYPES, ClaimKind.LINT, ClaimKind.FORMAT)
TOKEN = (
    rf"{MASK}+"  # `pytest -q`, masked
    r"|\b[0-9a-f]{7,40}\b"  # 3fa2c1d
    r"|[A-Za-z][\w'-]*(?:[./][\w-]+)*"  # isn't, src/pay.py
    r"|\d[\d,]*(?:\.\d+)?(?:\s?/\s?\d[\d,]*)?"  # 1,351, 45/45
    r"|[가-힣]+|[^\s\w]"  # 통과했습니다
)
DEEDS = (
    *(ClaimKind.COMMITTED, ClaimKind.PUSHED, ClaimKind.MERGED, ClaimKind.PUBLISHED, ClaimKind.DEPLOYED),
    *(ClaimKind.CREATED, ClaimKind.CHANGED, ClaimKind.DELETED),
    *(ClaimKind.CHECKED, ClaimKind.RAN, ClaimKind.REPRODUCED),
)


class Term(StrEnum):
    """What a list of words is for, beside the kinds of claims."""

    PASSES = "passes"
    FAILS = "fails"
    KO_PASSES = "ko_passes"
    KO_FAILS = "ko_fails"
    NEUTRAL = "neutral"
    PART = "part"
    WHOLE = "whole"
    FOLLOWS = "follows"
    CONDITION = "condition"
    KO_CONDITION = "ko_condition"
    PLAN = "plan"
    ADMITS = "admits"
    REVIEWERS = "reviewers"
    APPROVES = "approves"
    KO_REVIEWERS = "ko_reviewers"
    KO_APPROVES = "ko_approves"


@dataclass(frozen=True)
class Vocabulary:
    """The lists: what a word speaks of (`checks`), what it says was done (`deeds`), and sets of words by term."""

    checks: Mapping[str, ClaimKind]
    deeds: Mapping[str, ClaimKind]
    korean_deeds: Mapping[str, ClaimKind]
    words: Mapping[Term, frozenset[str]]
    outcomes: Pattern
    korean_outcomes: Pattern
    korean_checks: Pattern
    reviews: Pattern
    tokens: Pattern

    def __getitem__(self, term: Term) -> frozenset[str]:
        return self.words[term]


@cache
def vocabulary() -> Vocabulary:
    """Return the words of claims of the package, read and compiled once."""
    lists: dict[str, list[str]] = defaultdict(list)
    for kind, words in _lines():
        lists[kind] += words
    checks = {word: kind for kind in CHECKS for word in lists[kind.value]}
    deeds = {word: kind for kind in DEEDS for word in lists[kind.value]}
    korean_deeds = {word: kind for kind in DEEDS for word in lists[f"ko_{kind.value}"]}
    terms = {term: frozenset(lists[term.value]) for term in Term}
    conditions = (word for term in (Term.CONDITION, Term.NEUTRAL) for word in terms[term])
    phrases = _words(word for word in (*checks, *conditions) if " " in word)
    return Vocabulary(
        checks=checks,
        deeds=deeds,
        korean_deeds=korean_deeds,
        words=terms,
        outcomes=_any_of((*terms[Term.PASSES], *terms[Term.FAILS], *deeds)),
        korean_outcomes=_any_of((*terms[Term.KO_PASSES], *korean_deeds)),
        korean_checks=_any_of(word for word in checks if not word.isascii()),
        reviews=_reviews(terms),
        tokens=compiled("|".join((*phrases, TOKEN)), groups=False),
    )


def _any_of(words: Iterable[str]) -> Pattern:
    return compiled("|".join(_words(words)), groups=False)


def _reviews(terms: Mapping[Term, frozenset[str]]) -> Pattern:
    """Return what finds that reviewers approved: "approved by the reviewer", "리뷰어가 승인"."""
    reviewers, approves = ("|".join(sorted(terms[term], reverse=True)) for term in (Term.REVIEWERS, Term.APPROVES))
    korean, approve = ("|".join(sorted(terms[term], reverse=True)) for term in (Term.KO_REVIEWERS, Term.KO_APPROVES))
    return compiled(
        rf"\b(?:{approves}) by (?:the |our |my |both )?(?:{reviewers})\b"
        rf"|\b(?:{reviewers}) (?:has |have |also |now |already )*(?:{approves})\b"
        rf"|(?:{korean})(?:가|이|도|들이|의)? ?(?:이미 |최종 |모두 )?(?:{approve})",
        groups=False,
    )


def _words(words: Iterable[str]) -> Iterator[str]:
    """Yield what finds some words, the longest first; Latin ones stand alone."""
    for word in sorted(words, key=len, reverse=True):
        yield rf"\b{word}\b" if word[0].isascii() else word


def _lines() -> Iterator[tuple[str, list[str]]]:
    """Yield the kinds of the list with their words; raises ConfigurationError for a line that has none."""
    kinds = {*(kind.value for kind in (*CHECKS, *DEEDS)), *(f"ko_{kind.value}" for kind in DEEDS), *Term}
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
