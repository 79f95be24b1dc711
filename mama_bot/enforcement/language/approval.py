"""Where a text approves: sentences of prose, verdict lines, rows of tables, fields of JSON."""

from collections.abc import Iterator
from itertools import islice

from mama_bot.enforcement.language.normalise import MASK
from mama_bot.enforcement.language.patterns import compiled
from mama_bot.enforcement.language.sentences import Reading, Sentence, split
from mama_bot.enforcement.language.verdicts import asserts
from mama_bot.enforcement.language.words import Kind, Lexicon

LABELLED = compiled(
    r"^[ \t#*_+•·\-\d.)\[\]✅🟢👍]*(?:\*\*|__)?((?:[A-Za-z가-힣/;'&]+[ ]){0,3}[A-Za-z가-힣;/]+)[ \t]*(?:\*\*|__)?[ \t]*"
    r"(?:[:：=]|->|→|=>|[ ][-—–][ ]|[—–])[ \t]*(?:\*\*|__)?[ \t]*(\S[^\n]{0,300})$"
)
FIELD = compiled(
    r"\"[a-z_-]*(?:verdict|decision|review|recommendation|conclusion|approval|vote|판정|결론|결정)[a-z_-]*\"\s*:\s*"
    r"\"((?:approved?|approval|lgtm|pass(?:ed)?|ok|accept(?:ed)?|ship(?:_it| it)?|merge|go|승인|합격|통과)[^\"\n]{0,200})\""
    r"|\"(?:is_|review_?)?(?:approved?|lgtm)\"\s*:\s*(true)"
    r"|\"(?:status|result|state|event|action|outcome|상태|결과)\"\s*:\s*\"(approved?|lgtm|accepted|승인[가-힣]{0,2})\""
)
REVIEWED = compiled(
    r"\"[a-z_]*(?:evidence|issues?|findings?|comments?|reviewer|summary|notes?|rationale|confidence|reason\w*|checks?|tests?|blocking|severity|score|근거|의견|사유)[a-z_]*\"\s*:"
)
TAG = compiled(r"<(?:verdict|decision|review|approval|result)>\s*(?:approved?|lgtm|승인|pass)\s*</")
LABEL_TAIL = compiled(r"^(?:final|overall|my|our|the|review|reviewer|code|pr|최종|종합|제|전체|코드|리뷰|review;)\b\s*")
WEAK_LABELS = compiled(r"(?:result|status|state|outcome|action|approval|결과|상태|처리|승인.*)$")
MARKUP = compiled(r"[`*_]+")
UNTICKED = compiled(r"^\s*(?:[-*+]|\d+[.)])\s*\[ \]")
TABLE_RULE = compiled(r"^[\s|:-]+$")
MOST = 20
MOST_LINES = 200
PROSE_AROUND_JSON = 300
APPROVAL_CUES = frozenset((Kind.APPROVAL, Kind.OPENING, Kind.VERDICT_NOUN, Kind.MERGE_NOUN, Kind.PERMIT_VERB, Kind.BARE_APPROVAL))
SENTENCE_CUES = APPROVAL_CUES - {Kind.BARE_APPROVAL}

Span = tuple[int, int]


def approvals(reading: Reading, lexicon: Lexicon) -> list[Span]:
    """Where a text approves, as spans of its plain form, the first 20; empty when it does not."""
    text = reading.plain.text
    if lexicon.cues.found(text).isdisjoint(APPROVAL_CUES):
        return []
    found = list(islice(in_json(reading), MOST))
    found += islice(in_lines(text, lexicon), MOST)
    if len(found) < MOST:
        found += [(said.start, said.end) for said in islice(in_sentences(reading, lexicon), MOST)]
    return found


def in_json(reading: Reading) -> Iterator[Span]:
    """Fields of JSON, and tags, that hold a verdict of a review; a sample in a long explanation is none."""
    text = reading.plain.text
    if '"' in text:
        for match in islice(FIELD.finditer(text), MOST):
            line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if "`" in line or line.lstrip().startswith(">"):
                continue
            if REVIEWED.search(text) is not None or reading.characters < PROSE_AROUND_JSON:
                yield match.start(), match.end()
    if "</" in text:
        yield from ((match.start(), match.end()) for match in islice(TAG.finditer(text), MOST))


def in_lines(text: str, lexicon: Lexicon) -> Iterator[Span]:
    """Lines such as "Verdict: approved", and rows of tables such as "| Verdict | Approved |"."""
    start = 0
    header: list[str] = []
    seen = 0
    for line in text.split("\n"):
        bare = line.strip()
        if bare and bare[0] == "|":
            row = [cell.strip() for cell in bare.strip("|").split("|")]
            if header or TABLE_RULE.match(bare) is None:
                if is_verdict_row(row, header, lexicon):
                    yield start, start + len(line)
                header = header or row
        else:
            header = []
            if bare and bare[0] != ">" and seen < MOST_LINES and (match := LABELLED.match(line)) is not None:
                seen += 1
                if is_label(match.group(1), lexicon) and is_verdict(match.group(2), match.group(1), lexicon):
                    yield start, start + len(line)
        start += len(line) + 1


def is_verdict_row(row: list[str], header: list[str], lexicon: Lexicon) -> bool:
    """Whether a row of a table approves: behind a label, or in a column that its header names a verdict."""
    if len(row) > 1 and is_label(row[0], lexicon):
        return any(is_verdict(cell, row[0], lexicon) for cell in row[1:])
    return len(row) == 1 and is_verdict(row[0], "", lexicon)


def is_label(text: str, lexicon: Lexicon) -> bool:
    """Whether words stand before a verdict."""
    label = MARKUP.sub("", text).strip(" \t:：")
    for _ in range(3):
        match = lexicon[Kind.LABEL].match(label)
        if match is not None and match.end() == len(label):
            return True
        shorter = LABEL_TAIL.sub("", label)
        if shorter == label:
            return False
        label = shorter
    return False


def is_verdict(text: str, label: str, lexicon: Lexicon) -> bool:
    """Whether what stands behind a label approves; a word such as OK behind "Result" is how a check came out."""
    first, _, _ = text.partition("|")
    labelled = bool(label) and WEAK_LABELS.search(MARKUP.sub("", label).strip(" :：")) is None
    value = MARKUP.sub("", first).strip()
    sentence = next(iter(split_value(value)), value)
    return asserts(sentence, lexicon, labelled=labelled)


def split_value(value: str) -> list[str]:
    """The sentences behind a label, its first one before all."""
    for mark in (". ", "! ", "다. ", "요. "):
        head, found, _ = value.partition(mark)
        if found:
            return [head + mark.rstrip()]
    return [value]


def in_sentences(reading: Reading, lexicon: Lexicon) -> Iterator[Sentence]:
    """The sentences of prose that approve; of more than 400 lines with a word that could, the first and last 200."""
    text = reading.plain.text
    last = len(reading.lines) - 1
    lines = [
        (index, line)
        for index, line in enumerate(reading.lines)
        if not (found := lexicon.cues.found(line.text)).isdisjoint(APPROVAL_CUES)
        and (found & SENTENCE_CUES or index in (0, last) or len(line.text) < MOST_BARE)
    ]
    if len(lines) > 2 * MOST_LINES:
        lines = lines[:MOST_LINES] + lines[-MOST_LINES:]
    for index, line in lines:
        sentences = split(line)
        if UNTICKED.match(text[line.start : line.start + 40]) is not None:
            continue
        if len(sentences) > 2 * MOST_LINES:
            sentences = sentences[:MOST_LINES] + sentences[-MOST_LINES:]
        for number, said in enumerate(sentences):
            whole = len(sentences) == 1 and len(reading.lines) == 1
            if asserts(spoken(reading, said), lexicon, alone=whole or is_outermost(index, number, last, sentences)):
                yield said


MOST_BARE = 40


def is_outermost(index: int, number: int, last: int, sentences: list[Sentence]) -> bool:
    """Whether a sentence is the first or the last of a text, and short."""
    edge = (index == 0 and number == 0) or (index == last and number == len(sentences) - 1)
    said = sentences[number].text
    return edge and len(said) < MOST_BARE and any(character.isalpha() for character in said)


def spoken(reading: Reading, said: Sentence) -> str:
    """The words of a sentence with code masked; a sentence of nothing but code is read as it stands."""
    alphabetic = sum(character.isalpha() for character in said.text if character != MASK)
    if alphabetic > 1:
        return MARKUP_WORDS.sub("", said.text)
    return MARKUP.sub("", reading.plain.text[said.start : said.end])


MARKUP_WORDS = compiled(r"[*_]{1,3}")
