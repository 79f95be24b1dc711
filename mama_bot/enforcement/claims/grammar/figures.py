"""The figures of tests in a clause: passed, failed, skipped, and of how many."""

from dataclasses import dataclass, replace

from mama_bot.model.runs import NO_COUNTS, Counts
from mama_bot.text.patterns import Match, Pattern, compiled

N = r"(\d{1,3}(?:,\d{3})+|\d{1,6})"
WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen")
NW = rf"({N[1:-1]}|{'|'.join(WORDS)})"
UNIT = r"(?:(?:of (?:the|them|those)|unit|integration|e2e|regression|new|existing|tests?|specs?|test cases?|cases?|"
UNIT += r"scenarios?|examples?|are|were|have|has|all|now|still|테스트|건|개)[ ]+){0,4}"
STATE = (
    r"(passed|passing|passes|pass|succeeded|successful|green|ok|failed|failures?|failing|fails?|red|errored|errors?|"
    r"skipped|skips?|deselected|xfailed|pending|ignored|collected|selected|run|ran|total)\b"
)
AFTER = compiled(rf"(?:^|[^\w.,:/-]){N} {UNIT}{STATE}")
BEFORE = compiled(
    rf"\b(passed|passing|pass|succeeded|failed|failures?|fails?|errors?|skipped|deselected|total|tests run|ran)"
    rf"[\"' ]*[:=]?[ ]*{N}\b"
)
RATIO = compiled(
    rf"(?:^|[^\w.,:/#-]){NW}(?: ?/ ?| of (?:the |all |our )?| out of (?:the |all )?){NW}(?:$|[^\w/-]|[.,](?:\s|$))"
)
ALL = compiled(rf"\b(?:all|every one of the|the) (?:of the |the |our |these |those )?{N}\b")
TOTAL = compiled(
    rf"(?:^|[^\w.,:/-]){NW} (?:unit |integration |e2e |regression |new |existing |jest |vitest |mocha |pytest )*"
    r"(?:tests?|specs?|cases?|checks|assertions|scenarios|examples)\b"
)
KOREAN = compiled(
    rf"(?:^|[^\w.,:/-]){N} ?(?:개|건|종|가지|케이스)?(?:의)? ?(?:테스트|케이스|항목|시나리오)?(?:가|이|은|는|를|을|"
    rf"도|만|에)? ?"
    r"(?:모두|전부|전체|다|싹 ?다|정상|다 ?같이|올)? ?(?:정상 ?)?(통과|성공|패스|실패|에러|오류|스킵|건너뜀|제외|"
    r"실행|수집|그린|ok\b|green|"
    r"pass(?:ed)?\b)"
)
KOREAN_BEFORE = compiled(
    rf"(통과|성공|실패|에러|오류|스킵|건너뜀|건너뛴|스킵된|제외)[ :은는이가=]*{N}(?: ?(?:개|건)|\b)"
)
KOREAN_PART = compiled(
    rf"{N} ?(?:개|건|종|가지)?의? ?(?:테스트|케이스)? ?중(?:에서?)?[ *]*{N} ?(?:개|건|종|가지)?(?:만|가|이|은|는|를|"
    rf"을)? ?(?:\S+ )??(통과|성공|정상|"
    r"실패)"
)
KOREAN_TOTAL = compiled(rf"(?:^|[^\w.,:/-]){N} ?(?:개|건)(?:의)? ?(?:단위 |통합 |회귀 )?(?:테스트|케이스)")
KOREAN_TOTAL_AFTER = compiled(rf"(?:테스트|케이스|스위트)\S{{0,3}} (?:총 |전체 |모두 )?{N} ?(?:개|건)")
FIELDS = (
    ("passed", ("pass", "succ", "green", "ok", "통과", "성공", "패스", "그린", "정상")),
    ("failed", ("fail", "red", "실패")),
    ("errors", ("err", "에러", "오류")),
    ("skipped", ("skip", "pend", "ignor", "스킵", "건너")),
    ("deselected", ("desel", "제외")),
    ("collected", ("coll", "ran", "run", "tests run", "실행", "수집")),
)
MOST = 20
DIGITS = frozenset("0123456789")


@dataclass(frozen=True, slots=True)
class Figures:
    """What a clause says in figures; `fails` when it names failures or a part of a whole."""

    counts: Counts = NO_COUNTS
    total: int | None = None
    stated: bool = False

    @property
    def any(self) -> bool:
        """Whether it holds a figure at all."""
        return self.counts != NO_COUNTS or self.total is not None

    @property
    def fails(self) -> bool:
        """Whether something failed by them."""
        counts = self.counts
        if counts.failed or counts.errors:
            return True
        return (
            self.total is not None
            and counts.passed is not None
            and counts.passed < self.total - (counts.skipped or 0) - (counts.deselected or 0)
        )


def figures_in(text: str, *, of_tests: bool) -> Figures:
    """The figures of tests in a clause; with `of_tests`, those too that only a word for tests explains."""
    if DIGITS.isdisjoint(text) and not of_tests and " of " not in text:
        return Figures()
    if any(word in text for word in ("스위트", "파일", "패키지", "uite", "ile", "ackage")):
        # How many suites or files there are says nothing of how many tests.
        text = OF_SUITES.sub(lambda match: " " * len(match.group()), text)
    text = OF_THINGS.sub(lambda match: " " * len(match.group()), text)
    part = KOREAN_PART.search(text) if "중" in text else None
    if part is not None:
        counts = put(NO_COUNTS, part.group(3), number(part.group(2)))
        return Figures(counts, number(part.group(1)), stated=True)
    counts, total, stated = counted(text, of_tests=of_tests)
    ratio = next(iter(listed(RATIO, text)[::-1]), None) if of_tests or stated else None
    if ratio is not None:
        first, second = number(ratio.group(1)), number(ratio.group(2))
        if first <= second and counts.passed in (None, first, second):
            total = second
            counts = replace(counts, passed=first)
            stated = stated or first == second
    elif (bare := RATIO.search(text) if BARE_RATIO.match(text) is not None else None) is not None:
        first, second = number(bare.group(1)), number(bare.group(2))
        if first == second:
            return Figures(replace(counts, passed=first), first, stated=True)
    if "xfail" in text:
        # What is expected to fail is neither passed nor failed, and no part that is missing from a whole.
        return Figures(counts, None, stated)
    if total is None and of_tests:
        whole = next((found for pattern in WHOLES if (found := pattern.search(text)) is not None), None)
        total = number(whole.group(1)) if whole is not None else None
    return Figures(counts, total, stated)


OF_SUITES = compiled(
    r"\d+ ?개?의? ?(?:테스트 )?(?:스위트|파일|패키지)(?:\S{0,2} 중(?:에서?)? \d+ ?개? ?(?:실패|통과)?)?|"
    r"\b\d+ (?:of (?:the )?\d+ )?(?:test )?(?:suites?|files?|packages?)\b(?: (?:passed|failed|green)\b)?"
)
OF_THINGS = compiled(
    r"(?:요청|호출|레코드|메시지|주문|이벤트|재시도|쿼리|응답|사용자|행|입력|작업|할 ?일) ?\d+ ?(?:개|건|회|"
    r"명)?(?: ?모두| ?전부| ?다)? ?"
    r"(?:성공|실패|통과|처리|완료)?"
)
BARE_RATIO = compiled(
    r"^\W*(?:[\w@/.-]+\s{2,})?\d+ ?(?:/|of|out of) ?\d+\b.{0,60}(?:\bin \d+(?:\.\d+)? ?m?s\b|skip|스킵|green|통과|"
    r"pass|fail|실패)|"
    r"^\W*[\w@/.-]+[: ] ?\d+/\d+(?:[,;·] [\w@/.-]+[: ] ?\d+/\d+)+\W*$|"
    r"^\W*(?:(?:we|it)(?:'re| are|'s| is)|now|currently|still|result:?)(?: now| still)?(?: at)? \d+ ?/ ?\d+[.!]?\s*$"
)
WHOLES = (ALL, TOTAL, KOREAN_TOTAL, KOREAN_TOTAL_AFTER)


BESIDE = compiled(r"\d+ (?:are |were )?(?:skipped|failed|fail|failing|ignored|red)\b")
VERBS = frozenset(("pass", "passes", "fail", "fails", "run", "ran", "ok", "red", "green"))


def counted(text: str, *, of_tests: bool) -> tuple[Counts, int | None, bool]:
    """The figures with a state beside them, the total, and whether any of them says how tests came out."""
    counts = NO_COUNTS
    total: int | None = None
    stated = False
    for pattern, value, state in ((AFTER, 1, 2), (KOREAN, 1, 2), (BEFORE, 2, 1), (KOREAN_BEFORE, 2, 1)):
        for match in listed(pattern, text):
            verb = match.group(state).lower()
            if not of_tests and match.group().isascii() and verb in VERBS and BESIDE.search(text) is None:
                continue  # "those divisible by 7 pass"
            if match.group(state).lower() == "total":
                total = total if total is not None else number(match.group(value))
                continue
            counts = put(counts, match.group(state), number(match.group(value)))
            stated = stated or value == 1 or counts.passed is not None or counts.failed is not None
    return counts, total, stated


def listed(pattern: Pattern, text: str) -> list[Match]:
    """The first matches of a pattern."""
    found: list[Match] = []
    for match in pattern.finditer(text):
        found.append(match)
        if len(found) >= MOST:
            break
    return found


def put(counts: Counts, state: str, value: int) -> Counts:
    """Counts with one figure more; what was said first stays."""
    low = state.lower()
    for field, stems in FIELDS:
        if low.startswith(stems):
            return counts if getattr(counts, field) is not None else replace(counts, **{field: value})
    return counts


def number(digits: str) -> int:
    """A number as it is written, in digits or as an English word."""
    low = digits.lower()
    return WORDS.index(low) + 2 if low in WORDS else int(digits.replace(",", ""))


def without_figures(text: str) -> str:
    """A clause without the figures of tests and the states beside them."""
    for pattern in (AFTER, KOREAN, BEFORE, KOREAN_BEFORE):
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    return text
