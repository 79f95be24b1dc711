"""Where a text approves: sentences of prose, verdict lines, rows of tables, fields of JSON."""

from collections.abc import Iterator
from itertools import islice

from mama_bot.enforcement.approval.verdicts import asserts
from mama_bot.text.lexicon import Kind, Lexicon
from mama_bot.text.normalise import MASK
from mama_bot.text.patterns import compiled
from mama_bot.text.prose import Line
from mama_bot.text.sentences import Reading, Sentence, split

LABELLED_LINE = (
    r"^[ \t#*_+•·\-\d.)\[\]✅🟢👍]*(?:\*\*|"
    r"__)?((?:[A-Za-z가-힣/;'&]+[ ]){0,3}[A-Za-z가-힣;/]+)[ \t]*(?:\*\*|__)?[ \t]*"
    r"(?:[:：=]|->|→|=>|[ ][-—–][ ]|[—–])[ \t]*(?:\*\*|__)?[ \t]*(\S[^\n]{0,300})$"
)
LABELLED = compiled(LABELLED_LINE)
LABELLED_SOMEWHERE = compiled(f"(?m:{LABELLED_LINE})", groups=False)
FIELD = compiled(
    r"\"[a-z_-]*(?:verdict|decision|review|recommendation|conclusion|approval|vote|판정|결론|결정)[a-z_-]*\"\s*:\s*"
    r"\"((?:approved?|approval|lgtm|pass(?:ed)?|ok|accept(?:ed)?|ship(?:_it| it)?|merge|go|승인|합격|"
    r"통과)[^\"\n]{0,200})\""
    r"|\"(?:is_|review_?)?(?:approved?|lgtm)\"\s*:\s*(true)"
    r"|\"(?:status|result|state|event|action|outcome|상태|결과)\"\s*:\s*\"(approved?|lgtm|accepted|"
    r"승인[가-힣]{0,2})\""
)
REVIEWED = compiled(
    r"\"[a-z_]*(?:evidence|issues?|findings?|comments?|reviewer|summary|notes?|rationale|confidence|"
    r"reason\w*|checks?|tests?|blocking|severity|score|근거|의견|사유)[a-z_]*\"\s*:"
)
TAG = compiled(r"<(?:verdict|decision|review|approval|result)>\s*(?:approved?|lgtm|승인|pass)\s*</")
LABEL_TAIL = compiled(r"^(?:final|overall|my|our|the|review|reviewer|code|pr|최종|종합|제|전체|코드|리뷰|review;)\b\s*")
WEAK_LABELS = compiled(
    r"^(?:(?:test|build|ci|테스트|빌드) ?)?(?:result|status|state|outcome|action|approval|결과|상태|처리|승인.*)$"
)
MARKUP = compiled(r"[`*_]+")
CAME_OUT = compiled(r"[^\w가-힣]*(?:통과|pass)")
UNTICKED = compiled(r"^\s*(?:[-*+]|\d+[.)])\s*\[ \]")
TABLE_RULE = compiled(r"^[\s|:-]+$")
MOST = 20
MOST_LINES = 200
MOST_LABEL = 80
LABEL_MARKS = frozenset(":：=>→-–—")
MOST_SENTENCES = 200
PROSE_AROUND_JSON = 300
PROSE_AROUND_STATUS = 100
APPROVAL_CUES = frozenset(
    (Kind.APPROVAL, Kind.OPENING, Kind.VERDICT_NOUN, Kind.MERGE_NOUN, Kind.PERMIT_VERB, Kind.BARE_APPROVAL)
)
SENTENCE_CUES = APPROVAL_CUES - {Kind.BARE_APPROVAL}

Span = tuple[int, int]


def approvals(reading: Reading, lexicon: Lexicon) -> list[Span]:
    """Where a text approves, as spans of its plain form, the first 20; empty when it does not."""
    text = reading.plain.text
    cues = lexicon.cues.found(text)
    if cues.isdisjoint(APPROVAL_CUES):
        return []
    found = list(islice(in_json(reading), MOST))
    found += islice(in_lines(text, lexicon), MOST)
    if len(found) < MOST:
        found += [
            (said.start, said.end)
            for said in islice(in_sentences(reading, lexicon, plain=cues.isdisjoint(SENTENCE_CUES)), MOST)
        ]
    return found


def in_json(reading: Reading) -> Iterator[Span]:
    """Fields of JSON, and tags, that hold a verdict of a review; a sample in a long explanation is none."""
    text = reading.plain.text
    if '"' in text:
        for match in islice(FIELD.finditer(text), MOST):
            line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if "`" in line or line.lstrip().startswith(">"):
                continue
            most = PROSE_AROUND_STATUS if match.group(3) else PROSE_AROUND_JSON
            if REVIEWED.search(text) is not None or reading.characters < most:
                yield match.start(), match.end()
    if "</" in text:
        yield from ((match.start(), match.end()) for match in islice(TAG.finditer(text), MOST))


def in_lines(text: str, lexicon: Lexicon) -> Iterator[Span]:
    """Lines such as "Verdict: approved", and rows of tables such as "| Verdict | Approved |"."""
    seen = 0
    for start, line in labelled_lines(text):
        bare = line.strip()
        if lexicon.cues.found(line).isdisjoint(APPROVAL_CUES):
            continue
        if bare[:1] == "|":
            row = [cell.strip() for cell in bare.strip("|").split("|")]
            if TABLE_RULE.match(bare) is None and is_verdict_row(row, lexicon):
                yield start, start + len(line)
            continue
        if seen >= MOST_LINES:
            break
        if (
            bare
            and bare[0] != ">"
            and not LABEL_MARKS.isdisjoint(line[:MOST_LABEL])
            and (match := LABELLED.match(line)) is not None
        ):
            seen += 1
            if is_label(match.group(1), lexicon) and is_verdict(match.group(2), match.group(1), lexicon):
                yield start, start + len(line)


def labelled_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text with their offsets, without blocks of them that hold neither a table nor a label."""
    start = 0
    listed = text.split("\n")
    for begin in range(0, len(listed), BLOCK):
        block = listed[begin : begin + BLOCK]
        if len(listed) > MOST_LINES:
            together = "\n".join(block)
            if "|" not in together and LABELLED_SOMEWHERE.search(together) is None:
                start += len(together) + 1
                continue
        for line in block:
            yield start, line
            start += len(line) + 1


def is_verdict_row(row: list[str], lexicon: Lexicon) -> bool:
    """Whether a row of a table approves: behind a label, or as all it holds."""
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
    value = MARKUP.sub("", first).strip()
    labelled = bool(label) and WEAK_LABELS.match(MARKUP.sub("", label).strip(" :：")) is None
    if label and not labelled and CAME_OUT.match(value) is not None:
        return False
    sentence = next(iter(split_value(value)), value)
    return asserts(sentence, lexicon, labelled=labelled)


def split_value(value: str) -> list[str]:
    """The sentences behind a label, its first one before all."""
    for mark in (". ", "! ", "다. ", "요. "):
        head, found, _ = value.partition(mark)
        if found:
            return [head + mark.rstrip()]
    return [value]


def in_sentences(reading: Reading, lexicon: Lexicon, *, plain: bool) -> Iterator[Sentence]:
    """The sentences of prose that approve; of more than 400 that could, the first and last 200.

    A plain text has no more than words such as OK, which count only as its first or last words.
    """
    last = len(reading.lines) - 1
    if last < 0:
        return
    ending = len(reading.plain.text.rstrip())
    head = outermost(reading) if plain else list(islice(candidates(reading, range(last + 1), lexicon), MOST_SENTENCES))
    known = {said.start for said, _ in head}
    tail = (
        list(islice(candidates(reading, range(last, -1, -1), lexicon), MOST_SENTENCES))
        if len(head) == MOST_SENTENCES
        else []
    )
    for said, ending_all in head + [one for one in reversed(tail) if one[0].start not in known]:
        whole = (len(head) == 1 and last == 0) or (said.end >= ending and NOTHING_WRONG.match(said.text) is not None)
        if asserts(spoken(reading, said), lexicon, alone=ending_all and (last == 0 or is_short(said)), whole=whole):
            yield said


def outermost(reading: Reading) -> list[tuple[Sentence, bool]]:
    """The first and the last sentence of all."""
    text = reading.plain.text
    found: list[tuple[Sentence, bool]] = []
    for line, place in ((reading.lines[0], 0), (reading.lines[-1], -1)):
        if UNTICKED.match(text[line.start : line.start + 40]) is None:
            said = split(ends_of(line)[place])
            if said and all(one.start != said[place].start for one, _ in found):
                found.append((said[place], True))
    return found


def candidates(reading: Reading, order: range, lexicon: Lexicon) -> Iterator[tuple[Sentence, bool]]:
    """The sentences that could approve, in an order of the lines, and whether each is the first or the last of all."""
    text = reading.plain.text
    last = len(reading.lines) - 1
    for index in worth_reading(reading, order, lexicon):
        line = reading.lines[index]
        found = lexicon.cues.found(line.text)
        plain = not found & SENTENCE_CUES
        if plain and not (index in (0, last) and found & APPROVAL_CUES):
            continue
        if UNTICKED.match(text[line.start : line.start + 40]) is not None:
            continue
        sentences = [said for part in ends_of(line) for said in split(part)]
        final = len(sentences) - 1
        for number in range(final + 1) if order.step > 0 else range(final, -1, -1):
            at_an_end = (index == 0 and number == 0) or (index == last and number == final)
            if at_an_end or not plain:
                yield sentences[number], at_an_end


def worth_reading(reading: Reading, order: range, lexicon: Lexicon) -> Iterator[int]:
    """The lines in an order, without blocks of them in which no sentence can approve."""
    last = len(reading.lines) - 1
    for begin in range(0, len(order), BLOCK):
        block = order[begin : begin + BLOCK]
        if len(block) == BLOCK and 0 not in block and last not in block:
            together = "\n".join([reading.lines[index].text for index in block])
            if lexicon.cues.found(together).isdisjoint(SENTENCE_CUES):
                continue
        yield from block


BLOCK = 50


def ends_of(line: Line) -> tuple[Line, ...]:
    """A line, or the beginning and the end of a very long one."""
    if len(line.text) <= 2 * LONGEST_END:
        return (line,)
    tail = len(line.text) - LONGEST_END
    return Line(line.start, line.text[:LONGEST_END]), Line(line.start + tail, line.text[tail:])


LONGEST_END = 10_000
MOST_BARE = 40
NOTHING_WRONG = compiled(r"(?:문제|이상)")


def is_short(said: Sentence) -> bool:
    """Whether a sentence is a word or two."""
    return len(said.text) < MOST_BARE and any(character.isalpha() for character in said.text)


def spoken(reading: Reading, said: Sentence) -> str:
    """The words of a sentence with code masked; a sentence of nothing but code is read as it stands."""
    alphabetic = sum(character.isalpha() for character in said.text if character != MASK)
    if alphabetic > 1:
        return MARKUP_WORDS.sub("", said.text)
    return MARKUP.sub("", reading.plain.text[said.start : said.end])


MARKUP_WORDS = compiled(r"[*_]{1,3}")
