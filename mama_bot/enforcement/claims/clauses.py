"""Clauses: the parts of a sentence, each with whether anything in it takes its assertions away."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mama_bot.enforcement.claims.sentence_tokens import SentenceToken
from mama_bot.enforcement.claims.vocabulary import Term, Vocabulary

WEAK = frozenset((",", "and", "(", ":", "&", ""))  # a condition goes on behind them
JOINED = frozenset(("and", "&"))  # a negation goes on behind them
BOUNDARIES = frozenset(",;:—–-(|)&→.") | {"and", "but", "then", "so"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimClause:
    """Tokens between two boundaries, which begin `at` a place of the `sentence`.

    `opening` is the boundary before them, `is_real` says that nothing takes the assertions back.
    """

    sentence: Sequence[SentenceToken]
    at: int
    tokens: Sequence[SentenceToken]
    opening: str
    is_real: bool
    is_first: bool


def clauses_of(tokens: Sequence[SentenceToken], masked: str, words: Vocabulary) -> Iterator[ClaimClause]:
    """Yield the clauses of a sentence in order."""
    unreal = denied = False
    first = True
    for opening, begun, part in _parts(tokens):
        roles = 0
        for token in part:
            roles |= token.roles
        unreal = (unreal and opening in WEAK) or bool(roles & words.bits[Term.UNREAL])
        denied = (denied and opening in JOINED) or bool(roles & words.bits[Term.DENIED])
        text = masked[part[0].start : part[-1].end] if part else ""
        korean = not text.isascii() and words.korean_doubts.search(text) is not None
        is_real = not (unreal or denied or korean)
        yield ClaimClause(sentence=tokens, at=begun, tokens=part, opening=opening, is_real=is_real, is_first=first)
        first = first and not any(token.word[0].isalnum() for token in part)


def _parts(tokens: Sequence[SentenceToken]) -> Iterator[tuple[str, int, Sequence[SentenceToken]]]:
    opening, begun = "", 0
    for place, token in enumerate(tokens):
        if token.word in BOUNDARIES:
            if place > begun:
                yield opening, begun, tokens[begun:place]
            opening, begun = token.word, place + 1
        elif token.connects:
            yield opening, begun, tokens[begun : place + 1]
            opening, begun = "", place + 1
    if begun < len(tokens):
        yield opening, begun, tokens[begun:]
