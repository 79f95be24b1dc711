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


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of a statement that says something about a check; `kind` is a strength, `contradiction` or `void`."""

    kind: str
    start: int
    end: int


def strongest_piece(clause: str, begin: int, lexicon: Lexicon) -> Piece | None:
    """Return the strongest evidence in a clause; what a program does by itself (`it retries twice`) is no evidence."""
    if lexicon[Kind.BEHAVIOUR].search(clause) is not None and lexicon[Kind.OWN_ACT].search(clause) is None:
        return None
    concrete = lexicon[Kind.CONCRETE].search(clause) or complete_fraction(clause, lexicon)
    if concrete is not None:
        return Piece(EvidenceStrength.CONCRETE.value, begin + concrete.start(), begin + concrete.end())
    named = lexicon[Kind.NAMED_CHECK].search(clause)
    if named is not None and not (
        lexicon[Kind.CRITERION].search(clause) is not None and lexicon[Kind.CHECK].search(clause) is None
    ):
        return Piece(EvidenceStrength.NAMED_CHECK.value, begin + named.start(), begin + named.end())
    checked = outcome_span(clause, lexicon)
    if checked is not None:
        return Piece(EvidenceStrength.NAMED_CHECK.value, begin + checked[0], begin + checked[1])
    word = lexicon[Kind.WORD].search(clause)
    return Piece(EvidenceStrength.WORD.value, begin + word.start(), begin + word.end()) if word is not None else None


def outcome_span(clause: str, lexicon: Lexicon) -> tuple[int, int] | None:
    """Return the span in which a clause names a check and its outcome: `unit tests ... passed`; None without one."""
    compares = lexicon[Kind.COMPARISON].search(clause) is not None
    outcomes = [
        (match.start(), match.end())
        for match in islice(lexicon[Kind.OUTCOME].finditer(clause), MOST_FOUND)
        if compares or lexicon[Kind.CHANGELESS].match(match.group()) is None
    ]
    if not outcomes:
        return None
    for check in islice(lexicon[Kind.CHECK].finditer(clause), MOST_FOUND):
        for begin, end in outcomes:
            between = clause[check.end() : begin] if begin >= check.start() else clause[end : check.start()]
            if begin < check.end() and end > check.start():
                continue
            if lexicon[Kind.MILD_OUTCOME].search(clause[begin:end]) and lexicon[Kind.READING].search(
                clause[max(0, check.start() - 40) : begin]
            ):
                continue
            if is_no_run(clause, check, lexicon):
                continue
            ahead = begin < check.start()
            if ahead and "," in between:
                continue
            if is_topic(clause, check, begin, end, lexicon):
                continue
            if (
                len(between) <= (NEAR if ahead else FAR)
                and lexicon[Kind.LOOKED_AT].search(between + clause[check.end() : check.end() + 12] * ahead) is None
            ):
                return min(begin, check.start()), max(end, check.end())
    return None


def is_no_run(clause: str, check: Match, lexicon: Lexicon) -> bool:
    """Return whether a check's name stands for something that is not run: a checklist, criteria, an addition."""
    if lexicon[Kind.VAGUE_CHECK].fullmatch(check.group()) is not None or clause[check.end() :].startswith("리스트"):
        return True
    before = clause[max(0, check.start() - 40) : check.start()]
    return lexicon[Kind.ADDITION].search(before) is not None or (
        check.group().lower() in ("check", "checks") and before.rstrip().lower().endswith(" my")
    )


def is_topic(clause: str, check: Match, begin: int, end: int, lexicon: Lexicon) -> bool:
    """Return whether a tick or a mere `OK` stands beside a topic (`✅ validation`) instead of a check that was run."""
    if lexicon[Kind.MERE_OUTCOME].fullmatch(clause[begin:end].strip()) is None:
        return False
    if lexicon[Kind.LOOKED_OVER].match(clause[end:]) is not None:
        return True
    if end > check.end() and not clause[check.end() : begin].strip():
        return lexicon[Kind.TOPIC].fullmatch(check.group().strip()) is not None
    return (
        lexicon[Kind.TOPIC].fullmatch(check.group().strip()) is not None
        or CLOSES_NAME.match(clause[check.end() :]) is None
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


def complete_fraction(clause: str, lexicon: Lexicon) -> Match | None:
    """Return a fraction of checks in which all passed: `12/12 tests`, `12개 중 12개 통과`; None without one."""
    if lexicon[Kind.OF_CHECKS].search(clause) is None and lexicon[Kind.ONCE_FAILED].search(clause) is None:
        return None
    for match in islice(FRACTION.finditer(clause), MOST_FOUND):
        if match.group(1) == match.group(2) != "0" and not is_date(clause, match, lexicon):
            return match
    return None


def is_date(clause: str, match: Match, lexicon: Lexicon) -> bool:
    """Return whether a fraction is a score (`9/10 for style`) or a part of a date or a path."""
    near = clause[max(0, match.start() - 2) : match.end() + 2]
    return (
        near.count("/") > 1
        or lexicon[Kind.SCORE].search(clause[max(0, match.start() - 30) : match.end() + 12]) is not None
    )
