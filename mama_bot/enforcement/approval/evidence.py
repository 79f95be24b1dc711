"""What a text offers as evidence, and what contradicts it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from mama_bot.config import EvidenceStrength
from mama_bot.enforcement.approval.check_outcomes import FRACTION, MOST_FOUND, Piece, is_date, strongest_piece
from mama_bot.model import Finding
from mama_bot.text.lexicon import SUSPICIOUS, Kind, Lexicon
from mama_bot.text.normalise import Normalised
from mama_bot.text.patterns import Match, compiled
from mama_bot.text.provenance import QUOTED_PERSON, RERUN, own_lines, own_words
from mama_bot.text.sentences import pieces

ORDER = (
    EvidenceStrength.WORD,
    EvidenceStrength.NAMED_CHECK,
    EvidenceStrength.CONCRETE,
    EvidenceStrength.CONFIRMED,
)
COUNTED = r"(\d{1,3}(?:,\d{3})+|\d{1,6}) ?(?:개|건|회|번|종|가지)?"
KOREAN_PART = compiled(
    rf"\b{COUNTED} ?중(?:에서?)? ?{COUNTED}"  # 12개 중 11개
    r"(?:만|가|이|는|은|를|을)? ?(?:\S+ )?(통과|성공|정상)"  # 만 통과
)
CLAUSE = compiled(
    r"[,;:]\s+"
    r"|\s(?:and|but|though|although|while|so|because|since)\s"  # tests pass and lint fails
    r"|(?:[고며]|지만|는데|은데"  # 통과했지만 느립니다
    r"|니까?|므로|어서|아서|라서|해서|여서|려서|와서|봐서|돼서|나서|져서|길래"  # 돌려봐서 압니다
    r"|으니|더니|으며),?\s"
)
LONGEST = 2000
MOST_STATEMENTS = 200
BLOCK = 100
PARTIAL = compiled(r"\d ?(?:/ ?\d|of \d|out of|\S{0,2} ?중)")
SHORT = 4
TAKING = frozenset(("contradiction", "void"))


@dataclass(frozen=True, slots=True)
class Grounds:
    """The grounds of an approval: pieces with their strength, and contradictions; each outweighs all pieces."""

    pieces: tuple[tuple[EvidenceStrength, Finding], ...] = ()
    contradictions: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return all spans: first those that support, then those that contradict."""
        return tuple(piece for _, piece in self.pieces) + self.contradictions

    def with_whole(self, text: str) -> "Grounds":
        """Return the grounds of a text that as a whole names a check with its outcome."""
        strength = EvidenceStrength.NAMED_CHECK
        piece = (strength, Finding(kind=strength.value, text=text, start=0, end=len(text)))
        return replace(self, pieces=(*self.pieces, piece))

    def at_least(self, least: EvidenceStrength) -> bool:
        """Return whether any piece is at least this strong."""
        return any(ORDER.index(strength) >= ORDER.index(least) for strength, _ in self.pieces)


def grounds_in(plain: Normalised, lexicon: Lexicon) -> Grounds:
    """Find the evidence in a whole text, code blocks included; quoted lines are someone else's words.

    A statement that is repeated is judged once. Of more than 400 candidates the first and the last 200 are judged;
    those that could contradict come before the others.
    """
    pieces_by_statement: dict[str, tuple[Piece, ...]] = {}
    supporting: list[tuple[EvidenceStrength, Finding]] = []
    against: list[Finding] = []
    void: list[Finding] = []
    rerun = False
    statements = chosen_statements(plain.text, lexicon)
    for start, statement in statements:
        if statement not in pieces_by_statement:
            pieces_by_statement[statement] = tuple(pieces_of(statement, lexicon))
        for piece in pieces_by_statement[statement]:
            if piece.kind not in TAKING and len(supporting) >= MOST_FOUND:
                continue
            begin, end = plain.original_span(start + piece.start, start + piece.end)
            finding = Finding(kind=piece.kind, text=plain.original[begin:end], start=begin, end=end)
            if piece.kind == "contradiction":
                against.append(finding)
            elif piece.kind == "void":
                void.append(finding)
            else:
                supporting.append((EvidenceStrength(piece.kind), finding))
                rerun = rerun or (piece.kind != EvidenceStrength.WORD.value and RERUN.search(statement) is not None)
        if len(against) >= MOST_FOUND:
            break
    if not any(strength is not EvidenceStrength.WORD for strength, _ in supporting):
        supporting += islice(transcripts(plain, lexicon), 1)
    # What is said to be of an earlier state, or another's, takes everything away unless it was run again.
    return Grounds(tuple(supporting), tuple(against if rerun else against + void))


# A command behind a prompt, and the line that it printed; to look around is no check.
TRANSCRIPT = compiled(r"(?m:^[ \t]*(?:\$|❯|PS>|>>>|mysql>|\S+=[#>]) +(\S[^\n]*)\n[ \t]*([^\s$❯`>][^\n]*)$)")
PROMPTS = ("$ ", "❯ ", ">>> ", "PS> ", "mysql> ", "=# ", "=> ")


def transcripts(plain: Normalised, lexicon: Lexicon) -> Iterator[tuple[EvidenceStrength, Finding]]:
    """Yield commands behind a prompt with the line that they printed: `$ pytest` and `45 passed`."""
    text = plain.text
    if not any(prompt in text for prompt in PROMPTS):
        return
    own = {line.start for line in own_lines(text, lexicon)}
    for match in islice(TRANSCRIPT.finditer(text), MOST_FOUND):
        if match.start() in own and lexicon[Kind.LOOKING_AROUND].match(match.group(1)) is None:
            begin, end = plain.original_span(match.start(), match.end())
            kind = EvidenceStrength.CONCRETE
            yield kind, Finding(kind=kind.value, text=plain.original[begin:end], start=begin, end=end)


def chosen_statements(text: str, lexicon: Lexicon) -> list[tuple[int, str]]:
    """Return the statements to judge, each text once with its first offset: at most what the bound allows."""
    first: dict[str, int] = {}
    for start, line in lines_within_bound([(line.start, line.text) for line in own_lines(text, lexicon)], lexicon):
        begin = start
        for statement in statements_of(line, lexicon):
            first.setdefault(statement, begin)
            begin += len(statement)
    suspects: list[str] = []
    others: list[str] = []
    for statement in first:
        kinds = lexicon.evidence.keys_in(statement)
        if not kinds.isdisjoint(SUSPICIOUS) or PARTIAL.search(statement) is not None:
            suspects.append(statement)
        elif kinds:
            others.append(statement)
    statements = statements_within_bound(suspects) + statements_within_bound(others)
    return sorted((first[statement], statement) for statement in statements)


def lines_within_bound(listed: list[tuple[int, str]], lexicon: Lexicon) -> list[tuple[int, str]]:
    """Return the lines; of very many the first, the last, and those between that could contradict."""
    if len(listed) <= 2 * MOST_STATEMENTS:
        return listed
    middle = listed[MOST_STATEMENTS:-MOST_STATEMENTS]
    suspects: list[tuple[int, str]] = []
    for index in range(0, len(middle), BLOCK):
        block = middle[index : index + BLOCK]
        together = "\n".join([line for _, line in block])
        # Opened line by line only when something in the block could contradict.
        if not is_suspicious(together, lexicon):
            continue
        suspects += [line for line in block if is_suspicious(line[1], lexicon)]
        if len(suspects) > 2 * MOST_STATEMENTS:
            break
    return listed[:MOST_STATEMENTS] + suspects[: 2 * MOST_STATEMENTS] + listed[-MOST_STATEMENTS:]


def is_suspicious(text: str, lexicon: Lexicon) -> bool:
    """Return whether a text could contradict an approval: by its words, or by a fraction (`11/12`)."""
    return lexicon.suspicious.any_in(text) or PARTIAL.search(text) is not None


def statements_of(line: str, lexicon: Lexicon) -> list[str]:
    """Split a line into sentences; a very long one is cut at full stops alone."""
    if len(line) <= LONG_LINE:
        return with_whole_addresses(pieces(line)) if lexicon[Kind.TICKED_TOPIC].search(line) is None else [line]
    parts = line.split(". ")
    return [part + ". " for part in parts[:-1]] + parts[-1:]


def with_whole_addresses(parts: list[str]) -> list[str]:
    """Join what was cut at the question mark of an address: `https://host/path?id=1`."""
    sentences: list[str] = []
    for part in parts:
        if sentences and sentences[-1].endswith("?") and "/" in sentences[-1].split()[-1] and part[:1].isalnum():
            sentences[-1] += part
        else:
            sentences.append(part)
    return sentences


LONG_LINE = 8000


def statements_within_bound(statements: list[str]) -> list[str]:
    """Return the statements; of very many the first and the last 200."""
    if len(statements) <= 2 * MOST_STATEMENTS:
        return statements
    return statements[:MOST_STATEMENTS] + statements[-MOST_STATEMENTS:]


def pieces_of(statement: str, lexicon: Lexicon) -> Iterator[Piece]:
    """Yield what a statement says: that a check failed, or else the strongest evidence of its clauses."""
    statement = statement[:LONGEST]
    kinds = lexicon.evidence.keys_in(statement)
    if Kind.CONTRADICTION in kinds or "/" in statement or "중" in statement or " of " in statement:
        against = contradiction(statement, lexicon)
        if against is not None:
            yield Piece("contradiction", *against)
            return
    if Kind.VOID in kinds and RERUN.search(statement) is None:
        yield whole_piece("void", Kind.VOID, statement, lexicon)
        return
    if Kind.MUTATION in kinds:
        yield whole_piece(EvidenceStrength.CONCRETE.value, Kind.MUTATION, statement, lexicon)
        return
    if Kind.HEARSAY in kinds or QUOTED_PERSON.match(statement) is not None:
        told = lexicon[Kind.HEARSAY].search(statement) or QUOTED_PERSON.match(statement)
        statement = own_words(statement, told, lexicon)
    strongest = offered_piece(statement, kinds, lexicon)
    if strongest is not None:
        yield strongest


def whole_piece(strength: str, kind: Kind, statement: str, lexicon: Lexicon) -> Piece:
    """Return the words of a kind that a statement holds as a piece."""
    match = lexicon[kind].search(statement)
    return Piece(strength, match.start(), match.end()) if match is not None else Piece(strength, 0, len(statement))


def offered_piece(statement: str, kinds: frozenset[Kind], lexicon: Lexicon) -> Piece | None:
    """Return the strongest evidence of the clauses of a statement."""
    held = list(firm_clauses(statement, lexicon)) if kinds & {Kind.DOUBT, Kind.STALE} else [(0, statement)]
    offered = [strongest_piece(clause, begin, lexicon) for begin, clause in held]
    return max((piece for piece in offered if piece is not None), key=strength_rank, default=None)


def strength_rank(piece: Piece) -> int:
    """Return the rank of a piece in the order of strengths."""
    return ORDER.index(EvidenceStrength(piece.kind))


def firm_clauses(statement: str, lexicon: Lexicon) -> Iterator[tuple[int, str]]:
    """Yield the clauses of a statement, with offsets, that neither doubt nor tell of an earlier state."""
    if lexicon[Kind.HEDGE].search(statement) is not None:
        return
    stale = False
    across = lexicon[Kind.STALE].search(statement)
    run: list[str] = []
    start = 0
    for begin, clause in statement_clauses(statement):
        current = lexicon[Kind.CURRENT].search(clause) is not None
        reached = across is not None and begin < across.end() and begin + len(clause) > across.start()
        was_stale, stale = (
            stale and not current,
            not current and (reached or lexicon[Kind.STALE].search(clause) is not None),
        )
        if is_doubtful(clause, lexicon) or stale or (was_stale and len(clause.split()) <= 2 * SHORT):
            if run:
                yield start, "".join(run)
            run = []
        else:
            start = start if run else begin
            run.append(clause)
    if run:
        yield start, "".join(run)


def is_doubtful(clause: str, lexicon: Lexicon) -> bool:
    """Return whether a clause expects or plans something; announcing an approval (`I'll merge this`) is no plan."""
    if lexicon[Kind.DOUBT].search(clause) is None:
        return False
    return lexicon[Kind.DOUBT].search(lexicon[Kind.ANNOUNCED_VERDICT].sub(" ", clause)) is not None


def statement_clauses(statement: str) -> list[tuple[int, str]]:
    """Split a statement into clauses with their offsets."""
    parts: list[tuple[int, str]] = []
    done = 0
    for match in CLAUSE.finditer(statement):
        parts.append((done, statement[done : match.end()]))
        done = match.end()
    parts.append((done, statement[done:]))
    return parts


def contradiction(statement: str, lexicon: Lexicon) -> tuple[int, int] | None:
    """Return the span that says that a check failed, found no tests or was not run, as things are now."""
    none = NONE_PASSED.search(statement)
    if none is not None and lexicon[Kind.SOME_PASSED].search(statement) is None:
        return none.start(), none.end()
    bad_news = blanked(statement, lexicon)
    match = lexicon[Kind.CONTRADICTION].search(bad_news)
    span = (match.start(), match.end()) if match is not None else incomplete_fraction(bad_news, lexicon)
    if span is None or lexicon[Kind.OVERCOME].search(bad_news) is not None:
        return None
    tells_behaviour = (
        lexicon[Kind.EXIT].search(bad_news) is not None and lexicon[Kind.IN_CASE].search(bad_news) is not None
    )
    if tells_behaviour and lexicon[Kind.CHECK].search(bad_news) is None:
        return None
    return span


NONE_PASSED = compiled(r"(?:^|[^\d.,/])0 (?:tests? )?(?:passed|passing)\b")


def blanked(statement: str, lexicon: Lexicon) -> str:
    """Return a statement with reassuring phrases (`0 failed`, `no errors`) blanked, every offset kept."""
    pieces: list[str] = []
    done = 0
    for match in lexicon[Kind.BENIGN].finditer(statement):
        pieces += (statement[done : match.start()], " " * (match.end() - match.start()))
        done = match.end()
    pieces.append(statement[done:])
    return "".join(pieces)


def incomplete_fraction(statement: str, lexicon: Lexicon) -> tuple[int, int] | None:
    """Return the span of a fraction of checks in which not all passed: `11/12 tests`; None without one."""
    if lexicon[Kind.OF_CHECKS].search(statement) is None:
        return None
    for match in islice(FRACTION.finditer(statement), MOST_FOUND):
        part, total = parsed_count(match.group(1)), parsed_count(match.group(2))
        if part < total and not is_date(statement, match, lexicon) and is_of_checks(statement, match, lexicon):
            return match.start(), match.end()
    match_korean = KOREAN_PART.search(statement)
    if match_korean is not None and parsed_count(match_korean.group(2)) < parsed_count(match_korean.group(1)):
        return match_korean.start(), match_korean.end()
    return None


def parsed_count(digits: str) -> int:
    """Return the number that digits stand for: 1200 for `1,200`."""
    return int(digits.replace(",", ""))


def is_of_checks(statement: str, match: Match, lexicon: Lexicon) -> bool:
    """Return whether a word for checks stands beside a fraction."""
    return lexicon[Kind.OF_CHECKS].search(statement[max(0, match.start() - 24) : match.end() + 24]) is not None
