"""Figures that were measured: "from 167.6 ms to 9.8 ms", "recall 0.91", "0.478초에서 0.012초로 개선"."""

from collections.abc import Iterator
from itertools import pairwise

from mama_bot.enforcement.claims.clauses import ClaimClause
from mama_bot.enforcement.claims.sentence_tokens import in_lists
from mama_bot.enforcement.claims.vocabulary import Term
from mama_bot.model import Claim, ClaimKind


def measures_in(clause: ClaimClause) -> Iterator[Claim]:
    """Yield a claim with the measured figures of a clause, as its subjects, where it says that they were measured."""
    tokens = clause.tokens
    if not any(in_lists(token, Term.MEASURES) for token in tokens):
        return
    pairs = pairwise(tokens)
    measured = [(value, unit) for value, unit in pairs if value.value is not None and in_lists(unit, Term.UNITS)]
    if measured:
        yield Claim(
            kind=ClaimKind.BENCHMARK,
            start=measured[0][0].start,
            end=measured[-1][1].end,
            subjects=tuple(f"{value.word} {unit.stem}" for value, unit in measured),
            plain=False,
        )
    elif ratios := [token for token in tokens if token.value is not None and "." in token.word]:
        yield Claim(
            kind=ClaimKind.BENCHMARK,
            start=ratios[0].start,
            end=ratios[-1].end,
            subjects=tuple(token.word for token in ratios),
            plain=False,
        )
