"""Claims of checks: tests, build, types, lint and format, with how they came out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mama_bot.enforcement.claims.grammar.figures import Figures, figures_in, without_figures
from mama_bot.enforcement.claims.grammar.fragments import NOUNS, SAYS, TOOLS, Fragment
from mama_bot.enforcement.claims.grammar.named import CODE, COMMAND, FILE, SIGN_OF, TEST_FILE, Marked, tool_in
from mama_bot.enforcement.claims.grammar.vocabulary import Term, vocabulary
from mama_bot.model.claims import ClaimKind
from mama_bot.model.runs import NO_COUNTS, Counts
from mama_bot.text.paths import file_names
from mama_bot.text.patterns import compiled

KINDS = (
    (ClaimKind.TESTS, Term.TESTS, Term.TOOL_TESTS, Term.SAYS_TESTS),
    (ClaimKind.BUILD, Term.BUILD, Term.TOOL_BUILD, Term.SAYS_BUILD),
    (ClaimKind.TYPES, Term.TYPES, Term.TOOL_TYPES, Term.SAYS_TYPES),
    (ClaimKind.LINT, Term.LINT, Term.TOOL_LINT, Term.SAYS_LINT),
    (ClaimKind.FORMAT, Term.FORMAT, Term.TOOL_FORMAT, Term.SAYS_FORMAT),
)
TESTED_NOUN = {kind: noun for kind, noun, _, _ in KINDS}
NOT_RUN = compiled(
    r"(?:^|\s)(?:안|못) ?(?:봤|봄|돌렸|돌려|했|해 ?봤|확인|실행)|\b(?:not|n't|never|without|unable|cannot|skipped|"
    r"haven't|hasn't)\b[^,;]{0,30}\b(?:run|ran|running|executed?|"
    r"tried|"
    r"tested|built|checked)\b|(?:돌리지|실행하지|수행하지|돌려 ?보지|안 ?돌|못 ?돌|미실행|미수행)|"
    r"\bnone (?:was |were )?(?:run|executed)\b|(?:확인|검증|재현)(?:하지|할 ?수|은|을|도)? ?(?:못|않|없|안)|"
    r"\b(?:not|n't|unable to|never) (?:confirm|verify|verified|confirmed|check|see)\b"
)
STILL_FAILS = compiled(
    r"\b(?:still|currently|now|again) (?:\S+ )?(?:fail|fails|failing|red|broken)\b|\b(?:fails|is failing|"
    r"are failing)\b|실패합니다|"
    r"실패해요|실패함|여전히 실패|아직 실패|깨집니다|깨져 ?있(?:습니다|어요|음|다)"
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a fragment says of one check."""

    kind: ClaimKind
    start: int
    end: int
    counts: Counts = NO_COUNTS
    total: int | None = None
    fails: bool = False
    subjects: tuple[str, ...] = ()
    tool: str = ""
    whole: bool = False


def outcomes(fragment: Fragment, sentence: Marked, spoken: frozenset[Term], about: frozenset[Term]) -> Iterator[Said]:
    """The checks whose outcome a fragment tells.

    `spoken` are those that the sentence named before it, `about` those of the sentence or the one before.
    """
    terms = fragment.terms
    named = [kind for kind in KINDS if kind[1] in terms or kind[2] in terms or SIGN_OF[kind[2]] in fragment.text]
    said = [kind for kind in KINDS if kind[3] in terms]
    named += [kind for kind in chained_in(fragment, sentence) if kind not in named]
    of_tests = any(kind[0] is ClaimKind.TESTS for kind in named)
    test_file = TEST_FILE in fragment.text
    passes = Term.PASSES in terms and not (ticked_only(fragment, named))
    figures = all_of(figures_in(fragment.text, of_tests=of_tests or test_file), fragment.text, passes=passes)
    denied = terms & {Term.NEGATION, Term.HINDERED} and not figures.stated
    denied = denied or (EXCEPT.search(fragment.text) is not None and not figures.stated)
    if denied or NOT_RUN.search(fragment.text) is not None:
        return
    if passes and not (named or said):
        named = unnamed(fragment, sentence, spoken | about, stated=figures.stated)
    elif passes and BOTH.search(fragment.text) is not None:
        named = [kind for kind in KINDS if kind in named or kind[1] in spoken or kind[2] in spoken]
    if FOUND_NOTHING.search(fragment.raw) is not None and not figures.stated:
        # A linter that finds nothing is content; a runner of tests that finds none has run none.
        named = [kind for kind in named if kind[0] is not ClaimKind.TESTS]
        of_tests = False
    start = fragment.start + len(fragment.text) - len(fragment.text.lstrip())
    end = fragment.start + len(fragment.raw.rstrip(" ,;—–-(·|\t"))
    whole = vocabulary()[Term.WHOLE].search(fragment.text) is not None if Term.WHOLE in terms else False
    whole = whole and ALL_IN.search(fragment.text) is None
    files = places_in(fragment, sentence)
    of_tests = of_tests or test_file or ClaimKind.TESTS in [kind[0] for kind in named]
    by_suite = not (named or said) and passes and ALL_PASS.search(fragment.text) is not None
    if tells_tests(figures, of_tests=of_tests, passes=passes) or (by_suite and any(by_name(fragment, sentence))):
        listed = list(by_name(fragment, sentence)) if not figures.fails else []
        yield from listed or (
            Said(
                ClaimKind.TESTS,
                start,
                end,
                counts=figures.counts,
                total=figures.total,
                fails=figures.fails,
                subjects=files,
                tool=tool_of(ClaimKind.TESTS, fragment, sentence),
                whole=whole,
            ),
        )
        named = [kind for kind in named if kind[0] is not ClaimKind.TESTS]
        said = [kind for kind in said if kind[0] is not ClaimKind.TESTS]
        if named and passes and figures.stated:
            # "formatted, then 68 passed" says nothing of the format: another outcome than the figures must.
            passes = vocabulary()[Term.PASSES].search(without_figures(fragment.text)) is not None
    if BUILD_LINE.search(fragment.text) is not None and (of_tests or Term.TESTS in spoken or Term.TOOL_TESTS in spoken):
        named = [kind for kind in named if kind[0] is not ClaimKind.BUILD]
        said = [kind for kind in said if kind[0] is not ClaimKind.BUILD]
    named = told_of([kind for kind in named if not only_timed(kind, fragment.text)], fragment)
    said = told_of(said, fragment)
    still = STILL_FAILS.search(fragment.text) is not None
    for kind in KINDS:
        if kind in said or (kind in named and (passes or still)):
            yield Said(
                kind[0],
                start,
                end,
                fails=still and not passes,
                subjects=files,
                tool=tool_of(kind[0], fragment, sentence),
                whole=whole,
            )


ALL_IN = compiled(rf"\b(?:everything|all(?: of)?(?: the)?(?: tests?)?) (?:in|under|from|of) [{FILE}{TEST_FILE}{CODE}]")
IN_MINE = compiled(
    r"(?:고친|수정한|건드린|바꾼|추가한|작성한|변경한|만든|새) ?(?:파일|부분|코드|모듈|줄|곳)\S{0,3}?(?:에서|"
    r"에는|에선|엔|만|은|는)|"
    r"\b(?:in|on|for|from) (?:the |any of the |my |our )?(?:\S+ )?(?:files?|lines?|code|modules?|parts?|ones|"
    r"what|changes?) "
    r"(?:that |which )?(?:i|we|this change|the change)\b|\b(?:in|on|for|from) (?:my|our) (?:\S+ )?(?:files?|"
    r"lines?|code|changes?)\b|"
    r"\b(?:i|we) (?:touched|changed|added|wrote)\b|"
    r"새(?:로운|로 생긴)? ?(?:오류|에러|경고|지적)"
)
# "ok except pkg/net": what is left out failed, or did not run.
EXCEPT = compiled(r"\b(?:except|apart from|with the exception)\b|(?:빼고|빼면|제외하고|제외하면)")
FOUND_NOTHING = compiled(
    r"\b(?:finds?|found|matche[sd]|match|selects?|selected|collects?|collected|picks? up|picked up|discovers?|"
    r"discovered|runs|ran|had) (?:nothing|none|no (?:\S+ )?(?:tests?|cases?|specs?))\b"
)


def told_of(
    kinds: list[tuple[ClaimKind, Term, Term, Term]], fragment: Fragment
) -> list[tuple[ClaimKind, Term, Term, Term]]:
    """Checks without those that are clean only where the speaker wrote, which leaves open what they say of the rest."""
    if IN_MINE.search(fragment.raw) is None:
        return kinds
    return [kind for kind in kinds if kind[0] is ClaimKind.TESTS]


NAMED_COUNT = compiled(
    rf"(?:^|[,、:(·|/]|\band|→|->|=>)[ *]*((?:[A-Za-z가-힣]+ ){{0,2}}?)([A-Za-z@][\w@/-]*|[{FILE}{TEST_FILE}{CODE}]+|"
    r"[가-힣]{1,10})(?:은|는|이|가|에서)?[ :]+(\d{1,5})(?:개|건)?(?:까지)? ?(?:passed|passing|tests?|통과|ok|green)?"
    r"(?:[ *]*(?:[,、()·./]|$|전부|모두|다 |all\b|and\b|pass))"
)
NO_NAME = compiled(
    r"^(?:pass\w*|fail\w*|skip\w*|error\w*|tests?|total|in|of|the|all|with|and|exit\w*|line|lines|python|node|version|"
    r"ran|run|got|after|before|now|still|only|about|pending|todo|ignored|suites?|files?|통과|성공|실패|스킵|오류|에러|"
    r"경고|무시|총|전체|중|테스트|케이스|모두|전부|합계|제외|이전|기존|신규|추가|파일|스위트|종료|코드)$"
)
SHORTEST_LIST = 2


def by_name(fragment: Fragment, sentence: Marked) -> Iterator[Said]:
    """The claims of a list of suites with their figures: "core 42, cli 10, web 5 all pass"; nothing for one suite."""
    found: list[Said] = []
    text = fragment.text
    done = 0
    while len(found) < MOST_LISTED:
        match = NAMED_COUNT.search(text[done:])
        if match is None:
            break
        begin, end = done + match.start(2), done + match.end(3)
        name = sentence.name_at(fragment.start + begin) or match.group(2)
        if NO_NAME.match(name) is not None and match.group(1):
            name = match.group(1).split()[-1]
        if NO_NAME.match(name) is None:
            counts = Counts(passed=int(match.group(3)))
            start = fragment.start + begin
            found.append(Said(ClaimKind.TESTS, start, fragment.start + end, counts=counts, subjects=(name,)))
        done = end
    if len(found) >= SHORTEST_LIST:
        yield from found


OPTION = compiled(r"^-[kt] \S|^--(?:lib|doc|test|grep|filter)\b")


def places_in(fragment: Fragment, sentence: Marked) -> tuple[str, ...]:
    """Where an outcome was: files, directories and selections that a fragment names, and those of its commands."""
    end = fragment.start + len(fragment.text)
    found = list(sentence.within(fragment.start, end, FILE + TEST_FILE))
    for code in sentence.within(fragment.start, end, CODE):
        found += [code] if OPTION.match(code) is not None or ("/" in code and " " not in code) else []
    for command in sentence.within(fragment.start, end, COMMAND + "".join(SIGN_OF.values())):
        found += file_names(command)[:MOST_LISTED]
    return tuple(dict.fromkeys(found))[:MOST_LISTED]


MOST_LISTED = 30
# What a build tool prints behind its tests.
BUILD_LINE = compiled(r"(?-i:BUILD SUCCESS)")
TIMED = compiled(
    r"(?:포맷|포매팅|포매터|린트|빌드|타입 ?체크|컴파일)[ *]*(?:직전|전|이전|후|뒤|다음|이후)|"
    r"\b(?:before|after|since|until) (?:the )?(?:\S+ )?(?:format\w*|lint\w*|build|type ?check)"
)


def only_timed(kind: tuple[ClaimKind, Term, Term, Term], text: str) -> bool:
    """Whether a text names a check only to say when something was: "before the build"."""
    _, noun, tool, _ = kind
    bare = TIMED.sub(" ", text)
    if bare == text or SIGN_OF[tool] in text:
        return False
    words = vocabulary()
    return words[noun].search(bare) is None and words[tool].search(bare) is None


def unnamed(
    fragment: Fragment, sentence: Marked, about: frozenset[Term], *, stated: bool
) -> list[tuple[ClaimKind, Term, Term, Term]]:
    """The checks that a fragment speaks of whose outcome it tells without a name."""
    if not about and ALL_GREEN.match(fragment.text) is not None:
        return [KINDS[0]]
    if not stated and of_all(fragment.text):
        return [kind for kind in KINDS if kind[1] in about or kind[2] in about]
    if any(GATE.search(name) is not None for name in scripts_of(fragment, sentence)):
        return [KINDS[0]]
    return []


ALL_GREEN = compiled(
    r"^\W*(?:on my (?:machine|side),? )?(?:everything|all|it all)(?:'s| is| are)? (?:now |still |again )?(?:green|"
    r"passes|passing)\b|"
    r"^[\s\p{P}]*(?:제 (?:환경|쪽)\S* )?(?:전부|모두|전체|싹 ?다|다) ?(?:통과|그린|초록|패스|green\b|pass)"
    r"(?:[\s.,!]|했|입|임|이고|합|함|됐|됨|이에요|예요|ed|es|$)|^\W*올 ?그린"
)
GATE = compiled(r"(?:test|check|gate|verify|validate|suite|run[_-]?all|\bci)[\w-]*\.(?:sh|bash|ps1)$")


def scripts_of(fragment: Fragment, sentence: Marked) -> tuple[str, ...]:
    """The files that a fragment names, of which some may be scripts that check."""
    return sentence.within(fragment.start, fragment.start + len(fragment.text), FILE + TEST_FILE)


TICK = compiled(r"[✅✔☑✓🟢]")
MARKS = compiled(r"^[\s\d\p{P}\p{S}]*(?:the |all |full |전체 )?")


def chained_in(fragment: Fragment, sentence: Marked) -> list[tuple[ClaimKind, Term, Term, Term]]:
    """The checks that a chained command runs: `npm run typecheck && npm run build`."""
    found: list[Term] = []
    for command in sentence.within(fragment.start, fragment.start + len(fragment.text), "".join(SIGN_OF.values())):
        if "&&" in command or ";" in command:
            tools = [tool_in(part) for part in command.replace(";", "&&").split("&&")[:6]]
            found += [tool[0] for tool in tools if tool is not None]
    return [kind for kind in KINDS if kind[2] in found]


def ticked_only(fragment: Fragment, named: Sequence[tuple[ClaimKind, Term, Term, Term]]) -> bool:
    """Whether nothing but a tick speaks of success, and not of the check itself: "✅ consistent formatting"."""
    if TICK.search(fragment.text) is None:
        return False
    bare = TICK.sub(" ", fragment.text)
    if vocabulary()[Term.PASSES].search(bare) is not None:
        return False
    begin = MARKS.match(bare)
    rest = bare[begin.end() if begin is not None else 0 :]
    return not any(is_all(rest, noun, tool) for _, noun, tool, _ in named)


NO_WORDS = compiled(r"^(?:[\s\d\p{P}\p{S}]|개|건)*$")


def is_all(text: str, noun: Term, tool: Term) -> bool:
    """Whether a text is no more than the name of a check, with figures at most."""
    for term in (noun, tool):
        match = vocabulary()[term].match(text)
        if match is not None and NO_WORDS.match(text[match.end() :]) is not None:
            return True
    return text[:1] == SIGN_OF[tool] and NO_WORDS.match(text.replace(SIGN_OF[tool], "")) is not None


BOTH = compiled(r"\bboth\b|\ball (?:three|four|of them)\b|둘 ?다|셋 ?다|넷 ?다|세 가지|네 가지")
COLLECTIVE = compiled(
    r"\b(?:all|both|everything|every|each|they|them|these|three|suite|it)\b(?:\s+\S+){0,3}?\s*(?:pass|green|clean|"
    r"ok\b|succe|exit)|"
    r"모두|전부|다 |전체|싹|모든|둘|셋|넷"
)
ALL_FINE = compiled(
    r"(?:전부|모두|모조리|전체|싹 ?다|다|전 항목) ?(?:\S+ ){0,2}?(?:정상|통과|이상 ?없|문제 ?없|깨끗|초록|그린|"
    r"성공|ok\b|green|pass)|"
    r"(?:에러|오류|실패|문제|이상|깨진 ?(?:곳|데|것|거)) ?(?:은|는|도|가|이)? ?(?:하나도 |전혀 )?(?:없|0)|OK  "
)
EXIT = compiled(r"\bexit|종료 ?코드|=0")
SHORT = 2


ALL_PASS = compiled(r"전부|모두|모조리|싹 ?다|\ball\b|\bevery\b|전체")


def all_of(figures: Figures, text: str, *, passes: bool) -> Figures:
    """Figures of which all passed, where a text says so: "the suite passes entirely (7 tests)"."""
    if not passes or figures.total is None or figures.counts != NO_COUNTS or ALL_PASS.search(text) is None:
        return figures
    return replace(figures, counts=replace(NO_COUNTS, passed=figures.total))


def of_all(text: str) -> bool:
    """Whether a fragment that names no check speaks of those named before: of all of them, or in a few words."""
    if ALL_FINE.search(text) is not None:
        return True
    if EXIT.search(text) is not None or "정상" in text:
        return False
    return COLLECTIVE.search(text) is not None or len(text.split()) <= SHORT


def tells_tests(figures: Figures, *, of_tests: bool, passes: bool) -> bool:
    """Whether figures and words together tell how tests came out."""
    counts = figures.counts
    if of_tests and passes:
        return True
    if figures.stated and counts.passed is not None:
        return True
    failed = counts.failed if counts.failed is not None else counts.errors
    return of_tests and figures.stated and (failed is not None or counts.collected is not None)


def tool_of(kind: ClaimKind, fragment: Fragment, sentence: Marked) -> str:
    """The tool of a kind that a fragment names; "" when it names none."""
    term = next(tool for of, _, tool, _ in KINDS if of is kind)
    for command in sentence.within(fragment.start, fragment.start + len(fragment.text), SIGN_OF[term]):
        found = tool_in(command)
        if found is not None:
            return found[1]
    if term in fragment.terms:
        match = vocabulary()[term].search(fragment.text)
        if match is not None:
            return " ".join(match.group().lower().split()).removeprefix("./")
    return ""


def spoken_of(fragment: Fragment) -> frozenset[Term]:
    """The checks that a fragment names."""
    found = set(fragment.terms & (NOUNS | TOOLS))
    found |= {term for term, sign in SIGN_OF.items() if sign in fragment.text}
    found |= {TESTED_NOUN[kind] for kind, _, _, says in KINDS if says in fragment.terms & SAYS}
    return frozenset(found)
