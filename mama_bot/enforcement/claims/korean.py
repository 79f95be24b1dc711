"""Claims in Korean sentences: a noun of a check or a deed, with an ending that says it is so or was done."""

from collections.abc import Iterator

from mama_bot.enforcement.claims.assertions import Assertion
from mama_bot.enforcement.claims.english import file_names_in
from mama_bot.enforcement.claims.vocabulary import CHECKS, DEEDS, Term, vocabulary
from mama_bot.model import NO_COUNTS, ClaimKind, Counts
from mama_bot.text.patterns import Match, compiled

FATES = frozenset((ClaimKind.CREATED, ClaimKind.CHANGED, ClaimKind.DELETED))
# What stands behind "통과" where it is told as it is, and behind "커밋" where it was done.
STATED = compiled(
    r"^(?:했|하였|됐|되었)?(?:습니다|어요|다|음)|^(?:합니다|해요|한다|함|됨|됩니다|입니다|이에요|예요|이다|임)"
    r"|^(?:했|하였|됐|되었)(?:고|으며|는데|지만)"  # 통과했고
    r"|^[\s)\]*_.,!✅:(|]|^$"  # 통과.
)
DONE = compiled(
    r"^(?:을|를|도|까지)? ?(?:모두 |전부 |다 )?(?:완료)?(?:했|하였|됐|되었|해 ?두었|해 ?뒀|해 ?놓았)"
    r"(?:습니다|어요|다|음|고|으며|는데|지만)"  # 커밋했습니다
    r"|^(?:함|됨)(?:$|[\s.,)])"  # 커밋함
    r"|^(?:을|를)? ?(?:및 [가-힣]+ )?완료(?:$|[\s.,)!]|했|됐|되었|함|됨|입니다)"  # 커밋 및 푸시 완료
    r"|^(?:하고|및|[/·,]) ?(?:푸시|머지|배포|커밋)\S*(?:했|하였|완료)"  # 커밋하고 푸시했습니다
)
PAST = compiled(r"^(?:습니다|어요|다|음|고|으며|는데|지만)")  # 만들었 + 습니다
FIGURES = compiled(  # 42개 테스트 모두
    r"(\d[\d,]*) ?(?:개|건)?(?:의|가|는|은)? ?(?:테스트|케이스)?(?:가|는|은|를)? ?(?:모두|전부|전체|다)? ?$"
)
RATIO = compiled(r"(\d[\d,]*) ?/ ?(\d[\d,]*)[^\d]{0,12}$")  # 42/42
FAILED = compiled(r"(\d[\d,]*) ?(?:개|건)?(?:는|가|의)? ?(?:테스트)?(?:는|가|이)? ?실패|실패 ?:? ?(\d[\d,]*)")
CLAUSE = compiled(r"(?:[,;:(|—–]|[고며] |지만 |는데 |\. )")
NEAR = 40
HANGUL, FINALS, DOUBLE_S = 0xAC00, 28, 20  # how Unicode composes a syllable
BEFORE_FILES = 80


def korean_assertions(masked: str, raw: str, *, is_row: bool = False) -> Iterator[Assertion]:
    """Yield what a Korean sentence asserts; `masked` has its code masked, `raw` is the same sentence as written."""
    words = vocabulary()
    if masked.rstrip().endswith("?") or any(word in masked for word in words[Term.KO_CONDITION]):
        return
    told = 0
    for match in words.korean_outcomes.finditer(masked):
        kind = words.korean_deeds.get(match.group())
        if kind is None:
            yield from _outcome(masked, match, told)
            told = match.end()
        elif not is_row:
            yield from _deed(masked, raw, match, kind)


def _outcome(masked: str, match: Match, told: int) -> Iterator[Assertion]:
    """Yield the checks that stand before an outcome, and behind the one that was told before it."""
    if STATED.search(masked[match.end() :]) is None:
        return
    words = vocabulary()
    shift = max(told, match.start() - NEAR)
    before = masked[shift : match.start()]
    nouns = [*words.korean_checks.finditer(before)]
    kinds = dict.fromkeys(words.checks[noun.group()] for noun in nouns)
    start = shift + nouns[0].start() if nouns else match.start()
    counts, total = _counts(before, masked)
    for kind in kinds or ({ClaimKind.TESTS: None} if counts != NO_COUNTS and "테스트" in masked else {}):
        of_tests = kind is ClaimKind.TESTS
        around = masked[start : match.start()]
        yield Assertion(
            kind=kind,
            start=start,
            end=match.end(),
            counts=counts if of_tests else NO_COUNTS,
            total=total if of_tests else None,
            fails=of_tests and bool(counts.failed),
            whole=any(word in around for word in words[Term.WHOLE] if not word.isascii()),
            part=any(word in around for word in words[Term.PART] if not word.isascii()),
        )


def _counts(before: str, sentence: str) -> tuple[Counts, int | None]:
    """Return the figures right before an outcome, and those of a failure beside it: "42개 통과, 3개 실패"."""
    passed = total = None
    ratio, figure = RATIO.search(before), FIGURES.search(before)
    if ratio is not None:
        passed, total = _number(ratio.group(1)), _number(ratio.group(2))
    elif figure is not None:
        passed = _number(figure.group(1))
    failed = FAILED.search(sentence)
    wrong = _number(failed.group(1) or failed.group(2)) if failed is not None else None
    if passed is None:
        return NO_COUNTS, None
    return Counts(passed=passed, failed=wrong or None), total


def _number(text: str) -> int:
    return int(text.replace(",", "")[:7])


def _deed(masked: str, raw: str, match: Match, kind: ClaimKind) -> Iterator[Assertion]:
    ending = PAST if _is_past(match.group()) else DONE
    if ending.search(masked[match.end() :]) is None or kind not in DEEDS or kind in CHECKS:
        return
    clause = masked[: match.start()]
    begun = max([0, *(boundary.end() for boundary in CLAUSE.finditer(clause))])
    names = file_names_in(raw[max(begun, match.start() - BEFORE_FILES) : match.start()])
    if kind in FATES:
        if names:
            yield Assertion(kind=kind, start=begun, end=match.end(), subjects=names)
        return
    yield Assertion(kind=kind, start=begun, end=match.end(), subjects=names)


def _is_past(word: str) -> bool:
    """Return whether a word is a verb in the past without its ending: its last syllable ends in ㅆ."""
    return (ord(word[-1]) - HANGUL) % FINALS == DOUBLE_S
