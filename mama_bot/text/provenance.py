"""Where the evidence in a text comes from: the speaker's own run of this state, another's words, an earlier state."""

from collections.abc import Iterator

from mama_bot.text.lexicon import Kind, Lexicon
from mama_bot.text.markdown_lines import MarkdownLine, markdown_lines
from mama_bot.text.patterns import Match, compiled

EARLIER = compiled(
    r"[\s*`_]*(?:main|master|develop|trunk|base|baseline|before|old|previous|prior|was"
    r"|이전|수정 ?전|변경 ?전|기존|전|패치 ?전"
    r"|as[- ]is"
    r"|점수|평점|별점"
    r"|scores?|ratings?|grade)\b?[^|]{0,20}$"
)
QUOTED_PERSON = compiled(
    r"\W*[A-Z][a-z]+: [\"“]|\W*[가-힣]{2,4}(?: ?(?:님|씨|대리|선임|책임))?: ?[\"“]", ignore_case=False
)
RERUN = compiled(
    r"\bre-?ran\b"
    r"|\bre-?run (?:here|today|now|on)"
    r"|\bran (?:it|them|the \S+|everything) (?:again|anew|afresh|once more)"
    r"|\bran again\b"
    r"|다시 (?:돌|실행|테스트|빌드|확인|검증)"
    r"|새로 (?:돌|실행)"
    r"|재실행|재검증"
)
OWN_SEGMENT = compiled(r";\s|\s(?:but|whereas|while)\s|\.\s")
TAIL_WORDS = 6
BEFORE_REPORT = 20
ATTACHED = frozenset(",(-—–[")
LEAD_LONGEST = 300
# A report in rounds: what the first one found was followed by another one.
ROUND = compiled(
    r"(?m:^[ \t]*(?:#+|\*\*|[-*]|\d+[.)])[ \t*]*"
    r"(?:(?:1|2|3|4)차"
    r"|(?:first|second|third|final|initial|last) (?:run|pass|round|attempt|review|check)"
    r"|(?:round|pass|run|attempt) (?:1|2|3|one|two|three)\b"
    r"|(?:수정|변경|패치) ?[전후]"
    r"|재(?:검토|확인|검증|실행)"
    r"|(?:before|after) (?:the |your )?(?:fix|change|patch)"
    r"|re-?(?:run|check|review)))"
)
FIRST_ROUND = compiled(
    r"[ \t]*(?:#+|\*\*|[-*]|\d+[.)])[ \t*]*"
    r"(?:1차"
    r"|(?:first|initial) (?:run|pass|round|attempt|review|check)"
    r"|(?:round|pass|run|attempt) (?:1|one)\b"
    r"|(?:수정|변경|패치) ?전"
    r"|before (?:the |your )?(?:fix|change|patch))"
)
# A line that ends so stands over what follows.
LEADING = (":", "：", ":**", "：**", ":*", ":__")
LEAD = compiled(
    r"\b(?:from|quoting|per|according to|courtesy of|pasted by|posted by|sent by|provided by|what) "
    r"(?:the |his |her |their |your )?(?:\S+ )?"
    r"(?:author|developer|worker|dev|agent|team|description|message|comment|report|hand-?over|summary"
    r"|contributor|submitter"
    r"|\S+ (?:told|sent|gave|posted|reported|wrote|pasted|measured|ran|saw))\b"
    r"|\b[A-Z][a-z]+'s (?:run|runs|results?|numbers|figures|output|report|log|message|words)\b"
    r"|\b(?:his|her|their|the (?:author|developer|worker|agent|team)(?:'s|s')) (?:\S+ )?"
    r"(?:run|runs|results?|numbers|figures|output|report|log|message)\b"
    r"|\b(?:they|he|she|jonas|the \w+) (?:sent|reported|posted|wrote|pasted|gave|told)\b"
    r"|(?:작성자|개발자|담당자|동료|팀원|워커|에이전트|\S+님|\S+씨|PR ?설명|설명란|본문|보고서|메시지|슬랙)"
    r"(?:이|가|께서|의|에|에서|님이|분이)? ?(?:\S+ ){0,3}?"
    r"(?:공유|보내|올려|올린|적|남긴|남겨|제공|보고|전달|돌린|돌려|결과|쓴|알려|말씀|말한)"
)


def own_lines(text: str, lexicon: Lexicon) -> Iterator[MarkdownLine]:
    """Yield the lines of a text without quoted ones and what an earlier run or another one reports.

    Columns of an earlier state are blanked. A line such as "The run of last week:" speaks for the block below it.
    """
    earlier: tuple[int, ...] | None = None
    for line in present_lines(text, lexicon):
        bare = line.text.strip()
        if "|" not in line.text:
            earlier = None
        elif bare[:1] == "|":
            if earlier is None:
                cells = enumerate(line.text.split("|"))
                earlier = tuple(index for index, cell in cells if EARLIER.match(cell) is not None)
            elif earlier:
                yield line._replace(text=without_columns(line.text, earlier))
                continue
        if bare and bare[0] != ">":
            yield line


def present_lines(text: str, lexicon: Lexicon) -> Iterator[MarkdownLine]:
    """Yield the lines that speak of this state for the speaker."""
    reported = Reported()
    rounds = len(ROUND.findall(text)) > 1
    first_round = False
    for line in markdown_lines(text):
        bare = line.text.strip()
        if reported.opened and reported.takes(line, bare):
            continue
        if rounds and bare and (ROUND.match(line.text) is not None or bare.startswith(("#", "**"))):
            first_round = FIRST_ROUND.match(line.text) is not None
        if first_round:
            continue
        yield line
        if bare.endswith(LEADING) and bare[0] != ">" and leads_elsewhere(bare, lexicon):
            reported.open()


class Reported:
    """The block below a line that says it is another's, or earlier: a list, a table, a fence, a paragraph."""

    def __init__(self) -> None:
        self.opened = False
        self._block: str | int = ""

    def open(self) -> None:
        """Let the next block belong to the line that was just read."""
        self.opened, self._block = True, ""

    def takes(self, line: MarkdownLine, bare: str) -> bool:
        """Return whether a line is a part of the block, or blank before or behind it."""
        if not bare and not line.fence:
            self.opened = not self._block
            return True
        block = line.fence or block_kind_of(bare)
        self._block = self._block or block
        self.opened = block == self._block
        return self.opened


def block_kind_of(bare: str) -> str:
    """Return what block a line outside of fences belongs to, without its indentation."""
    if bare[0] == "|":
        return "table"
    return "list" if bare[0] in "-*+•0123456789✅✔✓☑" else "paragraph"


def leads_elsewhere(line: str, lexicon: Lexicon) -> bool:
    """Return whether a line above a block says that the block is another's, or of an earlier state."""
    lead = line[-LEAD_LONGEST:]
    if RERUN.search(lead) is not None or lexicon[Kind.OWN].search(lead) is not None:
        return False
    if any(lexicon[kind].search(lead) is not None for kind in (Kind.HEARSAY, Kind.STALE)) or LEAD.search(lead):
        return lexicon[Kind.CURRENT].search(lead) is None
    return False


def without_columns(row: str, columns: tuple[int, ...]) -> str:
    """Return a row of a table with some of its cells blanked."""
    cells = row.split("|")
    for index in columns:
        if index < len(cells):
            cells[index] = " " * len(cells[index])
    return "|".join(cells)


def own_words(statement: str, told: Match | None, lexicon: Lexicon) -> str:
    """Return the part of a statement that is no hearsay.

    That is what the speaker did, what stands before an English report, or what stands beside a report. A report that is
    only appended (`it passes, according to Jonas`) covers what stands before it.
    """
    if told is None:
        return statement
    begin, end = told.start(), told.end()
    own = lexicon[Kind.OWN].search(statement[end:])
    if own is not None:
        return blank_before(statement, end + own.start())
    beside = OWN_SEGMENT.search(statement[end:]) if told.group().isascii() else None
    after = blank_before(statement, end + beside.end()) if beside is not None else ""
    if not told.group().isascii():
        # A Korean report follows what was heard, so what stands before it is part of it.
        return after
    before = statement[:begin]
    rest = statement[end : end + beside.start()] if beside is not None else statement[end:]
    if len(rest.split()) <= TAIL_WORDS and (before.rstrip()[-1:] in ATTACHED or len(rest.split()) <= 1):
        kept = max(before.rfind("; "), before.rfind(" and I "), before.rfind(" but "))
        before = before[: kept + 1]
    if len(before) <= BEFORE_REPORT:
        return after
    return before + after[len(before) :]


def blank_before(statement: str, begin: int) -> str:
    """Return a statement with its beginning blanked, every offset kept."""
    return " " * begin + statement[begin:]
