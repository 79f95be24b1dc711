"""Claims of deeds: files written, commits, pushes, runs, looks, figures measured."""

from collections.abc import Iterator

from mama_bot.enforcement.claims.grammar.figures import DIGITS
from mama_bot.enforcement.claims.grammar.fragments import FINITE, Fragment
from mama_bot.enforcement.claims.grammar.named import COMMAND, FILE, TEST_FILE, TOOL_OF, Marked, tool_in
from mama_bot.enforcement.claims.grammar.outcomes import Said
from mama_bot.enforcement.claims.grammar.vocabulary import Term, vocabulary
from mama_bot.model.claims import ClaimKind
from mama_bot.text.patterns import compiled
from mama_bot.wording import has_hangul

FILES = FILE + TEST_FILE
COMMANDS = COMMAND + "".join(TOOL_OF)
F = f"[{FILE}{TEST_FILE}]"
HASH = compiled(r"\b([0-9a-f]{7,40})\b")
COMMIT_LABEL = compiled(
    r"^[\W_]*(?:the |two |three |both |\d )?(?:commits?|committed|커밋)(?: (?:id|hash|sha|해시))?[은는이]?[\s*`:：=→|"
    r"(]*([0-9a-f]{7,40})\b(?:[`)*.,;|\s]*$|[`)]*(?:입니다|이에요|이고|임|로)|[`)]* "
    r"(?:contains|has|on|is|with|style|fix|feat|chore|docs|refactor|test)\b|[`)]* ?[,(]|[`)]* (?:and|"
    r"및) [`(]*[0-9a-f]{7})|"
    r"\b(?:done|landed|implemented|added|in|is|as) (?:in )?commit `?([0-9a-f]{7,40})\b|"
    r"\b(?:fixed|landed|implemented) in `?([0-9a-f]{7,40})\b|"
    r"\b(?:landed|recorded|saved|stored|it is in|went in) as [`(]*([0-9a-f]{7,40})\b|"
    r"\b(?:created|made|added|one|single|new|my|commit is in) ?(?:a |new |single |"
    r"one )*(?:commit)?[ ,:(`]+([0-9a-f]{7,40})\b|"
    r"커밋[은는이]? *[:：]? *[`(]*([0-9a-f]{7,40})[`)]* ?(?:입니다|이에요|예요|임)|"
    r"^[\s`*-]*([0-9a-f]{7,40})[`]?(?:로|으로)? 커밋[.\s]*$"
)
PUSH_WENT = compiled(
    r"^[\s*|]*(?:the )?(?:push|푸시)\**(?: to \S+)?[\s:：|]+(?:origin|upstream|is |was |has )?(?:went through|"
    r"succeeded|successful|done|ok\b|worked|through|✅|완료|성공)"
)
PUSH_LABEL = compiled(r"^[\s*]*(?:push|pushed|푸시)\**\s*[:：]\s*(?:\S+ )?(?:done|yes|ok|✅|완료|origin)")
REMOTE = compiled(r"\b((?:origin|upstream)(?:/[\w./-]*\w)?|(?:main|master|develop)\b)")
MERGED_OBJECT = compiled(
    r"\bmerged\b[\s*✅]*(?:$|[.,;!)]|(?:it|this|the (?:pr|branch|fix|change|mr|pull request)|pr|mr|branch|in|into|"
    r"to|onto|"
    r"back|as|via|cleanly|#\d+|!\d+)\b|#\d|[\x{e001}\x{e003}]|\S+/\S+ (?:in|into|to))|(?:\S+/\S+|"
    r"[\x{e001}\x{e003}]|branch|pr|mr|#\d+|pull request|it|changes?) (?:is |was |"
    r"has been |now )?"
    r"merged\b|(?:머지|병합|합쳤|\bmerge\b)"
)
PUBLISHED_OBJECT = compiled(
    r"npm|pypi|registry|crates|package|release|version|\bv?\d+\.\d+|image|docker|hub|maven|nuget|gem|artifact|tag|"
    r"패키지|버전|릴리스|릴리즈|레지스트리|이미지|^\W*published\W*$"
)
DESCRIBED = compiled(
    r"\b(?:is|are|gets|get|being|be) (?:created|added|written|generated|changed|updated|modified|deleted|removed|"
    r"dropped|"
    r"published|replaced|renamed|checked|verified|validated|executed|reviewed|reproduced|moved|released|uploaded|"
    r"confirmed|"
    r"read|ran|run|invoked)\b"
)
FROM_FILE = compiled(rf"\b(?:to|in|into|from|inside|within|of|at|under)(?: the)?(?: \S+)?\s+[`]?{F}")
KOREAN_INTO = compiled(rf"{F}+[^ ]?\s?(?:\S+ )?(?:에|에서|의|안에|쪽에|내)\s")
NEW = compiled(r"\bnew\b|\(new\)|신규|새로|새 (?:파일|모듈|테스트)")
NEW_ITEM = compiled(
    r"\bnew\b[\s.:)—–-]*$|\(new[,)]|[—–:-]+ *new\b|\(?신규\)?[\s.:)—–-]*$|\(신규|\((?:deleted|removed|삭제)|"
    r"[—–:-] *(?:deleted|removed|삭제)"
)
GONE = compiled(r"\b(?:deleted|removed)\b|삭제|제거")
FILE_WORD = compiled(r"\bfiles?\b|\bmodules?\b|\bscripts?\b|\bdirectory\b|파일|모듈|스크립트|디렉터리|디렉토리|폴더")
RAN_OBJECT = compiled(
    rf"[{COMMANDS}{FILES}]|\b(?:suite|tests?|linter|lint|formatter|build|benchmarks?|migrations?|script|"
    rf"type ?check(?:er)?|"
    r"reproduction|repro|it|them|command|everything)\b|테스트|스위트|린트|빌드|포매터|벤치마크|마이그레이션|"
    r"스크립트|명령|타입"
)
UNIT = (
    r"(?:ms|msec|usec|nsec|µs|us|ns|s|sec(?:onds?)?|seconds|minutes?|min|mb|mib|gb|gib|kb|kib|rps|qps|fps|%|req/s|"
    r"ops/s|ops/sec|"
    r"requests/s|rows/s|msg/s|tps|iterations/s|x|배|초|밀리초|분|건/초|바이트|개/초)"
)
MEASURED = compiled(rf"(?:^|[^\w.#])(\d[\d,]*(?:\.\d+)?(?: ?(?:/|~|-|→|->) ?\d[\d,]*(?:\.\d+)?)* ?{UNIT})(?:$|[^\w])")
COMPARED = compiled(
    r"\bfrom\b.{1,40}\bto\b|→|->|평균|\baverage\b|\bmean\b|\bbefore\b.{1,40}\b(?:after|now)\b|"
    r"\bnow\b.{1,30}\bbefore\b|\bquicker\b|\binstead of\b|\b(?:down|dropped|fell|rose|went) to\b|\bfaster\b|\bslower\b|"
    r"\bspeed-?up\b|\bmeasured\b|"
    r"\bbenchmark(?:s|ed)?\b|\bvs\b|재 ?보니|잰|쟀|"
    r"\bp(?:50|90|95|99)\b.{0,20}\d|\bhyperfine\b|\bwrk\b|\bk6\b|\btimeit\b|\b(?:now|median|throughput|wall)\b|"
    r"에서 .{1,40}(?:로|으로)|측정|벤치|빨라|단축|줄었|중앙값|처리량|호출당"
)
WEAK_UNIT = compiled(r"(?:%|분|min|minutes?|gb|gib|mb|배|x)$")
STRONG_CHANGE = compiled(
    r"faster|slower|speed-?up|빨라|단축|줄었|에서 .{1,40}(?:로|으로)|→|\bfrom\b.{1,40}\bto\b|측정|measured|benchmark"
)
INCIDENT = compiled(
    r"\b(?:would|costs?|at least|at most|limit|up to|until|after \d)\b|초과|이내|제한|까지|마다|\d\d:\d\d"
)
LONGEST = 12

SIMPLE = (
    (Term.REPRODUCED, ClaimKind.REPRODUCED),
    (Term.COMMITTED, ClaimKind.COMMITTED),
    (Term.PUSHED, ClaimKind.PUSHED),
    (Term.MERGED, ClaimKind.MERGED),
    (Term.PUBLISHED, ClaimKind.PUBLISHED),
    (Term.DEPLOYED, ClaimKind.DEPLOYED),
)


def deeds(fragment: Fragment, sentence: Marked) -> Iterator[Said]:
    """What a fragment says was done, without the outcomes of checks."""
    terms, text = fragment.terms, fragment.text
    start = fragment.start + len(text) - len(text.lstrip(" ,;—–-(·✅✔☑✓*"))
    end = fragment.start + len(fragment.raw.rstrip(" ,;—–-(·|\t"))
    if Term.ONLY_THESE in terms and SINCE.search(fragment.raw or text) is not None:
        return
    if Term.ONLY_THESE in terms and (ONLY_SOME.search(text) is None or any(sign in text for sign in FILES)):
        yield Said(ClaimKind.ONLY_THESE, start, end, subjects=names(fragment, sentence, FILES))
        return
    if Term.OTHER in terms or is_habit(text, terms):
        return
    if UNDONE.search(sentence.text) is None:
        yield from delivered(fragment, start, end)
    yield from of_files(fragment, sentence, start, end)
    yield from looked(fragment, sentence, start, end)
    if Term.MEASURE in terms and Term.SETTING not in terms and (figures := measured(text)):
        yield Said(ClaimKind.BENCHMARK, start, end, subjects=figures)


def is_habit(text: str, terms: frozenset[Term]) -> bool:
    """Whether an English fragment describes what is done rather than what was; of files, their verbs decide."""
    if Term.PUBLISHED in terms and RELEASED.search(text) is not None:
        return False
    return not terms & FILE_TERMS and not has_hangul(text) and DESCRIBED.search(text) is not None


RELEASED = compiled(r"\bv?\d+\.\d+(?:\.\d+)?\b|\bnpm\b|\bpypi\b|crates\.io|docker hub|\blatest\b")


def delivered(fragment: Fragment, start: int, end: int) -> Iterator[Said]:
    """Reproduced, committed, pushed, merged, published, deployed: by their verbs, or by a label such as "Commit:"."""
    terms, text = fragment.terms, fragment.text
    done = without_attributes(text, terms)
    for term, kind in SIMPLE:
        if (
            term in terms
            and (done is text or vocabulary()[term].search(done) is not None)
            and fits(kind, text)
            and not denied(term, fragment, hindered=True)
        ):
            yield Said(kind, start, end, subjects=subjects_of(kind, text))
    if Term.COMMITTED not in terms and not DIGITS.isdisjoint(text) and labels_commit(text):
        yield Said(ClaimKind.COMMITTED, start, end, subjects=tuple(HASH.findall(text)[:LONGEST]))
    label = ":" in text and PUSH_LABEL.match(text) is not None
    if Term.PUSHED not in terms and Term.NEGATION not in terms and (label or PUSH_WENT.match(text) is not None):
        yield Said(ClaimKind.PUSHED, start, end, subjects=subjects_of(ClaimKind.PUSHED, text))


def looked(fragment: Fragment, sentence: Marked, start: int, end: int) -> Iterator[Said]:
    """What was run, and what was looked at."""
    terms, text = fragment.terms, fragment.text
    if Term.RAN in terms and not denied(Term.RAN, fragment) and RAN_OBJECT.search(text) is not None:
        commands = names(fragment, sentence, COMMANDS) or scripts_in(fragment, sentence)
        found = tool_in(commands[0]) if commands else tool_in(text)
        yield Said(ClaimKind.RAN, start, end, subjects=commands, tool=found[1] if found else "")
    something = Term.LOOKED_AT in terms or any(sign in text for sign in FILES)
    if Term.CHECKED in terms and something and not denied(Term.CHECKED, fragment):
        yield Said(ClaimKind.CHECKED, start, end, subjects=names(fragment, sentence, FILES))


BASE_COMMIT = compiled(
    r"(?:검토|리뷰|확인) ?(?:대상|범위|커밋)|\b(?:reviewed|reviewing|under review|looked at)\b|"
    r"(?:기준|베이스|직전|이전|마지막|부모|원래|머지 ?베이스) ?커밋|\b(?:base|last|previous|parent|merge-base|"
    r"earlier|old|bad|first bad|"
    r"culprit|upstream) commit|\bhead is\b"
)


def labels_commit(text: str) -> bool:
    """Whether a text names a commit as the speaker's own."""
    return COMMIT_LABEL.search(text) is not None and BASE_COMMIT.search(text) is None


SCRIPT = compiled(r"\.(?:sh|py|js|mjs|ts|rb|pl|ps1|bash|sql)$")


def scripts_in(fragment: Fragment, sentence: Marked) -> tuple[str, ...]:
    """The files in a fragment that can be run."""
    return tuple(name for name in names(fragment, sentence, FILES) if SCRIPT.search(name) is not None)


def measured(text: str) -> tuple[str, ...]:
    """The figures that a fragment says it measured; () when it only describes."""
    if COMPARED.search(text) is None or INCIDENT.search(text) is not None:
        return ()
    figures = tuple(dict.fromkeys(" ".join(one.split()) for one in MEASURED.findall(text)))[:LONGEST]
    if STRONG_CHANGE.search(text) is None and all(WEAK_UNIT.search(one) is not None for one in figures):
        return ()
    return figures


def only_linked(term: Term, text: str) -> bool:
    """Whether a Korean verb leads over to one that tells no deed: "생성하고 삭제합니다"."""
    verb = vocabulary()[term].search(text)
    if verb is None or not verb.group().endswith("하고"):
        return False
    return has_hangul(text[verb.end() :]) and FINITE.search(text[verb.end() :]) is None


def without_attributes(text: str, terms: frozenset[Term]) -> str:
    """A fragment without the words of deeds that only describe a thing: "the created file"."""
    if Term.ATTRIBUTE not in terms:
        return text
    return vocabulary()[Term.ATTRIBUTE].sub(lambda match: " " * len(match.group()), text)


UNDONE = compiled(
    r"\brolled (?:\S+ )?back\b|\bbacked (?:\S+ )?out\b|\breverted (?:it|that|this)\b|롤백(?:했|함|됐|하였)|"
    r"되돌(?:렸|려|림|렸음)"
)
FILE_TERMS = frozenset((Term.CREATED, Term.CHANGED, Term.DELETED))


def denied(term: Term, fragment: Fragment, *, hindered: bool = False) -> bool:
    """Whether a deed is said not to be done: in English before its verb, in Korean from its verb on."""
    if hindered and Term.HINDERED in fragment.terms:
        return True
    if fragment.text.find("하고") >= 0 and only_linked(term, fragment.text):
        return True
    if Term.NEGATION not in fragment.terms:
        return False
    words = vocabulary()
    verb = words[term].search(fragment.text)
    if verb is None:
        return True
    if not verb.group().isascii() and KOREAN_NOT.search(fragment.text[: verb.start()]) is not None:
        return True
    if verb.group().isascii():
        if LABEL_DENIED.match(fragment.text[verb.end() :]) is not None:
            return True
        return words[Term.NEGATION].search(fragment.text[: verb.start() + 1]) is not None
    return words[Term.NEGATION].search(fragment.text[verb.start() :]) is not None or "아직" in fragment.text


# A label may be denied behind it: "committed: not yet".
LABEL_DENIED = compiled(r"^[*_`]*\s*[:：|=][\s*_`|]*(?:not\b|no\b|none\b|nothing\b|never\b|아직|안 |없)")
KOREAN_NOT = compiled(r"(?:^|\s)(?:안|못)\s?$")


def names(fragment: Fragment, sentence: Marked, signs: str) -> tuple[str, ...]:
    """The names of some kinds in a fragment."""
    return sentence.within(fragment.start, fragment.start + len(fragment.text), signs)[:LONGEST]


def fits(kind: ClaimKind, text: str) -> bool:
    """Whether a verb with several senses has the one of a claim."""
    if kind is ClaimKind.MERGED:
        if MERGED_ELSE.search(text) is not None and MERGED_OWN.search(text) is None:
            return False
        return MERGED_OBJECT.search(text) is not None
    if kind is ClaimKind.PUBLISHED:
        return PUBLISHED_OBJECT.search(text) is not None
    if kind is ClaimKind.PUSHED:
        return PUSHED_ELSE.search(text) is None or PUSHED_OWN.search(text) is not None
    if kind is ClaimKind.COMMITTED:
        return COMMITTED_ELSE.search(text) is None or COMMITTED_OWN.search(text) is not None
    return True


MERGED_ELSE = compiled(r"\b(?:are|is|gets|get|being|be) (?:now )?merged\b")
MERGED_OWN = compiled(
    r"(?:\S+/\S+|[\x{e001}\x{e003}]|branch(?:es)?|prs?|mr|#\d+|pull requests?|it|changes?|work|fix|everything|"
    r"this|that|both) (?:is|"
    r"are) (?:now )?merged\b"
)
PUSHED_ELSE = compiled(
    r"\bpushed (?:into|down|back|onto|in front|up to (?:the )?(?:limit|edge)|past|through|out|aside|further|over|"
    r"me|us|"
    r"since|by|for)\b|\b(?:are|gets|be|being|get) pushed\b"
)
PUSHED_OWN = compiled(
    r"\b(?:commits?|branch(?:es)?|changes?|both|everything|all|tags?|work|fix(?:es)?)(?: \S+)? (?:is|are) (?:now |"
    r"all |both )?pushed\b"
)
COMMITTED_ELSE = compiled(r"\b(?:is|are|gets|get|be|being|was|were) (?:not )?committed\b|\bcommits? committed\b")
COMMITTED_OWN = compiled(
    r"\b(?:everything|all|branch(?: \S+)?|files?|tests?|version|changes?|fix(?:es)?|work|code|both|this|result|"
    r"patch|that|it) (?:\S+ )?(?:is|are|was|were) "
    r"(?:now |all )?committed\b(?: |[.,;]|$)"
)


BASE_HASH = compiled(
    r"\b(?:on top of|based on|onto|parent(?: is)?|since|after|before|instead of|replaces|replacing|"
    r"was) [`(]*[0-9a-f]{7,40}\b|"
    r"\b[0-9a-f]{7,40}[`)]* ?(?:위에|다음에|뒤에|기준|에 ?이어|대신)"
)


def subjects_of(kind: ClaimKind, text: str) -> tuple[str, ...]:
    """The commit that a fragment names, or where it went."""
    if kind is ClaimKind.COMMITTED:
        text = BASE_HASH.sub(" ", text)
        return tuple(one for one in HASH.findall(text) if any(sign.isdigit() for sign in one))[:LONGEST]
    if kind in (ClaimKind.PUSHED, ClaimKind.MERGED):
        match = REMOTE.search(text)
        return (match.group(1),) if match is not None else ()
    return ()


# What changed after a run, not in the whole turn.
SINCE = compiled(
    r"(?:그|이|실행|테스트|통과|커밋|푸시|빌드|\d{1,2}:\d\d) ?(?:뒤|후|다음|이후)(?:에|로|에는|로는|엔|론)?\s|"
    r"(?:^|\s)이후(?:에|로|엔)?\s|"
    r"\b(?:since|after(?:wards?)?|from then on|later)\b|\bcommit (?:\S+ )?(?:contains|covers|touches|holds|has|is)\b"
)
ONLY_SOME = compiled(r"만(?:을)? ?(?:수정|변경|고쳤|건드렸|손댔|바꿨|손봤)")


def of_files(fragment: Fragment, sentence: Marked, start: int, end: int) -> Iterator[Said]:
    """What a fragment says was done to files that it names, or to a file that it only speaks of."""
    terms, text = fragment.terms, fragment.text
    verbs = terms & {Term.CREATED, Term.CHANGED, Term.DELETED}
    done = without_attributes(text, terms)
    if done is not text:
        verbs = frozenset(term for term in verbs if vocabulary()[term].search(done) is not None)
    if not verbs or any(denied(term, fragment) for term in verbs):
        return
    if Term.DELETED in terms and RESTORED.search(sentence.text) is not None:
        return
    reason = REASON.search(text)
    last = fragment.start + (reason.start() if reason is not None else len(text))
    subjects = sentence.within(fragment.start, last, FILES)[:LONGEST]
    if not subjects and FILE_WORD.search(text) is None:
        return
    inside = (FROM_FILE.search(text) is not None and "rid of" not in text) or KOREAN_INTO.search(text) is not None
    if Term.DELETED in terms and not inside and Term.CREATED not in terms:
        kind = ClaimKind.DELETED
    elif Term.CREATED in terms and not inside:
        kind = ClaimKind.CREATED
    else:
        kind = ClaimKind.CHANGED
    if not subjects and kind is ClaimKind.CHANGED:
        return
    if not has_hangul(text):
        begins = [begin for term in verbs if (begin := own_deed(term, text)) is not None]
        if not begins:
            return
        start = fragment.start + min(begins)
    yield Said(kind, start, end, subjects=subjects)


REASON = compiled(r"\b(?:because|although|whereas|so that|even though|the remaining|the rest|the other)\b")
RESTORED = compiled(r"\b(?:restored|un-?deleted|put (?:\S+ )?back|brought (?:\S+ )?back)\b|복구|복원|되살|되돌")
LEAD_IN = compiled(
    r"^[\W\d_]*(?:(?:there is an?|there's an?|i|we|i've|we've|have|has|had|'ve|also|then|now|just|finally|first|"
    r"next|and|so|done|successfully|"
    r"additionally|changes?|both|all|two|three|files?|fixed|implemented|changed|what i did|i did|status|summary|"
    r"result|yes|sure|ok)[\s,:.!—–*✅✔-]*)*$"
)
BETWEEN = compiled(
    r"^[`\s*(),:—–→-]*(?:(?:its|tests?|specs?|is|are|was|were|has|have|been|now|also|newly|already|got|files?|"
    r"module|and|both|all|then)[\s*]*)*$"
)


BARE_SUBJECT = compiled(r"^[^\w\x{e001}-\x{e015}]*(?:(?:the |a |an )?[\w-]+ ){0,3}$")
NO_SUBJECT = compiled(r"\b(?:was|were|is|are|be|been|gets?|got|that|which|who|what|bug|regression|problem|to|by|not)\b")
INTO_FILE = compiled(rf"^ (?:in|to|from|into) (?:the )?{F}")
DONE = compiled(r"\b(?:has|have) (?:now |also |both |all )?been $|\b(?:is|are) (?:now|also now) $")
HABIT = compiled(
    r"\b(?:was|were) \w+ by\b|\b(?:is|are|gets|be) \w+ (?:by|when|if|on|at|from|for|after|before|"
    r"during|once|every)\b"
)


def own_deed(term: Term, text: str) -> int | None:
    """Where an English fragment says that the speaker did it: its verb comes first, or right behind the file."""
    for match in vocabulary()[term].finditer(text):
        before = text[: match.start()]
        _, colon, after = before.rpartition(": ")
        if LEAD_IN.match(after if colon else before) is not None:
            return match.start()
        into = INTO_FILE.match(text[match.end() :]) is not None or match.group().lower().endswith((" in", " into"))
        if DONE.search(before) is not None or (into and BARE_SUBJECT.match(before) and not NO_SUBJECT.search(before)):
            return len(before) - len(before.lstrip())
        last = max(before.rfind(sign) for sign in FILES)
        if last >= 0 and BETWEEN.match(before[last + 1 :]) is not None and HABIT.search(text) is None:
            return before.find(before[last])
    return None


def of_item(text: str, sentence: Marked, heading: str, *, under: bool) -> Said | None:
    """What an item says that begins with a file: what the heading of its list says, or that it is new or gone."""
    if not under and NEW_ITEM.search(text) is None:
        return None
    first = next((one for one in sentence.named if one.sign in FILES), None)
    if first is None or first.start > LONGEST:
        return None
    said = f"{heading} {text}" if GONE.search(text) is None and NEW.search(text) is None else text
    kind = ClaimKind.CHANGED
    if GONE.search(said) is not None:
        kind = ClaimKind.DELETED
    elif NEW.search(said) is not None or vocabulary()[Term.CREATED].match(heading.lower()) is not None:
        kind = ClaimKind.CREATED
    return Said(kind, first.start, first.end, subjects=(first.name,))
