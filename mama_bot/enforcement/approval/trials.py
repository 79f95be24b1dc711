"""What was tried out by hand or measured: a reproduction, repetitions without a failure, a value beside its limit."""

from itertools import islice

from mama_bot.config import EvidenceStrength
from mama_bot.enforcement.approval.check_outcomes import MOST_FOUND, Piece
from mama_bot.text.lexicon import Kind, Lexicon
from mama_bot.text.patterns import compiled


def passing_here(held: list[tuple[int, str]], lexicon: Lexicon) -> Piece | None:
    """Find a check that failed elsewhere and passes now: `three new tests fail on main and pass here`."""
    for begin, clause in held:
        match = lexicon[Kind.OUTCOME].search(clause)
        if match is not None and HERE.search(clause) is not None:
            return Piece(EvidenceStrength.NAMED_CHECK.value, begin + match.start(), begin + match.end())
    return None


HERE = compiled(
    r"\bhere\b|\b(?:on|with|in) (?:this|the|your) (?:branch|pr|patch|change|fix)\b|여기서|이 ?브랜치|이 ?PR|이번"
)


def measurement(statement: str, held: list[tuple[int, str]], lexicon: Lexicon) -> Piece | None:
    """Find repetitions without a failure (`50 runs, 0 failures`) or a value beside its limit (`p95 80 ms, limit 100`).

    What was only read (`I read the 50 runs`) or rated (`score 9/10`) is no measurement.
    """
    begin, clause_text = 0, statement
    if lexicon[Kind.STALE].search(statement) is None or lexicon[Kind.CURRENT].search(statement) is None:
        begin, clause_text = (held[0][0] if held else 0), "".join(clause for _, clause in held)
    match = lexicon[Kind.MEASURED].search(clause_text)
    if match is None or ONLY_READ.search(clause_text) is not None or RATED.search(clause_text) is not None:
        return None
    if SETTING.search(clause_text) is not None and TAKEN.search(clause_text) is None:
        return None
    return Piece(EvidenceStrength.CONCRETE.value, begin + match.start(), begin + match.end())


# What a program is set to, or does by itself, was not measured.
SETTING = compiled(
    r"\b(?:limits?|timeouts?|budget|count|default|threshold|config\w*|settings?|maximum|quota|interval"
    r"|size limit) (?:is|was|now|dropped|drops|raised|goes|went|changed|set|stays)\b"  # the limit is
    r"|설정|기본값|타임아웃|구조|하도록|처리하고|제한을|횟수를|까지 처리"  # 설정
)
TAKEN = compiled(
    r"\b(?:measured|ran|tested|observed|saw|timed|profiled|sent|replayed|played|flashed|booted)\b"
    r"|\bmy\b"
    r"|실측|측정"
    r"|돌[려렸린]"
    r"|전송|봤|보냈|재현|시험|반복"
    r"|p9\d"
    r"|켰"
)
RATED = compiled(r"\b(?:scores?|ratings?|rated|confiden\w*)\b|점수|평점|만족도|신뢰도|준비도|완성도")
ONLY_READ = compiled(
    r"\b(?:review(?:ed)?|re-?read|read|looked|glanced|skimmed|went (?:through|over)|retries)\b"
    r"|읽|검토|(?:^|[^프])리뷰|살펴|훑|재시도"
    r"|(?:^|[를을] )봤"
)


def is_by_hand(done: str, lexicon: Lexicon) -> bool:
    """Whether a text tells what its author tried out (`I ran it`), not what a program does (`it runs hourly`)."""
    if TRIED_KOREAN.search(done) is not None:
        return True
    for match in islice(lexicon[Kind.ACTION].finditer(done), MOST_FOUND):
        if match.group().isascii() and (
            match.group().lower() not in DESCRIBING or SPEAKER.search(done[: match.start()]) is not None
        ):
            return True
    return False


ABOUT_CODE = compiled(
    r"\b(?:naming|style|logic|conventions?|readability|designs?)\b"
    r"|네이밍|규칙|컨벤션|로직|가독성|스타일|설계|디자인 ?패턴"
)
TRIED_KOREAN = compiled(
    r"봤|보니|보았"
    r"|봄(?:[^가-힣]|$)"  # 돌려 봄
    r"|본 ?(?:결과|뒤|후|바)"  # 본 결과
    r"|돌렸|돌린|눌렀|띄웠"
    r"|했(?:고|는데|더니|을|습|음|어|다|지|으)"  # 실행했고
    r"|하니"
    r"|함(?:[^가-힣]|$)"  # 실행함
    r"|[렸렀웠껐켰쟀]"  # 눌렀
    r"|뽑았|더니|었고|았고"
    r"|[해아어려]도"  # 해도
    r"|시험|재현|상태에서|도중|결과|실측|반복"
    r"|(?:적용|실행|측정|확인)\s*[:：]"  # 적용: 41초
)
DESCRIBING = frozenset(("run", "running", "used", "called", "started", "sent", "hit", "tested"))
SPEAKER = compiled(r"(?:\b(?:i|we|i've|we've)|^\W*)(?: \S+){0,3}\s*$")
SENT_BY_OTHERS = compiled(
    r"(?:보내|올려|공유해|알려|요청하|요청해|수정해|적용해|실행해|적어|열어) ?(?:주신|주셨|신)\S*"
)


def trial(done: str, held: list[tuple[int, str]], lexicon: Lexicon) -> Piece | None:
    """Find something that was tried out together with what was seen: a reproduction, a migration, a device."""
    done = SENT_BY_OTHERS.sub(" ", done)
    kinds = lexicon.evidence.keys_in(done)
    named = Kind.EXERCISED in kinds or "`" in done
    if Kind.ACTION not in kinds or not named or ABOUT_CODE.search(done) is not None:
        return None
    if not is_by_hand(done, lexicon):
        return None
    for begin, clause in held:
        match = lexicon[Kind.RESULT].search(clause)
        if match is not None:
            return Piece(EvidenceStrength.NAMED_CHECK.value, begin + match.start(), begin + match.end())
        if details(clause) >= DETAILED and RATED.search(clause) is None and ONLY_READ.search(clause) is None:
            return Piece(EvidenceStrength.NAMED_CHECK.value, begin, begin + len(clause))
    return None


DETAILED = 2
NAME_MARKS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._/-")  # of file names and identifiers


def details(clause: str) -> int:
    """Count what somebody can only have seen: figures, and what stands as code."""
    figures = sum(word.lstrip("(~<>=+-[")[:1].isdigit() for word in clause.split())
    return figures + sum(not NAME_MARKS.issuperset(code) for code in clause.split("`")[1::2])
