"""Whether a text approves: a speech act in verdict position."""

from collections.abc import Iterator
from itertools import islice

from mama_bot.enforcement.language.acts import removed, weigh, without_quotes
from mama_bot.enforcement.language.patterns import compiled
from mama_bot.enforcement.language.sentences import Reading, Sentence, split
from mama_bot.enforcement.language.words import Kind, Lexicon

LABEL = (
    r"(?:final |overall |review )?"
    r"(?:verdict|decision|conclusion|recommendation|review result|review|result|status|outcome)"
)
LABEL_KOREAN = r"(?:최종 ?)?(?:결론|판정|평결|결정|심사 ?결과|리뷰 ?결과|검토 ?결과|리뷰|결과)"
VERDICT_LINE = compiled(
    rf"(?m)^[ \t#>*_-]*(?:{LABEL}|{LABEL_KOREAN})[ \t*_]*[:：=][ \t]*[*_`\"]*([^\n]{{1,200}})$".replace(" ?", "[ ]?")
)
JSON_FIELD = compiled(
    r"\"(?:verdict|decision|review|recommendation|conclusion)\"\s*:\s*\"(?:approved?|lgtm|pass(?:ed)?|ok|accept(?:ed)?|승인)\""
    r"|\"status\"\s*:\s*\"(?:approved?|lgtm|승인)\"|\"approved\"\s*:\s*true"
)
CLAUSE = compiled(r"[,;:—–]\s|\s[-—–]\s|\bbut\b|\bhowever\b|지만\s|으나\s")
MARKUP = compiled(r"[`*_]+")
STANDALONE_WORDS = 1
MOST = 20
APPROVAL_CUES = frozenset((Kind.APPROVAL, Kind.BARE_APPROVAL))

Span = tuple[int, int]


def approvals(reading: Reading, lexicon: Lexicon) -> list[Span]:
    """Where a text approves, as spans of its plain form, the first 20; empty when it does not."""
    text = reading.plain.text
    if lexicon.cues.found(text).isdisjoint(APPROVAL_CUES):
        return []
    found = [(match.start(), match.end()) for match in islice(JSON_FIELD.finditer(text), MOST)]
    found += [
        (match.start(), match.end())
        for match in islice(VERDICT_LINE.finditer(text), MOST)
        if approves(MARKUP.sub("", match.group(1)), lexicon, in_verdict_line=True)
    ]
    found += [(said.start, said.end) for said in in_verdict_position(reading, lexicon)]
    return found


def in_verdict_position(reading: Reading, lexicon: Lexicon) -> list[Sentence]:
    """The first 20 approving sentences that come first, last, or say nothing else."""
    return list(islice(filter(lambda said: approves(spoken(reading, said), lexicon), placed(reading, lexicon)), MOST))


def placed(reading: Reading, lexicon: Lexicon) -> Iterator[Sentence]:
    """The sentences in verdict position: the first, those that say nothing but an approval, the last."""
    last = len(reading.lines) - 1
    for index, line in enumerate(reading.lines):
        outermost = index in (0, last)
        if not outermost and lexicon.cues.found(line.text).isdisjoint(APPROVAL_CUES):
            continue
        sentences = split(line)
        for number, said in enumerate(sentences):
            first = index == 0 and number == 0
            final = index == last and number == len(sentences) - 1
            if first or final or stands_alone(said, lexicon):
                yield said


def spoken(reading: Reading, said: Sentence) -> str:
    """The words of a sentence; a sentence of nothing but code is read as it stands."""
    if said.characters > sum(not character.isalnum() for character in said.text):
        return said.text
    return MARKUP.sub("", reading.plain.text[said.start : said.end])


def stands_alone(said: Sentence, lexicon: Lexicon) -> bool:
    """Whether a sentence is nothing but an approval."""
    if len(said.text) > 80:
        return False
    matches = list(lexicon[Kind.APPROVAL].finditer(said.text))
    return (
        bool(matches)
        and weigh(removed(said.text, [(one.start(), one.end()) for one in matches]), lexicon).total < STANDALONE_WORDS
    )


def approves(text: str, lexicon: Lexicon, *, in_verdict_line: bool = False) -> bool:
    """Whether a sentence asserts an approval, here and now, by its speaker."""
    said = without_quotes(text)
    bare = in_verdict_line or is_bare(said, lexicon)
    clauses = [clause for clause in split_clauses(said) if holds_approval(clause, lexicon, bare=bare)]
    if not clauses or asks_or_defers(said, lexicon):
        return False
    return any(
        lexicon[Kind.NEGATED].search(without_all_clear(clause)) is None and lexicon[Kind.REQUEST].search(clause) is None
        for clause in clauses
    )


def is_bare(text: str, lexicon: Lexicon) -> bool:
    """Whether a sentence is only a word such as OK or PASS."""
    return len(text) < 20 and lexicon[Kind.BARE_APPROVAL].match(text) is not None and len(text.split()) == 1


def holds_approval(clause: str, lexicon: Lexicon, *, bare: bool) -> bool:
    """Whether a clause has a word that approves; how a check came out is a result, no approval."""
    said = lexicon[Kind.NAMED_CHECK].sub(" ", clause)
    if bare and lexicon[Kind.BARE_APPROVAL].search(said):
        return True
    return lexicon[Kind.APPROVAL].search(said) is not None


def asks_or_defers(text: str, lexicon: Lexicon) -> bool:
    """Whether a sentence is a question, depends on something, or tells of another's approval."""
    if text.rstrip("\"')*_ ").endswith(("?", "？")):
        return True
    return lexicon[Kind.CONDITION].search(text) is not None or lexicon[Kind.ELSEWHERE].search(text) is not None


ALL_CLEAR = compiled(
    r"\b(?:no|zero|without|not? (?:find|see|have) any)\s+(?:\w+\s+){0,2}"
    r"(?:issues?|problems?|concerns?|objections?|errors?|blockers?|comments?)"
    r"|(?:이상|문제|결함|오류)(?:이|가|점)?\s*(?:전혀\s*)?없\S*|not only"
)


def without_all_clear(clause: str) -> str:
    """A clause without "no issues" and the like: such a negation approves."""
    return ALL_CLEAR.sub(" ", clause)


def split_clauses(text: str) -> list[str]:
    """The clauses of a sentence."""
    pieces: list[str] = []
    done = 0
    for match in CLAUSE.finditer(text):
        pieces.append(text[done : match.start()])
        done = match.end()
    return [*pieces, text[done:]]
