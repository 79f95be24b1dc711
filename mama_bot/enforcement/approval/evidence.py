"""What a text offers as evidence, and what contradicts it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from mama_bot.config import EvidenceStrength
from mama_bot.enforcement.approval.checks import CHECKED, FRACTION, MOST_FOUND, Part, best, is_date
from mama_bot.enforcement.approval.trials import measured, passes_here, tried
from mama_bot.model import Finding
from mama_bot.text.lexicon import Kind, Lexicon
from mama_bot.text.normalise import Normalised
from mama_bot.text.patterns import Match, compiled
from mama_bot.text.provenance import QUOTED_PERSON, RERUN, lines, own_words
from mama_bot.text.sentences import pieces

ORDER = (
    EvidenceStrength.WORD,
    EvidenceStrength.NAMED_CHECK,
    EvidenceStrength.CONCRETE,
    EvidenceStrength.CONFIRMED,
)
KOREAN_PART = compiled(
    r"\b(\d{1,3}(?:,\d{3})+|\d{1,6}) ?(?:개|건|회|번|종|가지)? ?중(?:에서?)? ?(\d{1,3}(?:,\d{3})+|"
    r"\d{1,6}) ?(?:개|건|회|번|종|가지)?(?:만|가|"
    r"이|는|은|를|을)? ?(?:\S+ )?(통과|성공|정상)"
)
CLAUSE = compiled(
    r"[,;:]\s+|\s(?:and|but|though|although|while|so|because|since)\s|(?:[고며]|지만|는데|은데|니까?|"
    r"므로|어서|아서|라서|해서|여서|려서|와서|봐서|돼서|나서|져서|길래|으니|더니|으며),?\s"
)
LONGEST = 2000
MOST_STATEMENTS = 200
BLOCK = 100
SUSPICIOUS = frozenset((Kind.CONTRADICTION, Kind.VOID))
PARTIAL = compiled(r"\d ?(?:/ ?\d|of \d|out of|\S{0,2} ?중)")
SHORT = 4
TAKING = frozenset(("contradiction", "void"))


@dataclass(frozen=True, slots=True)
class Grounds:
    """The grounds of an approval: pieces with their strength, and what takes all of it away."""

    pieces: tuple[tuple[EvidenceStrength, Finding], ...] = ()
    contradictions: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, what supports first."""
        return tuple(piece for _, piece in self.pieces) + self.contradictions

    def at_least(self, least: EvidenceStrength) -> bool:
        """Whether any piece is strong enough."""
        return any(ORDER.index(strength) >= ORDER.index(least) for strength, _ in self.pieces)


def grounds_in(plain: Normalised, lexicon: Lexicon) -> Grounds:
    """The evidence in a whole text, code blocks included; quoted lines are someone else's words.

    A statement that is said again is judged once; of more than 400 that could hold something, the first and the last
    200 are judged, and before them those that could contradict.
    """
    judged: dict[str, tuple[Part, ...]] = {}
    pieces_found: list[tuple[EvidenceStrength, Finding]] = []
    against: list[Finding] = []
    void: list[Finding] = []
    rerun = False
    for start, statement in chosen(plain.text, lexicon):
        parts = judged.get(statement)
        if parts is None:
            parts = judged[statement] = tuple(parts_of(statement, lexicon))
        for part in parts:
            if part.kind not in TAKING and len(pieces_found) >= MOST_FOUND:
                continue
            begin, end = plain.original_span(start + part.start, start + part.end)
            finding = Finding(kind=part.kind, text=plain.original[begin:end], start=begin, end=end)
            if part.kind == "contradiction":
                against.append(finding)
            elif part.kind == "void":
                void.append(finding)
            else:
                pieces_found.append((EvidenceStrength(part.kind), finding))
                rerun = rerun or (part.kind != EvidenceStrength.WORD.value and RERUN.search(statement) is not None)
        if len(against) >= MOST_FOUND:
            break
    if not any(strength is not EvidenceStrength.WORD for strength, _ in pieces_found):
        pieces_found += islice(transcripts(plain, lexicon), 1)
    # What is said to be of an earlier state, or another's, takes everything away unless it was run again.
    return Grounds(tuple(pieces_found), tuple(against if rerun else against + void))


# A command behind a prompt, and the line that it printed; to look around is no check.
TRANSCRIPT = compiled(r"(?m:^[ \t]*(?:\$|❯|PS>|>>>|mysql>|\S+=[#>]) +(\S[^\n]*)\n[ \t]*([^\s$❯`>][^\n]*)$)")
LOOKING_AROUND = compiled(
    r"(?:sudo )?(?:cd|ls|ll|cat|echo|head|tail|less|pwd|whoami|date|mkdir|cp|mv|rm|export|source|tree|find|wc|vim?|"
    r"git (?:checkout|switch|fetch|pull|log|status|clone|show|add|commit|push|branch|rebase|merge|blame|stash))\b"
)
PROMPTS = ("$ ", "❯ ", ">>> ", "PS> ", "mysql> ", "=# ", "=> ")


def transcripts(plain: Normalised, lexicon: Lexicon) -> Iterator[tuple[EvidenceStrength, Finding]]:
    """Commands that were run here, each with what came out."""
    text = plain.text
    if not any(prompt in text for prompt in PROMPTS):
        return
    own = {start for start, _ in lines(text, lexicon)}
    for match in islice(TRANSCRIPT.finditer(text), MOST_FOUND):
        if match.start() in own and LOOKING_AROUND.match(match.group(1)) is None:
            begin, end = plain.original_span(match.start(), match.end())
            kind = EvidenceStrength.CONCRETE
            yield kind, Finding(kind=kind.value, text=plain.original[begin:end], start=begin, end=end)


def chosen(text: str, lexicon: Lexicon) -> list[tuple[int, str]]:
    """The statements to be judged, each text once: all that hold a word of evidence, or what the bound leaves."""
    first: dict[str, int] = {}
    for start, line in within_lines(list(lines(text, lexicon)), lexicon):
        begin = start
        for statement in statements_of(line):
            first.setdefault(statement, begin)
            begin += len(statement)
    suspects: list[str] = []
    others: list[str] = []
    for statement in first:
        kinds = lexicon.evidence.found(statement)
        if kinds & SUSPICIOUS or PARTIAL.search(statement) is not None:
            suspects.append(statement)
        elif kinds:
            others.append(statement)
    kept = within_bound(suspects) + within_bound(others)
    return sorted((first[statement], statement) for statement in kept)


def within_lines(listed: list[tuple[int, str]], lexicon: Lexicon) -> list[tuple[int, str]]:
    """Lines, of very many the first and the last, and of those between the ones that could contradict."""
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
        suspects += [one for one in block if is_suspicious(one[1], lexicon)]
        if len(suspects) > 2 * MOST_STATEMENTS:
            break
    return listed[:MOST_STATEMENTS] + suspects[: 2 * MOST_STATEMENTS] + listed[-MOST_STATEMENTS:]


def is_suspicious(text: str, lexicon: Lexicon) -> bool:
    """Whether a text could contradict: by its words, or by a part of a whole."""
    return not lexicon.evidence.found(text).isdisjoint(SUSPICIOUS) or PARTIAL.search(text) is not None


def statements_of(line: str) -> list[str]:
    """A line as its sentences; a very long one is cut at full stops alone."""
    if len(line) <= LONG_LINE:
        return unbroken(pieces(line)) if TICKED.search(line) is None else [line]
    parts = line.split(". ")
    return [part + ". " for part in parts[:-1]] + parts[-1:]


def unbroken(parts: list[str]) -> list[str]:
    """The sentences of a line, an address with a question mark in it kept whole."""
    found: list[str] = []
    for part in parts:
        if found and found[-1].endswith("?") and "/" in found[-1].split()[-1] and part[:1].isalnum():
            found[-1] += part
        else:
            found.append(part)
    return found


LONG_LINE = 8000
# A tick ends a sentence, but not before the word that says what it stands for.
TICKED = compiled(
    r"[✅✓✔🟢💚]\S? *(?:reviewed|checked|looked|considered|read\b|inspected|verified|done|"
    r"complete|covered|검토|확인|점검|리뷰|완료|검증)"
)


def within_bound(statements: list[str]) -> list[str]:
    """The first and the last of very many statements."""
    if len(statements) <= 2 * MOST_STATEMENTS:
        return statements
    return statements[:MOST_STATEMENTS] + statements[-MOST_STATEMENTS:]


def parts_of(statement: str, lexicon: Lexicon) -> Iterator[Part]:
    """What a statement says: that a check failed, or the strongest thing that its clauses offer."""
    statement = statement[:LONGEST]
    kinds = lexicon.evidence.found(statement)
    if Kind.CONTRADICTION in kinds or "/" in statement or "중" in statement or " of " in statement:
        against = contradiction(statement, lexicon)
        if against is not None:
            yield Part("contradiction", *against)
            return
    if Kind.VOID in kinds and RERUN.search(statement) is None:
        match = lexicon[Kind.VOID].search(statement)
        if match is not None:
            yield Part("void", match.start(), match.end())
            return
    if Kind.HEARSAY in kinds or QUOTED_PERSON.match(statement) is not None:
        told = lexicon[Kind.HEARSAY].search(statement) or QUOTED_PERSON.match(statement)
        statement = own_words(statement, told, lexicon)
    held = list(firm(statement, lexicon)) if kinds & {Kind.DOUBT, Kind.STALE} else [(0, statement)]
    offered = [best(clause, begin, lexicon) for begin, clause in held]
    strongest = max((part for part in offered if part is not None), key=rank, default=None)
    if (strongest is None or strongest.kind == EvidenceStrength.WORD.value) and {Kind.ACTION, Kind.RESULT} <= kinds:
        done = [clause for _, clause in clauses(statement) if not doubts(clause, lexicon)]
        strongest = tried(" ".join(done), held, lexicon) or strongest
    if strongest is None and {Kind.STALE, Kind.CHECK, Kind.OUTCOME} <= kinds:
        strongest = passes_here(held, lexicon)
    if Kind.MEASURED in kinds and (strongest is None or strongest.kind != EvidenceStrength.CONCRETE.value):
        strongest = measured(statement, held, lexicon) or strongest
    if strongest is not None:
        yield strongest


def rank(part: Part) -> int:
    """The place of a part in the order of strengths."""
    return ORDER.index(EvidenceStrength(part.kind))


def firm(statement: str, lexicon: Lexicon) -> Iterator[tuple[int, str]]:
    """The clauses of a statement that neither doubt nor tell of an earlier state."""
    if HEDGED.search(statement) is not None:
        return
    stale = False
    across = lexicon[Kind.STALE].search(statement)
    run: list[str] = []
    start = 0
    for begin, clause in clauses(statement):
        current = lexicon[Kind.CURRENT].search(clause) is not None
        reached = across is not None and begin < across.end() and begin + len(clause) > across.start()
        was_stale, stale = (
            stale and not current,
            not current and (reached or lexicon[Kind.STALE].search(clause) is not None),
        )
        if doubts(clause, lexicon) or stale or (was_stale and len(clause.split()) <= 2 * SHORT):
            if run:
                yield start, "".join(run)
            run = []
        else:
            start = start if run else begin
            run.append(clause)
    if run:
        yield start, "".join(run)


# A hedge that is hung on covers what stands before it.
HEDGED = compiled(
    r"[,(–—-] ?(?:or so )?(?:i (?:assume|think|guess|believe|suppose|hope|expect|imagine|"
    r"gather)|presumably|probably|hopefully|supposedly|i'd (?:assume|guess|"
    r"think))[.!)]*\s*$"
)


def doubts(clause: str, lexicon: Lexicon) -> bool:
    """Whether a clause only expects or plans something; to approve, in whatever form, is no plan."""
    if lexicon[Kind.DOUBT].search(clause) is None:
        return False
    return lexicon[Kind.DOUBT].search(VERDICT.sub(" ", clause)) is not None


VERDICT = compiled(
    r"(?:승인|머지|병합|배포|통과|합격|approve|lgtm|반영|merge|오케이|사인)\S*(?: (?:처리|진행|눌러|남기|드리|해|"
    r"하)\S*)?(?: (?:주세요|둘게요|두겠습니다|됩니다))?\s*[.!~)]*\s*$"
    r"|\b(?:i'll|i will|we'll|going to|gonna|let's|please|feel free to|you can|you may|"
    r"i would|i'd|happy to|plan to) (?:\S+ )?(?:approve|merge|ship|land|stamp|sign|say|"
    r"accept)\b"
)


def clauses(statement: str) -> list[tuple[int, str]]:
    """The clauses of a statement with their offsets."""
    found: list[tuple[int, str]] = []
    done = 0
    for match in CLAUSE.finditer(statement):
        found.append((done, statement[done : match.end()]))
        done = match.end()
    found.append((done, statement[done:]))
    return found


def contradiction(statement: str, lexicon: Lexicon) -> tuple[int, int] | None:
    """What in a statement says that a check failed, found nothing or was not run, as things are now."""
    none = NONE_PASSED.search(statement)
    if none is not None and SOME_PASSED.search(statement) is None:
        return none.start(), none.end()
    said = blanked(statement, lexicon)
    match = lexicon[Kind.CONTRADICTION].search(said)
    found = (match.start(), match.end()) if match is not None else unequal(said)
    if found is None or lexicon[Kind.OVERCOME].search(said) is not None:
        return None
    if EXITS.search(said) is not None and IN_CASE.search(said) is not None and lexicon[Kind.CHECK].search(said) is None:
        return None
    return found


# How a program ends in a case is its behaviour, unless it is a check that ends so.
EXITS = compiled(r"종료 ?코드|\bexit")
IN_CASE = compiled(
    r"(?:[가-힣]면|때|경우)(?:에|에는|는|엔|,)? |\b(?:when|if|on|for|without|a|an|any) (?:\S+ ){0,3}?(?:missing|"
    r"unknown|invalid|empty|malformed|bad|wrong|absent|failed|error|unreadable|nothing|none|no)\b"
)
NONE_PASSED = compiled(r"(?:^|[^\d.,/])0 (?:tests? )?(?:passed|passing)\b")
SOME_PASSED = compiled(r"[1-9]\d* (?:tests? )?(?:passed|passing)\b|overall|main\b|before")


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
        part, total = number(match.group(1)), number(match.group(2))
        if part < total and not is_date(said, match) and joined(said, match):
            return match.start(), match.end()
    match_korean = KOREAN_PART.search(said)
    if match_korean is not None and number(match_korean.group(2)) < number(match_korean.group(1)):
        return match_korean.start(), match_korean.end()
    return None


def number(digits: str) -> int:
    """A number whose thousands may be set apart."""
    return int(digits.replace(",", ""))


def joined(said: str, match: Match) -> bool:
    """Whether a fraction stands beside a word for checks."""
    return CHECKED.search(said[max(0, match.start() - 24) : match.end() + 24]) is not None
