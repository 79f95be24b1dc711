"""What a text claims: what its speaker asserts, plainly, here and now, that a record could show."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mama_bot.enforcement.claims.assertions import Admissions, Assertion
from mama_bot.enforcement.claims.english import english_assertions
from mama_bot.enforcement.claims.korean import korean_assertions
from mama_bot.enforcement.claims.review_claims import review_assertions
from mama_bot.enforcement.claims.vocabulary import CHECKS, Term, vocabulary
from mama_bot.model import Claim, ClaimKind, Counts
from mama_bot.text.markdown_lines import LineKind, MarkdownLine, markdown_lines
from mama_bot.text.patterns import compiled
from mama_bot.text.prose import ProseLine
from mama_bot.text.prose import masked as without_code
from mama_bot.text.sentences import Reading, sentences_of
from mama_bot.wording.language import has_hangul

WORKED = frozenset((ClaimKind.RAN, ClaimKind.CHECKED, ClaimKind.REPRODUCED))
MOST_CLAIMS = 200
LONGEST_SENTENCE = 2_000
NEAR = 6
UNTICKED = ("- [ ]", "* [ ]", "+ [ ]")
LEAD_SIGNS = "*_`#: ：\t"
SHOWN_RESULT = compiled(  # "= 45 passed in 1.2s =", "Tests: 2 failed, 43 passed, 45 total"
    r"^\W*(?:tests?:? +)?(?:(\d+) failed, )?(\d+) passed\b(?:, (\d+) (?:failed|skipped))?", groups=True
)


class _Piece(NamedTuple):
    """A sentence of prose, or a row of a table, and where it begins in the normalised text."""

    masked: str
    raw: str
    start: int
    is_row: bool = False


def claims_in(reading: Reading) -> tuple[Claim, ...]:
    """Return what a text claims, in order, at most 200; spans point into the text itself.

    A claim of a failure that a later success of the same check overtakes is left out: it tells how the work went.
    """
    plain = reading.plain
    claims: list[Claim] = []
    for piece in _pieces(reading):
        for assertion in _assertions(piece):
            begin, end = plain.original_span(piece.start + assertion.start, piece.start + assertion.end)
            claims.append(_claim(assertion, plain.original[begin:end], begin))
    claims += _shown(reading)
    if len(claims) > MOST_CLAIMS:  # first those that facts can contradict
        claims = sorted(claims, key=lambda claim: claim.kind in WORKED)[:MOST_CLAIMS]
    return tuple(_last(sorted(claims, key=lambda claim: claim.start)))


def _assertions(piece: _Piece) -> Iterator[Assertion]:
    if len(piece.masked) > LONGEST_SENTENCE or '"' in piece.masked or "“" in piece.masked:
        return  # what stands in quotation marks is somebody's
    if has_hangul(piece.masked):
        yield from korean_assertions(piece.masked, piece.raw, is_row=piece.is_row)
    if not piece.is_row:
        yield from review_assertions(piece.masked)
    yield from english_assertions(piece.masked, piece.raw, is_row=piece.is_row)


def _pieces(reading: Reading) -> Iterator[_Piece]:
    """Yield the sentences and rows that hold a word of an outcome or a deed, in order, but those under a plan."""
    text = reading.plain.text
    words = vocabulary()
    hits = [
        match.start()
        for pattern in (words.outcomes, words.korean_outcomes, words.reviews)
        for match in pattern.finditer(text)
    ]
    if not hits:
        return
    places = sorted(hits)
    plans = [*_plans(text)]
    for line in reading.lines:
        for sentence in _sentences(reading, line.start, line.text):
            if _is_hit(places, sentence) and not any(begin <= sentence.start < end for begin, end in plans):
                yield sentence
    for row in markdown_lines(text):
        if row.kind is LineKind.ROW:
            piece = _Piece(without_code(row.text), row.text, row.start, is_row=True)
            if _is_hit(places, piece) and not any(begin <= row.start < end for begin, end in plans):
                yield piece


def _sentences(reading: Reading, start: int, line: str) -> Iterator[_Piece]:
    if line.lstrip().startswith(UNTICKED) or line.lstrip().startswith("#"):
        return
    for sentence in sentences_of(ProseLine(start, line)):
        yield _Piece(sentence.text, reading.plain.text[sentence.start : sentence.end], sentence.start)


def _is_hit(places: Sequence[int], piece: _Piece) -> bool:
    place = bisect_right(places, piece.start - 1)
    return place < len(places) and places[place] < piece.start + len(piece.masked)


def _plans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans under a heading, or a line that leads to a list, of what is not done yet or not one's own."""
    begun: int | None = None
    under_heading = False
    for line in markdown_lines(text):
        leads = line.kind is LineKind.HEADING or _leads(line)
        if begun is not None and (line.kind is LineKind.HEADING or (not under_heading and _ends_list(line))):
            yield begun, line.start
            begun = None
        if leads and begun is None and _is_plan(line.text):
            begun, under_heading = line.start, line.kind is LineKind.HEADING or line.text.lstrip().startswith("**")
    if begun is not None:
        yield begun, len(text) + 1


def _leads(line: MarkdownLine) -> bool:
    bare = line.text.rstrip(LEAD_SIGNS)
    return line.kind is LineKind.PROSE and len(bare) < len(line.text.rstrip()) and bool(bare.strip())


def _ends_list(line: MarkdownLine) -> bool:
    return line.kind in (LineKind.PROSE, LineKind.QUOTE, LineKind.FENCE) and not line.text.startswith((" ", "\t"))


def _is_plan(text: str) -> bool:
    words = vocabulary()[Term.PLAN]
    lowered = text.lower()
    plain = "".join(letter if letter.isalnum() or letter in " -" else " " for letter in lowered).split()
    return not words.isdisjoint(plain) or any(word in lowered for word in words if not word.isascii() or " " in word)


def _shown(reading: Reading) -> Iterator[Claim]:
    """Yield the results that stand in blocks of output, each block's last."""
    last: dict[int, Claim] = {}
    plain = reading.plain
    for line in markdown_lines(plain.text):
        if line.fence and line.kind is LineKind.CODE and "passed" in line.text:
            match = SHOWN_RESULT.search(line.text)
            if match is None:
                continue
            begin, end = plain.original_span(line.start, line.start + len(line.text))
            failed = int(match.group(1)) if match.group(1) else None
            last[line.fence] = Claim(
                kind=ClaimKind.TESTS,
                text=plain.original[begin:end],
                start=begin,
                end=end,
                counts=Counts(passed=int(match.group(2)), failed=failed),
                fails=bool(failed),
                shown=True,
            )
    yield from last.values()


def _claim(assertion: Assertion, text: str, start: int) -> Claim:
    return Claim(
        kind=assertion.kind,
        text=text,
        start=start,
        end=start + len(text),
        counts=assertion.counts,
        total=assertion.total,
        fails=assertion.fails,
        subjects=assertion.subjects,
        tool=assertion.tool,
        whole=assertion.whole,
        part=assertion.part,
    )


def _last(claims: Sequence[Claim]) -> list[Claim]:
    """Return claims without failures that a later success of the same check overtakes."""
    kept: list[Claim] = []
    passed: set[tuple[ClaimKind, str]] = set()
    for claim in reversed(claims):
        if claim.kind in CHECKS and claim.fails and (claim.kind, claim.tool) in passed:
            continue
        if claim.kind in CHECKS and not claim.fails:
            passed.add((claim.kind, claim.tool))
        kept.append(claim)
    return kept[::-1]


def admissions_in(reading: Reading) -> Admissions:
    """Return which failures a text tells as they stand, so that no success beside them hides any."""
    words = vocabulary()
    figures: set[int] = set()
    plain = False
    for line in reading.plain.text.lower().split("\n"):
        tokens = line.translate(SEPARATED).split()
        places = [place for place, token in enumerate(tokens) if _fails(token)]
        told = [place for place in places if tokens[place - 1 : place] not in NONE_OF]
        if not told:
            continue
        for place in told:
            near = tokens[max(0, place - NEAR) : place + NEAR + 1]
            figures.update(int(token) for token in tokens[max(0, place - 3) : place + 4] if token.isdecimal())
            of_check = any(token in words.checks or token.isdecimal() for token in near)
            plain |= of_check and not words[Term.ADMITS].isdisjoint(near)
        plain |= any(word in line for word in KOREAN_ADMITS)
    return Admissions(plain=plain, figures=frozenset(figures))


def _fails(token: str) -> bool:
    words = vocabulary()
    return token in words[Term.FAILS] or token.startswith(tuple(words[Term.KO_FAILS]))


SEPARATED = str.maketrans({**dict.fromkeys(".,;:!?()[]|*_`~\"'=/", " "), "개": " ", "건": " "})
NONE_OF = (["0"], ["no"], ["zero"], ["without"])
KOREAN_ADMITS = tuple(word for word in vocabulary()[Term.ADMITS] if not word.isascii())
