"""What a text offers as evidence, and what contradicts it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from mama_bot.config import EvidenceStrength
from mama_bot.enforcement.language.normalise import Normalised
from mama_bot.enforcement.language.patterns import Match, compiled
from mama_bot.enforcement.language.sentences import pieces
from mama_bot.enforcement.language.words import Kind, Lexicon
from mama_bot.model import Finding

ORDER = (EvidenceStrength.WORD, EvidenceStrength.NAMED_CHECK, EvidenceStrength.CONCRETE)
FRACTION = compiled(r"\b(\d{1,6})\s?(?:/|of|out of|중)\s?(?:the )?(\d{1,6})(?:개|건|회|번)?(?: 중)?(?:\b|[^\d])")
CHECKED = compiled(
    r"test|spec|check|pass|suite|case|scenario|assert|green|job|succe|테스트|통과|성공|검사|케이스|시나리오|잡|시험"
)
KOREAN_PART = compiled(
    r"(\d{1,6}) ?(?:개|건|회|번|종|가지)? ?중(?:에서?)? ?(\d{1,6}) ?(?:개|건|회|번|종|가지)?(?:만|가|"
    r"이|는|은|를|을)? ?(?:\S+ )?(통과|성공|정상)"
)
CLAUSE = compiled(
    r"[,;:]\s+|\s(?:and|but|though|although|while|so|because|since)\s|(?:[고며]|지만|는데|은데|니까?|"
    r"므로|어서|아서|라서),?\s"
)
LONGEST = 2000
MOST_FOUND = 20
MOST_STATEMENTS = 200
BLOCK = 50
SUSPICIOUS = frozenset((Kind.CONTRADICTION,))
PARTIAL = ("/", " of ", "중")
SHORT = 4


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found: pieces with their strength, and what takes all of it away."""

    pieces: tuple[tuple[EvidenceStrength, Finding], ...] = ()
    contradictions: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, what supports first."""
        return tuple(piece for _, piece in self.pieces) + self.contradictions

    def at_least(self, least: EvidenceStrength) -> bool:
        """Whether any piece is strong enough."""
        return any(ORDER.index(strength) >= ORDER.index(least) for strength, _ in self.pieces)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a statement that says something about a check."""

    kind: str
    start: int
    end: int


def evidence_in(plain: Normalised, lexicon: Lexicon) -> Evidence:
    """The evidence in a whole text, code blocks included; quoted lines are someone else's words.

    A statement that is said again is judged once; of more than 400 that could hold something, the first and the last
    200 are judged, and before them those that could contradict.
    """
    judged: dict[str, tuple[Part, ...]] = {}
    pieces_found: list[tuple[EvidenceStrength, Finding]] = []
    against: list[Finding] = []
    for start, statement in chosen(plain.text, lexicon):
        parts = judged.get(statement)
        if parts is None:
            parts = judged[statement] = tuple(parts_of(statement, lexicon))
        for part in parts:
            if part.kind != "contradiction" and len(pieces_found) >= MOST_FOUND:
                continue
            begin, end = plain.original_span(start + part.start, start + part.end)
            finding = Finding(kind=part.kind, text=plain.original[begin:end], start=begin, end=end)
            if part.kind == "contradiction":
                against.append(finding)
            else:
                pieces_found.append((EvidenceStrength(part.kind), finding))
        if len(against) >= MOST_FOUND:
            break
    return Evidence(tuple(pieces_found), tuple(against))


def chosen(text: str, lexicon: Lexicon) -> list[tuple[int, str]]:
    """The statements to be judged, each text once: all that hold a word of evidence, or what the bound leaves."""
    first: dict[str, int] = {}
    for start, line in lines(text):
        begin = start
        for statement in statements_of(line):
            first.setdefault(statement, begin)
            begin += len(statement)
    statements = list(first)
    suspects: list[str] = []
    others: list[str] = []
    for block in range(0, len(statements), BLOCK):
        some = statements[block : block + BLOCK]
        found = lexicon.evidence.found("\n".join(some))
        # A block in the middle of very many statements is opened only for what could contradict.
        middle = MOST_STATEMENTS <= block < len(statements) - MOST_STATEMENTS
        if not found or (
            middle and not found & SUSPICIOUS and not any(mark in part for part in some for mark in PARTIAL)
        ):
            continue
        for statement in some:
            kinds = lexicon.evidence.found(statement)
            if kinds & SUSPICIOUS or any(mark in statement for mark in PARTIAL):
                suspects.append(statement)
            elif kinds:
                others.append(statement)
        if middle and len(suspects) > 2 * MOST_STATEMENTS:
            break
    kept = within_bound(suspects) + within_bound(others)
    return sorted((first[statement], statement) for statement in kept)


def statements_of(line: str) -> list[str]:
    """A line as its sentences; a very long one is cut at full stops alone."""
    if len(line) <= LONG_LINE:
        return pieces(line)
    parts = line.split(". ")
    return [part + ". " for part in parts[:-1]] + parts[-1:]


LONG_LINE = 8000


def within_bound(statements: list[str]) -> list[str]:
    """The first and the last of very many statements."""
    if len(statements) <= 2 * MOST_STATEMENTS:
        return statements
    return statements[:MOST_STATEMENTS] + statements[-MOST_STATEMENTS:]


def lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text with their offsets, without quoted ones; columns of an earlier state are blanked."""
    start = 0
    earlier: tuple[int, ...] | None = None
    for line in text.split("\n"):
        if "|" not in line:
            earlier = None
        elif line.lstrip()[:1] == "|":
            if earlier is None:
                earlier = tuple(index for index, cell in enumerate(line.split("|")) if EARLIER.match(cell) is not None)
            elif earlier:
                yield start, without_columns(line, earlier)
                start += len(line) + 1
                continue
        if line and not line.isspace() and line.lstrip()[:1] != ">":
            yield start, line
        start += len(line) + 1


EARLIER = compiled(
    r"[\s*`_]*(?:main|master|develop|trunk|base|baseline|before|old|previous|prior|was|이전|수정 ?전|"
    r"변경 ?전|기존|전|패치 ?전|as[- ]is)\b?[^|]{0,20}$"
)


def without_columns(row: str, columns: tuple[int, ...]) -> str:
    """A row of a table with some of its cells blanked."""
    cells = row.split("|")
    for index in columns:
        if index < len(cells):
            cells[index] = " " * len(cells[index])
    return "|".join(cells)


def parts_of(statement: str, lexicon: Lexicon) -> Iterator[Part]:
    """What a statement says: that a check failed, or the strongest thing that its clauses offer."""
    statement = statement[:LONGEST]
    kinds = lexicon.evidence.found(statement)
    if Kind.CONTRADICTION in kinds or "/" in statement or "중" in statement or " of " in statement:
        against = contradiction(statement, lexicon)
        if against is not None:
            yield Part("contradiction", *against)
            return
    if Kind.HEARSAY in kinds:
        told = lexicon[Kind.HEARSAY].search(statement)
        statement = own_words(statement, told, lexicon)
    held = list(firm(statement, lexicon)) if kinds & {Kind.DOUBT, Kind.STALE} else [(0, statement)]
    offered = [best(clause, begin, lexicon) for begin, clause in held]
    strongest = max((part for part in offered if part is not None), key=rank, default=None)
    if (strongest is None or strongest.kind == EvidenceStrength.WORD.value) and {Kind.ACTION, Kind.RESULT} <= kinds:
        done = [clause for _, clause in clauses(statement) if lexicon[Kind.DOUBT].search(clause) is None]
        strongest = tried(" ".join(done), held, lexicon) or strongest
    if strongest is not None:
        yield strongest


def tried(done: str, held: list[tuple[int, str]], lexicon: Lexicon) -> Part | None:
    """Something named that was tried out, with what was seen: a reproduction, a migration, a device."""
    if not {Kind.ACTION, Kind.EXERCISED} <= lexicon.evidence.found(done):
        return None
    for begin, clause in held:
        match = lexicon[Kind.RESULT].search(clause)
        if match is not None:
            return Part(EvidenceStrength.NAMED_CHECK.value, begin + match.start(), begin + match.end())
    return None


def own_words(statement: str, told: Match | None, lexicon: Lexicon) -> str:
    """What of a statement is no hearsay: what the speaker did, or what stands before an English report."""
    if told is None:
        return statement
    own = lexicon[Kind.OWN].search(statement[told.end() :])
    if own is not None:
        begin = told.end() + own.start()
        return " " * begin + statement[begin:]
    # A Korean report follows what was heard, so what stands before it is part of it.
    return statement[: told.start()] if told.start() > BEFORE_REPORT and told.group().isascii() else ""


BEFORE_REPORT = 20


def rank(part: Part) -> int:
    """The place of a part in the order of strengths."""
    return ORDER.index(EvidenceStrength(part.kind))


def firm(statement: str, lexicon: Lexicon) -> Iterator[tuple[int, str]]:
    """The clauses of a statement that neither doubt nor tell of an earlier state."""
    stale = False
    for begin, clause in clauses(statement):
        doubtful = lexicon[Kind.DOUBT].search(clause) is not None
        current = lexicon[Kind.CURRENT].search(clause) is not None
        was_stale, stale = stale and not current, not current and lexicon[Kind.STALE].search(clause) is not None
        if not doubtful and not stale and not (was_stale and len(clause.split()) <= 2 * SHORT):
            yield begin, clause


def clauses(statement: str) -> list[tuple[int, str]]:
    """The clauses of a statement with their offsets."""
    found: list[tuple[int, str]] = []
    done = 0
    for match in CLAUSE.finditer(statement):
        found.append((done, statement[done : match.end()]))
        done = match.end()
    found.append((done, statement[done:]))
    return found


def best(clause: str, begin: int, lexicon: Lexicon) -> Part | None:
    """The strongest piece that a clause offers."""
    concrete = lexicon[Kind.CONCRETE].search(clause) or whole(clause)
    if concrete is not None:
        return Part(EvidenceStrength.CONCRETE.value, begin + concrete.start(), begin + concrete.end())
    named = lexicon[Kind.NAMED_CHECK].search(clause)
    if named is not None:
        return Part(EvidenceStrength.NAMED_CHECK.value, begin + named.start(), begin + named.end())
    checked = came_out(clause, lexicon)
    if checked is not None:
        return Part(EvidenceStrength.NAMED_CHECK.value, begin + checked[0], begin + checked[1])
    word = lexicon[Kind.WORD].search(clause)
    return Part(EvidenceStrength.WORD.value, begin + word.start(), begin + word.end()) if word is not None else None


def came_out(clause: str, lexicon: Lexicon) -> tuple[int, int] | None:
    """Where a clause names a check and says how it came out."""
    outcomes = [(match.start(), match.end()) for match in islice(lexicon[Kind.OUTCOME].finditer(clause), MOST_FOUND)]
    if not outcomes:
        return None
    for check in islice(lexicon[Kind.CHECK].finditer(clause), MOST_FOUND):
        for begin, end in outcomes:
            between = clause[check.end() : begin] if begin >= check.start() else clause[end : check.start()]
            if begin < check.end() and end > check.start():
                continue
            if WEAK.search(clause[begin:end]) and READ.search(clause[max(0, check.start() - 40) : begin]):
                continue
            ahead = begin < check.start()
            if (
                len(between) <= (NEAR if ahead else FAR)
                and LOOKED_AT.search(between + clause[check.end() : check.end() + 12] * ahead) is None
            ):
                return min(begin, check.start()), max(end, check.end())
    return None


NEAR, FAR = 12, 90
WEAK = compiled(r"issues?|problems?|문제|이상|지적")
READ = compiled(
    r"\b(?:review(?:ed)?|read|looked|checked|went through)\b|(?:테스트|코드)\S* ?(?:\S+ )?(?:확인|검토|리뷰|읽)"
)
LOOKED_AT = compiled(
    r"\b(?:review(?:ed|s)?|read|looked|looks?|cover(?:s|ed)?|added|written|included|updated|exist|"
    r"present|inspected|considered)\b|검토|리뷰|추가|작성|봤|살펴|읽"
)


def whole(clause: str) -> Match | None:
    """A fraction of checks that is whole, such as 12/12 tests or 12개 중 12개 통과."""
    if CHECKED.search(clause) is None:
        return None
    for match in islice(FRACTION.finditer(clause), MOST_FOUND):
        if match.group(1) == match.group(2) != "0" and not is_date(clause, match):
            return match
    return None


def is_date(clause: str, match: Match) -> bool:
    """Whether a fraction is a score ("9/10 for style") or a part of a date or a path."""
    near = clause[max(0, match.start() - 2) : match.end() + 2]
    return near.count("/") > 1 or SCORE.search(clause[max(0, match.start() - 30) : match.end() + 12]) is not None


SCORE = compiled(
    r"score|rating|rate[sd]?\b|style|readab|quality|confiden|점수|가독성|품질|설계|완성도|평점|만족|"
    r"신뢰도|준비도|readiness|점\b"
)


def contradiction(statement: str, lexicon: Lexicon) -> tuple[int, int] | None:
    """What in a statement says that a check failed, found nothing or was not run, as things are now."""
    said = blanked(statement, lexicon)
    match = lexicon[Kind.CONTRADICTION].search(said)
    found = (match.start(), match.end()) if match is not None else unequal(said)
    if found is None or lexicon[Kind.OVERCOME].search(said) is not None:
        return None
    return found


def blanked(statement: str, lexicon: Lexicon) -> str:
    """A statement with good news that sounds bad ("0 failed", "no errors") blanked, every offset kept."""
    pieces: list[str] = []
    done = 0
    for match in lexicon[Kind.BENIGN].finditer(statement):
        pieces += (statement[done : match.start()], " " * (match.end() - match.start()))
        done = match.end()
    pieces.append(statement[done:])
    return "".join(pieces)


def unequal(said: str) -> tuple[int, int] | None:
    """A fraction of checks that is not whole, such as 11/12 tests."""
    if CHECKED.search(said) is None:
        return None
    for match in islice(FRACTION.finditer(said), MOST_FOUND):
        part, total = int(match.group(1)), int(match.group(2))
        if part < total and not is_date(said, match) and joined(said, match):
            return match.start(), match.end()
    match_korean = KOREAN_PART.search(said)
    if match_korean is not None and int(match_korean.group(2)) < int(match_korean.group(1)):
        return match_korean.start(), match_korean.end()
    return None


def joined(said: str, match: Match) -> bool:
    """Whether a fraction stands beside a word for checks."""
    return CHECKED.search(said[max(0, match.start() - 24) : match.end() + 24]) is not None
