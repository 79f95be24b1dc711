"""Checks that are run and how they came out: named beside their outcome, counted, or only a topic with a tick."""

from dataclasses import dataclass
from itertools import islice

from mama_bot.config import EvidenceStrength
from mama_bot.text.lexicon import Kind, Lexicon
from mama_bot.text.patterns import Match, compiled

MOST_FOUND = 20
COUNT = r"(\d{1,3}(?:,\d{3})+|\d{1,6})"  # 1,200 or 1200
FRACTION = compiled(
    rf"\b{COUNT}\s?(?:/|of|out of|중)\s?(?:the )?{COUNT}"  # 11/12, 11 of the 12
    r"(?:개|건|회|번)?(?: 중)?(?:\b|[^\d])"
)
CHECKED = compiled(
    r"test|spec|check|\be2e\b|\bci\b|\bok\b|\bunit|integration|smoke"
    r"|유닛|단위|통합|회귀|검증|재현"
    r"|pass|suite|case|scenario|assert|green|job|succe"
    r"|테스트|통과|성공|검사|케이스|시나리오|잡|시험"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of a statement that says something about a check; `kind` is a strength, `contradiction` or `void`."""

    kind: str
    start: int
    end: int


def strongest_piece(clause: str, begin: int, lexicon: Lexicon) -> Piece | None:
    """Return the strongest evidence in a clause; what a program does by itself (`it retries twice`) is no evidence."""
    if BEHAVES.search(clause) is not None and ACTED.search(clause) is None:
        return None
    concrete = lexicon[Kind.CONCRETE].search(clause) or complete_fraction(clause)
    if concrete is not None:
        return Piece(EvidenceStrength.CONCRETE.value, begin + concrete.start(), begin + concrete.end())
    named = lexicon[Kind.NAMED_CHECK].search(clause)
    if named is not None and not (CRITERIA.search(clause) is not None and lexicon[Kind.CHECK].search(clause) is None):
        return Piece(EvidenceStrength.NAMED_CHECK.value, begin + named.start(), begin + named.end())
    checked = outcome_span(clause, lexicon)
    if checked is not None:
        return Piece(EvidenceStrength.NAMED_CHECK.value, begin + checked[0], begin + checked[1])
    word = lexicon[Kind.WORD].search(clause)
    return Piece(EvidenceStrength.WORD.value, begin + word.start(), begin + word.end()) if word is not None else None


NOTHING_THERE = r"(?:(?:it|there|the|an?|no) )?(?:\S+ )?(?:is |are )?(?:empty|none|nothing|missing)"
BEHAVES = compiled(
    r"\b(?:shows?|returns?|prints?|reports?|displays?|renders?|answers?)\b"  # it shows a hint when the list is empty
    rf"[^.\n]{{0,40}}\b(?:when|if|for|on|with) {NOTHING_THERE}\b"
    r"|\b(?:jobs?|workers?|tasks?|clients?|it) (?:then |also |now )?"  # the job then retries
    r"(?:retries|backs off|waits|sleeps|polls|skips)\b"
    r"|(?:잡|작업|워커|클라이언트)(?:은|는|이|가) [^.\n]{0,30}(?:재시도|대기|기다|건너)"  # 잡은 3번 재시도
    r"|(?:비어 ?있|없)으면 [^.\n]{0,40}(?:표시|반환|출력|보여|돌려)"  # 비어 있으면 빈 목록을 표시
)
ACTED = compiled(
    r"\b(?:i|we|my|ran|re-?ran|tested|verified|checked|confirmed|tried|saw|passed|passes|pass|passing|suite"
    r"|asserts?)\b"
    r"|봤|확인|돌렸|돌려|실행했|시험|재현|통과|테스트"
)
CRITERIA = compiled(r"기준|항목|요구|요건|조건|체크리스트|\b(?:criteria|criterion|requirements?|checklist|my review)\b")


def outcome_span(clause: str, lexicon: Lexicon) -> tuple[int, int] | None:
    """Return the span in which a clause names a check and its outcome: `unit tests ... passed`; None without one."""
    compares = COMPARES.search(clause) is not None
    outcomes = [
        (match.start(), match.end())
        for match in islice(lexicon[Kind.OUTCOME].finditer(clause), MOST_FOUND)
        if compares or CHANGELESS.match(match.group()) is None
    ]
    if not outcomes:
        return None
    for check in islice(lexicon[Kind.CHECK].finditer(clause), MOST_FOUND):
        for begin, end in outcomes:
            between = clause[check.end() : begin] if begin >= check.start() else clause[end : check.start()]
            if begin < check.end() and end > check.start():
                continue
            if WEAK.search(clause[begin:end]) and READ.search(clause[max(0, check.start() - 40) : begin]):
                continue
            if is_no_run(clause, check):
                continue
            ahead = begin < check.start()
            if ahead and "," in between:
                continue
            if is_topic(clause, check, begin, end):
                continue
            if (
                len(between) <= (NEAR if ahead else FAR)
                and LOOKED_AT.search(between + clause[check.end() : check.end() + 12] * ahead) is None
            ):
                return min(begin, check.start()), max(end, check.end())
    return None


def is_no_run(clause: str, check: Match) -> bool:
    """Whether the name of a check stands for something that is not run: a checklist, own criteria, an addition."""
    if VAGUE.fullmatch(check.group()) is not None or clause[check.end() :].startswith("리스트"):
        return True
    before = clause[max(0, check.start() - 40) : check.start()]
    return ADDED.search(before) is not None or (
        check.group().lower() in ("check", "checks") and before.rstrip().lower().endswith(" my")
    )


# That nothing was changed is an outcome of what compares, and of nothing else.
CHANGELESS = compiled(r"변경|(?:no|zero|without|free of) (?:\S+ )?changes")
COMPARES = compiled(
    r"\b(?:plan|diff\w*|snapshots?|golden|format\w*|prettier|black|ruff|gofmt|rustfmt|fmt|terraform|tofu"
    r"|ansible|pulumi"
    r"|dry[ -]?run"
    r"|schema|makemigrations|migrat\w+|idempot\w+|compar\w+|ran|reports?|re-?run|generat\w+)\b"
    r"|플랜|스냅샷|골든|포맷|포매터|비교|드라이런|스키마|재생성|실행|돌렸|돌려|돌린"
)
VAGUE = compiled(r"validation|검사|감사|all checks my")
ADDED = compiled(
    r"(?:^\W*|\b(?:it|this|pr|which|that|change|patch|commit) )(?:now )?"  # this now
    r"(?:adds?|makes?|introduces?|fixes|configures?|removes?|enables?|requires?|lets)\b"  # this adds, which fixes
)


def is_topic(clause: str, check: Match, begin: int, end: int) -> bool:
    """Whether a tick or a mere `OK` stands beside a topic (`✅ validation`) instead of a check that was run."""
    if MERE.fullmatch(clause[begin:end].strip()) is None:
        return False
    if LOOKED.match(clause[end:]) is not None:
        return True
    if end > check.end() and not clause[check.end() : begin].strip():
        return TOPIC.fullmatch(check.group().strip()) is not None
    return TOPIC.fullmatch(check.group().strip()) is not None or CLOSES_NAME.match(clause[check.end() :]) is None


LOOKED = compiled(
    r"\s*(?:reviewed|checked|looked|considered|read|inspected|verified|done|complete|covered"
    r"|검토|확인|점검|리뷰|완료|검증)"
)
MERE = compiled(
    r"(?:works|worked|holds|held|stays|stayed|is) (?:as before|unchanged|stable)"  # works as before
    r"|[✅✓✔🟢💚]\S*"
    r"|ok|okay"
    r"|(?:이상|문제|지적)\S* ?(?:\S+ )?(?:없|0 ?[건개])"  # 이상 없음
    r"|(?:no|zero|0) (?:\S+ )?(?:issues?|problems?)"  # no issues
    r"|happy"
    r"|깔끔하게|깨끗"
    r"|clean"
    r"|양호"
)
TOPIC = compiled(
    r"formatting|format|types?|validation|audit|packaging|bundle|scenarios|image|linking"
    r"|checks|all checks|assertions|test cases|binary|jobs?|stages?|matrix|snapshots?"
    r"|검사|감사|보안 ?점검|포맷|시나리오|체크|재현|회귀|롤백|마이그레이션|시험|커버리지 ?게이트"
    r"|테스트 ?케이스|스키마 ?검증"
    r"|performance checks?|sanity checks?|compatibility checks?|all checks"
    r"|모든 체크|전체 체크"
)
CLOSES_NAME = compiled(
    r"[`*_\"']*(?:\s*$"  # nothing follows the name
    r"|\s*[^\w\s가-힣]"  # tests: ...
    r"|\s*\d"  # tests 45
    r"|\s+(?:and|or|in|on|for|with|under|at|against|suites?|runs?|jobs?|steps?|stages?|results?|status|is|are"
    r"|was|were|came|come|all|passed|passes|pass|green|ok|okay|clean|reports?|says?|finishes|finished|both|too"
    r"|also|both|again|locally|now|here|from|via|\w+ed)\b"
    r"|\s*(?:[은는이가도를을의에]"
    r"|까지|결과|전체|전부|모두|통과|성공|완료|정상|실행|및|와|과|하고|잡|단계|돌"
    r"|OK)"
    r"|\s+(?:린트|빌드|테스트|유닛|통합|단위|타입|CI|e2e|스모크))"  # unit 테스트
)
NEAR, FAR = 12, 90
WEAK = compiled(r"issues?|problems?|문제|이상|지적")
READ = compiled(
    r"\b(?:review(?:ed)?|read|looked|checked|went through)\b|(?:테스트|코드)\S* ?(?:\S+ )?(?:확인|검토|리뷰|읽)"
)
LOOKED_AT = compiled(
    r"\b(?:review(?:ed|s)?"
    r"|read|looked|looks?"
    r"|cover(?:s|ed)?"
    r"|added|written|included|updated|exist|present|inspected|considered)\b"
    r"|검토|리뷰|추가|작성|봤|살펴|읽"
)


def complete_fraction(clause: str) -> Match | None:
    """Return a fraction of checks in which all passed: `12/12 tests`, `12개 중 12개 통과`; None without one."""
    if CHECKED.search(clause) is None and ONCE_FAILED.search(clause) is None:
        return None
    for match in islice(FRACTION.finditer(clause), MOST_FOUND):
        if match.group(1) == match.group(2) != "0" and not is_date(clause, match):
            return match
    return None


ONCE_FAILED = compiled(r"\bfail(?:ures?|ed|ing)\b.*\b(?:now|fixed)\b|실패.*(?:이제|고쳐|고친|해결)")


def is_date(clause: str, match: Match) -> bool:
    """Whether a fraction is a score (`9/10 for style`) or a part of a date or a path."""
    near = clause[max(0, match.start() - 2) : match.end() + 2]
    return near.count("/") > 1 or SCORE.search(clause[max(0, match.start() - 30) : match.end() + 12]) is not None


SCORE = compiled(
    r"score|rating|rate[sd]?\b|style|readab|quality|confiden"
    r"|점수|가독성|품질|설계|완성도|평점|만족|신뢰도|준비도|readiness|점\b"
)
