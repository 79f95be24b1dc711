"""Where a text approves: sentences of prose, verdict lines, rows of tables, fields of JSON."""

from collections.abc import Iterator
from itertools import islice

from mama_bot.enforcement.approval.verdicts import is_approval
from mama_bot.text.lexicon import APPROVING_CUES, Kind, Lexicon
from mama_bot.text.normalise import MASK
from mama_bot.text.patterns import compiled
from mama_bot.text.prose import ProseLine
from mama_bot.text.sentences import Reading, Sentence

BOLD = r"(?:\*\*|__)?"
LABELLED_LINE = (
    r"^[ \t#*_+•·\-\d.)\[\]✅🟢👍]*"  # "- ", "## ", "✅ "
    rf"{BOLD}((?:[A-Za-z가-힣/;'&]+[ ]){{0,3}}[A-Za-z가-힣;/]+)[ \t]*{BOLD}[ \t]*"  # "Verdict", "**Review result**"
    r"(?:[:：=]|->|→|=>|[ ][-—–][ ]|[—–])[ \t]*"  # ": ", " -> "
    rf"{BOLD}[ \t]*(\S[^\n]{{0,300}})$"  # "approved"
)
LABELLED = compiled(LABELLED_LINE)
LABELLED_SOMEWHERE = compiled(f"(?m:{LABELLED_LINE})", groups=False)
VERDICT_KEYS = r"verdict|decision|review|recommendation|conclusion|approval|vote|판정|결론|결정"
VERDICT_VALUES = r"approved?|approval|lgtm|pass(?:ed)?|ok|accept(?:ed)?|ship(?:_it| it)?|merge|go|승인|합격|통과"
STATUS_KEYS = r"status|result|state|event|action|outcome|상태|결과"
STATUS_VALUES = r"approved?|lgtm|accepted|승인[가-힣]{0,2}"
FIELD = compiled(
    rf"\"[a-z_-]*(?:{VERDICT_KEYS})[a-z_-]*\"\s*:\s*\"((?:{VERDICT_VALUES})[^\"\n]{{0,200}})\""  # "verdict": "go"
    r"|\"(?:is_|review_?)?(?:approved?|lgtm)\"\s*:\s*(true)"  # "is_approved": true
    rf"|\"(?:{STATUS_KEYS})\"\s*:\s*\"({STATUS_VALUES})\""  # "status": "approved"
)
# A field that a review has beside its verdict: "issues": [], "evidence": "...".
REVIEWED = compiled(
    r"\"[a-z_]*(?:evidence|issues?|findings?|comments?|reviewer|summary|notes?|rationale|confidence|reason\w*"
    r"|checks?|tests?|blocking|severity|score"
    r"|근거|의견|사유)[a-z_]*\"\s*:"
)
TAG = compiled(r"<(?:verdict|decision|review|approval|result)>\s*(?:approved?|lgtm|승인|pass)\s*</")
LABEL_TAIL = compiled(r"^(?:final|overall|my|our|the|review|reviewer|code|pr|최종|종합|제|전체|코드|리뷰|review;)\b\s*")
WEAK_LABELS = compiled(
    r"^(?:(?:test|build|ci|테스트|빌드) ?)?(?:result|status|state|outcome|action|approval|결과|상태|처리|승인.*)$"
)
MARKUP = compiled(r"[`*_]+")
MARKUP_WORDS = compiled(r"[*_]{1,3}")
CAME_OUT = compiled(r"[^\w가-힣]*(?:통과|pass)")
UNTICKED = compiled(r"^\s*(?:[-*+]|\d+[.)])\s*\[ \]")
TABLE_RULE = compiled(r"^[\s|:-]+$")
MOST = 20
SAYS_LITTLE = 24  # characters of prose, beside which a text has no room for anything but its approval
MOST_LINES = 200
MOST_LABEL = 80
LABEL_MARKS = frozenset(":：=>→-–—")
MOST_SENTENCES = 200
BLOCK = 50  # lines that are looked at together
LONGEST_END = 10_000
MOST_BARE = 40
NEAR = 40
PROSE_AROUND_JSON = 300
PROSE_AROUND_STATUS = 100
BARE_CUES = frozenset((Kind.BARE_APPROVAL, Kind.BARE_RESULT, Kind.NOTHING_WRONG))
APPROVAL_CUES = frozenset(APPROVING_CUES)
CONTENT = frozenset((Kind.CONTENTMENT, Kind.NOTHING_WRONG))
SENTENCE_CUES = APPROVAL_CUES - BARE_CUES - {Kind.SENDING}

Span = tuple[int, int]


def approvals(reading: Reading, lexicon: Lexicon, *, reviewer: bool = False) -> list[Span]:
    """Return where a text approves, as spans of its plain form: the first 20; empty when it approves nowhere.

    The words of a `reviewer` are about the work of another: that it is satisfied and sends the work on approves it.
    """
    text = reading.plain.text
    if not lexicon.approving.possible_in(text):
        return []
    cues = lexicon.approving.keys_in_lines([line.text for line in reading.lines])
    silent = frozenset[Kind]() if reviewer else silent_kinds(reading, lexicon, cues)
    spans = list(islice(json_verdicts(reading), MOST))
    spans += islice(verdict_lines(text, lexicon, silent), MOST)
    if len(spans) < MOST:
        spans += [
            (sentence.start, sentence.end)
            for sentence in islice(approving_sentences(reading, lexicon, cues, silent), MOST)
        ]
    if (
        not spans
        and reviewer
        and Kind.SENDING in cues
        and any(lexicon[Kind.SATISFIED].search(line.text) is not None for line in reading.lines)
    ):
        spans += [
            (sentence.start, sentence.end)
            for sentence in reading.sentences
            if lexicon[Kind.SENDING].search(sentence.text) is not None
        ][:MOST]
    return spans


def silent_kinds(reading: Reading, lexicon: Lexicon, cues: frozenset[Kind]) -> frozenset[Kind]:
    """Return the kinds of words that approve nothing in a text.

    Where no review is spoken of, a `Looks good` beside a report is a word of content. `Ready to merge` is a report
    where its writer tells of own changes.
    """
    prose = "\n".join([line.text for line in reading.lines])
    silent: set[Kind] = set()
    much = reading.characters > SAYS_LITTLE
    if much and not cues.isdisjoint(CONTENT) and lexicon[Kind.REVIEWING].search(prose) is None:
        silent |= CONTENT
    if Kind.READINESS in cues and lexicon[Kind.OWN_WORK].search(prose) is not None:
        silent.add(Kind.READINESS)
    return frozenset(silent)


def json_verdicts(reading: Reading) -> Iterator[Span]:
    """Yield fields of JSON, and tags, that hold a review's verdict: `{"verdict": "approved", "issues": []}`.

    A sample of JSON in a long explanation counts for nothing.
    """
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


def verdict_lines(text: str, lexicon: Lexicon, silent: frozenset[Kind]) -> Iterator[Span]:
    """Yield lines such as `Verdict: approved`, and rows of tables such as `| Verdict | Approved |`."""
    seen = 0
    for start, line in labelled_lines(text):
        bare = line.strip()
        is_row = bare[:1] == "|"
        may_be_labelled = not LABEL_MARKS.isdisjoint(line[:MOST_LABEL]) and bare[0] != ">"
        if not (is_row or may_be_labelled or seen >= MOST_LINES) or not lexicon.approving.possible_in(line):
            continue
        if is_row:
            row = [cell.strip() for cell in bare.strip("|").split("|")]
            if TABLE_RULE.match(bare) is None and is_verdict_row(row, lexicon, silent):
                yield start, start + len(line)
            continue
        if seen >= MOST_LINES:
            break
        if may_be_labelled and (match := LABELLED.match(line)) is not None:
            seen += 1
            if is_label(match.group(1), lexicon) and is_verdict(match.group(2), match.group(1), lexicon, silent):
                yield start, start + len(line)


def labelled_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their offsets, skipping blocks that hold neither a table nor a label."""
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


def is_verdict_row(row: list[str], lexicon: Lexicon, silent: frozenset[Kind]) -> bool:
    """Return whether a row approves: behind a label (`| Verdict | OK |`), or in its only cell (`| LGTM |`)."""
    if len(row) > 1 and is_label(row[0], lexicon):
        return any(is_verdict(cell, row[0], lexicon, silent) for cell in row[1:])
    return len(row) == 1 and is_verdict(row[0], "", lexicon, silent)


def is_label(text: str, lexicon: Lexicon) -> bool:
    """Return whether a text is a label of verdicts: `Verdict`, `**Final review result**`."""
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


def is_verdict(text: str, label: str, lexicon: Lexicon, silent: frozenset[Kind] = frozenset()) -> bool:
    """Return whether the text behind a label approves; `OK` or `pass` behind `Result` tells of a check."""
    first, _, _ = text.partition("|")
    value = MARKUP.sub("", first).strip()
    labelled = bool(label) and WEAK_LABELS.match(MARKUP.sub("", label).strip(" :：")) is None
    if label and not labelled and CAME_OUT.match(value) is not None:
        return False
    sentence = next(iter(split_value(value)), value)
    return is_approval(sentence, lexicon, labelled=labelled, silent=silent)


def split_value(value: str) -> list[str]:
    """Return the first sentence behind a label, or all that stands there."""
    for mark in (". ", "! ", "다. ", "요. "):
        sentence, separator, _ = value.partition(mark)
        if separator:
            return [sentence + mark.rstrip()]
    return [value]


def approving_sentences(
    reading: Reading, lexicon: Lexicon, cues: frozenset[Kind], silent: frozenset[Kind]
) -> Iterator[Sentence]:
    """Yield the sentences of prose that approve; of more than 400 candidates, the first and last 200 are judged.

    In a text without cues of sentences only words such as `OK` could approve: those count as its first or last words
    alone.
    """
    plain = cues.isdisjoint(SENTENCE_CUES)
    last = len(reading.lines) - 1
    if last < 0:
        return
    text_end = len(reading.plain.text.rstrip())
    forwards, backwards = range(last + 1), range(last, -1, -1)
    head = (
        outermost_sentences(reading) if plain else list(islice(candidates(reading, forwards, lexicon), MOST_SENTENCES))
    )
    tail = list(islice(candidates(reading, backwards, lexicon), MOST_SENTENCES)) if len(head) == MOST_SENTENCES else []
    starts = {sentence.start for sentence, _ in head}
    for sentence, at_an_end in head + [candidate for candidate in reversed(tail) if candidate[0].start not in starts]:
        is_last_words = sentence.end >= text_end and lexicon[Kind.NOTHING_WRONG].match(sentence.text) is not None
        whole = (len(head) == 1 and last == 0) or is_last_words
        alone = at_an_end and (last == 0 or is_short(sentence))
        quiet = silent | {Kind.BARE_RESULT} if tells_outcome(reading, sentence, cues, lexicon) else silent
        if is_approval(spoken_words(reading, sentence), lexicon, alone=alone, whole=whole, silent=quiet):
            yield sentence


def tells_outcome(reading: Reading, sentence: Sentence, cues: frozenset[Kind], lexicon: Lexicon) -> bool:
    """Return whether a `Pass.` right behind a check's name is how it came out: `I ran the linter. Pass.`."""
    if Kind.BARE_RESULT not in cues or len(sentence.text) > MOST_BARE:
        return False
    before = reading.plain.text[max(0, sentence.start - NEAR) : sentence.end]
    return lexicon.alternation(Kind.CHECK).search(before) is not None


def outermost_sentences(reading: Reading) -> list[tuple[Sentence, bool]]:
    """Return the first and the last sentence of a text, each marked as being at an end."""
    text = reading.plain.text
    outermost: dict[int, Sentence] = {}
    for line, place in ((reading.lines[0], 0), (reading.lines[-1], -1)):
        if UNTICKED.match(text[line.start : line.start + 40]) is None:
            sentences = reading.sentences_in(ends_of(line)[place])
            if sentences:
                outermost.setdefault(sentences[place].start, sentences[place])
    return [(sentence, True) for sentence in outermost.values()]


def candidates(reading: Reading, order: range, lexicon: Lexicon) -> Iterator[tuple[Sentence, bool]]:
    """Yield the sentences that could approve, line by line in `order`, each with whether it begins or ends the text."""
    text = reading.plain.text
    last = len(reading.lines) - 1
    for index in lines_worth_reading(reading, order, lexicon):
        line = reading.lines[index]
        kinds = lexicon.approving.keys_in(line.text)
        plain = not kinds & SENTENCE_CUES
        if plain and not (index in (0, last) and kinds & APPROVAL_CUES):
            continue
        if UNTICKED.match(text[line.start : line.start + 40]) is not None:
            continue
        sentences = [sentence for part in ends_of(line) for sentence in reading.sentences_in(part)]
        final = len(sentences) - 1
        for number in range(final + 1) if order.step > 0 else range(final, -1, -1):
            at_an_end = (index == 0 and number == 0) or (index == last and number == final)
            if at_an_end or not plain:
                yield sentences[number], at_an_end


def lines_worth_reading(reading: Reading, order: range, lexicon: Lexicon) -> Iterator[int]:
    """Yield the indexes of `order` without blocks of lines in which no sentence can approve."""
    last = len(reading.lines) - 1
    for begin in range(0, len(order), BLOCK):
        block = order[begin : begin + BLOCK]
        if len(block) == BLOCK and 0 not in block and last not in block:
            together = "\n".join([reading.lines[index].text for index in block])
            if lexicon.approving.possible_in(together).isdisjoint(SENTENCE_CUES):
                continue
        yield from block


def ends_of(line: ProseLine) -> tuple[ProseLine, ...]:
    """Return a line, or of a very long one its beginning and its end."""
    if len(line.text) <= 2 * LONGEST_END:
        return (line,)
    tail = len(line.text) - LONGEST_END
    return ProseLine(line.start, line.text[:LONGEST_END]), ProseLine(line.start + tail, line.text[tail:])


def is_short(sentence: Sentence) -> bool:
    """Return whether a sentence is no longer than a word or two."""
    return len(sentence.text) < MOST_BARE and any(character.isalpha() for character in sentence.text)


def spoken_words(reading: Reading, sentence: Sentence) -> str:
    """Return a sentence with code masked; one that is nothing but code is returned as it stands."""
    alphabetic = sum(character.isalpha() for character in sentence.text if character != MASK)
    if alphabetic > 1:
        return MARKUP_WORDS.sub("", sentence.text)
    return MARKUP.sub("", reading.plain.text[sentence.start : sentence.end])
