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
    """Whether a text tells what its author tried out (`I ran it`), not what a program does (`it runs hourly`)."""
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
