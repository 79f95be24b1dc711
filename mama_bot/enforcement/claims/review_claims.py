"""The claim that reviewers approved: the service knows its own reviews."""

from collections.abc import Iterator

from mama_bot.enforcement.claims.assertions import Assertion
from mama_bot.enforcement.claims.korean import DONE
from mama_bot.enforcement.claims.vocabulary import Term, vocabulary
from mama_bot.model import ClaimKind
from mama_bot.wording.language import has_hangul

GOT = ("을 받았", "받았", "을 얻었", " 받음", "받음")  # 승인을 받았습니다


def review_assertions(masked: str) -> Iterator[Assertion]:
    """Yield where a sentence says, as it is, that a reviewer approved."""
    words = vocabulary()
    told = [*words.reviews.finditer(masked)]
    if not told or masked.rstrip().endswith("?") or _is_conditional(masked):
        return
    for match in told:
        after = masked[match.end() :]
        if not has_hangul(match.group()) or DONE.search(after) is not None or after.lstrip().startswith(GOT):
            yield Assertion(kind=ClaimKind.REVIEWED, start=match.start(), end=match.end())


def _is_conditional(masked: str) -> bool:
    """Return whether a sentence only supposes, plans or denies something, whoever it speaks of."""
    words = vocabulary()
    plain = words.reviews.sub(" ", masked)
    conditions = words[Term.CONDITION] - {"was", "were", "which", "who"}
    if any(token in conditions for token in (match.group().lower() for match in words.tokens.finditer(plain))):
        return True
    return any(word in plain for word in words[Term.KO_CONDITION])
