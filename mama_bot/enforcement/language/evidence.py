"""What a text offers as evidence, and what contradicts it."""

from dataclasses import dataclass

from mama_bot.config import EvidenceStrength
from mama_bot.enforcement.language.normalise import Normalised
from mama_bot.enforcement.language.patterns import Match, compiled
from mama_bot.enforcement.language.words import Kind, Lexicon
from mama_bot.model import Finding

ORDER = (EvidenceStrength.WORD, EvidenceStrength.NAMED_CHECK, EvidenceStrength.CONCRETE)
KINDS = {
    EvidenceStrength.WORD: Kind.WORD,
    EvidenceStrength.NAMED_CHECK: Kind.NAMED_CHECK,
    EvidenceStrength.CONCRETE: Kind.CONCRETE,
}
FRACTION = compiled(r"\b(\d{1,6})\s?/\s?(\d{1,6})\b")
CHECKED = compiled(r"test|spec|check|pass|suite|case|테스트|통과|성공|검사")
OVERCOME = compiled(
    r"\b(?:before|previously|was|were|used to|now|fixed|instead of|down from|pre-existing|expected)\b|→|->"
    r"|이전|수정 전|처음|원래|기존|해결|고쳤"
)
NOTHING_FAILED = compiled(
    r"\b(?:0|no|zero|without)\s+(?:\w+\s+){0,2}(?:fail\w*|errors?|problems?)|(?:실패|오류|에러)\S*\s*(?:0|없)"
)
END = compiled(r"[.!?。！？;]+(?:\s+|$)|[다요음함됨]\.")
QUOTE_LINE = compiled(r"\s{0,3}>")


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


def evidence_in(plain: Normalised, lexicon: Lexicon) -> Evidence:
    """The evidence in a whole text, code blocks included; quoted lines are someone else's words."""
    pieces: list[tuple[EvidenceStrength, Finding]] = []
    contradictions: list[Finding] = []
    for start, part in statements(plain.text):
        against = contradiction(part, lexicon)
        if against is not None:
            contradictions.append(found("contradiction", plain, start, against))
        elif lexicon[Kind.DOUBT].search(part) is None:
            pieces += supports(plain, start, part, lexicon)
    return Evidence(tuple(pieces), tuple(contradictions))


def statements(text: str) -> list[tuple[int, str]]:
    """The statements of a text with their offsets: lines, cut into sentences."""
    parts: list[tuple[int, str]] = []
    start = 0
    for line in text.split("\n"):
        if line.strip() and not QUOTE_LINE.match(line):
            parts += [(start + begin, part) for begin, part in cut(line)]
        start += len(line) + 1
    return parts


def cut(line: str) -> list[tuple[int, str]]:
    """A line cut after each sentence and at each semicolon."""
    parts: list[tuple[int, str]] = []
    done = 0
    for match in END.finditer(line):
        parts.append((done, line[done : match.end()]))
        done = match.end()
    if done < len(line):
        parts.append((done, line[done:]))
    return parts


def contradiction(part: str, lexicon: Lexicon) -> Match | None:
    """What in a statement says that a check failed, found nothing or was not run."""
    against = lexicon[Kind.CONTRADICTION].search(part) or unequal(part)
    if against is None or OVERCOME.search(part):
        return None
    cleared = NOTHING_FAILED.sub(" ", part)
    if cleared != part and lexicon[Kind.CONTRADICTION].search(cleared) is None and unequal(cleared) is None:
        return None
    return against


def unequal(part: str) -> Match | None:
    """A fraction of checks that is not whole, such as 11/12 tests."""
    if "/" not in part or not CHECKED.search(part):
        return None
    return next((match for match in FRACTION.finditer(part) if int(match.group(1)) < int(match.group(2))), None)


def supports(plain: Normalised, start: int, part: str, lexicon: Lexicon) -> list[tuple[EvidenceStrength, Finding]]:
    """The strongest piece that a statement offers."""
    for strength in reversed(ORDER):
        match = lexicon[KINDS[strength]].search(part)
        if match is not None:
            return [(strength, found(strength.value, plain, start, match))]
    return []


def found(kind: str, plain: Normalised, offset: int, match: Match) -> Finding:
    """A match as a span of the original text."""
    start, end = plain.original_span(offset + match.start(), offset + match.end())
    return Finding(kind=kind, text=plain.original[start:end], start=start, end=end)
