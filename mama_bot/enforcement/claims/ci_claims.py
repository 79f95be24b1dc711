"""The claim that CI is green or red: the service asks the forge itself."""

from collections.abc import Iterator
from functools import cache

from mama_bot.enforcement.claims.vocabulary import Term, only_supposes, vocabulary
from mama_bot.model import Claim, ClaimKind
from mama_bot.text.patterns import CompiledWhenAsked, compiled


@cache
def ci_outcomes() -> CompiledWhenAsked:
    """Return what finds that CI came out: "CI is green", "GitHub Actions failed", "CI가 모두 통과"."""
    terms = (Term.CI, Term.CI_PASSES, Term.CI_FAILS, Term.KO_CI_PASSES, Term.KO_CI_FAILS)
    named, passes, fails, korean, trouble = ("|".join(sorted(vocabulary()[term], reverse=True)) for term in terms)
    return compiled(
        rf"\b(?:{named})(?: (?:run|runs|checks|pipeline|build|job|jobs))?"
        rf"(?: (?:is|are|has|have|now|all|again|still|also|currently|completely|fully))* "
        rf"(?:({passes})|({fails}))\b"
        rf"|\b(?:{named})(?:가|이|는|은|도|의)? ?(?:검사|체크|빌드)?(?:가|이|는|은|도)? ?"
        rf"(?:모두 |전부 |다시 |현재 |이제 )*"
        rf"(?:({korean})|({trouble}))"
    )


def ci_assertions(masked: str) -> Iterator[Claim]:
    """Yield where a sentence says, as it is, how CI came out."""
    told = [*ci_outcomes().finditer(masked)]
    if not told or only_supposes(ci_outcomes().sub(" ", masked)):
        return
    for match in told:
        fails = bool(match.group(2) or match.group(4))
        yield Claim(kind=ClaimKind.CI, start=match.start(), end=match.end(), fails=fails, plain=False)
