"""Claims of deeds: files written, commits, pushes, runs, looks, figures measured."""

from collections.abc import Iterator

from mama_bot.enforcement.language.claiming.fragments import Fragment
from mama_bot.enforcement.language.claiming.named import CODE, COMMAND, FILE, TEST_FILE, TOOL_OF, Marked, tool_in
from mama_bot.enforcement.language.claiming.outcomes import Said
from mama_bot.enforcement.language.claiming.vocabulary import Term, vocabulary
from mama_bot.enforcement.language.patterns import compiled
from mama_bot.model.claims import ClaimKind

FILES = FILE + TEST_FILE
COMMANDS = COMMAND + "".join(TOOL_OF)
F = f"[{FILE}{TEST_FILE}]"
HASH = compiled(r"\b([0-9a-f]{7,40})\b")
COMMIT_LABEL = compiled(
    r"^[\s*]*(?:the )?(?:commit|committed|커밋)(?: (?:id|hash|sha|해시))?\**\s*[:：=→]\s*\**[`(]?([0-9a-f]{7,40})\b|"
    r"\b(?:fixed|done|landed|implemented|added|in|is|as) (?:in )?commit `?([0-9a-f]{7,40})\b|"
    r"\b(?:fixed|landed|implemented) in `?([0-9a-f]{7,40})\b"
)
PUSH_LABEL = compiled(r"^[\s*]*(?:push|pushed|푸시)\**\s*[:：]\s*(?:\S+ )?(?:done|yes|ok|✅|완료|origin)")
REMOTE = compiled(
    r"\b((?:origin|upstream)(?:/[\w./-]+)?|(?:main|master|develop|release)\b)|(?:브랜치|branch) `?([\w./-]+)"
)
MERGED_OBJECT = compiled(
    r"\bmerged\b[\s*✅]*(?:$|[.,;!)]|(?:it|this|the (?:pr|branch|fix|change|mr|pull request)|pr|mr|branch|in|into|to|onto|"
    r"back|as|via|cleanly|#\d+|!\d+)\b|#\d|\x{e003})|(?:branch|pr|mr|#\d+|pull request|it|changes?) (?:is |was |has been |now )?"
    r"merged\b|(?:머지|병합|merge)"
)
PUBLISHED_OBJECT = compiled(
    r"npm|pypi|registry|crates|package|release|version|\bv?\d+\.\d+|image|docker|hub|maven|nuget|gem|artifact|tag|"
    r"패키지|버전|릴리스|릴리즈|레지스트리|이미지|^\W*published\W*$"
)
DESCRIBED = compiled(
    r"\b(?:is|are|gets|get|being|be) (?:created|added|written|generated|changed|updated|modified|deleted|removed|dropped|"
    r"published|replaced|renamed|checked|verified|validated|executed|reviewed|reproduced|moved|released|uploaded|confirmed|"
    r"read|ran|run|invoked)\b"
)
FROM_FILE = compiled(rf"\b(?:to|in|into|from|inside|within|of|at|under)(?: the)?(?: \S+)?\s+[`]?{F}")
KOREAN_INTO = compiled(rf"{F}+[^ ]?\s?(?:\S+ )?(?:에|에서|의|안에|쪽에|내)\s")
NEW = compiled(r"\bnew\b|\(new\)|신규|새로|새 (?:파일|모듈|테스트)")
NEW_ITEM = compiled(
    r"\bnew\b[\s.:)—–-]*$|\(new[,)]|[—–:-]+ *new\b|\(?신규\)?[\s.:)—–-]*$|\(신규|\((?:deleted|removed|삭제)|[—–:-] *(?:deleted|removed|삭제)"
)
GONE = compiled(r"\b(?:deleted|removed)\b|삭제|제거")
FILE_WORD = compiled(r"\bfiles?\b|\bmodules?\b|\bscripts?\b|\bdirectory\b|파일|모듈|스크립트|디렉터리|디렉토리|폴더")
RAN_OBJECT = compiled(
    rf"[{COMMANDS}{CODE}]|\b(?:suite|tests?|linter|lint|formatter|build|benchmarks?|migrations?|script|type ?check(?:er)?|"
    r"reproduction|repro|it|them|command|everything)\b|테스트|스위트|린트|빌드|포매터|벤치마크|마이그레이션|스크립트|명령|타입"
)
UNIT = (
    r"(?:ms|µs|us|ns|s|sec(?:onds?)?|seconds|minutes?|min|mb|mib|gb|gib|kb|kib|rps|qps|fps|%|req/s|ops/s|ops/sec|"
    r"requests/s|rows/s|msg/s|tps|iterations/s|x|배|초|밀리초|분|건/초|바이트|개/초)"
)
MEASURED = compiled(rf"(?:^|[^\w.#])(\d[\d,]*(?:\.\d+)?(?: ?(?:/|~|-|→|->) ?\d[\d,]*(?:\.\d+)?)* ?{UNIT})(?:$|[^\w])")
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
    end = fragment.start + len(text.rstrip(" ,;—–-(·"))
    if Term.ONLY_THESE in terms:
        yield Said(ClaimKind.ONLY_THESE, start, end, subjects=names(fragment, sentence, FILES))
        return
    if Term.NEGATION in terms or Term.OTHER in terms or (text.isascii() and DESCRIBED.search(text) is not None):
        return
    for term, kind in SIMPLE:
        if term in terms and fits(kind, text):
            yield Said(kind, start, end, subjects=subjects_of(kind, text))
    if Term.COMMITTED not in terms:
        label = COMMIT_LABEL.search(text)
        if label is not None:
            yield Said(ClaimKind.COMMITTED, start, end, subjects=tuple(HASH.findall(text)[:LONGEST]))
    if Term.PUSHED not in terms and PUSH_LABEL.match(text) is not None:
        yield Said(ClaimKind.PUSHED, start, end, subjects=subjects_of(ClaimKind.PUSHED, text))
    yield from of_files(fragment, sentence, start, end)
    if Term.RAN in terms and RAN_OBJECT.search(text) is not None:
        commands = names(fragment, sentence, COMMANDS)
        found = tool_in(commands[0]) if commands else tool_in(text)
        yield Said(ClaimKind.RAN, start, end, subjects=commands, tool=found[1] if found else "")
    if Term.CHECKED in terms and (Term.LOOKED_AT in terms or any(sign in text for sign in FILES)):
        subjects = names(fragment, sentence, FILES)
        yield Said(ClaimKind.CHECKED, start, end, subjects=subjects)
    if Term.MEASURE in terms and Term.SETTING not in terms:
        figures = tuple(dict.fromkeys(" ".join(one.split()) for one in MEASURED.findall(text)))[:LONGEST]
        if figures:
            yield Said(ClaimKind.BENCHMARK, start, end, subjects=figures)


def names(fragment: Fragment, sentence: Marked, signs: str) -> tuple[str, ...]:
    """The names of some kinds in a fragment."""
    return sentence.within(fragment.start, fragment.start + len(fragment.text), signs)[:LONGEST]


def fits(kind: ClaimKind, text: str) -> bool:
    """Whether a verb with several senses has the one of a claim."""
    if kind is ClaimKind.MERGED:
        return MERGED_OBJECT.search(text) is not None
    if kind is ClaimKind.PUBLISHED:
        return PUBLISHED_OBJECT.search(text) is not None
    return True


def subjects_of(kind: ClaimKind, text: str) -> tuple[str, ...]:
    """The commit that a fragment names, or where it went."""
    if kind is ClaimKind.COMMITTED:
        return tuple(one for one in HASH.findall(text) if any(sign.isdigit() for sign in one))[:LONGEST]
    if kind in (ClaimKind.PUSHED, ClaimKind.MERGED):
        match = REMOTE.search(text)
        return ((match.group(1) or match.group(2)),) if match is not None else ()
    return ()


def of_files(fragment: Fragment, sentence: Marked, start: int, end: int) -> Iterator[Said]:
    """What a fragment says was done to files that it names, or to a file that it only speaks of."""
    terms, text = fragment.terms, fragment.text
    if not terms & {Term.CREATED, Term.CHANGED, Term.DELETED}:
        return
    subjects = names(fragment, sentence, FILES)
    if not subjects and FILE_WORD.search(text) is None:
        return
    inside = FROM_FILE.search(text) is not None or KOREAN_INTO.search(text) is not None
    if Term.DELETED in terms and not inside and Term.CREATED not in terms:
        kind = ClaimKind.DELETED
    elif Term.CREATED in terms and not inside:
        kind = ClaimKind.CREATED
    else:
        kind = ClaimKind.CHANGED
    if not subjects and kind is ClaimKind.CHANGED:
        return
    first = vocabulary()[Term(kind.value)].search(text)
    if first is not None and text.isascii() and fragment.start + first.start() > start:
        begin = fragment.start + first.start()
        # "`src/a.py` updated": the name stands before its verb.
        start = start if any(sign in text[: first.start()] for sign in FILES) else begin
    yield Said(kind, start, end, subjects=subjects)


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
