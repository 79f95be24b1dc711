"""What a text claims: what its speaker asserts, here and now, that a record could show."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from mama_bot.enforcement.claims.admissions import Admissions
from mama_bot.enforcement.claims.ci_claims import ci_assertions, ci_outcomes
from mama_bot.enforcement.claims.clauses import clauses_of
from mama_bot.enforcement.claims.deeds import LOOKED, DeedReader
from mama_bot.enforcement.claims.measured_figures import measures_in
from mama_bot.enforcement.claims.only_these import only_these
from mama_bot.enforcement.claims.outcomes import OutcomeReader, in_one
from mama_bot.enforcement.claims.review_claims import approvals_of, review_assertions
from mama_bot.enforcement.claims.sentence_tokens import MOST_DIGITS, SIGNS, SentenceToken, in_lists, sentence_tokens
from mama_bot.enforcement.claims.vocabulary import CHECKS, Term, Vocabulary, vocabulary
from mama_bot.model import UNREAD, Claim, ClaimKind, Counts
from mama_bot.text.markdown_lines import LineKind, MarkdownLine
from mama_bot.text.normalise import MASK
from mama_bot.text.patterns import Match, compiled
from mama_bot.text.prose import ProseLine
from mama_bot.text.prose import masked as without_code
from mama_bot.text.sentences import Reading

MOST_CLAIMS = 2_000
MOST_READ = 400_000  # characters of sentences that are read for claims; what is left is said to be unread
NEAR = 6
LONGEST_UNREAD = 80
PASSED_OVER = ("- [ ]", "* [ ]", "+ [ ]", "#")  # boxes that nobody ticked, and headings
LEAD_SIGNS = "*_`#: ：\t"
QUOTED = compiled(r'"[^"\n]*"?|“[^”\n]*”?', groups=False)  # "All tests pass"
SHOWN_RESULT = compiled(  # "= 45 passed in 1.2s =", "Tests: 2 failed, 43 passed, 45 total"
    r"^\W*(?:tests?:? +)?(?:(\d{1,7}) failed, )?(\d{1,7}) passed\b(?:, (\d{1,7}) (?:failed|skipped))?", groups=True
)


class _Piece(NamedTuple):
    """A sentence of prose, or a row of a table, and where it begins in the normalised text."""

    masked: str
    raw: str
    start: int
    is_row: bool = False


def claims_in(reading: Reading) -> tuple[Claim, ...]:
    """Return what a text claims, in order, at most 2,000; spans point into the text itself.

    A claim of a failure that a later success of the same check overtakes is left out: it tells how the work went.
    """
    hits = _hits(reading)
    claims = [*_shown(reading)]
    if hits.places:
        claims = [
            *_told(reading, _sentence_pieces(reading, hits)),
            *_told(reading, _row_pieces(reading, hits)),
            *claims,
        ]
    return tuple(_last(sorted(claims, key=lambda claim: claim.start)[:MOST_CLAIMS]))


def _told(reading: Reading, pieces: Iterable[_Piece]) -> list[Claim]:
    """Return what pieces in their order claim; what stands twice is read once.

    Beyond the bound none is read, and a claim without anything to compare says so, so that nothing is cleared unread.
    """
    plain = reading.plain
    claims: list[Claim] = []
    read: dict[tuple[str, str], list[Claim]] = {}
    left = MOST_READ
    for piece in pieces:
        if left <= 0:
            begin, end = plain.original_span(piece.start, piece.start + len(piece.raw))
            words = plain.original[begin:end][:LONGEST_UNREAD]
            claims.append(Claim(kind=ClaimKind.RAN, text=words, start=begin, end=end, subjects=(UNREAD,), plain=False))
            break
        known = piece.masked, piece.raw
        assertions = read.get(known)
        if assertions is None:
            assertions = read[known] = _assertions(piece, plain.text)
            left -= len(piece.raw)
        for assertion in assertions:
            begin, end = plain.original_span(piece.start + assertion.start, piece.start + assertion.end)
            claims.append(replace(assertion, text=plain.original[begin:end], start=begin, end=end))
        if len(claims) >= MOST_CLAIMS:
            break
    return claims


def _assertions(piece: _Piece, text: str) -> list[Claim]:
    """Return what a sentence asserts; what stands in quotation marks is somebody's."""
    masked = QUOTED.sub(_mask, piece.masked) if '"' in piece.masked or "“" in piece.masked else piece.masked
    if masked.rstrip().endswith("?"):
        return []
    words = vocabulary()
    tokens = sentence_tokens(masked, piece.raw if masked is piece.masked else _unquoted(piece, masked))
    plain = _is_plain(tokens, masked, words)
    outcomes = OutcomeReader(words, is_row=piece.is_row)
    deeds = DeedReader(words, is_row=piece.is_row)
    checked: list[Claim] = []
    done: list[Claim] = []
    measured: list[Claim] = []
    for clause in clauses_of(tokens, masked, words):
        is_plain = plain and _says_no_more(clause.tokens)
        checked += outcomes.read(clause, plain=is_plain)
        done += deeds.read(clause, plain=plain)
        if clause.is_real:
            measured += measures_in(clause)
    checked = in_one(checked)
    if not (checked or done):
        done = outcomes.loose
    # "I ran pytest: 45 passed" says no more than its outcome.
    done = [assertion for assertion in done if not (checked and assertion.kind in LOOKED)]
    if any(assertion.counts.passed is not None or assertion.total is not None for assertion in checked):
        measured = []
    told = () if piece.is_row else (*review_assertions(masked), *ci_assertions(masked))
    return [*checked, *done, *measured, *told, *only_these(tokens, masked, text)]


def _mask(match: Match) -> str:
    return MASK * (match.end() - match.start())


def _unquoted(piece: _Piece, masked: str) -> str:
    """Return the sentence without the words of others."""
    return "".join(
        " " if now == MASK and before != MASK else sign
        for now, before, sign in zip(masked, piece.masked, piece.raw, strict=True)
    )


def _is_plain(tokens: Sequence[SentenceToken], masked: str, words: Vocabulary) -> bool:
    """Return whether a sentence holds no word that may take away what it asserts."""
    condition = words.bits[Term.CONDITION]
    if any(token.roles & condition for token in tokens):
        return False
    return masked.isascii() or words.korean_conditions.search(masked) is None


def _says_no_more(tokens: Sequence[SentenceToken]) -> bool:
    """Return whether a clause holds nothing but a check, its outcome, and words that change nothing."""
    terms = (Term.NEUTRAL, Term.PART, Term.PASSES, Term.FAILS, Term.TROUBLE, Term.SKIPS, Term.WHOLE, Term.FOLLOWS)
    for token in tokens:
        korean = token.word[0] >= "가"
        known = korean or token.word in SIGNS or token.value is not None or token.ratio is not None
        if not known and not token.code and not in_lists(token, *terms) and token.kind is None:
            # What stands behind the outcome is where and how.
            return any(in_lists(before, Term.PASSES) for before in tokens if before.start < token.start)
    return True


def _sentence_pieces(reading: Reading, hits: "_Hits") -> Iterator[_Piece]:
    """Yield the sentences that hold a word of an outcome or a deed, in order, but those under a plan."""
    for line in reading.lines:
        if hits.is_in(line.start, len(line.text)):
            yield from (piece for piece in _sentences(reading, line) if hits.counts(piece))


def _row_pieces(reading: Reading, hits: "_Hits") -> Iterator[_Piece]:
    """Yield the rows of tables that do."""
    for row in reading.markdown:
        if row.kind is LineKind.ROW and hits.is_in(row.start, len(row.text)):
            piece = _Piece(without_code(row.text), row.text, row.start, is_row=True)
            if hits.counts(piece):
                yield piece


def _sentences(reading: Reading, line: ProseLine) -> Iterator[_Piece]:
    if line.text.lstrip().startswith(PASSED_OVER):
        return
    for sentence in reading.sentences_in(line):
        yield _Piece(sentence.text, reading.plain.text[sentence.start : sentence.end], sentence.start)


class _Hits(NamedTuple):
    """Where a text holds a word of an outcome or a deed, and the spans of its plans."""

    places: Sequence[int]
    plans: Sequence[tuple[int, int]]

    def is_in(self, start: int, length: int) -> bool:
        """Return whether a part of the text holds one."""
        place = bisect_right(self.places, start - 1)
        return place < len(self.places) and self.places[place] < start + length

    def counts(self, piece: _Piece) -> bool:
        """Return whether a piece holds one, and stands under no plan."""
        return self.is_in(piece.start, len(piece.masked)) and not any(
            begin <= piece.start < end for begin, end in self.plans
        )


def _hits(reading: Reading) -> _Hits:
    text = reading.plain.text
    listed = (vocabulary().outcomes, approvals_of(), ci_outcomes())
    places = sorted([place for hits in listed for place in hits.starts_in(text)])
    return _Hits(places, tuple(_plans(reading.markdown)) if places else ())


def _plans(lines: Sequence[MarkdownLine]) -> Iterator[tuple[int, int]]:
    """Yield the spans under a heading, or a line that leads to a list, of what is not done yet or not one's own."""
    begun: int | None = None
    under_heading = False
    for line in lines:
        leads = line.kind is LineKind.HEADING or _leads(line)
        if begun is not None and (line.kind is LineKind.HEADING or (not under_heading and _ends_list(line))):
            yield begun, line.start
            begun = None
        if leads and begun is None and _is_plan(line.text):
            begun, under_heading = line.start, line.kind is LineKind.HEADING or line.text.lstrip().startswith("**")
    if begun is not None:
        yield begun, lines[-1].start + len(lines[-1].text) + 1


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
    for line in reading.markdown:
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
    plain = troubled = False
    failing, stems = words[Term.FAILS] | words[Term.TROUBLE], (*words[Term.KO_FAILS], *FAILURES)
    for line in reading.plain.text.lower().split("\n"):
        tokens = line.translate(SEPARATED).split()
        troubled |= not words[Term.TROUBLED].isdisjoint(tokens) or any(map(line.__contains__, KOREAN_TROUBLED))
        places = [place for place, token in enumerate(tokens) if token in failing or token.startswith(stems)]
        told = [place for place in places if tokens[place - 1 : place] not in NONE_OF]
        if not told:
            continue
        troubled = True
        for place in told:
            beside = tokens[max(0, place - 3) : place + 4]
            figures.update([int(token) for token in beside if token.isdecimal() and len(token) <= MOST_DIGITS])
            plain = plain or _admits(tokens[max(0, place - NEAR) : place + NEAR + 1], words)
        plain |= any(map(line.__contains__, KOREAN_ADMITS))
    return Admissions(any=troubled or plain or bool(figures), plain=plain, figures=frozenset(figures))


def _admits(near: Sequence[str], words: Vocabulary) -> bool:
    """Return whether words say of a check, or of a figure, that it is so."""
    admits = not words[Term.ADMITS].isdisjoint(near)
    return admits and any(token in words.checks or token.isdecimal() for token in near)


SEPARATED = str.maketrans({**dict.fromkeys(".,;:!?()[]|*_`~\"'=/", " "), "개": " ", "건": " "})
FAILURES = ("오류", "에러")
NONE_OF = (["0"], ["no"], ["zero"], ["without"])
KOREAN_ADMITS = tuple(word for word in vocabulary()[Term.ADMITS] if not word.isascii())
KOREAN_TROUBLED = tuple(word for word in vocabulary()[Term.TROUBLED] if not word.isascii())
