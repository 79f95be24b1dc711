"""A sentence as fragments, each with one predicate, and which of them assert something here and now."""

from dataclasses import dataclass, replace

from mama_bot.enforcement.claims.grammar.named import TOOL_OF
from mama_bot.enforcement.claims.grammar.vocabulary import Term, Vocabulary, vocabulary
from mama_bot.text.lexicon import Kind, Lexicon
from mama_bot.text.patterns import compiled
from mama_bot.text.provenance import own_words
from mama_bot.wording import has_hangul

NOUNS = frozenset((Term.TESTS, Term.BUILD, Term.TYPES, Term.LINT, Term.FORMAT))
TOOLS = frozenset((Term.TOOL_TESTS, Term.TOOL_BUILD, Term.TOOL_TYPES, Term.TOOL_LINT, Term.TOOL_FORMAT))
DEEDS = frozenset(
    (
        *(Term.CREATED, Term.CHANGED, Term.DELETED, Term.REPRODUCED, Term.COMMITTED, Term.PUSHED, Term.MERGED),
        *(Term.PUBLISHED, Term.DEPLOYED, Term.RAN, Term.CHECKED, Term.ONLY_THESE),
    )
)
SAYS = frozenset((Term.SAYS_TESTS, Term.SAYS_BUILD, Term.SAYS_TYPES, Term.SAYS_LINT, Term.SAYS_FORMAT))
PREDICATES = DEEDS | SAYS | {Term.PASSES, Term.FAILS, Term.NEGATION, Term.PLAN}
CUT = compiled(
    r";\s+|[,，、]\s+(?:and |but |then |so )?|\s+[—–-]{1,2}\s+|\s+(?:and|but|then|so|while|whereas|although|though|"
    r"because)\s+|"
    r"\s·\s|[(]|[)]\s?|(?:[가-힣](?:고요|고|며|으며|지만|는데|은데|니|서|뒤|후))[,，]?\s+"
)
STRONG = compiled(r"^(?:;|\s+[—–-]{1,2}|.*\b(?:but|whereas|while|although|though)\b)")
FIGURE = compiled(
    r"\s*(?:and )?\d[\d,]* (?:\S+ )?(?:pass|passed|fails?|failed|failures?|errors?|skipped|deselected|passing|"
    r"pending|total|"
    r"warnings?|"
    r"xfailed|ignored|run|todo|skip|tests?|specs?|cases?|suites?|files?|assertions?|examples?|red|green)\b|"
    r"\s*\d[\d,]*(?:개|건)? ?(?:\S+ )?(?:통과|실패|스킵|성공|에러|오류|제외|건너|무시)|\s*(?:총 ?|"
    r"전체 ?)?\d[\d,]* ?(?:개|건)[)\s]|"
    r"\s*\d+ ?/ ?\d+ ?[)]|\s*[\x{e001}\x{e004}]+[)]|"
    r"\s*(?:none|no|zero|one|nothing) (?:\S+ )?(?:skip\w*|failed|failures?|errors?|deselected)\b|\s*OK\b|"
    r"\s*(?:통과|성공|실패|스킵|에러|오류|경고|무시|skipped|failed|failures|errors|passed)[ :은는=]*(?:\d|없)|"
    r"\s*in \d|\s*exit"
)
OWN_SUBJECT = compiled(r"\s*(?:i|we|i've|we've)\b|\s*(?:저는|제가|나는|내가)")
KOREAN_FINITE = compiled(r"(?:[았었했됐렸졌갔봤났렀췄뀄꿨쳤켰겼](?:고요?|으며|지만|는데|으니|으나))[,，]?\s+$")
KOREAN_LINK = compiled(r"[가-힣](?:고요?|며|으며|서|뒤|후)[,，]?\s+$")
WHEN_RUN = compiled(
    r"\bwhen (?:i|we) (?:ran|run|re-?ran|tried)\b|\bonce more\b|\bif anything\b|\bnext\.?js\b|\bneed no\b|\b(?:i|"
    r"we) (?:could|can) reproduce\b"
)
QUOTED = compiled(
    r"\"[^\"\n]{3,400}\"|“[^”\n]{3,400}”|「[^」\n]{1,400}」|(?:^|\s)'[^'\n]{6,300} [^'\n]{2,300}'(?:\s|[.,]|$)"
)
JSON = compiled(r"\s*[{\[\"]")
RESULT = compiled(
    r"passed|no issues found|all checks passed|^.ok|\d+ (?:files?|tests?|errors?)|success|matched files use|"
    r"already formatted|left unchanged"
)
ANSWERED = compiled(r"[?？]\s*[\"')*]*\s*$|(?:까요|나요|을까|ㄹ까)[.!~]*\s*$")


# "All but two of the 41 tests pass": no outcome that a figure in it tells.
ALL_BUT = compiled(r"\ball but (?:one|two|three|four|five|the|\d+)\b")
DELIVERED = frozenset((Term.COMMITTED, Term.PUSHED, Term.MERGED, Term.PUBLISHED))
ON_BRANCH = compiled(r"\bon (?:main|master|develop)\b|\b(?:at|on) [0-9a-f]{7,40}\b")
COMMIT = compiled(r"\bcommit [`(]*[0-9a-f]{7}")
QUALIFIES = compiled(
    r"^\W*(?:and |but )?(?:that|this|which|it|both|these|those|all of (?:it|them)) (?:was|were|is|are|ran|came)\b|"
    r"^\W*(?:is|are|was|were) (?:from|of) "
)
FILES_ONLY = compiled(r"^[^\w]*(?:both |the |files? )*[\x{e001}\x{e004}]+[^\w]*(?:and\s+)?$")
OLD_THING = compiled(r"\bthe old\b|\bolder\b|기존에?")
COMPARES = compiled(
    r"(?:before|이전|수정 ?전|변경 ?전)\S{0,2} (?:약 )?\d[\d.,]* ?(?:ms|s|us|µs|ns|초|mb|gb)\b.{1,30}(?:after|now|"
    r"이후|후)|"
    r"\d ?(?:ms|msec|s|us|ns) before.{1,30}\bafter"
)
# "On main, 12 tests pass": what stands first dates what follows.
LEADS = compiled(
    r"^\W*(?:(?:on|before|at|against|with|prior to|until) [^,]{2,40}|originally|initially|previously|earlier \w+), $"
)
# "`pytest` 41 passed, `mypy` still has 2 errors": the second check is told with its own outcome.
FINDS = compiled(
    r"\b(?:has|have|had|still|reports?|reported|shows?|errors?|warnings?|findings?|complains?|lists?)\b|오류|에러|경고|지적|남"
)
COUNTED_ERRORS = compiled(
    r"(?:오류|에러|경고|지적|위반)(?:가|이|는|은)? ?[1-9]\d* ?(?:건|개)|(?:^|\s)[1-9]\d* (?:\S+ )?(?:errors?|"
    r"warnings?|findings?)\b"
)
STANDS = compiled(
    r"(?:포맷|포매팅|정리|정렬|재포맷|리포맷)(?:했|하였|됐|되었)(?:고요?|으며|는데|지만)[,，]?\s+$|"
    r"\b(?:re-?formatted|formatted) "
)
COUNTS_ONLY = compiled(r"^\W*(?:[\w@/.-]+[ :]+\d+\s*[,;·]\s*(?:and\s+)?)+$")
DIGIT = compiled(r"\d")
IMPERATIVE = compiled(
    r"^[\W\d]*(?:to \w+[:,] |then |first,? |next,? |please )?(?:re-?run (?:the |all |it |this |[`\x{e002}-\x{e015}])|"
    r"run (?:the |all |it |this |[`\x{e002}-\x{e015}])|(?:verify|confirm|check) that |ensure |make sure |"
    r"execute (?:the |[`\x{e002}-\x{e015}])|approve (?:if|when|once) |try )"
)
FINITE = compiled(
    r"[았었했됐렸졌갔봤났렀췄뀄꿨쳤켰겼]|함(?:$|\W)|됨|음(?:$|\W)|완료|통과|성공|passed|확인|\d|없|있|입니다|"
    r"이에요|예요|임$|green|clean|\bok|pass|정상"
)


@dataclass(frozen=True, slots=True)
class Fragment:
    """A part of a sentence with one predicate; `asserted` when it speaks here and now for the speaker."""

    start: int
    text: str
    terms: frozenset[Term]
    asserted: bool = True
    earlier: bool = False
    raw: str = ""


def fragments(sentence: str, terms: frozenset[Term], lexicon: Lexicon) -> list[Fragment]:
    """The fragments of a sentence, in order; a sentence that asks is none."""
    words = vocabulary()
    if (
        ANSWERED.search(sentence) is not None
        or ALL_BUT.search(sentence) is not None
        or IMPERATIVE.match(sentence) is not None
    ):
        return []
    if '"' in sentence or "“" in sentence or "「" in sentence or "'" in sentence:
        sentence = unquoted(sentence)
    kinds = words.told.keys_in(sentence)
    if Kind.HEARSAY in kinds:
        sentence = own_words(sentence, lexicon[Kind.HEARSAY].search(sentence), lexicon)
        if not sentence.strip():
            return []
    # What was good news in other words is a success now.
    known = terms | {Term.PASSES}
    plain = cleared(sentence, words) if Term.HARMLESS in terms else sentence
    return judged(merged(parts(plain), known, words), sentence, words, lexicon if Kind.STALE in kinds else None)


def unquoted(sentence: str) -> str:
    """A sentence with quoted speech blanked, every offset kept; what tools print may stand in quotation marks."""
    if JSON.match(sentence) is not None:
        return sentence
    return QUOTED.sub(
        lambda match: match.group() if RESULT.search(match.group()) is not None else " " * len(match.group()), sentence
    )


def parts(sentence: str) -> list[tuple[int, str]]:
    """A sentence cut where a new predicate may begin; what only adds a figure stays with what it adds to."""
    found: list[tuple[int, str]] = []
    done = 0
    for match in CUT.finditer(sentence):
        end = match.end()
        if FIGURE.match(sentence[end : end + 60]) is not None:
            continue
        if end > done:
            found.append((done, sentence[done:end]))
            done = end
    if done < len(sentence):
        found.append((done, sentence[done:]))
    return found


def merged(listed: list[tuple[int, str]], known: frozenset[Term], words: Vocabulary) -> list[Fragment]:
    """Parts put together so that each fragment has a predicate: a bare check goes to the outcome after it."""
    found: list[Fragment] = []
    korean = any(has_hangul(part) for _, part in listed)
    waiting: tuple[int, str] | None = None
    for begin, part in listed:
        if waiting is not None and (STANDS.search(waiting[1]) or COUNTED_ERRORS.search(waiting[1])) is not None:
            # "black reformatted a file, and then ...": a deed of its own, not the check that comes out below.
            found.append(Fragment(waiting[0], waiting[1], words.among(known, waiting[1])))
            waiting = None
        start, text = (waiting[0], waiting[1] + part) if waiting is not None else (begin, part)
        waiting = None
        terms = words.among(known, text)
        if not terms & PREDICATES:
            # A bare check waits for its outcome, a Korean clause for its verb.
            checks = terms & (NOUNS | TOOLS) or any(sign in text for sign in TOOL_OF)
            bare = checks and not terms & {Term.CONDITION, Term.MEASURE, Term.EARLIER}
            qualifies = (
                found
                and Term.EARLIER in terms
                and (found[-1].text.rstrip().endswith("(") or QUALIFIES.match(text) is not None)
            )
            if qualifies and DIGIT.search(text) is None:
                # "exited clean (that was before the formatter)": of an earlier state after all.
                found[-1] = replace(found[-1], text=found[-1].text + text, terms=found[-1].terms | terms)
                continue
            # "`src/a.py` and its test are gone": the files wait for their verb.
            bare = bare or (not found and FILES_ONLY.match(text) is not None) or COUNTS_ONLY.match(text) is not None
            dated = not found and Term.EARLIER in terms and LEADS.match(text) is not None
            if dated or bare or (korean and (begin, part) != listed[-1]):
                waiting = (start, text)
                continue
            apart = terms & {Term.CONDITION, Term.EARLIER, Term.ELSEWHERE} or COUNTED_ERRORS.search(text) is not None
            if found and not apart:
                found[-1] = replace(found[-1], text=found[-1].text + text, terms=found[-1].terms | terms)
                continue
        found.append(Fragment(start, text, terms))
    if waiting is not None:
        if found and FINDS.search(waiting[1]) is None:
            before = found[-1]
            found[-1] = Fragment(before.start, before.text + waiting[1], words.among(known, before.text + waiting[1]))
        else:
            found.append(Fragment(waiting[0], waiting[1], words.among(known, waiting[1])))
    return found


def judged(found: list[Fragment], sentence: str, words: Vocabulary, stale_words: Lexicon | None) -> list[Fragment]:
    """The fragments with what they assert, and with their words as they stood before anything was blanked."""
    result: list[Fragment] = []
    void = False
    for fragment in found:
        terms = fragment.terms
        own = OWN_SUBJECT.match(fragment.text) is not None
        if void and (own or (result and STRONG.search(result[-1].text[-12:]) is not None)):
            void = False
        governed = bool(terms & {Term.CONDITION, Term.PLAN}) and WHEN_RUN.search(fragment.text) is None
        # A commit that is on main is delivered there; tests on main are another state of the code.
        delivers = terms & DELIVERED or COMMIT.search(fragment.text) is not None
        timed = ON_BRANCH.sub(" ", fragment.text) if delivers else fragment.text
        if terms & {Term.CREATED, Term.CHANGED, Term.DELETED}:
            timed = OLD_THING.sub(" ", timed)
        elif Term.REPRODUCED in terms or COMPARES.search(timed) is not None:
            timed = ""  # what was reproduced or measured before belongs to what is there now
        earlier = Term.EARLIER in terms and (timed is fragment.text or words[Term.EARLIER].search(timed) is not None)
        if not earlier and stale_words is not None and terms & PREDICATES:
            stale = stale_words[Kind.STALE].search(timed) is not None
            earlier = stale and stale_words[Kind.CURRENT].search(fragment.text) is None
        raw = sentence[fragment.start : fragment.start + len(fragment.text)]
        if raw != fragment.text:
            terms |= words.said_in(raw) & (SAYS | {Term.ONLY_THESE})
        result.append(
            replace(
                fragment,
                terms=terms,
                asserted=not (void or governed or earlier or Term.ELSEWHERE in terms),
                earlier=earlier,
                raw=raw,
            )
        )
        # A plan or a condition goes on to what follows, but not past a Korean verb of its own.
        void = void or (governed and KOREAN_FINITE.search(fragment.text) is None)
    return backwards(result)


def backwards(found: list[Fragment]) -> list[Fragment]:
    """A Korean sentence ends with what governs it: a plan or a condition covers the linked clauses before it."""
    for index in range(len(found) - 1, 0, -1):
        before, after = found[index - 1], found[index]
        habit = has_hangul(after.text) and FINITE.search(after.text) is None and after.asserted
        if not habit and not after.terms & {Term.PLAN, Term.CONDITION}:
            continue
        if KOREAN_LINK.search(before.text) is None:
            continue
        if KOREAN_FINITE.search(before.text) is None:
            found[index - 1] = replace(before, terms=before.terms | {Term.PLAN}, asserted=False)
    return found


def cleared(sentence: str, words: Vocabulary) -> str:
    """A sentence with what only sounds like a denial or a claim blanked, every offset kept."""
    return words[Term.HARMLESS].sub(lambda match: kept(match.group()), sentence)


GOOD = compiled(r"^(?:no|zero|0|without|not a|nothing)\b|nothing$|없|0 ?[건개]$|^(?:깨지|실패하|터지)지")


def kept(text: str) -> str:
    """What stands for a harmless phrase: a word for good news, else nothing."""
    if text[0].isdigit() and text.endswith(("todo", "pending")):
        return text.replace("todo", "skip").replace("pending", "skipped")
    if text[0] == "0":
        return text  # a figure, which is read as one
    if text.endswith("nothing to do with"):
        return " " * len(text)  # neither good news nor a denial
    return "OK".ljust(len(text)) if GOOD.search(text) is not None else " " * len(text)
