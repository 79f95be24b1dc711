"""Which verdict a reviewer's reply states behind a label such as "Verdict:", and whether that is a plain approval."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from mama_bot.enforcement.approval.approvals import is_verdict
from mama_bot.text.lexicon import Lexicon
from mama_bot.text.markdown_lines import LineKind, markdown_lines
from mama_bot.text.patterns import compiled

_BEFORE = (
    r"(?:(?:final|overall|my|our|the|this|review"
    r"|reviewer(?:'s)?"
    r"|code|pr|updated|new|formal|official"
    r"|최종|종합|전체|제|저의|이번|코드|리뷰|심사|검토)[^\pL\d\n]+){0,4}"
)
_STRONG = r"(?:verdict|(?:review|심사|리뷰|검토) ?(?:result|outcome|결과)|판정(?: ?결과)?)"
_WEAK = r"(?:decision|recommendation|conclusion|결론|결정)"
_ABOUT = r"(?:[^\pL\d\n:=|]*\([^)\n]{0,60}\)|[ ](?:for|on|of|about)[ ][^:=|\n]{1,60})?"
_START = r"(?:^[^\pL\d>]*(?:\d{1,3}[.)][^\pL\d>]*)?|[.!?。][ ]+)"
_MARK = r"(?:[:：=|]|->|→|=>|[ ][-–—][ ]|[–—])"
LABEL = compiled(rf"{_START}{_BEFORE}(?:({_STRONG}){_ABOUT}|({_WEAK}))[ \t*_`\"'\])]*{_MARK}(.*)$")
_HEADING = compiled(rf"^[^\pL\d>]*(?:\d{{1,3}}[.)][^\pL\d>]*)?{_BEFORE}{_STRONG}{_ABOUT}[^\pL\d]*$")
_SAYS = compiled(rf"{_START}{_BEFORE}{_STRONG}(?:[ ](?:is|was|stays|remains)\b|은|는)[^\pL\d]*(\pL.*)$")
_ONLY = compiled(
    r"(?:i )?(?:reject(?:ed)?|request changes|changes requested|not approved|반려|거절|불승인)"
    r"(?:합니다|입니다|함)?[.! ]*"
)
_AROUND = " \t\"'`*_.!()[]{}|<>「」『』✅❌✔✖✗✘🔴🟢🟡⛔🚫👍👎⚠"
_JSON_VALUE = compiled(r"^\s*\"([^\"]*)\"\s*(?:[,}].*)?$")

# What says that there is nothing to reject or to change is no rejection.
_NOTHING_OPEN = compiled(
    r"\b(?:no|without|zero)(?: (?:any|further|more|other|additional|required|requested|necessary|code))* "
    r"(?:changes?|work|fix(?:es)?|rework|rejections?)(?: (?:is|are|was|were))?"
    r"(?: (?:requested|needed|required|necessary))?\b"
    r"|\bchanges? (?:is|are|was|were) not (?:requested|needed|required|necessary)\b"
    r"|\b(?:nothing|no reason|no need|no grounds) to (?:reject|change|fix|mend|decline)\b"
    r"|(?:수정|변경|보완|재작업|추가 ?작업|보류|반려|거절|거부)(?:이|을|를|할|될)? ?"
    r"(?:필요|요청|사항|사유|이유|것|점|건)?(?:한|할)? ?(?:사항|것|점|곳)?(?:은|는|이|가|도)? ?(?:없|불필요)[가-힣]*"
)
_ENGLISH = (
    r"reject(?:s|ed|ing|ion|ions)?\b"
    r"|request(?:s|ed|ing)? (?:\pL+ )?changes"
    r"|changes? (?:is |are |were )?(?:requested|required|needed)"
    r"|not (?:be )?(?:approved?|accepted|ready|mergeable)\b"
    r"|disapprov|unapproved|nack\b|veto"
    r"|needs? (?:more |further )?(?:re)?work"
    r"|declin(?:e[sd]?|ing)\b"
    r"|(?:cannot|can't|can ?not|won't|will not|would not|wouldn't|do not|don't|does not|unable to|refuse to"
    r"|not) (?:yet )?(?:approve|accept|merge|sign off)"
)
_KOREAN = (
    r"반려|거절|거부|기각|부결|불승인|미승인|부적합|불합격|보류|재작업"
    r"|승인(?:을|은)? ?(?:불가|하지|안|못|할 ?수 ?없|드릴 ?수 ?없)"
    r"|(?:수정|변경|보완)(?:이|을)? ?(?:요청|필요|요구)"
)
_REJECTS = compiled(rf"(?:^|[^\pL\d_])(?:{_ENGLISH})|{_KOREAN}")
_BEGINS_REJECTING = compiled(rf"^(?:i |we |저는 )?(?:{_ENGLISH}|{_KOREAN}|no$|fail|block)")
_PLAINLY_REJECTS = compiled(r"\breject\b|\brejected$|반려|불승인|승인 ?(?:불가|하지)")
_APPROVING = compiled(r"approv|lgtm|accept|승인|합격")
_CONDITIONS = compiled(
    r"\b(?:if|once|provided|providing|subject to|condition\w*|contingent|pending|except|unless|assuming"
    r"|as long as|as soon as|but|however|though|although|partial\w*|in part|in principle|must|should|needs? to"
    r"|ha(?:s|ve) to)\b"
    r"|\bapproved? (?:when|after|for now)\b"
    r"|\bafter (?:you )?(?:fix|mend|chang|address|correct|resolv|rework|rename|add|remov|the (?:fix|change))"
    r"|\bwith (?:\pL+ ){0,2}(?:changes?"
    r"|fix(?:es)?"
    r"|modifications?|reservations?|caveats?|nits?|comments?|suggestions?|remarks?|follow-?ups?|requests?)\b"
    r"|\b(?:fix|mend|change|correct|address|rename|add|remove)\b.*\b(?:first|before)\b"
    r"|\?"
    r"|조건|전제|다만|단,|제외|일부|부분|예정|하되"
    r"|[가-힣]야 ?(?:합|한|함|해|할)"
    r"|(?:수정|보완|반영|해결|변경|고친|고치신|작업) ?(?:한 ?)?(?:후|뒤|다음)"
    r"|(?:하|되|치|면|으)면"
)
_NO_CONDITIONS = compiled(
    r"\b(?:no|without|zero|unconditional\w*)(?: (?:any|further|open|more))*"
    r"(?: (?:conditions?|changes?|reservations?|caveats?|nits?|comments?|suggestions?|remarks?|requests?|fixes))?\b"
    r"|무조건"
    r"|조건 ?없[가-힣]*"
)


@dataclass(frozen=True, slots=True)
class _Labelled:
    value: str
    strong: bool


def approves(text: str, lexicon: Lexicon) -> bool:
    """Return whether the first verdict that a normalised reply states is a plain approval.

    Quotes and fenced code state none. Without a stated verdict: whether no word of the reply rejects.
    """
    stated = list(_stated(text, lexicon))
    for number, verdict in enumerate(stated):
        if verdict.strong or _rejecting(verdict.value) or _APPROVING.search(verdict.value) is not None:
            # Whoever states two verdicts, one of them a rejection, has not plainly approved.
            later = any(other.strong and _rejecting(other.value) for other in stated[number + 1 :])
            return _is_plain(verdict.value, lexicon) and not later
    return _REJECTS.search(_NOTHING_OPEN.sub(" ", text)) is None


def plainly_rejects(text: str, lexicon: Lexicon) -> bool:
    """Return whether a verdict that a normalised reply states behind its label is a rejection."""
    return any(verdict.strong and _rejecting(verdict.value) for verdict in _stated(text, lexicon))


def states_verdict(text: str, lexicon: Lexicon) -> bool:
    """Return whether a normalised reply states an approval or a rejection behind a label, as "Verdict: REJECT"."""
    stated = _stated(text, lexicon)
    return any(_rejecting(verdict.value) or _APPROVING.search(verdict.value) is not None for verdict in stated)


def is_only_a_verdict(text: str) -> bool:
    """Return whether a line or sentence is a verdict or its label and nothing else that could be mended."""
    match = LABEL.match(text)
    if match is not None:
        value = match.group(3)
        return bool(match.group(1)) or _rejecting(value) or _APPROVING.search(value) is not None
    return _HEADING.match(text) is not None or _ONLY.fullmatch(text.strip(_AROUND)) is not None


def reasons(text: str) -> Iterator[str]:
    """Yield the lines that state a verdict and say more than that, such as a condition."""
    for line, quoted in _lines(text):
        match = None if quoted else LABEL.match(line)
        if match is not None and match.group(3).strip(_AROUND) and not _ONLY.fullmatch(match.group(3).strip(_AROUND)):
            yield line.strip()


def _rejecting(value: str) -> bool:
    return _BEGINS_REJECTING.match(_NOTHING_OPEN.sub(" ", value).strip(_AROUND)) is not None


def _is_plain(value: str, lexicon: Lexicon) -> bool:
    value = _NOTHING_OPEN.sub("", value)
    if _PLAINLY_REJECTS.search(value.strip(_AROUND)) is not None:
        return False
    first = _first_sentence(value)
    if _REJECTS.search(first) is not None or _CONDITIONS.search(_NO_CONDITIONS.sub(" ", first)) is not None:
        return False
    return is_verdict(value.strip(_AROUND), "verdict", lexicon)


def _first_sentence(value: str) -> str:
    return min((value.partition(mark)[0] for mark in (". ", "! ")), key=len)


def _stated(text: str, lexicon: Lexicon) -> Iterator[_Labelled]:
    """The values behind the labels of a reply, in order; the value of a label alone in its line stands below it."""
    lines = [(line, quoted) for line, quoted in _lines(text) if any(map(str.isalnum, line))]
    for (line, quoted), (below, _) in pairwise([*lines, ("", False)]):
        if quoted:
            continue
        if (match := LABEL.search(line)) is not None:
            value = match.group(3)
            yield _Labelled(_unwrapped(value if value.strip(_AROUND) else below), strong=bool(match.group(1)))
        elif _HEADING.match(line) is not None:
            yield _Labelled(_unwrapped(below), strong=True)
        elif (match := _SAYS.search(line)) is not None:
            value = match.group(1)
            if _rejecting(value) or _is_plain(value, lexicon):
                yield _Labelled(value, strong=True)


def _unwrapped(value: str) -> str:
    """A value without what JSON puts behind it, and without the marks around it."""
    match = _JSON_VALUE.match(value)
    return (match.group(1) if match is not None else value).lstrip(_AROUND)


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a text without the marks of fences, and whether each is quoted or fenced."""
    for line in markdown_lines(text):
        if line.kind is not LineKind.FENCE:
            yield line.text, line.fence > 0 or line.text.lstrip()[:1] == ">"
