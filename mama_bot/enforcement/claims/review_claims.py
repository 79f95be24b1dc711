"""The claim that reviewers approved: the service knows its own reviews."""

from collections.abc import Iterator
from functools import cache

from mama_bot.enforcement.claims.vocabulary import Term, only_supposes, vocabulary
from mama_bot.model import Claim, ClaimKind
from mama_bot.text.patterns import CompiledWhenAsked, compiled
from mama_bot.wording.language import has_hangul

GIVEN = compiled(r"^(?:을|를|도)? ?(?:했|하였|됐|되었|받았|얻었|완료|함|됨|받음)")  # 승인했습니다, 승인을 받았습니다


@cache
def approvals_of() -> CompiledWhenAsked:
    """Return what finds that reviewers approved: "approved by the reviewer", "리뷰어가 승인"."""
    terms = (Term.REVIEWERS, Term.APPROVES, Term.KO_REVIEWERS, Term.KO_APPROVES)
    reviewers, approve, korean, approval = ("|".join(sorted(vocabulary()[term], reverse=True)) for term in terms)
    return compiled(
        rf"\b(?:{approve}) by (?:the |our |my |both )?(?:{reviewers})\b"
        rf"|\b(?:{reviewers}) (?:has |have |also |now |already )*(?:{approve})\b"
        rf"|(?:{korean})(?:가|이|도|들이|의)? ?(?:이미 |최종 |모두 )?(?:{approval})",
        groups=False,
    )


def review_assertions(masked: str) -> Iterator[Claim]:
    """Yield where a sentence says, as it is, that a reviewer approved."""
    told = [*approvals_of().finditer(masked)]
    if not told or only_supposes(approvals_of().sub(" ", masked)):
        return
    for match in told:
        if not has_hangul(match.group()) or GIVEN.search(masked[match.end() :]) is not None:
            yield Claim(kind=ClaimKind.REVIEWED, start=match.start(), end=match.end())
