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
        if match is not None and lexicon[Kind.HERE].search(clause) is not None:
            return Piece(EvidenceStrength.NAMED_CHECK.value, begin + match.start(), begin + match.end())
    return None


def measurement(statement: str, held: list[tuple[int, str]], lexicon: Lexicon) -> Piece | None:
    """Find repetitions without a failure (`50 runs, 0 failures`) or a value beside its limit (`p95 80 ms, limit 100`).

    What was only read (`I read the 50 runs`) or rated (`score 9/10`) is no measurement.
    """
    begin, clause_text = 0, statement
    if lexicon[Kind.STALE].search(statement) is None or lexicon[Kind.CURRENT].search(statement) is None:
        begin, clause_text = (held[0][0] if held else 0), "".join(clause for _, clause in held)
    match = lexicon[Kind.MEASURED].search(clause_text)
    if (
        match is None
        or lexicon[Kind.ONLY_READ].search(clause_text) is not None
        or lexicon[Kind.RATING].search(clause_text) is not None
    ):
        return None
    if lexicon[Kind.SETTING].search(clause_text) is not None and lexicon[Kind.TAKEN].search(clause_text) is None:
        return None
    return Piece(EvidenceStrength.CONCRETE.value, begin + match.start(), begin + match.end())


def is_by_hand(done: str, lexicon: Lexicon) -> bool:
    """Return whether a text tells what its author tried (`I ran it`), not what a program does (`it runs hourly`)."""
    if lexicon[Kind.TRIED].search(done) is not None:
        return True
    for match in islice(lexicon[Kind.ACTION].finditer(done), MOST_FOUND):
        if match.group().isascii() and (
            match.group().lower() not in DESCRIBING or SPEAKER.search(done[: match.start()]) is not None
        ):
            return True
    return False


DESCRIBING = frozenset(("run", "running", "used", "called", "started", "sent", "hit", "tested"))
SPEAKER = compiled(r"(?:\b(?:i|we|i've|we've)|^\W*)(?: \S+){0,3}\s*$")


def trial(done: str, held: list[tuple[int, str]], lexicon: Lexicon) -> Piece | None:
    """Find something that was tried out together with what was seen: a reproduction, a migration, a device."""
    done = lexicon[Kind.SENT_BY_OTHERS].sub(" ", done)
    kinds = lexicon.evidence.keys_in(done)
    named = Kind.EXERCISED in kinds or "`" in done
    if Kind.ACTION not in kinds or not named or lexicon[Kind.ABOUT_CODE].search(done) is not None:
        return None
    if not is_by_hand(done, lexicon):
        return None
    for begin, clause in held:
        match = lexicon[Kind.RESULT].search(clause)
        if match is not None:
            return Piece(EvidenceStrength.NAMED_CHECK.value, begin + match.start(), begin + match.end())
        if (
            details(clause) >= DETAILED
            and lexicon[Kind.RATING].search(clause) is None
            and lexicon[Kind.ONLY_READ].search(clause) is None
        ):
            return Piece(EvidenceStrength.NAMED_CHECK.value, begin, begin + len(clause))
    return None


DETAILED = 2
NAME_MARKS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._/-")  # of file names and identifiers


def details(clause: str) -> int:
    """Count what somebody can only have seen: figures, and what stands as code."""
    figures = sum(word.lstrip("(~<>=+-[")[:1].isdigit() for word in clause.split())
    return figures + sum(not NAME_MARKS.issuperset(code) for code in clause.split("`")[1::2])


def observation(statement: str, held: list[tuple[int, str]], lexicon: Lexicon) -> Piece | None:
    """Find a tool and the values that it showed: "`valgrind --leak-check=full`: definitely lost 0 bytes".

    To look around (`git diff`) is no check, and how much was changed is no value of one.
    """
    if any(lexicon[kind].search(statement) is not None for kind in (Kind.RATING, Kind.ONLY_READ, Kind.ABOUT_CODE)):
        return None
    parts = statement.split("`")
    named = any(_is_check(code, lexicon) for code in parts[1::2])
    for begin, clause in held:
        plain = " ".join(clause.split("`")[::2])
        values = len(VALUE.findall(SIZE_OF_CHANGE.sub(" ", plain)))
        shows = SHOWS.search(clause) is not None
        seen = shows or lexicon[Kind.WORD].search(clause) is not None or TRIED_OUT.search(clause) is not None
        measured = seen and len(WITH_UNIT.findall(plain)) + len(READING.findall(plain)) >= DETAILED
        if TROUBLE.search(NO_TROUBLE.sub(" ", plain)) is not None:
            continue
        if measured or (values and named and shows):
            return Piece(EvidenceStrength.NAMED_CHECK.value, begin, begin + len(clause))
    return None


def _is_check(code: str, lexicon: Lexicon) -> bool:
    """Return whether a piece of code is a command that shows something of the work."""
    if code.startswith("git ") or lexicon[Kind.LOOKING_AROUND].match(code) is not None:
        return False
    return COMMAND.match(code) is not None or lexicon[Kind.CHECK].fullmatch(code) is not None


SHOWS = compiled(  # "gives 200", "0바이트 확인"
    r"\b(?:gives|gave|shows|showed|prints|printed|reports|reported|returns|returned|reads|yields|counts)\b"
    r"|확인|나[옵왔오온옴]|찍[힙혔]|뜹|떴",
    groups=False,
)
COMMAND = compiled(r"[a-z][\w.-]* [\w./-]", groups=False)  # "curl -I"
VALUE = compiled(r"(?:^|[\s(=:≤≥<>~])[+-]?\d[\d.,]*", groups=False)  # " 200"
TROUBLE = compiled(r"fail|error|warn|red\b|broke|timed? ?out|실패|오류|에러|경고|깨졌|깨진", groups=False)  # "3 failed"
NO_TROUBLE = compiled(  # "0 failed", "no errors", "경고 없음"
    r"\b(?:0|no|zero|without) (?:\S+ )?(?:fail|error|warn)\w*|(?:실패|오류|에러|경고)\S{0,2} ?(?:0|없)", groups=False
)
WITH_UNIT = compiled(  # "8.0MHz", "120ns"
    r"\d(?i:[kmg]?hz|[numµk]?s|[numµ]?a|[mk]?v|[mk]?w|[kmg]i?b|fps|°c|%|초|밀리초|바이트)(?:[^a-z]|$)", groups=False
)
READING = compiled(r"(?:^|[^\w.])(?:\d+\.\d+|[2345]\d\d)(?:[^\d.%]|$)", groups=False)  # "0.688", "409"
TRIED_OUT = compiled(r"[가-힣](?:봤|보니|하니|더니)", groups=False)  # "학습시켜봤고", "호출하니"
SIZE_OF_CHANGE = compiled(  # "12 files", "파일 3개", "#123", "+40"
    r"(?i:\d[\d,]* ?(?:files?|lines?|commits?|hunks?|줄|파일|커밋)|(?:파일|커밋|줄) ?\d+|[#+-]\d+)", groups=False
)
